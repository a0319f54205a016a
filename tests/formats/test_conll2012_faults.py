"""Contradictory input: an error with its place, or a repair with a warning, by the policy."""

from __future__ import annotations

import re

import pytest

from merger.errors import AnnotationError, FormatError, InputError
from merger.formats import FORMATS, Lines, ReadOptions
from merger.notices import Notices, Policy
from tests.support.conll_text import block, chains_of, read_rows, read_text, words_of, write_text


def refused(text: str, policy: Policy = Policy.NORMAL) -> InputError:
    with pytest.raises(InputError) as caught:
        read_text(text, policy)
    return caught.value


CONTRADICTIONS = {
    "mention never closed": ("a (0\nb (7\nc 0)", 3, "a mention of chain 7 is opened but never closed"),
    "mention never opened": ("a (0\nb 7)\nc 0)", 3, "a mention of chain 7 is closed but was never opened"),
    "mention over a sentence boundary": (
        "a (0\nb 0)\nc (7\n\nd 7)",
        6,
        "a mention of chain 7 that opened at line 4 closes in another sentence",
    ),
    "span in two chains": ("a (0|(7\nb 0)\nc 7)\nd (0|(7)\ne 0)\nf (7|(0\ng 7)|0)", 8, None),
}


def test_an_unclosed_mention_is_an_error_that_names_file_line_document_part_and_chain() -> None:
    error = refused(block("a -\n\nb (e12\nc -", name="nw/1", part="004"))

    assert str(error) == (
        "x.conll:4 (document nw/1, part 4): a mention of chain e12 is opened but never closed "
        "(with policy lenient: the mention is dropped)"
    )


def test_a_mention_that_was_never_opened_is_an_error_that_names_file_line_document_part_and_chain() -> None:
    error = refused(block("a -\n\nb e12)\nc -", name="nw/1", part="004"))

    assert str(error) == (
        "x.conll:4 (document nw/1, part 4): a mention of chain e12 is closed but was never opened "
        "(with policy lenient: the bracket is dropped)"
    )


@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.NORMAL])
@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_contradictions_stop_the_strict_and_the_normal_reader_at_their_line(kind: str, policy: Policy) -> None:
    rows, line, message = CONTRADICTIONS[kind]
    error = refused(block(rows), policy)

    assert isinstance(error, AnnotationError)
    assert (error.location.file, error.location.line, error.location.document) == ("x.conll", line, "d")
    if message is not None:
        assert error.message == message


@pytest.mark.parametrize(
    ("rows", "kind", "left"),
    [
        ("a (0\nb (7\nc 0)", "mention never closed", {"0": [(0, 0, 0, 2)]}),
        ("a (0\nb 7)\nc 0)", "mention never opened", {"0": [(0, 0, 0, 2)]}),
        ("a (0\nb 0)\nc (7\n\nd 7)", "mention over a sentence boundary", {"0": [(0, 0, 0, 1)]}),
    ],
)
def test_the_lenient_reader_drops_the_mention_and_counts_what_it_dropped(
    rows: str, kind: str, left: dict[str, list[tuple[int, int, int, int]]]
) -> None:
    documents, notices = read_text(block(rows) + block(rows, name="e"), Policy.LENIENT)

    assert [chains_of(document) for document in documents] == [left, left]
    assert [(notice.kind, notice.count) for notice in notices] == [(kind, 2)]


def test_a_span_in_two_chains_is_an_error_that_names_both() -> None:
    error = refused(block("a (3\nb (e1\nc e1)|3)\nd (3\ne 3)|(5)\nf (e1|(5\ng e1)|5)"))

    assert error.message == "one span is a mention of chain e1 and of chain 5"
    assert error.location.line == 8


def test_the_lenient_reader_leaves_a_span_in_the_chain_that_begins_first() -> None:
    """Chain 9 has the first bracket of the two, though the span closes in chain 2 first."""
    documents, notices = read_text(block("a (9)\nb (2)\nc (2|(9\nd 2)|9)"), Policy.LENIENT)

    assert chains_of(documents[0]) == {"9": [(0, 0, 0, 0), (0, 0, 2, 3)], "2": [(0, 0, 1, 1)]}
    assert [notice.kind for notice in notices] == ["span in two chains"]


