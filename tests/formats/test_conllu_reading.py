from __future__ import annotations

import re

import pytest

from merger.document import ChainScope, Document
from merger.errors import AnnotationError, FormatError
from merger.formats.base import Lines, ReadOptions
from merger.formats.conllu.format import ConlluFormat
from merger.notices import Notices, Policy
from tests.formats.conllu_text import chains_of, document, kinds, read, read_noticing, rows


def row(number: str, form: str, *, upos: str = "_", xpos: str = "_", head: str = "_", deps: str = "_") -> str:
    return f"{number}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t_\t{deps}\t_\n"


def test_brackets_open_and_close_over_words_and_at_one_word() -> None:
    (found,) = read(document("a Entity=(e1-person-2-x(e2-place)\nb Entity=e1)(e2\nc Entity=e2)"))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 1),))], "e2": [(0, 0, ((0, 0),)), (0, 0, ((1, 2),))]}


def test_the_last_opened_mention_of_an_entity_closes_first() -> None:
    (found,) = read(document("a Entity=(e1\nb Entity=(e1\nc Entity=e1)\nd Entity=e1)"))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 3),)), (0, 0, ((1, 2),))]}


def test_a_discontinuous_mention_is_put_together_from_its_stretches() -> None:
    cells = "a Entity=(e1[1/3]--1\nb Entity=e1[1/3])\nc Entity=(e2)\nd Entity=(e1[2/3]--1)\ne\nf Entity=(e1[3/3]--1)"

    (found,) = read(document(cells))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 1), (3, 3), (5, 5)))], "e2": [(0, 0, ((2, 2),))]}


def test_a_discontinuous_mention_may_stand_inside_another_of_its_entity() -> None:
    """The inner one (b, d) is finished first, as its stretches belong to the last opened one."""
    cells = "a Entity=(e1[1/2])\nb Entity=(e1[1/2])\nc\nd Entity=(e1[2/2])\ne\nf Entity=(e1[2/2])"

    (found,) = read(document(cells))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 0), (5, 5))), (0, 0, ((1, 1), (3, 3)))]}


def test_the_field_order_says_where_the_id_is() -> None:
    text = document("a Entity=(person-7-new\nb Entity=7)\nc Entity=(person-7-giv)", fields="entity-GRP-infstat")

    (found,) = read(text)

    assert chains_of(found) == {"7": [(0, 0, ((0, 1),)), (0, 0, ((2, 2),))]}


def test_entities_without_a_field_order_are_an_error_and_when_lenient_the_id_comes_first() -> None:
    text = "# newdoc id = d\n" + rows("a\nb Entity=(e1-x-y)") + rows("c Entity=(e1)")
    notices = Notices(Policy.LENIENT)

    (found,) = read_noticing(text, notices)

    assert chains_of(found) == {"e1": [(0, 0, ((1, 1),)), (0, 1, ((0, 0),))]}
    assert [(notice.kind, notice.location.line, notice.count) for notice in notices] == [("no field order", 3, 1)]
    with pytest.raises(FormatError, match=r"^x\.conllu:3 \(document d, part 0\): Entity= without `# global\.Entity`"):
        read(text)


def test_a_field_order_without_an_id_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"x\.conllu:2.*no entity id among the fields 'etype-head'"):
        read(document("a", fields="etype-head"))


def test_other_text_in_misc_is_not_taken_for_entities() -> None:
    (found,) = read(document("a XEntity=(e9)|Gloss=Entity=(e8)|Entity=(e1)|Z=)"))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 0),))]}


def test_words_and_empty_nodes_are_tokens_and_ranges_and_comments_are_not() -> None:
    text = (
        "# newdoc id = d\n# global.Entity = eid\n"
        + row("0.1", "E", deps="2:nsubj")
        + row("1-2", "du")
        + row("1", "de", upos="ADP", xpos="IN", head="2")
        + "# a comment inside\n"
        + row("2", "le", upos="DET", head="0")
        + row("2.1", "F", deps="0.1:dep|1:x")
        + row("3", "_", head="2")
        + "\n"
    )

    (found,) = read(text)
    sentence = found.parts[0].sentences[0]

    assert sentence.forms == ("E", "de", "le", "F", "_")
    assert sentence.empty == (0, 3)
    assert sentence.heads == (2, 2, -1, 0, 2)
    assert sentence.xpos == ("", "IN", "", "", "")
    assert sentence.upos == ("", "ADP", "DET", "", "")
    assert found.token_count == 3


