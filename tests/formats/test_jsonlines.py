from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.errors import AnnotationError, FormatError, UnsupportedError
from merger.formats.base import Lines, ReadOptions
from merger.formats.grouping import group_parts
from merger.formats.jsonlines.format import JsonlinesFormat
from merger.notices import Notices, Policy

BASE: dict[str, object] = {"doc_key": "bc/x", "sentences": [["a", "b", "c"], ["d"]], "clusters": [[[0, 1], [3, 3]]]}


def read_noticing(text: str, notices: Notices, pattern: str = "") -> list[Document]:
    options = ReadOptions(notices, re.compile(pattern) if pattern else None)
    blocks = JsonlinesFormat().read(Lines("x.jsonl", io.StringIO(text, newline="\n")), options)
    return list(group_parts(blocks, notices))


def read(text: str, policy: Policy = Policy.NORMAL, pattern: str = "") -> list[Document]:
    return read_noticing(text, Notices(policy), pattern)


def read_one(changes: Mapping[str, object], policy: Policy = Policy.NORMAL) -> Document:
    """The document of one line: the base with changed or added keys."""
    (document,) = read(json.dumps({**BASE, **changes}), policy)
    return document


def write(document: Document, notices: Notices | None = None) -> str:
    return "".join(JsonlinesFormat().write(document, Notices() if notices is None else notices))


def clusters_of(document: Document) -> dict[str, list[tuple[int, int, int, int]]]:
    return {chain.id: [m[:4] for m in chain.mentions] for chain in document.chains}


def kinds(notices: Notices) -> set[str]:
    return {notice.kind for notice in notices}


def test_offsets_run_over_the_whole_line_and_ends_are_inclusive() -> None:
    document = read_one({})

    assert document.id == "bc/x"
    assert [sentence.forms for sentence in document.parts[0].sentences] == [("a", "b", "c"), ("d",)]
    assert clusters_of(document) == {"0": [(0, 0, 0, 1), (0, 1, 0, 0)]}
    assert (document.scope, document.genre) == (ChainScope.PART, "bc")


def test_chains_are_named_by_the_index_of_their_cluster() -> None:
    document = read_one({"clusters": [[[3, 3]], [], [[0, 0]]]})

    assert clusters_of(document) == {"2": [(0, 0, 0, 0)], "0": [(0, 1, 0, 0)]}


def test_sentences_without_tokens_take_no_offsets() -> None:
    document = read_one({"sentences": [[], ["a"], [], ["b", "c"], []], "clusters": [[[0, 0], [1, 2]]]})

    assert clusters_of(document) == {"0": [(0, 1, 0, 0), (0, 3, 0, 1)]}


def test_predicted_clusters_are_read_where_there_are_no_others() -> None:
    line = {"doc_key": "d", "sentences": [["a"]], "predicted_clusters": [[[0, 0]]]}

    assert clusters_of(read(json.dumps(line))[0]) == {"0": [(0, 0, 0, 0)]}


def test_of_two_kinds_of_clusters_the_gold_ones_are_read_and_both_kept_while_nothing_changes() -> None:
    notices = Notices()
    text = json.dumps(BASE | {"predicted_clusters": [[[1, 1]]]}) + "\n"

    (document,) = read_noticing(text, notices)

    assert clusters_of(document) == {"0": [(0, 0, 0, 1), (0, 1, 0, 0)]}
    assert kinds(notices) == {"two kinds of clusters"}
    assert write(document) == text


@pytest.mark.parametrize("scope", ChainScope)
def test_predictions_do_not_outlive_the_clusters_they_stood_beside(scope: ChainScope) -> None:
    # Whoever scores the new line as a response would score the old predictions.
    notices = Notices()
    document = read_one({"predicted_clusters": [[[1, 1]]], "key": 1})
    chains = () if scope is ChainScope.PART else document.chains

    line = json.loads(write(document.with_chains(chains, scope), notices))

    assert line == BASE | {"clusters": [[[0, 1], [3, 3]]] if chains else [], "key": 1}
    assert kinds(notices) == {"outdated clusters left out"}


