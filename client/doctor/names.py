"""Modules of other projects that have the names of this project's modules."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

from client.doctor.findings import Finding, Level
from merge_baseline.names import HOME, NAMES

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
    folders = dict.fromkeys(Path(entry or ".").resolve() for entry in ("", *sys.path))
    home = Path(HOME).resolve()
    found = [
        str(path)
        for folder in folders
        if folder != home
        for name in NAMES
        for path in (folder / name, folder / f"{name}.py")
        # Python prefers any regular module to a folder without __init__.py.
        if (path / "__init__.py").is_file() or (path.suffix and path.is_file())
    ]
    if found:
        return Finding(
            "files with our names",
            Level.WARN,
            f"a Python program that finds these does not find merge-baseline's own modules: {', '.join(found)}",
            "rename them if a program imports merge_baseline from there; the command merge-baseline is not affected",
        )
    return Finding("files with our names", Level.OK, f"none in this folder or on Python's path ({', '.join(NAMES)})")
