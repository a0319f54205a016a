from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.evaluation.agreement import METRICS, Annotator, Compare, count_documents
from client.evaluation.agreement.pair_counts import PairCounts
from merger.decisions.model import Decision, MergedChains, apply_decisions
from merger.document import ChainRef, Document, chains_by_part
from tests.support.random_documents import part_documents

Choice = dict[ChainRef, ChainRef | None]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Document, Choice, Choice]:
    """A document of part chains, and two annotators' decisions on it."""
    document = draw(part_documents(singletons=False))
    return document, draw(_choices(document)), draw(_choices(document))


@st.composite
def _choices(draw: st.DrawFn, document: Document) -> Choice:
    chosen: Choice = {}
    earlier: list[ChainRef] = []
    for part, chains in enumerate(chains_by_part(document)):
        refs = [ChainRef(part, chain.id) for chain in chains]
        chosen.update((ref, draw(st.sampled_from([None, *earlier]))) for ref in refs)
        earlier += refs
    return chosen


def decisions(choice: Choice) -> list[Decision]:
    return [Decision(chain, antecedent) for chain, antecedent in choice.items()]


def counts(document: Document, one: Choice, other: Choice, compare: Compare = Compare.CHAIN) -> PairCounts:
    annotators = [
        Annotator(name, [apply_decisions(document, decisions(each))]) for name, each in (("a", one), ("b", other))
    ]
    (counted,) = count_documents([document], annotators, compare=compare)
    return counted.pairs[0, 1]


def replayed(document: Document, choice: Choice, compare: Compare) -> dict[ChainRef, frozenset[ChainRef]]:
    """The antecedents, from the decisions themselves: what the merged chain held before the part was added."""
    merged = MergedChains()
    found: dict[ChainRef, frozenset[ChainRef]] = {}
    for part, chains in enumerate(chains_by_part(document)):
        for chain in chains:
            antecedent = choice[ChainRef(part, chain.id)]
            if part and antecedent is None:
                found[ChainRef(part, chain.id)] = frozenset()
            elif antecedent is not None:
                root = merged.root(antecedent)
                members = merged.members(root) if compare is Compare.CHAIN else (root,)
                found[ChainRef(part, chain.id)] = frozenset(members)
        merged.apply(part, chains, [each for each in decisions(choice) if each.chain.part == part])
    return found


@given(cases(), st.sampled_from(Compare))
def test_counts_are_those_of_the_decisions_replayed(case: tuple[Document, Choice, Choice], compare: Compare) -> None:
    document, one, other = case
    found, (a, b) = counts(*case, compare), (replayed(document, each, compare) for each in (one, other))

    assert found.decisions == len(a)
    assert found.matching == sum(a[chain] == b[chain] for chain in a)
    assert found.jaccard == pytest.approx(
        math.fsum(len({c, *a[c]} & {c, *b[c]}) / len({c, *a[c]} | {c, *b[c]}) for c in a)
    )
    assert found.both_new == sum(not a[chain] and not b[chain] for chain in a)
    assert found.any_new == sum(not a[chain] or not b[chain] for chain in a)


@given(cases())
def test_an_annotator_agrees_with_itself_in_all_that_is_defined(case: tuple[Document, Choice, Choice]) -> None:
    document, one, _ = case
    values = [metric.measure(counts(document, one, one)).value for metric in METRICS.values()]

    assert [value for value in values if value is not None] == pytest.approx([1] * (len(values) - values.count(None)))


@given(cases())
def test_agreement_is_symmetric(case: tuple[Document, Choice, Choice]) -> None:
    document, one, other = case
    there, back = counts(document, one, other), counts(document, other, one)

    for metric in METRICS.values():
        assert metric.measure(there).value == pytest.approx(metric.measure(back).value)


@given(cases())
def test_values_are_fractions_and_alpha_is_at_most_one(case: tuple[Document, Choice, Choice]) -> None:
    found = {name: metric.measure(counts(*case)) for name, metric in METRICS.items()}

    for name, measure in found.items():
        assert (measure.value is None) == measure.reason.startswith(("0/0", "no chain was"))
        if measure.value is not None:
            assert measure.value <= 1 + 1e-12
            assert measure.value >= 0 or name.startswith("alpha")
    strict, jaccard = found["strict_match"].value, found["jaccard"].value
    assert (strict is None and jaccard is None) or (strict or 0) <= (jaccard or 0) + 1e-12


@given(st.lists(cases(), max_size=3))
def test_counts_of_documents_add_up(several: list[tuple[Document, Choice, Choice]]) -> None:
    each = [counts(*case) for case in several]
    total = sum(each, PairCounts())

    assert total.decisions == sum(found.decisions for found in each)
    assert total.numbers() == pytest.approx(
        [sum(column) for column in zip(PairCounts().numbers(), *(e.numbers() for e in each), strict=True)]
    )
    assert PairCounts.from_numbers(total.numbers()) == total
