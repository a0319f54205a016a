from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.evaluation.agreement.bootstrap import Interval, Resampling
from client.evaluation.comparison.significance import compare_scores, holm
from client.evaluation.scoring import COMPARED_METRICS
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.scores import Scores, conll_f1

Numbers = tuple[float, float, float, float]


def scores(*numbers: Numbers) -> list[Scores]:
    """Documents in which all metrics have the same counts, so that CoNLL F1 is the F1 of their sums."""
    return [Scores(dict.fromkeys(COMPARED_METRICS, Counts(*each))) for each in numbers]


def of_four(*right: int) -> list[Scores]:
    """Documents with so many right out of 4, in recall and precision: F1 is the right ones over all."""
    return scores(*((each, 4, each, 4) for each in right))


def total(documents: Sequence[Scores]) -> float:
    added = documents[0]
    for each in documents[1:]:
        added += each
    return conll_f1(added)


def test_all_exchanges_of_three_documents() -> None:
    """The differences are 2, 1 and 0 of 12, together 3: exchanges give ±2 ±1 ±0, and 4 of the 8 are 3 or -3."""
    found = compare_scores(of_four(3, 4, 2), of_four(1, 3, 2), Resampling(8))

    assert found is not None
    assert (found.exact, found.randomisation_p) == (True, 4 / 8)


def test_a_difference_in_every_document_the_same_way() -> None:
    """Three differences of 1: ±1 ±1 ±1 is 3 or -3 in 2 of 8."""
    found = compare_scores(of_four(3, 4, 2), of_four(2, 3, 1), Resampling(100))

    assert found is not None
    assert found.randomisation_p == 2 / 8


def test_counts_are_added_up_before_they_are_divided() -> None:
    """Two documents, A right in one and wrong in the other, B in between.

    A: recall (2+0)/(2+2), precision (2+0)/(2+2), F1 1/2. B: (1+1)/(2+2) and (1+1)/(4+1), F1 4/9. The difference is
    1/18. With the first document exchanged A has 1/4 and 1/6, F1 1/5, B has 3/4 and 3/3, F1 6/7: 23/35. So all four
    exchanges are at least as far apart as the two are; and starting from the exchanged ones, two of four.
    """
    a, b = scores((2, 2, 2, 2), (0, 2, 0, 2)), scores((1, 2, 1, 4), (1, 2, 1, 1))
    assert total(a) - total(b) == pytest.approx(1 / 18)
    crossed = [b[0], a[1]], [a[0], b[1]]
    assert total(crossed[1]) - total(crossed[0]) == pytest.approx(23 / 35)

    straight, exchanged = compare_scores(a, b, Resampling(4)), compare_scores(*crossed, Resampling(4))

    assert straight is not None
    assert exchanged is not None
    assert (straight.randomisation_p, exchanged.randomisation_p) == (1, 2 / 4)


counts = st.tuples(*(st.integers(0, 4), st.integers(4, 6)) * 2)


@given(st.lists(st.tuples(counts, counts), min_size=2, max_size=5))
def test_exact_p_is_the_share_of_exchanges_worked_out_one_by_one(documents: list[tuple[Numbers, Numbers]]) -> None:
    pairs = list(zip(*(scores(*side) for side in zip(*documents, strict=True)), strict=True))
    differences = []
    for ways in product((False, True), repeat=len(pairs)):
        sides = [pair[::-1] if way else pair for pair, way in zip(pairs, ways, strict=True)]
        differences.append(abs(total([side[0] for side in sides]) - total([side[1] for side in sides])))
    extreme = sum(difference >= differences[0] - 1e-9 for difference in differences)

    found = compare_scores([pair[0] for pair in pairs], [pair[1] for pair in pairs], Resampling(32))

    assert found is not None
    assert found.randomisation_p == extreme / len(differences)


