"""Empty nodes in scoring, with values by hand; corefud-scorer 1.2 gives the same for all of them."""

from __future__ import annotations

import io

import pytest

from merger.document import Document
from merger.formats import FORMATS, Lines, ReadOptions
from merger.notices import Notices, Policy
from tests.support.conllu_pairs import counts, document, scored

NAMES = "Ida (e1--1)\nmet -\nOle (e2--1)"
KEY = document(NAMES, "0 (e1--1) 1:nsubj\nslept -\n0 (e2--1) 2:nsubj\nran -")


def test_a_zero_that_the_response_lacks_is_a_mention_missed() -> None:
    """Of two chains of two, one mention each is found: (1/2 + 1/2) / 4 and (1 + 1) / 2."""
    response = document(NAMES, "slept -\nran -")

    evaluation = scored(KEY, response)

    assert counts(evaluation, "mentions") == (2, 4, 2, 2)
    assert counts(evaluation, "bcub") == (1 / 2 + 1 / 2, 4, 2, 2)


def test_a_spurious_zero_is_a_mention_too_many() -> None:
    evaluation = scored(document(NAMES, "slept -\nran -"), KEY)

    assert counts(evaluation, "mentions") == (2, 2, 2, 4)
    assert counts(evaluation, "bcub") == (2, 2, 1 / 2 + 1 / 2, 4)


def test_an_empty_node_without_annotation_costs_nothing() -> None:
    response = document(NAMES, "0 (e1--1) 1:nsubj\nslept -\n0 (e2--1) 2:nsubj\nran -\n0 - 2:obj")

    assert counts(scored(KEY, response), "muc") == (2, 2, 2, 2)


def test_a_zero_in_the_wrong_chain_costs_what_another_mention_would() -> None:
    """The key's {Ida, zero 1}, {Ole, zero 2} against {Ida}, {Ole, zero 1}: recall (1/2 + 1/2 + 1/2) / 4."""
    response = document(NAMES, "0 (e2--1) 1:nsubj\nslept -\nran -")

    assert counts(scored(KEY, response), "bcub") == (1 / 2 + 1 / 2 + 1 / 2, 4, 1 / 2 + 1 / 2 + 1, 3)


MOVED = document(NAMES, "slept -\n0 (e1--1) 1:nsubj\nran -\n0 (e2--1) 2:nsubj")
"""Each zero is behind its verb and not before it, so the first is where the key has the second."""


def test_a_moved_zero_is_found_by_its_dependency() -> None:
    evaluation = scored(KEY, MOVED)

    assert counts(evaluation, "bcub") == (4, 4, 4, 4)
    assert "|zeros:dependent|" in str(evaluation.signature)


def test_a_moved_zero_is_another_one_by_position() -> None:
    """By position the key's second zero meets the response's first, which is in the other chain: B³ 2 * 1/2 + 1/2."""
    evaluation = scored(KEY, MOVED, zeros="linear")

    assert counts(evaluation, "mentions") == (3, 4, 3, 4)
    assert counts(evaluation, "bcub") == (3 * 1 / 2, 4, 3 * 1 / 2, 4)
    assert "|zeros:linear|" in str(evaluation.signature)


def test_the_relation_decides_between_two_zeros_of_one_verb() -> None:
    key = document(NAMES, "gave -\n0 (e1--1) 1:nsubj\n0 (e2--1) 1:obj")
    swapped = document(NAMES, "gave -\n0 (e2--1) 1:obj\n0 (e1--1) 1:nsubj")

    assert counts(scored(key, swapped), "muc") == (2, 2, 2, 2)
    assert counts(scored(key, swapped, zeros="linear"), "muc") == (0, 2, 0, 2)


def test_without_enhanced_dependencies_zeros_are_paired_by_position_and_the_signature_says_so() -> None:
    bare = document(NAMES, "0 (e1--1)\nslept -\n0 (e2--1)\nran -")

    evaluation = scored(KEY, bare)

    assert counts(evaluation, "muc") == (2, 2, 2, 2)
    assert "|zeros:linear|" in str(evaluation.signature)


def test_the_end_of_one_sentence_is_not_the_start_of_the_next() -> None:
    key = document("Ida (e1--1)\nslept -\n0 (e1--1)", "ran -")
    response = document("Ida (e1--1)\nslept -", "0 (e1--1)\nran -")

    assert counts(scored(key, response), "mentions") == (1, 2, 1, 2)


def test_with_other_sentence_boundaries_zeros_between_the_same_words_are_the_same() -> None:
    key = document("Ida (e1--1)\nslept -\n0 (e1--1)", "ran -")
    response = document("Ida (e1--1)\nslept -\n0 (e1--1)\nran -")

    assert counts(scored(key, response), "mentions") == (2, 2, 2, 2)


@pytest.mark.parametrize("zeros", ["linear", "dependent"])
def test_an_empty_node_in_a_mention_counts_and_one_in_its_gap_does_not(zeros: str) -> None:
    key = document("a (e1--1\n0 -\nb e1)\nc (e1--1)")
    with_node = document("a (e1--1\n0 -\nb e1)\nc (e1--1)")
    without_node = document("a (e1--1\nb e1)\nc (e1--1)")
    with_gap = document("a (e1[1/2]--1)\n0 -\nb (e1[2/2]--1)\nc (e1--1)")

    assert counts(scored(key, with_node, zeros=zeros), "mentions") == (2, 2, 2, 2)
    assert counts(scored(key, without_node, zeros=zeros), "mentions") == (1, 2, 1, 2)
    assert counts(scored(with_gap, without_node, zeros=zeros), "mentions") == (2, 2, 2, 2)


def test_two_mentions_that_differ_in_an_empty_node_only_are_two() -> None:
    key = document("a (e2--1(e1--1)\n0 e2)\nb (e1--1)\nc (e2--1)")
    response = document("a (e1--1)\nb (e1--1)\nc -")

    evaluation = scored(key, response)

    assert counts(evaluation, "mentions") == (2, 4, 2, 2)
    assert counts(evaluation, "muc") == (1, 2, 1, 1)


def through(name: str, given: Document) -> Document:
    """The document as another format brings it back."""
    lines = Lines(f"x.{name}", io.StringIO("".join(FORMATS[name].write(given, Notices())), newline="\n"))
    (again,) = FORMATS[name].read(lines, ReadOptions(Notices(Policy.STRICT)))
    assert isinstance(again, Document)
    return again


@pytest.mark.parametrize("name", ["conll2012", "jsonlines"])
def test_mentions_that_a_format_writes_without_their_empty_nodes_are_found_and_bare_zeros_missed(name: str) -> None:
    key = document("a (e1--1\n0 -\nb e1)\n0 (e1--1)\nc (e1--1)")

    evaluation = scored(key, through(name, key))

    assert counts(evaluation, "mentions") == (2, 3, 2, 2)


@pytest.mark.parametrize("name", ["conll2012", "jsonlines"])
def test_of_two_mentions_that_such_a_format_makes_one_one_is_found(name: str) -> None:
    key = document("a (e2--1(e1--1)\n0 e2)\nb (e1--1)\nc (e2--1)")

    assert counts(scored(key, through(name, key)), "mentions") == (3, 4, 3, 3)


def test_text_without_empty_nodes_has_no_word_of_them_in_the_signature() -> None:
    key = document("a (e1--1)\nb (e1--1)")

    assert "zeros" not in str(scored(key, key).signature)