def test_a_mention_may_hold_empty_nodes_and_begin_at_one() -> None:
    (found,) = read(document("0.1 E Entity=(e1\na\n1.1 F Entity=e1)(e2)\nb"))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 2),))], "e2": [(0, 0, ((2, 2),))]}


def test_columns_with_nothing_in_them_are_none() -> None:
    sentence = read(document("a\nb"))[0].parts[0].sentences[0]

    assert (sentence.xpos, sentence.upos, sentence.heads, sentence.speakers) == (None, None, None, None)


def test_unusual_characters_split_neither_lines_nor_tokens() -> None:
    odd = "a\u2028b\u0085c\x0cd\xa0e f"

    (found,) = read("# newdoc id = d\n" + row("1", odd) + "\n")

    assert found.parts[0].sentences[0].forms == (odd,)


def test_speakers_come_from_the_comment_and_from_misc() -> None:
    (found,) = read(
        document("# speaker = Anna B\na\nb Speaker=Carl", "a\nb Speaker=Dora", "# speaker = Eve\na\nb", "a")
    )

    speakers = [sentence.speakers for sentence in found.parts[0].sentences]

    assert speakers == [("Anna B", "Carl"), ("", "Dora"), ("Eve", "Eve"), None]


def test_the_genre_comes_from_the_comment_or_from_the_id() -> None:
    text = document("# meta::genre = news\na", name="bc/x") + document("a", name="nw/y") + document("a", name="z")

    assert [each.genre for each in read(text)] == ["news", "nw", None]


def test_every_newdoc_is_a_document_and_entity_ids_belong_to_it() -> None:
    first, second = read(document("a Entity=(e1)", "b", name="one") + document("c\nd Entity=(e1)", name="two"))

    assert (first.id, second.id) == ("one", "two")
    assert (chains_of(first), chains_of(second)) == ({"e1": [(0, 0, ((0, 0),))]}, {"e1": [(0, 0, ((1, 1),))]})
    assert first.scope is second.scope is ChainScope.PART


def test_documents_without_a_name_are_named_after_the_file() -> None:
    text = rows("a") + "# newdoc\n" + rows("b") + "# newdoc id =\n" + rows("c")

    assert [each.id for each in read(text, file="some/where/talk.conllu.gz")] == ["talk", "talk-1", "talk-2"]


def test_a_newdoc_without_sentences_is_an_empty_document() -> None:
    one, two = read("# newdoc id = one\n# global.Entity = eid\n\n# newdoc id = two\n" + rows("a"))

    assert (one.id, one.token_count, one.parts[0].sentences) == ("one", 0, ())
    assert (two.id, two.token_count) == ("two", 1)


@pytest.mark.parametrize("text", ["", "\n\n", "# just a comment\n"])
def test_a_text_without_any_document_is_an_error(text: str) -> None:
    with pytest.raises(FormatError, match=r"x\.conllu: (the file is empty|no document)"):
        read(text)


def test_newdocs_with_one_id_and_part_numbers_are_parts_with_chains_of_their_own() -> None:
    text = document("# part = 0\na Entity=(e1)") + document("# part = 2\nb\nc Entity=(e1)")

    (found,) = read(text)

    assert [part.number for part in found.parts] == [0, 2]
    assert found.scope is ChainScope.PART
    assert [(chain.id, chain.mentions[0].part) for chain in found.chains] == [("e1", 0), ("e1", 1)]


def test_part_comments_inside_a_newdoc_cut_it_into_parts_with_common_chains() -> None:
    (found,) = read(document("# part = 3\na Entity=(e1)", "# part = 3\nb", "# part = 4\nc Entity=(e1)", "d"))

    assert [(part.number, len(part.sentences)) for part in found.parts] == [(3, 2), (4, 2)]
    assert found.scope is ChainScope.DOCUMENT
    assert chains_of(found) == {"e1": [(0, 0, ((0, 0),)), (1, 0, ((0, 0),))]}


def test_a_part_that_comes_back_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"x\.conllu:\d+ .*part 0 comes twice"):
        read(document("# part = 0\na", "# part = 1\nb", "# part = 0\nc"))