@pytest.mark.parametrize(
    ("changes", "options", "chains"),
    [
        ({"predicted_clusters": [[[1, 1]]]}, {}, [[(0, 0, 0, 1), (0, 1, 0, 0)]]),
        ({"predicted_clusters": [[[1, 1]]]}, {"predicted": True}, [[(0, 0, 1, 1)]]),
        ({"predicted_clusters": []}, {"predicted": True}, []),
        ({}, {"predicted": True}, [[(0, 0, 0, 1), (0, 1, 0, 0)]]),
        ({"clusters": [], "predicted_clusters": [[[1, 1]]]}, {}, []),
        (
            {"mine": [[[2, 2]]], "predicted_clusters": []},
            {"predicted": True, "clusters_field": "mine"},
            [[(0, 0, 2, 2)]],
        ),
    ],
)
def test_which_clusters_are_read(
    changes: dict[str, object], options: dict[str, Any], chains: list[list[tuple[int, int, int, int]]]
) -> None:
    lines = Lines("x.jsonl", [json.dumps(BASE | changes)])

    (document,) = group_parts(JsonlinesFormat().read(lines, ReadOptions(**options)), Notices())

    assert list(clusters_of(document).values()) == chains


def test_a_line_without_the_clusters_that_were_requested_is_an_error_that_names_those_there() -> None:
    lines = Lines("x.jsonl", [json.dumps(BASE | {"top_clusters": []})])

    with pytest.raises(FormatError, match=r"x\.jsonl:1 .*no key mine.*the line has clusters, top_clusters"):
        list(JsonlinesFormat().read(lines, ReadOptions(clusters_field="mine")))


def test_clusters_of_another_field_are_written_as_the_clusters() -> None:
    lines = Lines("x.jsonl", [json.dumps(BASE | {"predicted_clusters": [[[2, 2]]]})])
    options = ReadOptions(clusters_field="predicted_clusters")
    (document,) = group_parts(JsonlinesFormat().read(lines, options), options.notices)

    assert json.loads(write(document)) == BASE | {"clusters": [[[2, 2]]]}


def test_no_clusters_at_all_is_distinguished_from_no_chains() -> None:
    without, empty = Notices(), Notices()

    read_noticing('{"doc_key": "d", "sentences": [["a"]]}', without)
    read_noticing('{"doc_key": "d", "sentences": [["a"]], "clusters": []}', empty)

    assert (kinds(without), kinds(empty)) == ({"no clusters"}, set())


@pytest.mark.parametrize("speakers", [[["A", "-", "B"], [None]], ["A", "", "B", "-"]])
def test_speakers_may_be_nested_or_flat_and_missing_ones_are_empty(speakers: list[object]) -> None:
    sentences = read_one({"speakers": speakers}).parts[0].sentences

    assert [sentence.speakers for sentence in sentences] == [("A", "", "B"), ("",)]


@pytest.mark.parametrize("key", ["pos", "xpos"])
def test_tags_are_read(key: str) -> None:
    first = read_one({key: [["NN", "", "DT"], ["X"]], "upos": ["N", "N", "D", "X"]}).parts[0].sentences[0]

    assert (first.xpos, first.upos) == (("NN", "", "DT"), ("N", "N", "D"))


def test_columns_with_nothing_in_them_are_none() -> None:
    first = read_one({"speakers": [["-", "-", "-"], ["-"]], "pos": None}).parts[0].sentences[0]

    assert (first.speakers, first.xpos, first.upos) == (None, None, None)


def test_the_genre_key_goes_before_the_name() -> None:
    assert read_one({"genre": "nw"}).genre == "nw"


@pytest.mark.parametrize("bounds", [{"part_ids": [4, 5]}, {"part_ids": [4, 5], "parts": [[0, 1]]}])
def test_part_ids_carry_part_boundaries_and_crossing_clusters_a_merged_document(bounds: Mapping[str, object]) -> None:
    document = read_one(bounds)

    assert [part.number for part in document.parts] == [4, 5]
    assert clusters_of(document) == {"0": [(0, 0, 0, 1), (1, 0, 0, 0)]}
    assert document.scope is ChainScope.DOCUMENT


def test_parts_carry_part_boundaries_too() -> None:
    document = read_one({"sentences": [["a"], ["b"], ["c"]], "parts": [[0, 1], [2, 2]], "clusters": [[[2, 2]]]})

    assert [(part.number, len(part.sentences)) for part in document.parts] == [(0, 2), (1, 1)]
    assert clusters_of(document) == {"0": [(1, 0, 0, 0)]}
    assert document.scope is ChainScope.PART


