"""Inputs of `score` and `compare` that do not fit each other, and that people mix up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.in_process import invoke, run

# Ada is in both parts; Bo is alone in part 1; the parts know nothing of a mention that is alone.
_PARTS = """#begin document (d); part 000
d 0 0 Ada NNP - - - - - - (0)
d 0 1 Bo NNP - - - - - - (1)
d 0 2 she PRP - - - - - - (0)
d 0 3 he PRP - - - - - - (1)

#end document
#begin document (d); part 001
d 1 0 Ada NNP - - - - - - (0)
d 1 1 she PRP - - - - - - (0)
d 1 2 Bo NNP - - - - - - -

#end document
"""
_LINES = [line for line in _PARTS.splitlines() if line.startswith("d ")]
_CHAINS = ("(0)", "(1)", "(0)", "(1)", "(0)", "(0)", "(1)")
_ROWS = "\n".join(f"{line.rsplit(' ', 1)[0]} {chain}" for line, chain in zip(_LINES, _CHAINS, strict=True))
_KEY = f"#begin document (d); part 000\n{_ROWS}\n\n#end document\n"
"""The whole document, with Bo's mention in part 1."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts.conll").write_text(_PARTS)
    (tmp_path / "key.conll").write_text(_KEY)
    merged = invoke("merge", tmp_path / "parts.conll", "-o", tmp_path / "merged.conll")
    assert merged.exit_code == 0, merged.stderr
    return tmp_path


def test_parts_as_a_key_are_noted(folder: Path) -> None:
    mistaken = invoke("score", folder / "parts.conll", folder / "merged.conll")
    right = invoke("score", folder / "key.conll", folder / "merged.conll")
    by_part = invoke("score", folder / "parts.conll", folder / "parts.conll")

    assert "is the key the documents before merging?" in mistaken.stderr
    assert "before merging?" not in right.stderr + by_part.stderr


def test_mentions_of_the_key_that_no_merge_of_the_parts_can_have_are_noted(folder: Path) -> None:
    result = invoke("score", folder / "key.conll", folder / "merged.conll", "--parts", folder / "parts.conll", "--json")

    (notice,) = json.loads(result.stdout)["notices"]
    assert (notice["kind"], notice["count"], notice["document"]) == ("mentions that the parts lack", 1, "d")


@pytest.mark.parametrize(
    ("singletons", "recall", "notes"),
    # Kept, Bo's second mention is out of the oracle's reach; its chains are then 4 and 2 of 4 and 3 in the key.
    [("drop", 1, ["mentions alone in their part"]), ("keep", (4 * 4 / 4 + 2 * 2 / 3) / 7, [])],
)
def test_the_ceiling_is_reached_unless_singletons_are_kept(
    folder: Path, singletons: str, recall: float, notes: list[str]
) -> None:
    arguments = ("--parts", folder / "parts.conll", "--singletons", singletons, "--resamples", "0", "--json")
    data = json.loads(invoke("compare", folder / "key.conll", *arguments).stdout)

    oracle = data["strategies"][-1]
    assert (oracle["name"], oracle["total"]["metrics"]["bcub"]["recall"]) == ("oracle", pytest.approx(recall))
    assert [notice["kind"] for notice in data["notices"]] == notes


def _notices(*arguments: str | Path) -> list[tuple[str, int]]:
    result = invoke("score", *arguments, "--json")
    return [(each["kind"], each["count"]) for each in json.loads(result.stdout)["notices"]]


def test_a_key_that_was_never_cut_is_noted_beside_a_merge_of_parts(folder: Path) -> None:
    # Bo's second mention is alone in its part; the parts lack it, so does every merge of them.
    alone = ("mentions that no merge can have", 1)

    assert _notices(folder / "key.conll", folder / "merged.conll") == [alone]
    assert _notices(folder / "key.conll", folder / "key.conll") == []
    whole = folder / "whole.jsonlines"
    assert (
        invoke("split", folder / "key.conll", "--into", "1", "--to", "jsonlines", "-o", folder / "one").exit_code == 0
    )
    (folder / "one" / "key.jsonlines").rename(whole)
    assert _notices(whole, folder / "merged.conll") == [alone]


def test_singletons_of_one_side_alone_are_noted_where_they_count(folder: Path) -> None:
    merged = (folder / "merged.conll").read_text("utf-8")
    lone = folder / "lone.conll"
    lone.write_text(merged.replace("Bo NNP - - - - - - -", "Bo NNP - - - - - - (99)"))
    # A mention that lost its chain is known to the key.
    torn = folder / "torn.conll"
    torn.write_text(merged.replace("he PRP - - - - - - (1)", "he PRP - - - - - - (98)"))

    assert _notices(lone, folder / "merged.conll") == [("singletons of the key alone", 1)]
    assert _notices(folder / "merged.conll", lone) == [("singletons of the response alone", 1)]
    assert _notices(lone, lone) == []
    assert _notices(folder / "merged.conll", torn) == [("no link scores", 1)]
    assert _notices(lone, folder / "merged.conll", "--singletons", "drop") == []
    assert "--parts shows what" in invoke("score", folder / "key.conll", folder / "merged.conll").stderr
    assert "--singletons drop leaves them out" in invoke("score", lone, folder / "merged.conll").stderr


def test_parts_with_ids_of_their_own_are_answered_with_the_pattern_that_joins_them(folder: Path) -> None:
    numbered = folder / "numbered.conll"
    names = ("(d); part 000", "(d); part 001")
    numbered.write_text(_PARTS.replace(names[0], "(d_0); part 000").replace(names[1], "(d_1); part 000"))
    key, merged = folder / "key.conll", folder / "merged.conll"
    pattern = r"--part-pattern '(?P<document>.*)_(?P<part>\d+)'"
    commands = [
        ("score", key, merged, "--parts", numbered),
        ("score", key, numbered),
        ("score", numbered, numbered, "--parts", numbered),
        ("compare", key, "--parts", numbered, "--resamples", "0"),
        ("compare", numbered, "--keep-parts", "--resamples", "0"),
        ("validate", numbered),
        ("merge", numbered),
    ]

    for command in commands:
        told = run(*command).err
        joined = run(*command, "--part-pattern", r"(?P<document>.*)_(?P<part>\d+)").err

        assert pattern in told, (command, told)
        assert "look like parts" not in joined, (command, joined)