def test_the_part_pattern_takes_ids_apart() -> None:
    text = document("a Entity=(e1)", name="bc/x_0") + document("b Entity=(e1)", name="bc/x_1")

    (found,) = read(text, pattern=r"(?P<document>.+)_(?P<part>\d+)")

    assert (found.id, [part.number for part in found.parts], found.genre) == ("bc/x", [0, 1], "bc")


def test_a_part_pattern_with_letters_for_the_part_is_an_error() -> None:
    with pytest.raises(FormatError, match="part 'b' in the id 'x_b'"):
        read(document("a", name="x_b"), pattern="(?P<document>.+)_(?P<part>.+)")


@pytest.mark.parametrize(
    ("cells", "line", "problem"),
    [
        ("a\nb Entity=(e7", 4, "a mention of entity e7 is opened but never closed"),
        ("a\nb Entity=e7)", 4, "a mention of entity e7 is closed but was never opened"),
        ("a Entity=(e7[1/2])\nb", 3, "a mention of entity e7[2/2] lacks its last stretch"),
        ("a Entity=(e7[1/2]\nb", 3, "a mention of entity e7[1/2] is opened but never closed"),
        ("a\nb Entity=(e7[2/2])", 4, "a mention of entity e7[2/2] has a later stretch without the one before it"),
    ],
)
def test_brackets_without_a_partner_are_errors_and_are_dropped_when_lenient(
    cells: str, line: int, problem: str
) -> None:
    text = document(cells + "\nc Entity=(e8)", name="doc")
    notices = Notices(Policy.LENIENT)

    with pytest.raises(AnnotationError, match=rf"^x\.conllu:{line} \(document doc, part 0\): {re.escape(problem)}"):
        read(text)
    (found,) = read_noticing(text, notices)

    assert chains_of(found) == {"e8": [(0, 0, ((2, 2),))]}
    assert len(notices) == 1


@pytest.mark.parametrize(("opening", "closing"), [("(e7", "e7)"), ("(e7[1/2])", "(e7[2/2])")])
def test_a_mention_over_a_sentence_boundary_is_an_error_that_names_both_lines(opening: str, closing: str) -> None:
    text = document(f"a Entity={opening}", f"b\nc Entity={closing}")

    with pytest.raises(AnnotationError, match=r"x\.conllu:6 .*opened at line 3 goes on in another sentence"):
        read(text)
    assert read(text, Policy.LENIENT)[0].chains == ()


def test_one_span_twice_in_an_entity_is_removed_with_a_warning() -> None:
    text = document("a Entity=(e1)(e1)")
    notices = Notices()

    (found,) = read_noticing(text, notices)

    assert chains_of(found) == {"e1": [(0, 0, ((0, 0),))]}
    assert kinds(notices) == {"span twice in a chain"}
    with pytest.raises(AnnotationError, match=r"x\.conllu:3 .*entity e1 twice"):
        read(text, Policy.STRICT)


def test_one_span_in_two_entities_is_an_error_and_stays_in_the_first_when_lenient() -> None:
    text = document("a Entity=(e2)", "a Entity=(e1(e2\nb Entity=e1)e2)")

    with pytest.raises(AnnotationError, match=r"x\.conllu:5 .*entity e1 and of entity e2"):
        read(text)
    assert chains_of(read(text, Policy.LENIENT)[0]) == {"e2": [(0, 0, ((0, 0),)), (0, 1, ((0, 1),))]}


def test_no_annotation_is_distinguished_from_no_chains() -> None:
    without, declared = Notices(), Notices()

    read_noticing("# newdoc id = d\n" + rows("a"), without)
    read_noticing(document("a"), declared)

    assert kinds(without) == {"no entity annotation"}
    assert kinds(declared) == set()


@pytest.mark.parametrize("value", ["e1", "(e1", "((e1)", "(e1))", "()", "(e1)\xa0(e2)x", "(-person)", "(e1[3/2])"])
def test_values_that_are_not_brackets_are_errors(value: str) -> None:
    with pytest.raises((FormatError, AnnotationError), match=r"x\.conllu:3 "):
        read(document(f"a Entity={value}"))


def test_entities_on_the_row_of_a_multiword_token_are_not_read_and_said_so() -> None:
    notices = Notices()

    (found,) = read_noticing(document("1-2 ab Entity=(e1)\na\nb"), notices)

    assert found.chains == ()
    assert kinds(notices) == {"entity on a multiword token"}


