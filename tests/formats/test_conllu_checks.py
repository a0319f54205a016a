"""Impossible coreference in MISC: a note with its place, or an error under the strict policy."""

from __future__ import annotations

import pytest

from merger.errors import AnnotationError, FormatError, InputError
from merger.notices import Notices, Policy
from tests.formats.conllu_text import chains_of, document, entity_cells, kinds, read, read_noticing, rows, write

NOTED = [
    ("a entity=(e1)", "attribute of MISC not read", "'entity=(e1)' in MISC is not read; expected `Entity=`"),
    ("a X=1|ENTITY=(e1)", "attribute of MISC not read", "'ENTITY=(e1)' in MISC is not read"),
    ("a Entity=(e1)|bridge=e1<e1", "attribute of MISC not read", "expected `Bridge=`"),
    ("a Entity=(e1)|Splitante=e1<e1", "attribute of MISC not read", "expected `SplitAnte=`"),
    ("a Entity=(e1--2)", "head beyond the mention", "head '2' of a mention of entity e1 is not one of its tokens"),
    ("a Entity=(e1--0)", "head beyond the mention", "head '0' of a mention"),
    ("a Entity=(e1--x)", "head beyond the mention", "head 'x' of a mention"),
    ("a Entity=(e1--99999999999999999999)", "head beyond the mention", "to 1"),
    ("a Entity=(e1--4\nb\nc Entity=e1)", "head beyond the mention", "to 3"),
    ("a Entity=(e1[1/2]--3)\nb\nc Entity=(e1[2/2]--3)", "head beyond the mention", "to 2"),
    ("a Bridge=e9<e1|Entity=(e1)", "link to an unknown entity", "Bridge has e9<e1, but the document has no entity e9"),
    ("a Bridge=e1<e9|Entity=(e1)", "link to an unknown entity", "no entity e9"),
    ("a Entity=(e1)|SplitAnte=e8<e1,e2<e1\nb Entity=(e2)", "link to an unknown entity", "no entity e8"),
    ("a Entity=(e1)|Split=e8<e1,e2<e1\nb Entity=(e2)", "link to an unknown entity", "Split has e8<e1"),
    ("a Bridge=e1<e2|Entity=(e1)\nb Entity=(e2)", "misplaced link", "no mention of e2 begins here"),
    ("a Bridge=e1<e2\nb Entity=(e1)\nc Entity=(e2)", "misplaced link", "Bridge has e1<e2"),
    ("a Bridge=e1|Entity=(e1)", "not a link", "Bridge has 'e1', which is not a link; expected links such as e1<e2"),
    ("a Bridge=<e1|Entity=(e1)", "not a link", "'<e1'"),
    ("a Entity=(e1)\nb Entity=(e2)|SplitAnte=e1<e2", "one split antecedent", "SplitAnte of e2 has one antecedent"),
    ("a Entity=(e1)\nb Entity=(e2)|SplitAnte=e1<e2,e1<e2", "one split antecedent", "at least two"),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "kind", "message"), NOTED, ids=[cells for cells, _, _ in NOTED])
def test_what_cannot_be_is_noted_with_its_line_and_an_error_when_strict(cells: str, kind: str, message: str) -> None:
    notices = Notices()
    text = document("x Entity=(e7)", cells)

    (found,) = read_noticing(text, notices)

    noted = [notice for notice in notices if notice.kind == kind]
    assert [str(notice.location.file) for notice in noted] == ["x.conllu"]
    assert noted[0].location.line in range(5, 8)
    assert message in noted[0].message
    assert kind == "one split antecedent" or write(found) == text
    with pytest.raises(InputError, match=r"^x\.conllu:[567] \(document d, part 0\)"):
        read(text, Policy.STRICT)


def test_blanks_in_front_of_an_attribute_are_noted() -> None:
    notices = Notices()
    text = document("a X=1|BEntity=(e1)\nb").replace("BEntity", " Entity")

    (found,) = read_noticing(text, notices)

    assert found.chains == ()
    assert [(notice.kind, notice.location.line) for notice in notices] == [("attribute of MISC not read", 3)]


@pytest.mark.parametrize(
    "cells",
    [
        "# text = an entity = a bridge, splitante=2\na Entity=(e1)",
        "a Xentity=1|Entity=(e1)|Z=Entity=2",
        "a Entity=(e1--1)\nb Entity=(e2--2\nc Entity=e2)",
        "a Entity=(e1[1/2]--2)\nb\nc Entity=(e1[2/2]--2)",
        "a Entity=(e1--2\n1.1 E\nb Entity=e1)",
        "a Entity=(e1)\nb Bridge=e1<e2:part|Entity=(e2)\nc Entity=(e3)|SplitAnte=e1<e3,e2<e3",
        "a Entity=(e3)|SplitAnte=e1<e3,e2<e3\nb Entity=(e1)\nc Entity=(e2)",
    ],
)
def test_what_is_right_is_not_noted(cells: str) -> None:
    read(document(cells), Policy.STRICT)


@pytest.mark.parametrize(
    ("misc", "name", "kept"),
    [
        ("Entity=(e1)|Entity=(e2)", "Entity", "Entity=(e1)"),
        ("Entity=(e1)|X=1|Entity=(e1)", "Entity", "Entity=(e1)|X=1"),
        ("Bridge=e8<e1|Bridge=e9<e1|Entity=(e1)", "Bridge", "Bridge=e8<e1|Entity=(e1)"),
        ("Entity=(e1)|SplitAnte=e8<e1,e9<e1|SplitAnte=e8<e1", "SplitAnte", "Entity=(e1)|SplitAnte=e8<e1,e9<e1"),
    ],
)
def test_an_attribute_twice_is_an_error_and_when_lenient_the_first_one_stays(misc: str, name: str, kept: str) -> None:
    text = document("a " + misc, "b Entity=(e8)\nc Entity=(e9)")
    notices = Notices(Policy.LENIENT)

    with pytest.raises(FormatError, match=rf"^x\.conllu:3 \(document d, part 0\): {name} twice in one MISC"):
        read(text)
    (found,) = read_noticing(text, notices)

    assert kinds(notices) == {"attribute of MISC twice"}
    assert chains_of(found)["e1"] == [(0, 0, ((0, 0),))]
    assert write(found) == document("a " + kept, "b Entity=(e8)\nc Entity=(e9)")


def test_an_attribute_twice_on_a_word_without_other_annotation_is_an_error_too() -> None:
    with pytest.raises(FormatError, match=r"^x\.conllu:3 .*Bridge twice"):
        read("# newdoc id = d\n# sent_id = 1\n" + rows("a Bridge=e1<e2|Bridge=e1<e3"))


def test_the_second_entity_is_not_left_behind_after_a_merge() -> None:
    (found,) = read(document("a Entity=(e1)|Entity=(e2)", "b Entity=(e2)"), Policy.LENIENT)

    assert entity_cells(write(found)) == ["(e1)", "(e2)"]
    assert "|Entity=(e2)" not in write(found)


def test_links_across_sentences_are_known() -> None:
    text = document("a Entity=(e1)", "b Bridge=e3<e2|Entity=(e2)", "c Entity=(e3)")

    read(text, Policy.STRICT)
    with pytest.raises(AnnotationError, match=r"^x\.conllu:5 .*no entity e3"):
        read(text.replace("(e3)", "(e4)"), Policy.STRICT)
