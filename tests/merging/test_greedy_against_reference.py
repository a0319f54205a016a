from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merger.decisions.model import Decision
from merger.document import Chain, ChainScope, Document, Part, Sentence, make_chain, make_mention
from merger.merge import merge_document
from merger.strategies import make_strategy
from tests.merging.reference import Link, Rule, reference_links
from tests.support.random_documents import part_documents

# At these the ratios of strings of up to 200 letters are what they are by arithmetic, not a last digit less.
THRESHOLDS = (0, 25, 50, 70, 75, 80, 90, 100)
MATCHES = ["noun", "token", "mention", "head", "fuzzy"]


@st.composite
def rules(draw: st.DrawFn, match: str) -> Rule:
    return Rule(
        match,
        draw(st.sampled_from(["recent", "first", "overlap"])),
        draw(st.booleans()),
        draw(st.booleans()),
        draw(st.sampled_from(THRESHOLDS)) if match == "fuzzy" else 90,
    )


@st.composite
def tied_documents(draw: st.DrawFn) -> Document:
    """Many chains over few words, in many parts; a mention may be in several chains, so that they begin or end alike.

    Some words are empty, some differ in case, some are long and nearly the same.
    """
    words = draw(
        st.lists(
            st.sampled_from(["", "a", "A", "ss", "ß", "water", "waters", "riverbank", "riverbanks", "Riverbank"]),
            min_size=1,
            max_size=4,
        )
    )
    parts: list[Part] = []
    chains: list[Chain] = []
    for index in range(draw(st.integers(2, 6))):
        size = draw(st.integers(2, 7))
        forms = tuple(draw(st.sampled_from(words)) for _ in range(size))
        tags = tuple(draw(st.sampled_from(["NN", "NN", "VB"])) for _ in range(size))
        parts.append(Part((Sentence(forms, xpos=tags, heads=tuple(range(-1, size - 1))),), index))
        spans = [(first, last) for first in range(size) for last in range(first, min(first + 3, size))]
        chosen = draw(st.lists(st.lists(st.sampled_from(spans), min_size=2, max_size=4, unique=True), max_size=6))
        chains.extend(
            make_chain(f"{number}", [make_mention(index, 0, (span,)) for span in each])
            for number, each in enumerate(chosen)
        )
    return Document("d", tuple(parts), tuple(chains), ChainScope.PART)


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=120)
@given(data=st.data())
def test_the_indexed_rule_decides_as_the_double_loop_does_and_for_the_same_reason(
    match: str, data: st.DataObject
) -> None:
    rule = data.draw(rules(match))

    _check(data.draw(part_documents()), rule)


@pytest.mark.parametrize("match", MATCHES)
@settings(max_examples=120)
@given(data=st.data())
def test_so_it_does_where_everything_is_tied(match: str, data: st.DataObject) -> None:
    rule = data.draw(rules(match))

    _check(data.draw(tied_documents()), rule)


def test_of_chains_that_begin_with_one_mention_the_one_that_is_first_by_name_is_first() -> None:
    # Chains a and b of part 0 are the same two mentions. In part 1, c joins a by x; then a is taken, and d joins b,
    # which so has z. In part 2, e joins a by x, which so has z too, but later than b has it. In part 3, f looks for z.
    words = ("x y", "x y x z", "x z", "z z")
    chains = (
        ("b", 0, (0, 1)),
        ("a", 0, (0, 1)),
        ("c", 1, (0, 1)),
        ("d", 1, (2, 3)),
        ("e", 2, (0, 1)),
        ("f", 3, (0, 1)),
    )
    document = Document(
        "d",
        tuple(Part((Sentence(tuple(text.split()), xpos=("NN",) * len(text.split())),)) for text in words),
        tuple(
            Chain(name, tuple(make_mention(part, 0, ((token, token),)) for token in tokens))
            for name, part, tokens in chains
        ),
        ChainScope.PART,
    )

    result = merge_document(document, make_strategy("greedy", {"tie": "first", "one-to-one": True}))

    antecedents = {decision.chain.chain: decision.antecedent for decision in result.decisions}
    assert {name: root and root.chain for name, root in antecedents.items()} == {
        "a": None,
        "b": None,
        "c": "a",
        "d": "b",
        "e": "a",
        "f": "a",
    }


def _check(document: Document, rule: Rule) -> None:
    strategy = make_strategy(
        "greedy",
        {
            "match": rule.match,
            "tie": rule.tie,
            "one-to-one": rule.one_to_one,
            "ignore-case": rule.ignore_case,
            "threshold": rule.threshold,
        },
    )

    decisions = merge_document(document, strategy).decisions

    expected = reference_links(document, rule)
    assert {decision.chain for decision in decisions} == expected.keys()
    for decision in decisions:
        _check_decision(decision, expected[decision.chain], rule.match)


def _check_decision(decision: Decision, link: Link | None, match: str) -> None:
    if link is None:
        assert decision == Decision(decision.chain)
        return
    assert decision.antecedent == link.root
    assert decision.evidence is not None
    (pair,) = decision.evidence.pairs
    assert (decision.evidence.rule, decision.evidence.text) == (match, link.text)
    assert tuple(pair) == (link.mention, link.antecedent)
    if match == "fuzzy":
        assert decision.evidence.score == pytest.approx(float(100 * link.degree), abs=1e-9)
    else:
        assert decision.evidence.score is None
