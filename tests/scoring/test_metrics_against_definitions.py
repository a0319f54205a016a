from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from client.scoring import METRICS, BlancCounts, Counts, MetricCounts, score_document
from client.scoring.alignment import BIG_COMPONENT_CELLS
from client.scoring.matching import Weights, match_by_augmenting_paths, match_by_sparse_solver

from .clusterings import Clusters, clusterings
from .reference import PLAIN, Four, blanc_links


def four(counts: MetricCounts) -> tuple[float, float, float, float]:
    return (
        counts.recall_numerator,
        counts.recall_denominator,
        counts.precision_numerator,
        counts.precision_denominator,
    )


def close(expected: Four) -> object:
    return pytest.approx(tuple(map(float, expected)), rel=0, abs=1e-9)


def test_every_metric_but_blanc_has_a_plain_twin() -> None:
    assert set(METRICS) == {*PLAIN, "blanc"}


@pytest.mark.parametrize("name", PLAIN)
@given(key=clusterings(), response=clusterings())
def test_counts_are_those_of_the_definition(name: str, key: Clusters, response: Clusters) -> None:
    counts = score_document(key, response, [name])[name]

    assert four(counts) == close(PLAIN[name](key, response))


@given(key=clusterings(), response=clusterings())
def test_blanc_counts_the_links_that_enumerating_all_pairs_finds(key: Clusters, response: Clusters) -> None:
    counts = score_document(key, response, ["blanc"])["blanc"]

    linked, apart = blanc_links(key, response)
    assert isinstance(counts, BlancCounts)
    assert four(counts.coreference) == tuple(map(float, linked))
    assert four(counts.non_coreference) == tuple(map(float, apart))


tables = st.dictionaries(
    st.integers(0, 7),
    st.dictionaries(st.integers(0, 7), st.integers(1, 6).map(lambda number: number / 6), min_size=1),
    min_size=1,
)


@pytest.mark.parametrize("match", [match_by_augmenting_paths, match_by_sparse_solver])
@given(table=tables)
def test_both_solvers_find_a_matching_as_heavy_as_the_dense_assignment(
    match: Callable[[Weights], dict[int, int]], table: dict[int, dict[int, float]]
) -> None:
    column_of = match(table)

    dense = np.zeros((8, 8))
    for row, columns in table.items():
        for column, weight in columns.items():
            dense[row, column] = weight
    best = dense[linear_sum_assignment(dense, maximize=True)].sum()
    assert len(set(column_of.values())) == len(column_of)
    assert sum(table[row][column] for row, column in column_of.items()) == pytest.approx(best, rel=0, abs=1e-9)


@pytest.mark.parametrize("side", [40, 110])
def test_ceaf_of_one_big_tangle_of_chains_equals_the_dense_assignment(side: int) -> None:
    """Every key chain meets every response chain; the sides are below and above the bound for SciPy."""
    assert 40 * 40 < BIG_COMPONENT_CELLS <= 110 * 110
    rng = random.Random(side)
    shared = np.array([[rng.randint(1, 9) for _ in range(side)] for _ in range(side)])
    labels = [(i, j) for i in range(side) for j in range(side) for _ in range(shared[i, j])]
    key: list[list[int]] = [[] for _ in range(side)]
    response: list[list[int]] = [[] for _ in range(side)]
    for mention, (i, j) in enumerate(labels):
        key[i].append(mention)
        response[j].append(mention)

    scores = score_document(key, response, ["ceafm", "ceafe"])

    phi4 = 2 * shared / (shared.sum(axis=1)[:, None] + shared.sum(axis=0)[None, :])
    best3 = shared[linear_sum_assignment(shared, maximize=True)].sum()
    best4 = phi4[linear_sum_assignment(phi4, maximize=True)].sum()
    assert scores["ceafm"] == Counts(best3, len(labels), best3, len(labels))
    assert four(scores["ceafe"]) == pytest.approx((best4, side, best4, side), rel=0, abs=1e-9)