def test_the_part_pattern_groups_lines_into_one_document() -> None:
    lines = [json.dumps(BASE | {"doc_key": f"bc/cctv/00/cctv_0000_{part}"}) for part in (0, 1)]

    (document,) = read("\n".join(lines), pattern=r"(?P<document>.+)_(?P<part>\d+)")

    assert (document.id, [part.number for part in document.parts]) == ("bc/cctv/00/cctv_0000", [0, 1])
    assert [(chain.id, chain.mentions[0].part) for chain in document.chains] == [("0", 0), ("0", 1)]


def test_a_part_pattern_with_letters_for_the_part_is_an_error() -> None:
    with pytest.raises(FormatError, match="part 'x' in doc_key 'bc/x'"):
        read(json.dumps(BASE), pattern="(?P<document>.+)/(?P<part>.+)")


def test_blank_lines_are_skipped_and_lines_still_counted() -> None:
    assert len(read("\n" + json.dumps(BASE) + "\r\n  \n")) == 1
    with pytest.raises(FormatError, match=r"^x\.jsonl:3: not JSON"):
        read("\n" + json.dumps(BASE) + "\nx\n")


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_an_empty_file_is_an_error(text: str) -> None:
    with pytest.raises(FormatError, match=r"x\.jsonl: the file is empty"):
        read(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON that can be read: nested too deeply"),
        ("[1]", "not an object: a list"),
        ('{"doc_key": "d", "doc_key": "e", "sentences": []}', "key 'doc_key' comes twice"),
        ('{"doc_key": "d", "sentences": [], "x": {"y": 1, "y": 2}}', "key 'y' comes twice"),
        ('{"doc_key": "d", "sentences": [], "x": NaN}', "NaN is not a number in JSON"),
        ('{"doc_key": "d", "sentences": [], "x": -Infinity}', "-Infinity is not a number in JSON"),
        ('{"sentences": []}', "no key doc_key"),
        ('{"doc_key": 1, "sentences": []}', "doc_key is a number"),
        ('{"doc_key": "d"}', "no key sentences"),
        ('{"doc_key": "d", "cased_words": []}', "wl-coref"),
        ('{"doc_key": "d", "sentences": {}}', "sentences is an object"),
        ('{"doc_key": "d", "sentences": ["a"]}', "sentence 0 is a string"),
        ('{"doc_key": "d", "sentences": [["a"], ["b", null]]}', "token 1 of sentence 1 is null"),
    ],
)
def test_lines_that_are_no_documents_are_errors(text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=rf"^x\.jsonl:1.*{re.escape(problem)}"):
        read(text)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"speakers": [["A"], ["B"]]}, "speakers of sentence 0: 1 values; expected 3"),
        ({"speakers": [["A", "B", "C"]]}, "speakers has 1 lists; expected 2"),
        ({"speakers": ["A"]}, "speakers has 1 values; expected 4"),
        ({"speakers": [["A", "B", 1], ["C"]]}, "speakers of sentence 0 has other values than strings"),
        ({"pos": "NN"}, "pos is a string"),
        ({"upos": [["A", "B", "C"], "D"]}, "upos of sentence 1: a string"),
        ({"part_ids": [0]}, "part_ids has 1 numbers; expected 2"),
        ({"parts": [[0, 0], [0, 1]]}, "parts has [0, 1] at 1"),
        ({"parts": [[0, 2]]}, "parts has [0, 2] at 0"),
        ({"parts": [[0, 0]]}, "parts ends at sentence 0"),
        ({"parts": 3}, "parts is a number"),
        ({"clusters": {}}, "clusters is an object"),
        ({"clusters": [[[0, 0]], 1]}, "cluster 1 of clusters is a number"),
        ({"clusters": [[[0]]]}, "cluster 0 of clusters has the mention [0]"),
        ({"clusters": [[[0, 1.0]]]}, "cluster 0 of clusters has the mention [0, 1.0]"),
        ({"clusters": [[[0, True]]]}, "cluster 0 of clusters has the mention [0, True]"),
    ],
)
def test_values_of_another_shape_are_errors(changes: Mapping[str, object], problem: str) -> None:
    with pytest.raises(FormatError, match=rf"^x\.jsonl:1 \(document bc/x\): {re.escape(problem)}"):
        read_one(changes)


