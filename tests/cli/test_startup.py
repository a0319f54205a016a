from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from merge_baseline.names import NAMES
from merger.version import VERSION
from tests.support.command_line import EXAMPLES, PROGRAM, output_of

HEAVY = {"click", "google", "grpc", "numpy", "rapidfuzz", "rich", "scipy", "stanza", "torch"}
PARTS = str(EXAMPLES / "parts" / "ferry.conll")
KEY = str(EXAMPLES / "key" / "ferry.conll")


OWN_OF_VERSION = {
    "client",
    "client.cli",
    "client.cli.main",
    "merge_baseline",
    "merge_baseline.__main__",
    "merge_baseline.names",
    "merger",
    "merger.lazy_exports",
    "merger.version",
}


def _imported(*arguments: str) -> set[str]:
    """The top-level packages that a command imports."""
    return {name.partition(".")[0] for name in _modules(*arguments)}


def _modules(*arguments: str) -> set[str]:
    """The modules that a command imports, by Python's own list."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    assert len(lines) > 20
    return {line.rpartition("|")[2].strip() for line in lines}


def _own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] in {"merge_baseline", *NAMES}}


def test_the_version_is_printed_without_importing_anything_heavy() -> None:
    assert output_of("--version") == f"merge-baseline {VERSION}\n"
    modules = _modules("--version")
    assert _own(modules) == OWN_OF_VERSION
    assert modules & (HEAVY | {"contextlib", "dataclasses", "inspect", "json", "pathlib", "typing"}) == set()


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("merge", "--help"),
        ("strategies",),
        ("merge", PARTS, "-o", os.devnull),
        ("convert", PARTS, "--to", "conll2012", "-o", os.devnull),
        ("validate", PARTS),
        ("stats", PARTS, KEY),
        ("agreement", KEY, KEY, "--parts", PARTS, "--resamples", "0"),
        ("compare", KEY, "--keep-parts", "-s", "greedy", "--resamples", "0"),
    ],
)
def test_commands_on_this_machine_import_no_more_than_the_command_line_library(arguments: tuple[str, ...]) -> None:
    assert _imported(*arguments) & HEAVY == {"click"}


def test_scoring_a_small_file_imports_no_numpy_or_scipy(tmp_path: Path) -> None:
    response = tmp_path / "merged.conll"
    output_of("merge", PARTS, "-o", response)

    modules = _modules("score", KEY, str(response), "--parts", PARTS)

    assert {name.partition(".")[0] for name in modules} & HEAVY == {"click"}
    # Nothing of merging, serving or decisions, and no other command.
    packages = {".".join(name.split(".")[:2]) for name in _own(modules)}
    assert (
        packages
        & {"client.evaluation.agreement", "client.evaluation.comparison", "client.remote.sync", "client.report"}
        == set()
    )
    assert (
        packages & {"merger.backends", "merger.decisions.model", "merger.merge", "merger.strategies", "protos"} == set()
    )
    assert {name for name in modules if name.startswith("client.cli.commands.")} <= {"client.cli.commands.score"}
    assert modules & {"asyncio", "concurrent.futures", "multiprocessing", "urllib.request"} == set()
    # Of the formats, the reader of the one that it reads.
    formats = {name.removeprefix("merger.formats.") for name in modules if name.startswith("merger.formats.")}
    assert {name for name in formats if name.endswith((".reader", ".writer"))} == {"conll2012.reader"}
