"""Decisions and agreement where the annotators' files do not have the same empty nodes."""

from __future__ import annotations

import io

import pytest

from client.evaluation.agreement import Annotator, count_documents
from merger.decisions.model import read_decisions
from merger.document import Chain, ChainRef, ChainScope, Document, Mention, Part, Sentence
from merger.formats import FORMATS, Lines, ReadOptions
from merger.notices import Notices
from merger.resegment import with_boundaries_of

# Ida [zero] slept | [zero] [zero] Ida ran, in two parts; E are empty nodes.
FIRST = Sentence(("Ida", "E", "slept"), empty=(1,))
SECOND = Sentence(("E", "Ida", "E", "ran"), empty=(0, 2))
FIRST_CHAIN = (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1))
SECOND_CHAIN = (Mention(1, 0, 0, 1), Mention(1, 0, 2, 2), Mention(1, 0, 3, 3))
TEXT = (Part((FIRST,)), Part((SECOND,), 1))
PARTS = Document("d", TEXT, (Chain("a", FIRST_CHAIN), Chain("b", SECOND_CHAIN)))
MERGED = PARTS.with_chains((Chain("m", FIRST_CHAIN + SECOND_CHAIN),), ChainScope.DOCUMENT)
APART = PARTS.with_chains(PARTS.chains, ChainScope.DOCUMENT)


def through(name: str, document: Document) -> Document:
    """The document as another format brings it back, merged chains over the whole document."""
    lines = Lines("x", io.StringIO("".join(FORMATS[name].write(document, Notices())), newline="\n"))
    (again,) = FORMATS[name].read(lines, ReadOptions(Notices()))
    assert isinstance(again, Document)
    return again.with_chains(again.chains, ChainScope.DOCUMENT)


@pytest.mark.parametrize("name", ["conll2012", "jsonlines"])
@pytest.mark.parametrize(("merged", "antecedent"), [(MERGED, ChainRef(0, "a")), (APART, None)])
def test_decisions_are_read_from_a_format_without_empty_nodes(
    name: str, merged: Document, antecedent: ChainRef | None
) -> None:
    seen = with_boundaries_of(PARTS, through(name, merged), Notices())

    assert [decision.antecedent for decision in read_decisions(PARTS, seen)] == [None, antecedent]


@pytest.mark.parametrize("name", ["conll2012", "jsonlines"])
@pytest.mark.parametrize(("other", "matching"), [(MERGED, 1), (APART, 0)])
def test_annotators_agree_whatever_format_one_of_them_used(name: str, other: Document, matching: int) -> None:
    notices = Notices()
    annotators = [Annotator("ann", [MERGED]), Annotator("bob", [through(name, other)])]

    (counted,) = count_documents([PARTS], annotators, notices=notices)

    assert (counted.pairs[0, 1].decisions, counted.pairs[0, 1].matching) == (1, matching)
    assert not [notice.kind for notice in notices if "left out for" in notice.kind]


def test_a_chain_of_zeros_that_a_format_cannot_carry_is_no_decision_of_its_annotator() -> None:
    zeros = (Mention(1, 0, 0, 0), Mention(1, 0, 2, 2))
    parts = PARTS.with_chains((Chain("a", FIRST_CHAIN), Chain("z", zeros)), ChainScope.PART)
    merged = parts.with_chains((Chain("m", FIRST_CHAIN + zeros),), ChainScope.DOCUMENT)
    annotators = [Annotator("ann", [merged]), Annotator("bob", [through("jsonlines", merged)])]

    (counted,) = count_documents([parts], annotators)

    assert counted.pairs[0, 1].decisions == 0


def test_a_spurious_empty_node_costs_no_decision() -> None:
    sentence = Sentence(("E", "E", "Ida", "E", "ran"), empty=(0, 1, 3))
    moved = tuple(Mention(1, 0, mention.first + 1, mention.last + 1) for mention in SECOND_CHAIN)
    other = Document("d", (Part((FIRST,)), Part((sentence,), 1)), (Chain("m", FIRST_CHAIN + moved),), MERGED.scope)

    seen = with_boundaries_of(PARTS, other, Notices())

    assert [decision.antecedent for decision in read_decisions(PARTS, seen)] == [None, ChainRef(0, "a")]
