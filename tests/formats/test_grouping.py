from __future__ import annotations

import pytest

from merger.document import ChainScope
from merger.errors import FormatError
from merger.formats import FORMATS, Lines, ReadOptions
from merger.formats.grouping import group_parts
from merger.notices import Notices, Policy
from tests.formats.conllu_text import document, read
from tests.support.conll_text import block, read_text


@pytest.mark.parametrize("policy", list(Policy))
def test_a_document_that_comes_twice_is_an_error(policy: Policy) -> None:
    with pytest.raises(FormatError, match=r"x\.conll:5 \(document d, part 0\): this document came before"):
        read_text(block("a -") + block("a -"), policy)


def test_a_document_that_comes_again_after_another_one_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"x\.conll:8 \(document d, part 1\): this document came before"):
        read_text(block("a -") + block("b -", name="e") + block("c -", part="001"))


def test_parts_in_the_wrong_order_are_an_error() -> None:
    with pytest.raises(FormatError, match=r"x\.conll:5 \(document d, part 1\): part 1 comes after part 2"):
        read_text(block("a -", part="002") + block("b -", part="001"))


def test_a_gap_in_the_parts_is_reported() -> None:
    documents, notices = read_text(block("a -", part="000") + block("b -", part="003"))

    assert [part.number for part in documents[0].parts] == [0, 3]
    assert [str(notice) for notice in notices] == [
        "x.conll:5 (document d, part 3): part 3 comes after part 0; expected part 1"
    ]


def test_a_gap_in_the_parts_is_an_error_to_the_strict_reader() -> None:
    with pytest.raises(FormatError, match="part 3 comes after part 0; expected part 1"):
        read_text(block("a -", part="000") + block("b -", part="003"), Policy.STRICT)


def test_numbers_may_begin_at_one() -> None:
    documents, notices = read_text(block("a -", part="1") + block("b -", part="2"))

    assert [part.number for part in documents[0].parts] == [1, 2]
    assert not list(notices)


def test_a_merged_document_and_a_further_part_of_it_are_not_joined() -> None:
    merged = block("d 0 0 a -\n\nd 1 0 b -")

    with pytest.raises(FormatError, match="this document came before"):
        read_text(merged + block("c -", part="002"))


def test_chains_of_one_id_in_two_parts_stay_two_chains() -> None:
    documents, _ = read_text(block("a (0)\nb (0)") + block("c (0)\nd (0)", part="001"))

    (document,) = documents
    assert document.scope is ChainScope.PART
    assert [(chain.id, {mention.part for mention in chain.mentions}) for chain in document.chains] == [
        ("0", {0}),
        ("0", {1}),
    ]


def test_documents_are_given_out_one_at_a_time() -> None:
    """The second document is broken, and the first arrives all the same."""
    lines = (block("a -") + block("b -", name="e") + block("c 1)", name="f")).splitlines(keepends=True)
    documents = group_parts(FORMATS["conll2012"].read(Lines("x", lines), ReadOptions()), Notices())

    assert next(documents).id == "d"


def test_a_document_that_comes_again_names_the_line_of_both() -> None:
    conllu = document("a", name="d") + document("b", name="e") + document("c", name="d")
    jsonlines = "".join(f'{{"doc_key": "{name}", "sentences": [["a"]], "clusters": []}}\n' for name in ("d", "e", "d"))

    with pytest.raises(
        FormatError, match=r"^x\.conllu:9 \(document d, part 0\): this document came before, at line 1;"
    ):
        read(conllu)
    blocks = FORMATS["jsonlines"].read(Lines("x.jsonlines", [jsonlines.replace("\n", "\n\n", 1)]), ReadOptions())
    with pytest.raises(
        FormatError, match=r"^x\.jsonlines:4 \(document d, part 0\): this document came before, at line 1;"
    ):
        list(group_parts(blocks, Notices()))


def test_a_document_that_another_file_had_names_that_file() -> None:
    blocks = [
        block
        for file in ("x.jsonlines", "y.jsonlines")
        for block in FORMATS["jsonlines"].read(
            Lines(file, ['\n{"doc_key": "d", "sentences": [["a"]], "clusters": []}\n']), ReadOptions()
        )
    ]

    with pytest.raises(FormatError, match=r"^y\.jsonlines:2 .*: this document came before, in x\.jsonlines, line 2;"):
        list(group_parts(blocks, Notices()))


def test_blocks_of_one_document_without_part_numbers_get_a_hint_what_to_write() -> None:
    text = "#begin document (d)\nd 0 0 Gulls NNS (0)\n\n#end document\n" * 2

    with pytest.raises(
        FormatError, match=r"^x\.conll:5 \(document d, part 0\): `#begin document` names the document"
    ) as caught:
        read_text(text)

    assert "of line 1 again" in str(caught.value)
    assert "expected `#begin document (ID); part 001`" in str(caught.value)
