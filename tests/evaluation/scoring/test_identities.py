from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from client.evaluation.scoring import METRICS, BlancCounts, Undefined, conll_f1, measure_overlap, score_document

from .clusterings import Clusters, clusterings


@given(chains=clusterings())
def test_a_perfect_response_scores_exactly_one_wherever_there_is_something_to_score(chains: Clusters) -> None:
    scores = score_document(chains, chains)

    for name, counts in scores.counts.items():
        right = 0.0 if name in scores.undefined else 1.0
        assert (counts.recall, counts.precision, counts.f1) == (right, right, right), name


@given(key=clusterings(), response=clusterings(), data=st.data())
def test_neither_the_order_of_chains_nor_the_names_of_mentions_matter(
    key: Clusters, response: Clusters, data: st.DataObject
) -> None:
    names = data.draw(st.permutations([f"mention {number}" for number in range(9)]))
    renamed_key = [[names[mention] for mention in chain] for chain in data.draw(st.permutations(key))]
    renamed_response = [[names[mention] for mention in chain] for chain in data.draw(st.permutations(response))]

    renamed = score_document(renamed_key, renamed_response)

    for name, counts in score_document(key, response).counts.items():
        found = renamed[name]
        assert (found.recall, found.precision) == pytest.approx((counts.recall, counts.precision), rel=0, abs=1e-12)


@given(key=clusterings(), response=clusterings())
def test_exchanging_key_and_response_exchanges_recall_and_precision(key: Clusters, response: Clusters) -> None:
    exchanged = score_document(response, key)

    for name, counts in score_document(key, response).counts.items():
        if not isinstance(counts, BlancCounts):
            found = exchanged[name]
            assert (found.precision, found.recall) == pytest.approx((counts.recall, counts.precision), abs=1e-12)


@given(key=clusterings(), response=clusterings())
def test_exchanging_sides_exchanges_recall_and_precision_of_blanc_if_both_have_both_kinds_of_links(
    key: Clusters, response: Clusters
) -> None:
    for chains in (key, response):
        assume(len(chains) > 1 and any(len(chain) > 1 for chain in chains))
    counts = score_document(key, response, ["blanc"])["blanc"]
    exchanged = score_document(response, key, ["blanc"])["blanc"]

    assert (exchanged.precision, exchanged.recall) == (counts.recall, counts.precision)


@given(key=clusterings(), response=clusterings())
def test_all_values_are_fractions_from_zero_to_one(key: Clusters, response: Clusters) -> None:
    scores = score_document(key, response)

    for counts in scores.counts.values():
        assert min(counts.recall, counts.precision, counts.f1) >= 0
        assert max(counts.recall, counts.precision, counts.f1) <= 1 + 1e-12
    assert 0 <= conll_f1(scores) <= 1 + 1e-12


@given(key=clusterings())
def test_a_response_without_chains_has_recall_zero_and_no_precision(key: Clusters) -> None:
    assume(any(len(chain) > 1 for chain in key))

    scores = score_document(key, [])

    assert set(scores.undefined.items()) == {(name, Undefined.PRECISION) for name in METRICS}
    assert {(counts.recall, counts.precision, counts.f1) for counts in scores.counts.values()} == {(0.0, 0.0, 0.0)}


@given(key=clusterings(), response=clusterings())
def test_chains_without_mentions_change_nothing(key: Clusters, response: Clusters) -> None:
    padded = score_document([frozenset(), *key, frozenset()], [*response, frozenset()])

    assert padded == score_document(key, response)


@given(key=clusterings(), response=clusterings())
def test_the_overlap_table_holds_every_shared_mention_once_and_no_empty_cell(key: Clusters, response: Clusters) -> None:
    overlap = measure_overlap(key, response)

    expected = {
        (i, j, len(one & other)) for i, one in enumerate(key) for j, other in enumerate(response) if one & other
    }
    assert set(overlap.cells) == expected
    assert len(overlap.cells) == len(expected)
    assert sorted(cell for component in overlap.components for cell in component) == sorted(expected)


@pytest.mark.parametrize(
    ("key", "response", "side"),
    [
        ([["a", "b"], ["b", "c"]], [["a"]], "key"),
        ([["a"]], [["a", "b"], ["b", "c"]], "response"),
        ([["a", "b", "b"]], [["a"]], "key"),
    ],
)
def test_a_mention_in_two_chains_or_twice_in_one_is_refused(
    key: list[list[str]], response: list[list[str]], side: str
) -> None:
    with pytest.raises(ValueError, match=rf"mention 'b' occurs twice in the {side}"):
        score_document(key, response)