@pytest.mark.parametrize(
    ("span", "problem"),
    [
        ([3, 4], "expected offsets from 0 to 3 (ends are inclusive; exclusive ends look like this)"),
        ([3, 9], "expected offsets from 0 to 3"),
        ([-1, 0], "expected offsets from 0 to 3"),
        ([1, 0], "which ends before it begins"),
    ],
)
def test_mentions_that_do_not_fit_the_text_are_errors(span: list[int], problem: str) -> None:
    with pytest.raises(AnnotationError, match=rf"^x\.jsonl:1 .*cluster 1 of clusters.*{re.escape(problem)}"):
        read_one({"clusters": [[[0, 0]], [span]]}, Policy.LENIENT)


def test_clusters_that_share_a_mention_are_an_error_and_the_first_keeps_it_when_lenient() -> None:
    changes = {"clusters": [[[0, 0], [1, 1]], [[1, 1], [3, 3]]]}

    with pytest.raises(
        AnnotationError, match=r"cluster 1 of clusters has the mention \[1, 1\], which cluster 0 has too"
    ):
        read_one(changes)
    document = read_one(changes, Policy.LENIENT)
    assert clusters_of(document) == {"0": [(0, 0, 0, 0), (0, 0, 1, 1)], "1": [(0, 1, 0, 0)]}


@pytest.mark.parametrize(
    ("clusters", "kind"), [([[[0, 0], [0, 0]]], "span twice in a chain"), ([[[0, 0]], []], "empty cluster")]
)
def test_repeated_mentions_and_empty_clusters_are_removed_with_a_warning(clusters: list[object], kind: str) -> None:
    notices = Notices()

    (document,) = read_noticing(json.dumps(BASE | {"clusters": clusters}), notices)

    assert clusters_of(document) == {"0": [(0, 0, 0, 0)]}
    assert kinds(notices) == {kind}
    with pytest.raises(AnnotationError):
        read_one({"clusters": clusters}, Policy.STRICT)


RAW = (
    '\t{"x" :[1.50, {"clusters": "\\u00e9"}] , "clusters":[ [[3,3],[0,1]] ],"doc_key":"d",'
    '"sentences":[["a","b"],["c","d"]]} \r\n'
)


def test_an_unchanged_line_is_written_byte_for_byte() -> None:
    (document,) = read(RAW)

    assert write(document) == RAW


def test_only_the_values_that_change_are_rewritten() -> None:
    (document,) = read(RAW)
    chains = (Chain("m", (Mention(0, 0, 0, 0), Mention(0, 1, 0, 1))),)

    written = write(replace(document.with_chains(chains, ChainScope.PART), id='e"'))

    assert written == RAW.replace("[ [[3,3],[0,1]] ]", "[[[0, 0], [2, 3]]]").replace('"d",', '"e\\"",', 1)


def test_part_boundaries_are_added_changed_or_taken_out_in_place() -> None:
    (document,) = read(RAW)
    first, second = document.parts[0].sentences
    two = replace(document, parts=(Part((first,)), Part((second,), 1)), chains=())

    added = write(two)

    assert '["c","d"]], "part_ids": [0, 1]} \r\n' in added
    (again,) = read(added)
    numbered = replace(again, parts=(again.parts[0], replace(again.parts[1], number=7)))
    assert write(numbered) == added.replace("[0, 1]", "[0, 7]")
    with_parts = added.replace('"part_ids": [0, 1]', '"parts": [[0,0],[1,1]]')
    assert write(read(with_parts)[0]) == with_parts
    (bounded,) = read(with_parts)
    joined = replace(bounded, parts=(Part(bounded.parts[0].sentences + bounded.parts[1].sentences),))
    assert write(joined) == with_parts.replace("[[0,0],[1,1]]", "[[0, 1]]")
    renumbered = replace(bounded, parts=(bounded.parts[0], replace(bounded.parts[1], number=3)))
    assert write(renumbered) == with_parts.replace('"parts": [[0,0],[1,1]]', '"part_ids": [0, 3]')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '{"parts": [[0, 0]], "doc_key": "d", "sentences": [["a"]]}',
            '{"doc_key": "d", "sentences": [["a"]], "part_ids": [3]}',
        ),
        (
            '{"doc_key": "d", "parts": [[0, 0]], "sentences": [["a"]]}',
            '{"doc_key": "d", "sentences": [["a"]], "part_ids": [3]}',
        ),
    ],
)
def test_a_key_is_taken_out_with_its_comma(before: str, after: str) -> None:
    (document,) = read(before)

    assert write(replace(document, parts=(replace(document.parts[0], number=3),))) == after + "\n"


def test_a_missing_line_end_is_completed_so_that_anything_may_follow() -> None:
    text = json.dumps(BASE)

    assert write(read(text)[0]) == text + "\n"