def test_a_chain_that_loses_all_its_spans_is_gone() -> None:
    documents, _ = read_text(block("a (9)\nb (9)|(2)\nc (2)|(9)"), Policy.LENIENT)

    assert chains_of(documents[0]) == {"9": [(0, 0, 0, 0), (0, 0, 1, 1), (0, 0, 2, 2)]}


@pytest.mark.parametrize("policy", [Policy.NORMAL, Policy.LENIENT])
def test_a_span_twice_in_one_chain_counts_once_with_a_warning(policy: Policy) -> None:
    documents, notices = read_text(block("a (3)|(3)\nb (3|(3\nc 3)|3)"), policy)

    assert chains_of(documents[0]) == {"3": [(0, 0, 0, 0), (0, 0, 1, 2)]}
    (notice,) = notices
    assert (notice.kind, notice.count) == ("span twice in a chain", 2)
    assert str(notice).startswith("x.conll:2 (document d, part 0): one span is a mention of chain 3 twice")


def test_a_span_twice_in_one_chain_is_an_error_to_the_strict_reader() -> None:
    error = refused(block("a -\nb (3)|(3)"), Policy.STRICT)

    assert isinstance(error, AnnotationError)
    assert error.location.line == 3


@pytest.mark.parametrize("policy", list(Policy))
def test_a_piece_of_a_discontinuous_mention_is_named_as_what_it_is(policy: Policy) -> None:
    error = refused(block("a (2[1/2]\nb -\nc 2[2/2])"), policy)

    assert isinstance(error, FormatError)
    assert error.message == "a piece of a discontinuous mention ((2[1/2]), which CoNLL-2012 cannot carry"
    assert error.location.line == 2


@pytest.mark.parametrize("cell", ["word", "3", "()", "(3))", "((3)", "||", "(1 )", "0)x"])
def test_a_cell_that_is_no_coreference_is_an_error_that_shows_it(cell: str) -> None:
    error = refused(block(f"d\t0\t0\ta\tNN\t-\nd\t0\t1\tb\tNN\t{cell}"))

    assert isinstance(error, FormatError)
    assert error.message == f"{cell!r} in the coreference column"
    assert error.location.line == 3


def test_a_file_without_coreference_column_is_distinguished_from_one_without_chains() -> None:
    assert read_rows("d 0 0 The DT -\nd 0 1 cat NN -").chains == ()
    error = refused(block("d 0 0 The DT\nd 0 1 cat NN"))

    assert error.message == "'DT' in the coreference column"
    assert refused(block("The\ncat")).message == "only one column: 'The'"


@pytest.mark.parametrize("rows", ["a\tb\tc\td\t\nx", "x\na\tb\tc\td\t"])
def test_a_row_of_one_column_beside_longer_ones_is_an_error_that_shows_it(rows: str) -> None:
    error = refused(block(rows))

    assert isinstance(error, FormatError)
    assert error.message == "only one column: 'x'"
    assert error.location.line == rows.split("\n").index("x") + 2


@pytest.mark.parametrize("digits", ["1000000000", "9" * 5000])
def test_a_part_number_of_too_many_digits_is_an_error_that_stays_short(digits: str) -> None:
    error = refused(block("a -", part=digits))

    assert isinstance(error, FormatError)
    assert error.location.line == 1
    assert len(str(error)) < 200


@pytest.mark.parametrize(("digits", "number"), [("999999999", 999999999), ("0" * 5000 + "7", 7)])
def test_a_part_number_may_have_nine_digits_and_zeros_before_them(digits: str, number: int) -> None:
    (document,), _ = read_text(block("a -", part=digits))

    assert document.parts[0].number == number
    assert write_text([document]) == block("a -", part=digits)


def test_a_second_column_of_too_many_digits_is_no_part_number() -> None:
    text = block(f"d {'9' * 5000} 0 a NN (0)")
    (document,), _ = read_text(text)

    assert len(document.parts) == 1
    assert write_text([document]) == text


def test_a_part_pattern_that_finds_too_many_digits_is_an_error() -> None:
    options = ReadOptions(part_pattern=re.compile(r"(?P<document>.*)_(?P<part>.*)"))
    blocks = FORMATS["conll2012"].read(Lines("x", block("a -", name="d_" + "9" * 5000).splitlines(True)), options)

    with pytest.raises(FormatError, match="the part pattern finds part '999"):
        next(blocks)


