from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_merge import HALF_BROKEN, TINY
from tests.support.command_line import EXAMPLES, NAMES, PROGRAM, WITHOUT_CORENLP
from tests.support.corenlp_here import needs_shift_reduce
from tests.support.in_process import output_of, run
from tests.support.shared_data import needs, shared_files

PARTS, KEY = EXAMPLES / "parts", EXAMPLES / "key"


def test_the_key_scores_one_hundred_against_itself() -> None:
    report = json.loads(output_of("score", KEY, KEY, "--json"))

    assert report["total"]["conll_f1"] == 1
    assert [document["id"] for document in report["documents"]] == ["tc/allotment", "st/clock", "nw/ferry", "rp/wells"]


def test_the_floor_gains_nothing_and_the_ceiling_everything(tmp_path: Path) -> None:
    gains = {}
    for strategy, human in (("none", ()), ("oracle", ("--key", KEY))):
        merged = tmp_path / f"{strategy}.conll"
        output_of("merge", PARTS, "-s", strategy, *human, "-o", merged)
        gains[strategy] = json.loads(output_of("score", KEY, merged, "--parts", PARTS, "--json"))["total"]["gain"]

    assert gains == {"none": 0, "oracle": 1}


def test_scores_are_a_table_for_people() -> None:
    text = output_of("score", KEY, KEY, "--metric", "muc", "--per-document")

    assert "100.00" in text
    assert all(document in text for document in ("tc/allotment", "st/clock", "nw/ferry", "rp/wells"))


def test_the_response_may_come_from_a_pipe() -> None:
    merged = output_of("merge", PARTS / "ferry.conll")

    report = json.loads(output_of("score", KEY / "ferry.conll", "-", "--json", stdin=merged))

    assert 0 < report["total"]["conll_f1"] < 1


def test_a_document_missing_in_the_response_is_a_note_and_an_error_when_strict() -> None:
    merged = output_of("merge", PARTS / "ferry.conll", PARTS / "clock.conll", PARTS / "wells.conll")

    lax = run("score", KEY, "-", stdin=merged)
    strict = run("score", KEY, "-", "--strict", stdin=merged)

    assert lax.code == 0
    assert lax.err.startswith("merge-baseline: note: ")
    assert "tc/allotment" in lax.err
    assert strict.code == 1
    assert strict.err.startswith("merge-baseline: error: ")


def test_a_split_writes_parts_key_and_decisions(tmp_path: Path) -> None:
    task = tmp_path / "new" / "task"

    report = json.loads(output_of("split", KEY, "--keep-parts", "-o", task, "--json"))

    assert sorted(path.name for path in task.iterdir() if path.is_file()) == [
        "decisions.jsonl",
        "key.conll",
        "parts.conll",
    ]
    # As counted in examples/README.md: 4 + 3 + 4 + 4 parts; part chains 53 + 38 + 46 + 57; links 19 + 15 + 20 + 19.
    assert (report["documents"], report["parts"], report["part_chains"], report["links"]) == (4, 15, 194, 73)
    assert report["mentions_dropped"] == 0
    assert (task / "key.conll").read_bytes() == b"".join((KEY / f"{name}.conll").read_bytes() for name in NAMES)
    records = [json.loads(line) for line in (task / "decisions.jsonl").read_text("utf-8").splitlines()]
    assert len(records) == 194
    assert sum(record["antecedent"] is not None for record in records) == 73
    assert {(record["annotator"], record["split"]) for record in records} == {("human", "keep")}


def test_a_strict_split_leaves_nothing_behind_when_a_document_is_broken(tmp_path: Path) -> None:
    whole = HALF_BROKEN.replace("#end document\n#begin document (nw/tiny); part 001\n", "")

    done = run("split", "-", "--sentences", "1", "--strict", "-o", tmp_path / "task", stdin=whole)

    assert done.code == 1
    assert not (tmp_path / "task").exists()


def test_a_key_that_is_split_at_its_parts_merges_back_to_itself(tmp_path: Path) -> None:
    run("split", KEY / "wells.conll", "--keep-parts", "-o", tmp_path)

    merged = output_of("merge", tmp_path / "parts.conll", "-s", "oracle", "--key", tmp_path / "key.conll")

    # Part chains have new ids, so the merged ones do too; the chains are the same.
    scores = json.loads(output_of("score", KEY / "wells.conll", "-", "--json", stdin=merged))
    assert scores["total"]["conll_f1"] == 1


