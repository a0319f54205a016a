"""Other scorers as commands, and the numbers that they print."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.processes import Side, run
from client.evaluation.scoring.render import percent
from merger import Document

OFFICIAL_SPEED = ("muc", "bcub", "ceafe")
"""What the official scorer is timed with: the three of CoNLL F1."""

OFFICIAL_DIGITS = (*OFFICIAL_SPEED, "ceafm", "blanc")
"""What is compared digit for digit; it prints mention identification with each."""

PAIRS = 5_000_000
"""For more pairs of mentions in a document its BLANC, which holds each of them, takes gigabytes."""

_OFFICIAL_TOTALS = re.compile(
    r"^(Identification of Mentions|Coreference|BLANC): Recall: \((\S+) / (\S+)\) (\S+)%\s+"
    r"Precision: \((\S+) / (\S+)\) (\S+)%\s+F1: (\S+)%",
    re.MULTILINE,
)
_COVAL_LINE = re.compile(r"^(muc|bcub|ceafe)\s+Recall: (\S+)\s+Precision: (\S+)\s+F1: (\S+)", re.MULTILINE)


def ours(program: str, key: Path, response: Path) -> Side:
    """Our command line with all metrics."""
    return Side("ours", [[program, "score", str(key), str(response), "--json"]])


def official(path: Path, key: Path, response: Path) -> Side:
    """The official scorer, a process for each of the three metrics of CoNLL F1."""
    return Side("official", [official_command(path, metric, key, response) for metric in OFFICIAL_SPEED])


def official_command(path: Path, metric: str, key: Path, response: Path) -> list[str]:
    """The official scorer for one metric, totals only."""
    script = path / "scorer.pl" if path.is_dir() else path
    return [shutil.which("perl") or "perl", str(script), metric, str(key), str(response), "none"]


def coval(path: Path, key: Path, response: Path) -> Side:
    """Coval with the three metrics of CoNLL F1."""
    command = [sys.executable, str(path / "scorer.py"), str(key), str(response), "muc", "bcub", "ceafe"]
    return Side("coval", [command], {"PYTHONPATH": str(path)})


def scorch_program() -> str | None:
    """The scorch command of this environment, if there is one."""
    beside = Path(sys.executable).parent / "scorch"
    return str(beside) if beside.exists() else shutil.which("scorch")


def scorch(program: str, key: Path, response: Path) -> Side:
    """Scorch with its five metrics, on files of :func:`write_for_scorch`."""
    return Side("scorch", [[program, str(key), str(response)]])


def write_for_scorch(documents: Sequence[Document], folder: Path) -> None:
    """Write the chains as scorch reads them: a file for each document."""
    folder.mkdir()
    for document in documents:
        clusters = {chain.id: [str(mention[:4]) for mention in chain.mentions] for chain in document.chains}
        (folder / f"{document.id.replace('/', '_')}.json").write_text(
            json.dumps({"type": "clusters", "clusters": clusters})
        )


def official_differences(
    path: Path, key: Path, response: Path, data: Mapping[str, Any], timeout: float
) -> tuple[list[str], list[str]]:
    """Metrics that the official scorer printed within the time, and a line for each number that differs from ours.

    Numerators and denominators are compared to the twelve digits in which sums of floating-point numbers in another
    order agree, percentages digit for digit.
    """
    compared: list[str] = []
    differences: list[str] = []
    longest = max(each["metrics"]["mentions"]["recall"]["denominator"] for each in data["documents"])
    for metric in OFFICIAL_DIGITS:
        if metric == "blanc" and longest * (longest - 1) / 2 > PAIRS:
            continue
        done = run(official_command(path, metric, key, response), timeout)
        found = (
            {} if not done.finished else {each[1]: each.groups()[1:] for each in _OFFICIAL_TOTALS.finditer(done.output)}
        )
        numbers = found.get("BLANC" if metric == "blanc" else "Coreference")
        if numbers is None:
            continue
        compared.append(metric)
        wanted = {metric: numbers, "mentions": found["Identification of Mentions"]}
        for name, theirs in wanted.items():
            mine = _as_official(data["total"]["metrics"][name])
            differences += [
                f"{name}: {ours} where it prints {its}"
                for ours, its in zip(mine, _cut(theirs), strict=True)
                if ours != its
            ]
    return compared, differences


def _as_official(counts: Mapping[str, Any]) -> list[str]:
    numbers = [
        text
        for side in ("recall", "precision")
        for text in (
            f"{counts[f'{side}_numerator']:.12g}",
            f"{counts[f'{side}_denominator']:.12g}",
            _cut_percent(counts[side]),
        )
    ]
    return [*numbers, _cut_percent(counts["f1"])]


def _cut_percent(value: float | None) -> str:
    """A percentage as the official scorer prints it: cut after two digits; what is 0/0 is 0."""
    return f"{int((value or 0) * 10000) / 100:.2f}"


def _cut(numbers: Sequence[str]) -> list[str]:
    values = [float(number) for number in numbers]
    return [f"{value:.2f}" if index in {2, 5, 6} else f"{value:.12g}" for index, value in enumerate(values)]


def coval_differences(output: str, data: Mapping[str, Any]) -> list[str]:
    """A line for each percentage that coval prints otherwise than we would round ours."""
    found = {match[1]: match.groups()[1:] for match in _COVAL_LINE.finditer(output)}
    differences = []
    for name in ("muc", "bcub", "ceafe"):
        counts = data["total"]["metrics"][name]
        mine = tuple(percent(counts[value] or 0) for value in ("recall", "precision", "f1"))
        if found.get(name) != mine:
            differences.append(f"{name}: {mine} where it prints {found.get(name)}")
    return differences
