from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings

from merger.document import Document
from merger.merge import merge_document
from merger.strategies import OptionValue, make_strategy
from tests.merging.random_documents import part_documents
from tests.merging.reference import Rule, reference_links

# Strings of these words are alike to 50, 67, 75, 80 and 86 and more per cent.
THRESHOLD = 70


@pytest.mark.parametrize("match", ["noun", "token", "mention", "head", "fuzzy"])
@settings(max_examples=80)
@given(document=part_documents())
def test_the_indexed_rule_decides_as_the_double_loop_does_under_every_option(match: str, document: Document) -> None:
    for tie, one_to_one, ignore_case in product(("recent", "first", "overlap"), (False, True), (False, True)):
        options: dict[str, OptionValue] = {
            "match": match,
            "tie": tie,
            "one-to-one": one_to_one,
            "ignore-case": ignore_case,
        }

        decisions = merge_document(document, make_strategy("greedy", {**options, "threshold": THRESHOLD})).decisions

        expected = reference_links(document, Rule(match, tie, one_to_one, ignore_case, THRESHOLD))
        assert {decision.chain: decision.antecedent for decision in decisions} == expected, options


@settings(max_examples=100)
@given(document=part_documents())
def test_evidence_is_a_mention_of_the_chain_and_one_of_the_antecedent(document: Document) -> None:
    result = merge_document(document, make_strategy("greedy"))
    owner = {mention: chain.id for chain in document.chains for mention in chain.mentions}
    merged = {mention: number for number, chain in enumerate(result.document.chains) for mention in chain.mentions}

    for decision in result.decisions:
        if decision.antecedent is None:
            assert decision.evidence is None
            continue
        assert decision.evidence is not None
        (pair,) = decision.evidence.pairs
        assert owner[pair.mention] == decision.chain.chain
        assert pair.antecedent.part < decision.chain.part
        assert merged[pair.antecedent] == merged[pair.mention]
        for mention in pair:
            assert decision.evidence.text in document.forms(mention)
