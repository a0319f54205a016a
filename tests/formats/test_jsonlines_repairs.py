"""Repairs of the reader are written; other jsonlines keys than clusters: scope, part numbers, names."""

from __future__ import annotations

import json
import re

import pytest

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.errors import AnnotationError, FormatError
from merger.notices import Notices, Policy
from tests.formats.test_jsonlines import BASE, clusters_of, kinds, read, read_noticing, read_one, write

TWO_PARTS = BASE | {"part_ids": [0, 1], "clusters": [[[0, 1], [2, 2]]]}


@pytest.mark.parametrize(
    ("clusters", "repaired"),
    [
        ("[[[0,0],[3,3],[0,0]]]", "[[[0, 0], [3, 3]]]"),
        ("[[[0,0],[3,3]],[]]", "[[[0, 0], [3, 3]]]"),
        ("[[[0,0],[1,1]],[[1,1],[3,3]]]", "[[[0, 0], [1, 1]], [[3, 3]]]"),
        ("[[[0,0],[1,1]],[[1,1]]]", "[[[0, 0], [1, 1]]]"),
        ("[[[0,0],[2,3]],[[3,3]]]", "[[[0, 0]], [[3, 3]]]"),
        ("[[[2,3]]]", "[]"),
    ],
)
def test_repaired_clusters_are_written_as_they_were_understood(clusters: str, repaired: str) -> None:
    line = '{"doc_key": "d", "clusters": %s , "sentences": [["a", "b", "c"], ["d"]]}\n'

    written = write(read(line % clusters, Policy.LENIENT)[0])

    assert written == line % repaired
    assert write(read(written, Policy.STRICT)[0]) == written


def test_a_mention_over_a_sentence_boundary_is_an_error_and_is_dropped_when_lenient() -> None:
    text = json.dumps(BASE | {"clusters": [[[2, 3], [0, 0]]]})
    notices = Notices(Policy.LENIENT)

    with pytest.raises(AnnotationError, match=r"mention \[2, 3\] over a sentence boundary.*the mention is dropped"):
        read(text)
    (document,) = read_noticing(text, notices)
    assert clusters_of(document) == {"0": [(0, 0, 0, 0)]}
    assert kinds(notices) == {"mention over a sentence boundary"}


def test_chains_over_the_document_that_never_leave_a_part_are_distinguished_from_chains_of_the_parts() -> None:
    document = read_one(TWO_PARTS)

    merged = write(document.with_chains(document.chains, ChainScope.DOCUMENT))

    assert merged == json.dumps(TWO_PARTS | {"chain_scope": "document"}) + "\n"
    (again,) = read(merged)
    assert (again.scope, clusters_of(again)) == (ChainScope.DOCUMENT, {"0": [(0, 0, 0, 1), (0, 0, 2, 2)]})
    assert write(again) == merged
    assert write(again.with_chains(again.chains, ChainScope.PART)) == json.dumps(TWO_PARTS) + "\n"


def test_a_new_line_says_the_scope_too_where_nothing_else_shows_it() -> None:
    """The one mention in part 1 is an empty node, so that what is written crosses nothing."""
    parts = (Part((Sentence(("a",)),)), Part((Sentence(("b", "E"), empty=(1,)),), 1))
    chains = (Chain("e", (Mention(0, 0, 0, 0), Mention(1, 0, 1, 1))),)

    written = json.loads(write(Document("d", parts, chains, ChainScope.DOCUMENT)))

    assert (written["clusters"], written["chain_scope"]) == ([[[0, 0]]], "document")
    crossing = (Chain("e", (Mention(0, 0, 0, 0), Mention(1, 0, 0, 0))),)
    assert "chain_scope" not in write(Document("d", parts, crossing, ChainScope.DOCUMENT))
    assert "chain_scope" not in write(Document("d", parts, chains[:0], ChainScope.PART))
    assert "chain_scope" not in write(Document("d", parts[:1], (), ChainScope.DOCUMENT))


def test_a_given_scope_is_kept_while_it_holds_and_changed_where_not() -> None:
    text = json.dumps(TWO_PARTS | {"chain_scope": "part"}) + "\n"
    (document,) = read(text)

    assert document.scope is ChainScope.PART
    assert write(document) == text
    crossing = (Chain("0", (Mention(0, 0, 0, 0), Mention(1, 0, 0, 0))),)
    written = json.loads(write(document.with_chains(crossing, ChainScope.DOCUMENT)))
    assert (written["chain_scope"], written["clusters"]) == ("document", [[[0, 0], [3, 3]]])


@pytest.mark.parametrize("value", ["both", "PART", None, 1, ["part"], "x" * 1000])
def test_an_unknown_scope_is_an_error(value: object) -> None:
    with pytest.raises(FormatError, match=r'^x\.jsonl:1 .*chain_scope is .*; expected "part" or "document"$') as caught:
        read_one({"chain_scope": value})

    assert len(str(caught.value)) < 200