def test_a_file_without_documents_is_an_error_that_says_so() -> None:
    for text in ("", "\n\n", "# only a comment\n"):
        error = refused(text)
        assert error.message == "no document"
        assert error.location.file == "x.conll"


def test_rows_outside_of_a_document_are_an_error_with_their_line() -> None:
    error = refused(block("a -") + "\nb -\n")

    assert error.message == "text outside a document"
    assert error.location.line == 5


def test_rows_before_the_first_document_are_an_error_with_their_line() -> None:
    assert refused("a -\n" + block("b -")).location.line == 1


@pytest.mark.parametrize("part", ["x", "-1", "1.0"])
def test_a_part_that_is_no_number_is_an_error_with_line_and_document(part: str) -> None:
    error = refused(block("a -", part=part))

    assert error.message == f"part {part!r}"
    assert (error.location.line, error.location.document) == (1, "d")


def test_a_part_pattern_that_finds_no_number_is_an_error_with_line_and_document() -> None:
    options = ReadOptions(part_pattern=re.compile(r"(?P<document>.*)_(?P<part>.*)"))
    blocks = FORMATS["conll2012"].read(Lines("x", block("a -", name="bn_one").splitlines(keepends=True)), options)

    with pytest.raises(FormatError, match=r"x:1 \(document bn_one\): the part pattern finds part 'one'"):
        next(blocks)


NO_END_BETWEEN = "#begin document (d); part 000\na (0)\n\n#begin document (e); part 000\nb -\n\n#end document\n"
NO_END_AT_ALL = "#begin document (d); part 000\na (0)\n\nb -"


@pytest.mark.parametrize(("text", "line"), [(NO_END_BETWEEN, 4), (NO_END_AT_ALL, 4)])
@pytest.mark.parametrize("policy", [Policy.STRICT, Policy.NORMAL])
def test_a_document_without_end_is_an_error(text: str, line: int, policy: Policy) -> None:
    error = refused(text, policy)

    assert "#end document" in error.message
    assert (error.location.document, error.location.line) == ("d", line)


@pytest.mark.parametrize("text", [NO_END_BETWEEN, NO_END_AT_ALL, NO_END_AT_ALL + "\n\n# a note"])
def test_the_lenient_reader_ends_the_document_and_what_it_writes_has_an_end(text: str) -> None:
    documents, notices = read_text(text, Policy.LENIENT)
    again, _ = read_text(write_text(documents), Policy.STRICT)

    assert [notice.kind for notice in notices] == ["no end of document"]
    assert [(each.id, words_of(each), chains_of(each)) for each in again] == [
        (each.id, words_of(each), chains_of(each)) for each in documents
    ]


def test_a_document_that_never_gets_to_its_first_line_end_can_be_repaired() -> None:
    documents, _ = read_text("#begin document (d); part 000", Policy.LENIENT)

    assert read_text(write_text(documents), Policy.STRICT)[0][0].id == "d"


def test_three_thousand_repairs_make_one_notice() -> None:
    notices = Notices(Policy.LENIENT)
    lines = block("\n".join(["a 1)"] * 3000)).splitlines(keepends=True)
    list(FORMATS["conll2012"].read(Lines("x", lines), ReadOptions(notices)))

    (notice,) = notices
    assert notice.count == 3000
    assert "[3000 times, this is the first]" in str(notice)


@pytest.mark.parametrize("rows", ["a (5a\nb 5a)\nc (5a)\nd (5)", "a (5a)\nb (5b)\nc (5a)\nd (5b)"])
def test_ids_of_one_number_with_and_without_letters_are_noted(rows: str) -> None:
    """The CRAFT corpus marks the pieces of a discontinuous mention of chain 5 so."""
    documents, notices = read_text(block(rows))

    (notice,) = notices
    assert notice.kind == "chain ids with letters"
    assert "chain 5" in notice.message
    assert len(chains_of(documents[0])) == 2
    with pytest.raises(AnnotationError, match="CRAFT"):
        read_text(block(rows), Policy.STRICT)


@pytest.mark.parametrize("rows", ["a (5a)\nb (6b)\nc (7)", "a (e5)\nb (5)\nc (5e5)", "a (x)\nb (xa)"])
def test_other_ids_with_letters_are_not_noted(rows: str) -> None:
    read_text(block(rows), Policy.STRICT)