@pytest.mark.parametrize("target", ["conll2012", "conllu", "jsonlines"])
def test_conversion_there_and_back_keeps_every_chain(target: str) -> None:
    there = output_of("convert", KEY / "ferry.conll", "--to", target)
    back = output_of("convert", "-", "--to", "conll2012", stdin=there)

    assert json.loads(output_of("score", KEY / "ferry.conll", "-", "--json", stdin=back))["total"]["conll_f1"] == 1


def test_validation_of_good_files_counts_what_is_in_them() -> None:
    done = run("validate", "--json", PARTS / "ferry.conll", PARTS / "clock.conll")

    report = json.loads(done.out)
    assert (done.code, report["files_with_problems"]) == (0, 0)
    # As counted in examples/README.md.
    counted = [
        [file[name] for name in ("documents", "parts", "tokens", "mentions", "chains")] for file in report["files"]
    ]
    assert counted == [[1, 4, 811, 155, 53], [1, 4, 796, 159, 46]]


def test_validation_lists_problems_and_fails(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.conll", tmp_path / "good.conll"
    bad.write_text(HALF_BROKEN, "utf-8")
    good.write_text(TINY, "utf-8")

    done = run("validate", bad, good)

    assert done.code == 1
    first, words, problem, last = done.out.splitlines()
    assert first.startswith(f"{bad}: PROBLEMS: 2 documents, 4 parts, ")
    assert words == "  first words (column 4): fish it cat it dog fish it ..."
    assert problem.startswith(f"  error unless --lenient: {bad}:23 (document nw/broken, part 1): a mention of chain c ")
    assert last.startswith("2 files, 1 with problems: 3 documents, ")
    assert f"{good}: ok: 1 document" in run("validate", "--verbose", bad, good).out


def test_strategies_are_listed_for_people_and_programs() -> None:
    text = output_of("strategies")
    data = json.loads(output_of("strategies", "--json"))

    assert {"none", "greedy", "oracle"} <= {strategy["name"] for strategy in data}
    greedy = next(strategy for strategy in data if strategy["name"] == "greedy")
    assert {option["name"]: option["default"] for option in greedy["options"]} == {
        "match": "noun",
        "tie": "recent",
        "one-to-one": False,
        "ignore-case": False,
        "threshold": 90,
        "nouns": "",
        "language": "en",
    }
    assert all(strategy["name"] in text for strategy in data)
    assert "match=noun" in text
    # Options that strategies share are described once.
    assert text.count("\n    policy=") == 3
    assert text.count("with policy=any-link: join chains of one part too") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_completion_script_names_the_program(shell: str) -> None:
    assert "_MERGE_BASELINE_COMPLETE" in output_of("completion", shell)


def test_completion_completes_commands() -> None:
    done = run(env={"_MERGE_BASELINE_COMPLETE": "bash_complete", "COMP_WORDS": "merge-baseline me", "COMP_CWORD": "1"})

    assert done.out.split() == ["plain,merge"]


@pytest.mark.parametrize(
    ("environment", "strategies"),
    [
        (WITHOUT_CORENLP, {"none", "greedy", "oracle"}),
        pytest.param({}, {"none", "greedy", "corenlp", "oracle"}, marks=needs_shift_reduce),
    ],
    ids=["without CoreNLP", "with CoreNLP"],
)
def test_the_demo_shows_floor_rule_and_ceiling_without_colour_where_nobody_looks(
    environment: dict[str, str], strategies: set[str]
) -> None:
    text = output_of("demo", env=environment)

    assert strategies <= {line.partition(" ")[0] for line in text.splitlines()}
    assert "100.00" in text
    assert "\x1b[" not in text


def test_the_demo_respects_no_color_on_a_terminal() -> None:
    coloured = run("demo", env={**WITHOUT_CORENLP, "FORCE_COLOR": "1", "NO_COLOR": ""}).out
    plain = run("demo", env={**WITHOUT_CORENLP, "FORCE_COLOR": "1", "NO_COLOR": "1"}).out

    colour = "\x1b[1;32m"
    assert colour in coloured
    assert colour not in plain


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
@pytest.mark.parametrize(
    "arguments", [("merge", "parts"), ("convert", "parts", "--to", "conll2012"), ("validate", "parts")]
)
def test_a_reader_that_goes_away_ends_the_command_in_silence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    # More than a pipe holds, so that writing must fail: 60 copies of the examples, each under a name of its own.
    folder = tmp_path / "parts"
    folder.mkdir()
    for copy in range(60):
        text = (PARTS / "ferry.conll").read_text("utf-8").replace("nw/ferry", f"nw/ferry{copy}")
        (folder / f"{copy}-{'x' * 150}.conll").write_text(text, "utf-8")
    command = [PROGRAM, arguments[0], str(folder), *arguments[2:]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        if arguments[0] != "validate":
            assert process.stdout.readline().startswith("#begin document")
        process.stdout.close()
        errors = process.stderr.read()

    assert errors == ""
    assert process.returncode == 141


@needs("ontogum")
def test_a_corefud_document_goes_from_split_to_score(tmp_path: Path) -> None:
    _from_split_to_score(shared_files("ontogum", "*.conllu")[0], 400, "greedy", tmp_path)


@needs("litbank")
def test_an_untagged_novel_goes_from_split_to_score_without_the_greedy_rule(tmp_path: Path) -> None:
    novel = shared_files("litbank", "*.conll")[0]

    _from_split_to_score(novel, 700, "none", tmp_path)

    refused = run("merge", tmp_path / "parts.conll")
    assert refused.code == 1
    assert "no part-of-speech tags" in refused.err


def _from_split_to_score(file: Path, tokens: int, strategy: str, folder: Path) -> None:
    report = json.loads(output_of("split", file, "--tokens", str(tokens), "-o", folder, "--json"))
    parts, key = (next(folder.glob(f"{name}.*")) for name in ("parts", "key"))
    for name, human in ((strategy, ()), ("oracle", ("--key", key))):
        output_of("merge", parts, "-s", name, *human, "-o", folder / f"{name}{file.suffix}")

    totals = {
        name: json.loads(output_of("score", key, folder / f"{name}{file.suffix}", "--parts", parts, "--json"))["total"]
        for name in (strategy, "oracle")
    }

    assert report["links"] > 0
    assert totals["oracle"]["conll_f1"] == 1
    assert totals[strategy]["conll_f1"] < 1


def _completions(word: str) -> list[str]:
    words = f"merge-baseline merge -s {word}"
    # fish gets a line a completion: its type, and its value before a tab.
    done = run(env={"_MERGE_BASELINE_COMPLETE": "fish_complete", "COMP_WORDS": words, "COMP_CWORD": word})
    return [line.partition(",")[2].partition("\t")[0] for line in done.out.splitlines() if line]


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("gr", ["greedy"]),
        ("greedy:t", ["greedy:tie=", "greedy:threshold="]),
        ("greedy:match=m", ["greedy:match=mention"]),
        ("greedy:match=head,o", ["greedy:match=head,one-to-one"]),
        ("greedy:match=head,ma", []),
        ("nothing:", []),
    ],
)
def test_completion_completes_strategies_their_options_and_values(word: str, wanted: list[str]) -> None:
    assert _completions(word) == wanted


def test_a_metric_that_is_named_twice_counts_once() -> None:
    once, twice = (output_of("score", KEY, KEY, *["--metric", "muc"] * times) for times in (1, 2))

    assert once == twice


def test_scores_per_document_fit_100_columns_and_show_whole_ids(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    name = "nw/" + "long_name" * 8
    key.write_text(TINY.replace("nw/tiny", name) + (KEY / "clock.conll").read_text("utf-8"), "utf-8")

    lines = output_of("score", key, key, "--per-document").splitlines()

    assert max(len(line) for line in lines if not line.startswith("signature: ")) <= 100
    row = lines.index(name) + 1
    assert lines[row].split()[0] == "2"
    assert lines[row + 1].split()[0] == "st/clock"
    assert len(lines[row]) == len(lines[row + 1])
