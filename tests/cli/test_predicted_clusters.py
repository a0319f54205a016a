"""What models write: gold clusters and predictions in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.in_process import invoke

if TYPE_CHECKING:
    from click.testing import Result

_TEXT = {"doc_key": "d", "sentences": [["Ada", "sang"], ["She", "left"], ["Bo", "stayed"], ["He", "slept"]]}
_GOLD = [[[0, 0], [2, 2]], [[4, 4], [6, 6]]]
_PREDICTED = [[[0, 0], [6, 6]]]


def _file(folder: Path, name: str, **clusters: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(_TEXT | clusters) + "\n")
    return path


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return _file(tmp_path, "output.jsonlines", clusters=_GOLD, predicted_clusters=_PREDICTED, mine=_GOLD[:1])


def _fractions(result: Result, metric: str) -> list[tuple[float, float]]:
    metrics = json.loads(result.stdout)["total"]["metrics"][metric]
    return [(metrics[f"{side}_numerator"], metrics[f"{side}_denominator"]) for side in ("recall", "precision")]


def test_a_response_is_scored_by_its_predictions_and_says_so(output: Path, tmp_path: Path) -> None:
    key = _file(tmp_path, "key.jsonlines", clusters=_GOLD)

    result = invoke("score", key, output, "--json")

    # The predicted chain has one mention of each gold chain: no link is right. B³ recall: 2 mentions of 4, each with
    # itself of 2 in its gold chain; precision: each with itself of 2 in the predicted one.
    assert _fractions(result, "muc") == [(0, 2), (0, 1)]
    assert _fractions(result, "bcub") == [(2 * 1 / 2, 4), (2 * 1 / 2, 2)]
    assert "predicted_clusters are read" in result.stderr


def test_a_key_is_its_gold_clusters_even_in_the_same_file(output: Path) -> None:
    assert _fractions(invoke("score", output, output, "--json"), "muc") == [(0, 2), (0, 1)]


def test_another_field_can_be_scored(output: Path) -> None:
    result = invoke("score", output, output, "--json", "--clusters-field", "mine")

    assert _fractions(result, "muc") == [(1, 2), (1, 1)]


def test_predictions_alone_are_scored_where_the_gold_clusters_are_empty(tmp_path: Path) -> None:
    response = _file(tmp_path, "response.jsonlines", clusters=[], predicted_clusters=_PREDICTED)
    key = _file(tmp_path, "key.jsonlines", clusters=_GOLD)

    assert _fractions(invoke("score", key, response, "--json"), "muc") == [(0, 2), (0, 1)]


def test_commands_of_one_input_read_the_field_that_is_named(output: Path, tmp_path: Path) -> None:
    result = invoke("convert", output, "--to", "jsonlines", "--clusters-field", "predicted_clusters")

    assert json.loads(result.stdout) == _TEXT | {"clusters": _PREDICTED, "mine": _GOLD[:1]}
    merged = invoke("merge", output, "-s", "none", "--clusters-field", "mine", "-o", tmp_path / "m.jsonl")
    assert merged.exit_code == 0, merged.stderr
    assert json.loads((tmp_path / "m.jsonl").read_text())["clusters"] == _GOLD[:1]