def test_lines_that_become_one_document_are_written_anew_and_say_what_they_lose() -> None:
    lines = [json.dumps(BASE | {"doc_key": f"x_{part}", "sentence_map": [0, 0, 0, 1], "note": "é"}) for part in (0, 1)]
    (document,) = read("\n".join(lines), pattern=r"(?P<document>.+)_(?P<part>\d+)")
    merged = (Chain("0", tuple(mention for chain in document.chains for mention in chain.mentions)),)
    notices = Notices()

    written = write(document.with_chains(merged, ChainScope.DOCUMENT), notices)

    assert written == (
        '{"doc_key": "x", "sentences": [["a", "b", "c"], ["d"], ["a", "b", "c"], ["d"]], '
        '"speakers": [["-", "-", "-"], ["-"], ["-", "-", "-"], ["-"]], "part_ids": [0, 0, 1, 1], '
        '"clusters": [[[0, 1], [3, 3], [4, 5], [7, 7]]], "note": "é"}\n'
    )
    assert kinds(notices) == {"keys left out"}


def test_documents_from_elsewhere_are_written_in_full_without_their_empty_nodes() -> None:
    first = Sentence(("a", "E", "b"), xpos=("NN", "", "DT"), upos=("N", "", "D"), speakers=("A", "A", ""), empty=(1,))
    parts = (Part((first,)), Part((Sentence(("c",)),), 1))
    chains = (
        Chain("e1", (Mention(0, 0, 0, 2), Mention(1, 0, 0, 0))),
        Chain("e2", (Mention(0, 0, 1, 1), Mention(0, 0, 1, 2))),
    )
    notices = Notices()

    written = write(Document("d", parts, chains, ChainScope.DOCUMENT, genre="nw"), notices)

    assert written == (
        '{"doc_key": "d", "genre": "nw", "sentences": [["a", "b"], ["c"]], "speakers": [["A", "-"], ["-"]], '
        '"pos": [["NN", "DT"], [""]], "upos": [["N", "D"], [""]], "part_ids": [0, 1], '
        '"clusters": [[[0, 1], [2, 2]], [[1, 1]]]}\n'
    )
    assert kinds(notices) == {"empty nodes left out", "empty nodes left out of mentions", "mention of empty nodes only"}


def test_mentions_that_come_to_be_one_are_written_once() -> None:
    sentence = Sentence(("a", "E"), empty=(1,))
    chains = (Chain("e1", (Mention(0, 0, 0, 1), Mention(0, 0, 0, 0))),)
    notices = Notices()

    assert '"clusters": [[[0, 0]]]' in write(Document("d", (Part((sentence,)),), chains), notices)
    assert "mentions become one" in kinds(notices)


def test_discontinuous_mentions_cannot_be_written_unless_lenient() -> None:
    mention = Mention(0, 0, 0, 2, ((0, 0), (2, 2)))
    document = Document("d", (Part((Sentence(("a", "b", "c")),)),), (Chain("e1", (mention,)),))

    with pytest.raises(UnsupportedError, match="discontinuous mention 'a c' of chain e1"):
        write(document)
    assert '"clusters": [[[0, 2]]]' in write(document, Notices(Policy.LENIENT))


def test_halves_of_surrogate_pairs_are_written_escaped() -> None:
    written = write(Document("d\ud800", (Part((Sentence(("\udc00",)),)),)))

    assert "\\udc00" in written
    assert written.encode("utf-8")


@pytest.mark.parametrize(("head", "expected"), [(' {"doc', True), ("", False), ("# newdoc", False), ("[1]", False)])
def test_the_format_is_recognised_by_its_first_character(head: str, *, expected: bool) -> None:
    assert JsonlinesFormat().recognises(head) is expected


def test_a_number_of_thousands_of_digits_is_not_repeated_in_the_message() -> None:
    digits = "1" * 6000
    with pytest.raises(FormatError, match=r"^x\.jsonl:1: .*a number has too many digits") as caught:
        read(f'{{"doc_key": "d", "sentences": [["a"]], "clusters": [], "x": {digits}}}\n')
    with pytest.raises(AnnotationError, match=r"^x\.jsonl:1 .*expected offsets") as span:
        read(f'{{"doc_key": "d", "sentences": [["a"]], "clusters": [[[0, {digits[:600]}]]]}}\n')

    assert max(len(str(caught.value)), len(str(span.value))) < 200
