"""Modules of other projects that have the names of this project's modules."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from client.doctor.findings import Finding, Level
from merge_baseline.names import NAMES, modules_in

_DISTRIBUTION = "merge-baseline"


def check_names() -> list[Finding]:
    """One finding on other distributions, one on files in the current folder and on ``sys.path``."""
    return [_distributions(), _files()]


def _distributions() -> Finding:
    owners = packages_distributions()
    others = {name: sorted(set(owners.get(name, ())) - {_DISTRIBUTION}) for name in NAMES}
    found = [f"{name} (from {', '.join(theirs)})" for name, theirs in others.items() if theirs]
    if found:
        return Finding(
            "packages with our names",
            Level.FAIL,
            f"installed beside merge-baseline: {', '.join(found)}",
            "install merge-baseline in an environment of its own: uv tool install merge-baseline, or pipx install",
        )
    return Finding("packages with our names", Level.OK, "no other package installs one")


def _files() -> Finding:
    folders = dict.fromkeys(str(Path(entry or ".").resolve()) for entry in ("", *sys.path))
    found = sorted(path for folder in folders for path in modules_in(folder))
    if found:
        return Finding(
            "files with our names",
            Level.WARN,
            f"a Python program that finds these does not find merge-baseline's own modules: {', '.join(found)}",
            "rename them if a program imports merge_baseline there; of the command, only the engine ray fails there",
        )
    return Finding("files with our names", Level.OK, f"none in this folder or on Python's path ({', '.join(NAMES)})")
