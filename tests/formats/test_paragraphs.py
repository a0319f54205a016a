"""A text is read in pieces of whole lines, and the result must not depend on the cuts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.errors import InputError
from merger.formats import FORMATS, Lines, ReadOptions
from merger.formats.columns import columns_at_spaces, columns_at_tabs
from merger.formats.grouping import group_parts
from merger.formats.paragraphs import paragraphs, split_lines
from merger.notices import Notices, Policy

# Rows of all kinds that a reader may take together or has to look at one by one.
CONLL_LINES = (
    "d 0 0 w NN * - - - S * (0",
    "d 0 1 v NN * - - - S * 0)",
    "d 0 2 é NN * - - - S * (1)",
    "d 0 3 x\u3000y NN * - - - S * -",
    "d\t0\t0\tw\tNN\t(1)",
    "d\t0\t1\tv\tNN\t",
    "d 1 0 w - (0)",
    "  a\x0bb (0)",
    "a (0)|(1)",
    "a b\t",
    "a 1)",
    "word",
    "#end document",
    "#begin document (e); part 000",
    "#begin document (d); part 001",
    "# a note",
    "#\tx\t-",
    " ",
    "\r",
    "",
    "",
)
CONLLU_LINES = (
    "1\ta\t_\tX\tN\t_\t0\t_\t_\tEntity=(e1)",
    "1\ta\t_\tX\tN\t_\t0\t_\t_\tEntity=(e1",
    "2\tb\t_\tX\tN\t_\t1\t_\t_\tEntity=e1)",
    "2-3\tbc\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2)",
    "1.1\tb\t_\tX\tN\t_\t_\t_\t_\t_",
    "3\tc\t_\tX\tN\t_\t1\t_\t_\t_",
    "4\td\t_\tX\tN\t_\t1\t_\t_\t_\t",
    "2\tb",
    "# newdoc id = d",
    "# part = 1",
    "# global.Entity = eid-etype",
    "# text = a",
    " ",
    "\r",
    "",
    "",
)


def texts_of(lines: tuple[str, ...], head: str) -> st.SearchStrategy[str]:
    bodies = st.lists(st.sampled_from(lines), max_size=14).map("\n".join)
    return st.tuples(bodies, st.sampled_from(["", "\n", "\n#end document\n"])).map(lambda both: head + "".join(both))


def outcome(name: str, pieces: list[str], policy: Policy) -> tuple[str, str, list[str]]:
    """The documents before an error, the error, and the notices."""
    notices = Notices(policy)
    documents = []
    error = ""
    try:
        for document in group_parts(FORMATS[name].read(Lines("x", pieces), ReadOptions(notices)), notices):
            documents.append(document)  # noqa: PERF402  # those before an error count too
    except InputError as caught:
        error = f"{type(caught).__name__} {caught}"
    return repr(documents), error, [str(notice) for notice in notices]


@pytest.mark.parametrize("policy", [Policy.NORMAL, Policy.LENIENT])
@given(text=texts_of(CONLL_LINES, "#begin document (d); part 000\n"), cut=st.integers(0, 14))
def test_a_conll_2012_text_reads_the_same_at_once_by_lines_and_in_two_pieces(
    policy: Policy, text: str, cut: int
) -> None:
    lines = split_lines(text)

    whole = outcome("conll2012", [text], policy)

    assert outcome("conll2012", lines, policy) == whole
    assert outcome("conll2012", ["".join(lines[:cut]), "".join(lines[cut:])], policy) == whole


@pytest.mark.parametrize("policy", [Policy.NORMAL, Policy.LENIENT])
@given(text=texts_of(CONLLU_LINES, ""), cut=st.integers(0, 14))
def test_a_conll_u_text_reads_the_same_at_once_by_lines_and_in_two_pieces(policy: Policy, text: str, cut: int) -> None:
    lines = split_lines(text)

    whole = outcome("conllu", [text], policy)

    assert outcome("conllu", lines, policy) == whole
    assert outcome("conllu", ["".join(lines[:cut]), "".join(lines[cut:])], policy) == whole


def test_a_last_sentence_with_two_faults_is_judged_by_the_one_that_comes_first_in_the_rules() -> None:
    """Without its end the document is broken as such, whatever its last sentence has."""
    text = "#begin document (d); part 000\na -\nb x\n\n#begin document (e); part 000\n"

    _, error, _ = outcome("conll2012", [text], Policy.NORMAL)

    assert "no `#end document`" in error


@given(st.lists(st.text("ab#\r\n \u3000\x0b", max_size=12).map(lambda text: text + "\n"), max_size=4))
def test_paragraphs_keep_the_text_and_end_in_an_empty_line_only_where_no_blank_line_follows(texts: list[str]) -> None:
    pieces = list(paragraphs(texts))

    assert "".join(pieces) == "".join(texts)
    assert "" not in pieces
    for piece, following in zip(pieces, [*pieces, "end"][1:], strict=True):
        assert piece.endswith("\n")
        if piece.endswith("\n\n") and piece.strip("\n"):
            assert not following[0].isspace()


@given(st.lists(st.lists(st.text("a-é\u3000\xa0", min_size=1, max_size=3), min_size=1, max_size=4), min_size=1))
def test_columns_are_those_of_rows_of_one_width(rows: list[list[str]]) -> None:
    expected = None if len({len(row) for row in rows}) > 1 else list(zip(*rows, strict=True))

    assert columns_at_tabs("\n".join("\t".join(row) for row in rows)) == expected
    assert columns_at_spaces("\n".join(f" {'   '.join(row)}  " for row in rows)) == expected


@pytest.mark.parametrize("odd", ["\t", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f"])
def test_rows_with_other_blanks_than_spaces_are_left_to_those_who_look_at_each(odd: str) -> None:
    assert columns_at_spaces(f"a b\nc{odd} d") is None


def test_only_a_line_feed_ends_a_line() -> None:
    text = "a\r\x0b\x1c\x85\u2028b\n\nc\r\nd"

    assert split_lines(text) == ["a\r\x0b\x1c\x85\u2028b\n", "\n", "c\r\n", "d"]