def test_exact_p_is_that_of_scipy() -> None:
    """Seven documents of different sizes, recall and precision apart; scipy exchanges the pairs of documents, too."""
    from scipy.stats import permutation_test

    a = [(4, 5, 4, 9), (2, 7, 2, 3), (6, 8, 6, 7), (1, 2, 1, 4), (9, 11, 9, 12), (3, 3, 3, 5), (5, 9, 5, 6)]
    b = [(3, 5, 3, 6), (3, 7, 3, 5), (4, 8, 4, 9), (1, 2, 1, 2), (7, 11, 7, 8), (1, 3, 1, 1), (4, 9, 4, 8)]

    def f1(numbers: Sequence[int]) -> float:
        """Of the documents by number, a first: 2PR / (P + R) of the sums, as all metrics have the same counts."""
        found, recalled, _, predicted = (
            sum(counts) for counts in zip(*((a + b)[int(n)] for n in numbers), strict=True)
        )
        recall, precision = found / recalled, found / predicted
        return float(2 * recall * precision / (recall + precision))

    expected = permutation_test(
        (range(7), range(7, 14)),
        lambda one, other: f1(one) - f1(other),
        permutation_type="samples",
        n_resamples=2**7,
        alternative="two-sided",
    )
    # scipy doubles the smaller tail. Exchanging all documents turns the sign, so both tails are equal.
    found = compare_scores(scores(*a), scores(*b), Resampling(2**7))

    assert found is not None
    assert found.exact
    assert found.randomisation_p == pytest.approx(expected.pvalue)


def test_a_sample_of_exchanges_is_near_all_of_them() -> None:
    """Of 2^12 = 4,096 exchanges: the standard error of a share of 4,000 is at most 1/2 / sqrt(4,000) = 0.008."""
    a, b = of_four(*[3, 2, 4, 1, 3, 2] * 2), of_four(*[2, 2, 3, 2, 2, 3] * 2)

    every, sample = (compare_scores(a, b, Resampling(resamples, 1)) for resamples in (4096, 4000))

    assert every is not None
    assert sample is not None
    assert (every.exact, sample.exact) == (True, False)
    assert sample.randomisation_p == pytest.approx(every.randomisation_p, abs=5 * 0.008)


def test_the_bootstrap_draws_pairs_of_documents() -> None:
    """Differences of 2 and 1 of 4: two draws give 4/8, 3/8 or 2/8, none of them 0 or less, so p is 2 (0 + 1) / 401."""
    found = compare_scores(of_four(3, 4), of_four(1, 3), Resampling(400, 1))

    assert found is not None
    assert found.interval is not None
    assert [found.interval.low, found.interval.high] == pytest.approx([2 / 8, 4 / 8])
    assert found.bootstrap_p == pytest.approx(2 / 401)


def test_equal_strategies_do_not_differ() -> None:
    found = compare_scores(of_four(3, 4, 1), of_four(3, 4, 1), Resampling(50))

    assert found is not None
    assert (found.bootstrap_p, found.randomisation_p) == (1, 1)
    assert found.interval == Interval(0, 0, 50)


def test_nothing_at_all_is_no_difference() -> None:
    """0/0 everywhere."""
    empty = scores((0, 0, 0, 0), (0, 0, 0, 0))

    found = compare_scores(empty, empty, Resampling(50))

    assert found is not None
    assert (found.bootstrap_p, found.randomisation_p) == (1, 1)


def test_the_seed_decides_and_the_direction_does_not() -> None:
    a, b = of_four(*[3, 2, 4, 1, 3, 2] * 2), of_four(*[2, 2, 3, 2, 2, 3] * 2)
    first, same, other = (compare_scores(a, b, Resampling(99, seed)) for seed in (1, 1, 2))
    back = compare_scores(b, a, Resampling(99, 1))

    assert first == same != other
    assert first is not None
    assert back is not None
    assert (back.bootstrap_p, back.randomisation_p) == (first.bootstrap_p, first.randomisation_p)


@pytest.mark.parametrize(("documents", "resamples"), [(1, 100), (3, 0)])
def test_one_document_or_no_resamples_are_no_test(documents: int, resamples: int) -> None:
    assert compare_scores(of_four(*[3] * documents), of_four(*[1] * documents), Resampling(resamples)) is None


def test_holm_multiplies_the_smallest_p_by_the_number_of_tests() -> None:
    """0.01 times 3, then 0.03 times 2; 0.04 times 1 would be less than that, and stays at it."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([3 * 0.01, 2 * 0.03, 2 * 0.03])
    assert holm([0.6, 0.7]) == [1, 1]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float]) -> None:
    """Holm 1979: go through the p from the smallest; stop at the first that is not below alpha / (m - rank)."""
    alpha, rejected = 0.05, set()
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if (len(p_values) - rank) * p_values[place] >= alpha:
            break
        rejected.add(place)

    assert {place for place, p in enumerate(holm(p_values)) if p < alpha} == rejected
