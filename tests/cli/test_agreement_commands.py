from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import EXAMPLES
from tests.support.in_process import error_of, output_of, run
from tests.support.shared_data import needs, shared_files

PARTS, KEY = EXAMPLES / "parts", EXAMPLES / "key"


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The examples merged by two strategies, as documents and as decisions."""
    folder = tmp_path_factory.mktemp("merged")
    for strategy in ("none", "greedy"):
        files = ("-o", folder / f"{strategy}.conll", "--decisions", folder / f"{strategy}.jsonl")
        output_of("merge", PARTS, "-s", strategy, *files)
    return {path.name: path for path in folder.iterdir()}


def test_the_key_agrees_with_itself() -> None:
    report = json.loads(output_of("agreement", KEY, KEY, "--parts", PARTS, "--json"))

    defined = {name: each["value"] for name, each in report["total"]["mean"].items()}
    assert defined == dict.fromkeys(defined, 1)
    assert {interval["low"] for each in report["total"]["mean"].values() if (interval := each["interval"])} == {1}


def test_decisions_and_documents_say_the_same(merged: dict[str, Path]) -> None:
    by_documents, by_decisions = (
        json.loads(output_of("agreement", KEY, merged[name], "--parts", PARTS, "--json"))
        for name in ("greedy.conll", "greedy.jsonl")
    )

    assert by_documents["total"]["mean"] == by_decisions["total"]["mean"]
    assert 0 < by_documents["total"]["mean"]["strict_match"]["value"] < 1


def test_strict_match_is_what_score_calls_decisions_as_in_the_key(merged: dict[str, Path]) -> None:
    agreement = json.loads(output_of("agreement", KEY, merged["greedy.conll"], "--parts", PARTS, "--json"))["total"]
    score = json.loads(output_of("score", KEY, merged["greedy.conll"], "--parts", PARTS, "--json"))["total"]

    strict = agreement["mean"]["strict_match"]
    assert (strict["value"], agreement["decisions"]) == (
        agreement["pairs"][0]["strict_match"]["value"],
        score["decisions"]["count"],
    )
    assert strict["value"] == pytest.approx(score["decisions"]["strict_match"])
    assert agreement["mean"]["conll_f1"]["value"] == pytest.approx(score["conll_f1"])


def test_a_file_of_several_makers_stands_for_all_of_them(merged: dict[str, Path], tmp_path: Path) -> None:
    both = tmp_path / "both.jsonl"
    both.write_text(merged["none.jsonl"].read_text() + merged["greedy.jsonl"].read_text())

    report = json.loads(output_of("agreement", KEY, both, "--parts", PARTS, "--json"))

    assert len(report["annotators"]) == 3
    assert report["annotators"][1] == "none"
    assert len(report["total"]["pairs"]) == 3


def test_agreement_is_a_table_for_people_and_says_what_is_undefined(merged: dict[str, Path]) -> None:
    text = output_of(
        "agreement",
        KEY,
        merged["none.conll"],
        merged["greedy.conll"],
        "--parts",
        PARTS,
        "--resamples",
        "20",
        "--seed",
        "5",
    )

    first = [line.split() for line in text.splitlines()]
    assert [words[0] for words in first if words and words[0] in {"1-2", "1-3", "2-3", "mean"}] == [
        "1-2",
        "1-3",
        "2-3",
        "mean",
    ]
    assert "20 resamples, seed 5" in text
    assert "undefined: not new of 1-2, 0/0: no chain that both linked" in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_same_seed_gives_the_same_output(merged: dict[str, Path]) -> None:
    arguments = ("agreement", KEY, merged["greedy.conll"], "--parts", PARTS, "--json", "--resamples", "100", "--seed")

    assert output_of(*arguments, "1") == output_of(*arguments, "1")
    assert output_of(*arguments, "1") != output_of(*arguments, "2")


def test_the_root_reading_forgives_what_went_before(merged: dict[str, Path]) -> None:
    chain, root = (
        json.loads(
            output_of("agreement", KEY, merged["greedy.conll"], "--parts", PARTS, "--json", "--compare", compare)
        )
        for compare in ("chain", "root")
    )

    assert (chain["compare"], root["compare"]) == ("chain", "root")
    assert root["total"]["mean"]["strict_match"]["value"] >= chain["total"]["mean"]["strict_match"]["value"]


def test_a_document_that_an_annotator_lacks_is_a_note_and_an_error_when_strict() -> None:
    lax = run("agreement", KEY, KEY / "ferry.conll", "--parts", PARTS, "--json")
    strict = error_of("agreement", KEY, KEY / "ferry.conll", "--parts", PARTS, "--strict", code=1)

    assert json.loads(lax.out)["total"]["documents"] == 1
    assert "lacks this document" in lax.err
    assert "lacks this document" in strict


def test_one_annotator_is_a_wrong_usage() -> None:
    assert "two annotators or more" in error_of("agreement", KEY, "--parts", PARTS, code=2)


def test_statistics_show_parts_and_merged_documents_side_by_side() -> None:
    data = json.loads(output_of("stats", PARTS, KEY, "--json"))
    text = output_of("stats", PARTS, KEY)

    parts, merged = data["parts"]["total"], data["merged"]["total"]
    assert merged["documents"] == 4 < parts["documents"]
    assert (parts["tokens"], parts["mentions"]) == (merged["tokens"], merged["mentions"])
    assert merged["antecedent_distance"]["longest"] > parts["antecedent_distance"]["longest"]
    assert text.startswith("parts → merged")
    assert max(map(len, text.splitlines())) <= 100


def test_one_corpus_is_counted_as_its_chains_are() -> None:
    parts, key = (json.loads(output_of("stats", path, "--json"))["input"]["total"] for path in (PARTS, KEY))
    both = json.loads(output_of("stats", PARTS, KEY, "--json"))

    assert parts == both["parts"]["total"]
    assert key == both["merged"]["total"]


def test_documents_of_only_one_corpus_are_a_note() -> None:
    done = run("stats", PARTS / "ferry.conll", KEY)

    assert done.code == 0
    assert "INPUT lacks this document" in done.err
    assert "MERGED lacks this document" in run("stats", PARTS, KEY / "ferry.conll").err


@needs("ontogum")
def test_statistics_of_a_corpus_are_those_of_its_lines() -> None:
    """Tokens: lines that begin with a plain number; documents: files."""
    files = shared_files("ontogum", "*.conllu")
    tokens = sum(line.partition("\t")[0].isdigit() for file in files for line in file.read_text().splitlines())

    data = json.loads(output_of("stats", files[0].parent, "--json", "--lenient"))["input"]

    assert (data["total"]["documents"], data["total"]["tokens"]) == (len(files), tokens)
    assert sum(genre["documents"] for genre in data["genres"].values()) == len(files)