@pytest.mark.parametrize(
    ("broken", "line", "problem"),
    [
        (row("1", "a") + "2\tb\t_\n", 3, "3 columns; expected 10"),
        (row("1", "a") + row("2", "b").rstrip("\n") + "\tx\n", 3, "11 columns; expected 10"),
        (row("1", "a") + "2 b _ _ _\n", 3, "no tab in '2 b _ _ _'"),
        ("just text\n", 2, "no tab in 'just text'"),
        (row("2", "a"), 2, "id 2 after the start; expected id 1"),
        (row("1", "a") + row("3", "b"), 3, "id 3 after 1; expected id 2"),
        (row("1", "a") + row("1", "b"), 3, r"id 1 after 1; expected id 2 (a blank line is missing)"),
        (row("1", "a") + row("x", "b"), 3, "id 'x'"),
        (row("1", "a") + row("2.1", "b"), 3, "empty node 2.1; expected id 1.1"),
        (row("1", "a") + row("1.2", "b"), 3, "empty node 1.2; expected id 1.1"),
        (row("2-3", "a") + row("1", "b"), 2, "multiword token 2-3"),
        (row("1", "a") + row("2-3", "b") + row("2", "b"), 3, "multiword token 2-3; expected a last word up to 2"),
        (row("1", "a", head="2"), 2, "HEAD '2'"),
        (row("1", "a") + row("2", "b", head="x"), 3, "HEAD 'x'"),
        (row("1", "a") + "# c\n" + row("2", "b", head="1.1") + row("2.1", "c"), 4, "HEAD '1.1'"),
    ],
)
def test_malformed_rows_are_errors_that_name_the_line(broken: str, line: int, problem: str) -> None:
    with pytest.raises(FormatError, match=rf"^x\.conllu:{line} .*{re.escape(problem)}"):
        read("# newdoc id = d\n" + broken + "\n")


def test_a_row_with_the_wrong_columns_is_seen_even_if_its_neighbour_makes_up_for_it() -> None:
    """One column too few in the first row and one too many in the second."""
    text = "# newdoc id = d\n" + "1\ta" + "\t_" * 7 + "\n" + "2\t2" + "\t_" * 9 + "\n\n"

    with pytest.raises(FormatError, match=r"x\.conllu:2 .*9 columns"):
        read(text)


def test_a_newdoc_inside_a_sentence_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"x\.conllu:3.*begins inside a sentence; expected a blank line"):
        read("# newdoc id = d\n" + row("1", "a") + "# newdoc id = e\n" + row("1", "b"))


@pytest.mark.parametrize("ending", ["\n", "\n\n", "", "\n \t\n"])
def test_the_end_of_the_file_may_lack_its_blank_line(ending: str) -> None:
    (found,) = read((document("a") + rows("b Entity=(e1)")).rstrip("\n") + ending)

    assert chains_of(found) == {"e1": [(0, 1, ((0, 0),))]}


def test_line_ends_of_windows_and_blanks_after_cells_do_not_matter() -> None:
    text = document("a Entity=(e1\nb Entity=e1)", "# speaker = A\nc").replace("e1)", "e1)  \t")

    (found,) = read(text.replace("\n", "\r\n"))

    assert chains_of(found) == {"e1": [(0, 0, ((0, 1),))]}
    assert found.parts[0].sentences[1].speakers == ("A",)


def test_documents_come_one_at_a_time() -> None:
    """The second document is broken; the first comes out before it is looked at."""
    lines = (document("a", name="one") + document("b", name="two") + "broken\n").splitlines(keepends=True)
    found = ConlluFormat().read(Lines("x", lines), ReadOptions())

    first = next(found)
    assert isinstance(first, Document)
    assert first.id == "one"
    with pytest.raises(FormatError):
        list(found)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("# newdoc id = x\n", True),
        ("# sent_id = 1\n# te", True),
        ("\n# some comment\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", True),
        ("1\ta\t_\t_", True),
        ("#begin document (x); part 000\nx 0 0 a\n", False),
        ("bc/x\t0\t0\ta\t_\t_\t_\t_\t_\t(0)\n", False),
        ('{"doc_key": "x"}\n', False),
        ("1 a (0)\n", False),
        ("", False),
    ],
)
def test_the_format_is_recognised_by_its_first_lines(head: str, *, expected: bool) -> None:
    assert ConlluFormat().recognises(head) is expected
