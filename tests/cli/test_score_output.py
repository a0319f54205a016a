"""What `score` prints for other programs and for papers, and what its options are called."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import click
import pytest

from client.cli.app import cli
from tests.support.in_process import invoke

_KEY = """#begin document (d); part 000
d 0 0 a - - - - - - (0)
d 0 1 b - - - - - - (0)
d 0 2 c - - - - - - (0)
d 0 3 e - - - - - - (1)
d 0 4 f - - - - - - (1)

#end document
"""
# Chain 0 loses its third mention: MUC recall (1 + 1) / (2 + 1), precision (1 + 1) / (1 + 1).
_RESPONSE = _KEY.replace("c - - - - - - (0)", "c - - - - - - -")
_MUC_F1 = 2 * (2 / 3) * 1 / (2 / 3 + 1)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A key and a response."""
    paths = []
    for name, text in (("key", _KEY), ("response", _RESPONSE)):
        path = tmp_path / f"{name}.conll"
        path.write_text(text)
        paths.append(str(path))
    return paths


def _score(files: list[str], *options: str) -> str:
    result = invoke("score", *files, *options)
    if result.exception is not None:
        raise result.exception
    return result.stdout


@pytest.mark.parametrize(
    ("given", "label"),
    [("MUC", "MUC"), ("muc", "MUC"), ("b3", "B³"), ("B³", "B³"), ("B-cubed", "B³"), ("CEAFe", "CEAFe"), ("Lea", "LEA")],
)
def test_metrics_are_known_by_what_papers_call_them(files: list[str], given: str, label: str) -> None:
    assert any(line.startswith(f"{label} ") for line in _score(files, "--metric", given).splitlines())


def test_an_unknown_metric_is_answered_with_those_there_are(files: list[str]) -> None:
    with pytest.raises(click.BadParameter, match="no such metric: bleu; there are mentions, muc, bcub"):
        _score(files, "--metric", "bleu")


def test_the_score_alone(files: list[str]) -> None:
    assert _score(files, "--brief", "--metric", "muc") == f"{100 * _MUC_F1:.2f}\n"
    # B³: recall (2 * 2/3 + 2) / 5 with precision 1; CEAFe: φ4 = 2 * 2 / (3 + 2) and 1, over 2 chains on both sides.
    bcub = 2 * (2 / 3) / (1 + 2 / 3)
    ceafe = (4 / 5 + 1) / 2
    assert _score(files, "--brief") == f"{100 * (_MUC_F1 + bcub + ceafe) / 3:.2f}\n"


def test_csv_has_fractions_in_full(files: list[str]) -> None:
    rows = list(csv.DictReader(_score(files, "--csv", "--per-document", "--metric", "muc").splitlines()))

    assert [(row["document"], row["metric"]) for row in rows] == [("", "muc"), ("d", "muc")]
    assert (rows[0]["recall_numerator"], rows[0]["recall_denominator"]) == ("2", "3")
    assert float(rows[0]["f1"]) == pytest.approx(_MUC_F1)


def test_latex_has_a_row_of_percentages(files: list[str]) -> None:
    lines = _score(files, "--latex", "--metric", "muc").splitlines()

    assert rf"66.67 & 100.00 & {100 * _MUC_F1:.2f} \\" in lines
    assert lines[0].startswith("% metrics:muc|")


def test_two_forms_at_once_are_refused(files: list[str]) -> None:
    with pytest.raises(click.UsageError, match="--json and --csv exclude each other"):
        _score(files, "--csv", "--json")


@pytest.mark.parametrize("command", ["split", "merge", "apply", "score", "compare", "agreement"])
def test_singletons_have_the_same_values_everywhere(command: str) -> None:
    loaded = cli.get_command(click.Context(cli), command)
    assert loaded is not None
    (option,) = (each for each in loaded.params if each.name == "singletons")

    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) == ["keep", "drop"]
    assert option.default == ("keep" if command == "score" else "drop")


@pytest.mark.parametrize("command", ["score", "compare", "agreement"])
def test_parts_are_the_documents_before_merging_everywhere(command: str) -> None:
    loaded = cli.get_command(click.Context(cli), command)
    assert loaded is not None
    (option,) = (each for each in loaded.params if "--parts" in each.opts)

    assert (option.type.name, option.metavar) == ("text", "PATH")


@pytest.mark.parametrize("name", ["path=", ""])
def test_a_path_is_named_or_not_in_every_strategy_that_has_one(files: list[str], name: str) -> None:
    key, _ = files
    specs = ("-s", f"file:{name}{key}", "-s", f"precomputed:{name}{key}")
    arguments = ("compare", key, "--tokens", "3", *specs, "--resamples", "0", "--json")

    result = invoke(*arguments)

    names = [each["name"] for each in json.loads(result.stdout)["strategies"]]
    assert names == ["none", f"file:{name}{key}", f"precomputed:{name}{key}", "oracle"]
