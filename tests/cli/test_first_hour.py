"""Slips that are easily made on the command line, and what is said of them. In process: no other program takes part."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.cli.main import main
from tests.cli.test_merge import TINY
from tests.support.conll_text import block

pytestmark = pytest.mark.usefixtures("process_as_before")


def _run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.conll"
    file.write_text(TINY, "utf-8")
    return file


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("-s", "none", "--strategy", "greedy"), "--strategy is given twice; `compare` runs several strategies"),
        (("-o", "a", "-o", "b"), "--output is given twice"),
    ],
)
def test_an_option_with_one_value_that_comes_twice_is_a_usage_error(
    more: tuple[str, ...], says: str, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("merge", tiny, *more) == 2
    assert says in capsys.readouterr().err


def test_options_that_may_be_repeated_are(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("merge", tiny, "--option", "match=mention", "--option", "tie=first") == 0
    assert "greedy[match=mention,tie=first," in capsys.readouterr().err


def test_a_folder_is_not_called_like_standard_output(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("split", tiny, "--keep-parts", "-o", "-") == 2
    assert "a folder cannot be standard output" in capsys.readouterr().err


def test_a_missing_folder_is_named(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "none" / "x.conll"

    assert _run("merge", tiny, "-o", target) == 1
    assert capsys.readouterr().err == f"merge-baseline: error: {target}: No such folder: {target.parent}\n"


@pytest.mark.parametrize("name", ["x.jsonl", "x.conllu.gz"])
def test_a_name_of_another_format_is_told(
    name: str, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("merge", tiny, "-o", tmp_path / name) == 0
    assert "is written as CoNLL-2012, like the input (use --to " in capsys.readouterr().err


@pytest.mark.parametrize("word", ["help", "version"])
def test_words_that_are_options_are_said_to_be(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(word) == 2
    assert f"Did you mean --{word}?" in capsys.readouterr().err


def test_validation_of_many_good_files_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three files of one document, one part and one word each."""
    for name in "abc":
        (tmp_path / f"{name}.conll").write_text(block("a -", name=name))

    assert _run("validate", tmp_path) == 0
    assert capsys.readouterr().out == (
        "3 files, none with problems: 3 documents, 3 parts, 3 tokens, 0 chains, 0 mentions\n"
    )


BAD = block("a (0)|(1)\nb (0)\nc (1)", name="bad")
"""One span in two chains."""


def _good(name: str) -> str:
    return block("a (0)\nb (0)", name=name)


@pytest.mark.parametrize("is_bad", ["key", "response", "parts"])
def test_a_pair_with_an_unreadable_side_leaves_both(
    is_bad: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of two documents cannot be read on one side; the other is right, so all its scores are 1."""
    paths = []
    for side in ("key", "response", "parts"):
        paths.append(tmp_path / f"{side}.conll")
        paths[-1].write_text(_good("fine") + (BAD if side == is_bad else BAD.replace("|(1)", "").replace("(1)", "-")))

    key, response, parts = paths
    assert _run("score", key, response, "--parts", parts, "--metric", "muc") == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("1 of 2 documents; 1 left out on both sides\n")
    # MUC of one chain of two mentions: one link of one.
    assert "100.00  (1 / 1)" in shown.out
    assert f"error: {tmp_path / is_bad}.conll:" in shown.err
    assert _run("score", key, response, "--parts", parts, "--strict") == 1
    assert capsys.readouterr().out == ""


def test_agreement_leaves_out_what_one_side_cannot_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = BAD.replace("|(1)", "").replace("(1)", "-")
    for side, text in (("ann", good), ("bob", BAD), ("parts", good)):
        (tmp_path / side).write_text(_good("fine") + text)

    assert _run("agreement", tmp_path / "ann", tmp_path / "bob", "--parts", tmp_path / "parts") == 1
    shown = capsys.readouterr()
    assert "1 of 2 documents; 1 left out on all sides" in shown.out
    assert "(document bad, part 0): one span is a mention of chain 0 and of chain 1" in shown.err


def test_compare_and_stats_leave_out_what_one_side_cannot_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    key, merged = tmp_path / "key.conll", tmp_path / "merged.conll"
    key.write_text(_good("fine") + BAD)
    merged.write_text(_good("fine") + BAD.replace("|(1)", "").replace("(1)", "-"))

    assert _run("compare", key, "--keep-parts", "-s", f"file:{merged}", "--resamples", "0") == 1
    assert capsys.readouterr().out.startswith("1 of 2 documents (1 left out), 2 tokens,")
    assert _run("stats", key, merged) == 1
    shown = capsys.readouterr()
    # Both sides have the one document of two tokens.
    assert "1 \u2192 1" in shown.out
    assert "lacks this document" not in shown.err


def test_all_documents_without_parts_are_said_so_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parts where a key is wanted: no document can be taken, and there is nothing to print."""
    parts = tmp_path / "parts.conll"
    parts.write_text("".join(_good(name) + block("a (0)\nb (0)", name=name, part="001") for name in "xyz"))

    assert _run("compare", parts, "--keep-parts", "-s", "none") == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.endswith("[3 documents, this is the first]\n")
