"""Repairs of the reader are written, and all other text keeps its bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.errors import FormatError
from merger.notices import Notices, Policy
from tests.formats.conllu_text import chains_of, document, entity_cells, kinds, read, read_noticing, rows, write

BROKEN = [
    ("a Entity=(e1\nb Entity=(e2)", "a\nb Entity=(e2)"),
    ("a X=1|Entity=e1)(e2)|Z=1\nb", "a X=1|Entity=(e2)|Z=1\nb"),
    ("a Entity=(e1[1/2])(e2\nb Entity=e2)", "a Entity=(e2\nb Entity=e2)"),
    ("a Entity=(e2\nb Entity=(e1[2/2])e2)", "a Entity=(e2\nb Entity=e2)"),
    ("a Entity=(e1-x(e2-y\nb Entity=e2)e1)", "a Entity=(e1-x\nb Entity=e1)"),
    ("a Entity=(e1-x)(e1-y)", "a Entity=(e1-x)"),
    ("1-2 ab Entity=(e1)|Z=1\na Entity=(e2)\nb", "1-2 ab Z=1\na Entity=(e2)\nb"),
    ("1-2 ab Entity=(e1)\na\nb", "1-2 ab\na\nb"),
]
AROUND = ("x Entity=(e9(e8)\ny Entity=e9)", "x Entity=(e8)")


@pytest.mark.parametrize(("broken", "repaired"), BROKEN)
def test_a_repaired_sentence_is_written_as_it_was_understood_and_its_neighbours_stay(
    broken: str, repaired: str
) -> None:
    written = write(read(document(AROUND[0], broken, AROUND[1]), Policy.LENIENT))

    assert written == document(AROUND[0], repaired, AROUND[1])
    assert write(read(written, Policy.STRICT)) == written


def test_a_mention_over_a_sentence_boundary_goes_from_both_sentences() -> None:
    text = document("a Entity=(e1(e2)", "b Entity=(e3)\nc Entity=e1)")

    assert write(read(text, Policy.LENIENT)) == document("a Entity=(e2)", "b Entity=(e3)\nc")


@pytest.mark.parametrize("cell", ["(e1)(e1)", "(e1-x)(e1-y)"])
def test_what_is_repaired_by_default_is_written_repaired_too(cell: str) -> None:
    written = write(read(document(f"a Entity={cell}", "b Entity=(e1)")))

    assert written == document("a Entity=" + cell[: cell.index(")") + 1], "b Entity=(e1)")
    assert write(read(written, Policy.STRICT)) == written


def test_of_a_span_in_two_entities_the_kept_ones_attributes_stay_under_a_new_id() -> None:
    """e2 begins first in the document, so the second sentence's span is e2's although e1's bracket comes first."""
    (found,) = read(document("a Entity=(e2-o)", "a Entity=(e1-p(e2-q\nb Entity=e2)e1)"), Policy.LENIENT)
    chains = (Chain("m", found.chains[0].mentions),)

    written = write(found.with_chains(chains, ChainScope.PART))

    assert entity_cells(written) == ["(m-o)", "(m-q", "m)"]


def test_links_in_a_repaired_sentence_follow_their_entities() -> None:
    (found,) = read(document("a Entity=(e1)\nb Bridge=e1<e2|Entity=(e2)e7)"), Policy.LENIENT)
    chains = tuple(Chain(chain.id.replace("e1", "m"), chain.mentions) for chain in found.chains)

    written = write(found.with_chains(chains, ChainScope.PART))

    assert written == document("a Entity=(m)\nb Bridge=m<e2|Entity=(e2)")


@pytest.mark.parametrize("comment", ["# meta::x = 1", "# global.Entity = eid-etype-head-other"])
def test_a_comment_of_the_top_that_comes_again_in_a_later_sentence_stays(comment: str) -> None:
    text = document("# part = 0\n# meta::x = 1\na Entity=(e1)", f"{comment}\nb Entity=(e1)")
    text += f"# part = 1\n{comment}\n" + rows("c")
    notices = Notices()

    assert write(read(text), notices) == text
    assert kinds(notices) == set()


def test_comments_of_later_sentences_stay_when_parts_are_joined_and_those_of_later_tops_go() -> None:
    parts = document("# part = 0\n# meta::x = 1\na", "# meta::x = 1\nb") + document(
        "# part = 1\n# meta::x = 1\nc", "# meta::x = 1\nd"
    )
    (found,) = read(parts)

    written = write(found.with_chains((), ChainScope.DOCUMENT))

    assert written == document("# part = 0\n# meta::x = 1\na", "# meta::x = 1\nb") + (
        "# part = 1\n" + rows("c") + "# meta::x = 1\n" + rows("d")
    )