def test_clusters_across_parts_contradict_chains_of_the_parts() -> None:
    with pytest.raises(AnnotationError, match='chain_scope is "part", but cluster 0 has mentions in several parts'):
        read_one({"part_ids": [0, 1], "chain_scope": "part"})


@pytest.mark.parametrize(
    ("numbers", "problem"),
    [
        ([5, 3, 3], "part_ids has 3 at 1, after 5; expected parts in order"),
        ([0, 2, 1], "part_ids has 1 at 2, after 2; expected parts in order"),
        ([0, 1, 0], "part_ids has 0 at 2, after 1; expected parts in order"),
        ([0, 0, 2**31], "part_ids has 2147483648 at 2; expected a part number of 9 digits at most"),
        ([0, 0, int("1" * 4000)], "part_ids has 1111"),
        ([0, -1, 0], "part_ids has -1 at 1"),
        ([0, True, 1], "part_ids has true at 1"),
        (["0", 1, 1], 'part_ids has "0" at 0'),
        ({"0": 0}, "part_ids is an object; expected a list"),
    ],
)
def test_part_numbers_out_of_order_or_out_of_range_are_errors_that_name_the_place(
    numbers: object, problem: str
) -> None:
    line = {"doc_key": "d", "sentences": [["a"], ["b"], ["c"]], "clusters": [], "part_ids": numbers}

    with pytest.raises(FormatError, match=rf"^x\.jsonl:2 \(document d\): {re.escape(problem)}") as caught:
        read("\n" + json.dumps(line))

    assert len(str(caught.value)) < 200


def test_part_numbers_may_have_gaps_and_the_highest_reads_back() -> None:
    document = read_one({"part_ids": [3, 999_999_999], "clusters": []})

    assert [part.number for part in document.parts] == [3, 999_999_999]


def test_a_part_pattern_with_a_huge_number_is_an_error() -> None:
    with pytest.raises(FormatError, match="expected a number of 9 digits at most"):
        read(json.dumps(BASE | {"doc_key": "x_" + "1" * 5000}), pattern="(?P<document>.+)_(?P<part>.+)")


@pytest.mark.parametrize(
    "changes",
    [
        {"doc_key": "a\ud800"},
        {"genre": "\udfff"},
        {"sentences": [["a", "b", "c"], ["d\udc00\ud800"]]},
        {"speakers": [["A", "B", "\ud83d"], ["C"]]},
        {"speakers": ["A", "B", "\ude00", "C"]},
        {"pos": [["A", "B", "C"], ["\ud800"]]},
    ],
)
def test_half_a_surrogate_pair_in_the_text_is_an_error(changes: dict[str, object]) -> None:
    text = json.dumps(BASE | changes)
    (key,) = changes

    for line in (text, text.replace("\\ud", "\\uD")):
        with pytest.raises(FormatError, match=rf"^x\.jsonl:2: {key} has '.*', a lone surrogate") as caught:
            read("\n" + line)
        assert str(caught.value).encode()


def test_whole_surrogate_pairs_and_halves_in_other_keys_are_fine() -> None:
    text = json.dumps(BASE | {"sentences": [["\U0001f600", "b", "c"], ["\\ud800"]], "note": "\ud800"}) + "\n"

    (document,) = read(text)

    assert document.parts[0].sentences[0].forms[0] == "\U0001f600"
    assert document.parts[0].sentences[1].forms == ("\\ud800",)
    assert write(document) == text


@pytest.mark.parametrize("name", ["", " \t"])
def test_a_document_without_a_name_is_an_error_and_named_after_the_file_when_lenient(name: str) -> None:
    text = json.dumps(BASE | {"doc_key": name}) + "\n"
    notices = Notices(Policy.LENIENT)

    with pytest.raises(FormatError, match=r"^x\.jsonl:1: an empty doc_key"):
        read(text)
    documents = read_noticing(json.dumps(BASE) + "\n" + text + text, notices)
    assert [document.id for document in documents] == ["bc/x", "x-1", "x-2"]
    assert kinds(notices) == {"empty doc_key"}
    assert write(documents[1]) == json.dumps(BASE | {"doc_key": "x-1"}) + "\n"


def test_messages_stay_on_one_line_whatever_the_ids() -> None:
    mention = Mention(0, 0, 0, 2, ((0, 0), (2, 2)))
    document = Document("d\n", (Part((Sentence(("a", "b", "c")),)),), (Chain("e\n1", (mention,)),))
    notices = Notices(Policy.LENIENT)

    write(document, notices)

    assert all(len(str(notice).splitlines()) == 1 for notice in notices)
    assert kinds(notices) == {"discontinuous mention"}