def test_a_field_order_that_no_longer_applies_is_left_out_with_a_notice() -> None:
    text = document("a Entity=(e1-x)", "# global.Entity = etype-eid\nb Entity=(y-e2)", fields="eid-etype")
    notices = Notices()

    written = write(read(text), notices)

    assert written == document("a Entity=(e1-x)", "b Entity=(e2-y)", fields="eid-etype")
    assert kinds(notices) == {"comments at the top of a part left out"}


@pytest.mark.parametrize("scope", ChainScope)
def test_lines_that_another_format_has_around_a_part_are_not_written(scope: ChainScope) -> None:
    head = "# newdoc id = old\n#begin document (d); part 000\n"
    bare = Part((), 1, head, "#end document")
    filled = Part((Sentence(("a",)),), 2, "#begin document (d); part 002\n", "#end document\n")

    for parts in ((bare,), (filled,), (bare, filled), (filled, replace(bare, number=3))):
        written = write(Document("d", parts, scope=scope))
        assert "document" not in written
        assert "old" not in written
        assert [each.id for each in read(written + document("b", name="e"))] == ["d", "e"]


def test_the_boundary_of_a_first_part_without_words_is_said_to_be_lost() -> None:
    chains = (Chain("e", (Mention(2, 0, 0, 0), Mention(3, 0, 0, 0))),)
    parts = (Part(()), Part((Sentence(()),), 1), Part((Sentence(("a",)),), 2), Part((Sentence(("b",)),), 3))
    notices = Notices()

    written = write(Document("d", parts, chains, ChainScope.DOCUMENT), notices)

    assert written.startswith("# newdoc id = d\n# part = 2\n# global.Entity")
    assert [(notice.kind, notice.count) for notice in notices] == [("empty part left out", 2)]
    (again,) = read(written)
    assert [part.number for part in again.parts] == [2, 3]
    assert chains_of(again) == {"e": [(0, 0, ((0, 0),)), (1, 0, ((0, 0),))]}


def test_first_parts_without_words_keep_a_newdoc_where_chains_are_local_to_parts() -> None:
    notices = Notices()
    text = "# newdoc id = d\n# part = 0\n# about it\n\n" + document("# part = 1\na")

    assert write(read(text), notices) == text
    assert kinds(notices) == set()


@pytest.mark.parametrize("value", ["x", "-1", "1.0", "", "0 of 2", "1234567890", "1" * 5000, "²"])
def test_a_part_comment_without_a_part_number_is_an_error(value: str) -> None:
    with pytest.raises(FormatError, match=r"^x\.conllu:6: part '.*expected a part number such as 0") as caught:
        read(document("# part = 0\na", f"# part = {value}\nb"))

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("comment", ["# parts = x", "# part of it", "# partial = 2"])
def test_comments_that_only_look_like_part_comments_are_comments(comment: str) -> None:
    text = document(f"{comment}\na")

    assert write(read(text)) == text


def test_a_part_comment_between_rows_is_a_comment() -> None:
    text = document("a\nb").replace("2\tb", "# part = x\n2\tb")

    assert write(read(text)) == text


def test_parts_of_one_newdoc_in_falling_order_are_an_error() -> None:
    with pytest.raises(FormatError, match=r"x\.conllu:6 .*part 2 comes after part 3; expected parts in order"):
        read(document("# part = 3\na", "# part = 2\nb"))


def test_a_part_pattern_with_a_huge_number_is_an_error() -> None:
    with pytest.raises(FormatError, match="expected a number of 9 digits at most"):
        read(document("a", name="x_" + "1" * 5000), pattern="(?P<document>.+)_(?P<part>.+)")


@pytest.mark.parametrize("number", ["1" * 5000 + ".1", "1." + "1" * 5000, "1-" + "1" * 5000, "1" * 5000])
def test_huge_numbers_in_rows_are_errors_like_any_other(number: str) -> None:
    with pytest.raises(FormatError, match=r"x\.conllu:4 ") as caught:
        read(document("a").rstrip("\n") + f"\n{number}" + "\t_" * 9 + "\n\n")

    assert len(str(caught.value)) < 300


def test_huge_stretch_marks_are_no_marks() -> None:
    mark = f"e1[1/{'1' * 5000}]"

    (found,) = read(document(f"a Entity=({mark})"))

    assert chains_of(found) == {mark: [(0, 0, ((0, 0),))]}


def test_messages_stay_on_one_line_whatever_the_ids() -> None:
    notices = Notices(Policy.LENIENT)

    read_noticing(document("a Entity=(e\u20281(e\u20282\nb Entity=e\u20282)e\u20281)(e\u20283"), notices)

    assert kinds(notices) == {"span in two chains", "mention never closed"}
    assert all(len(notice.message.splitlines()) == 1 for notice in notices)
