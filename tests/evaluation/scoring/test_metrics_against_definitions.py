from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from client.evaluation.scoring import METRICS, BlancCounts, Counts, MetricCounts, measure_overlap, score_document
from client.evaluation.scoring.alignment import best_alignment
from client.evaluation.scoring.assignment import Weights, match_by_augmenting_paths, match_by_sparse_solver
from client.evaluation.scoring.leaf_folding import Graph, fold_leaves, unfold

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
# Few partners each, so that there are leaves, and leaves once those are gone.
sparse_tables = st.dictionaries(
    st.integers(0, 7),
    st.dictionaries(st.integers(0, 7), st.integers(1, 6).map(lambda number: number / 6), min_size=1, max_size=2),
    min_size=1,
)


def heaviest(table: Weights) -> float:
    """The weight of the best matching, by SciPy's dense solver."""
    dense = np.zeros((8, 8))
    for row, columns in table.items():
        for column, weight in columns.items():
            dense[row, column] = weight
    return float(dense[linear_sum_assignment(dense, maximize=True)].sum())


@pytest.mark.parametrize("match", [match_by_augmenting_paths, match_by_sparse_solver])
@given(table=tables)
def test_both_solvers_find_a_matching_as_heavy_as_the_dense_assignment(
    match: Callable[[Weights], dict[int, int]], table: Weights
) -> None:
    column_of = match(table)

    assert len(set(column_of.values())) == len(column_of)
    found = sum(table[row][column] for row, column in column_of.items())
    assert found == pytest.approx(heaviest(table), rel=0, abs=1e-9)


def test_the_search_gives_up_when_it_has_looked_at_more_weights_than_it_may() -> None:
    """Every row looks at its own three weights at least."""
    table = {row: dict.fromkeys(range(3), 1.0) for row in range(3)}

    assert match_by_augmenting_paths(table, effort=8) is None
    assert match_by_augmenting_paths(table) is not None


@given(table=tables | sparse_tables)
def test_a_best_matching_of_what_folding_leaves_unfolds_to_a_best_matching(table: Weights) -> None:
    graph: Graph = {}
    for row, columns in table.items():
        for column, weight in columns.items():
            graph.setdefault(row, {})[~column] = weight
            graph.setdefault(~column, {})[row] = weight

    folds = fold_leaves(graph)

    assert all(len(partners) != 1 for partners in graph.values())
    core = {row: {~column: weight for column, weight in graph[row].items()} for row in table if graph[row]}
    partner_of: dict[int, int] = {}
    for row, column in match_by_sparse_solver(core).items() if core else ():
        partner_of.update({row: ~column, ~column: row})
    unfold(partner_of, folds)
    assert all(partner_of[partner] == node for node, partner in partner_of.items())
    found = sum(table[node][~partner] for node, partner in partner_of.items() if node >= 0)
    assert found == pytest.approx(heaviest(table), rel=0, abs=1e-9)


@given(table=tables | sparse_tables)
def test_alignments_are_one_to_one_and_as_heavy_as_the_dense_assignment(table: Weights) -> None:
    """Cells share as many mentions as their weight has sixths."""
    cells = [(row, column, round(6 * weight)) for row, columns in table.items() for column, weight in columns.items()]
    key: list[list[int]] = [[] for _ in range(8)]
    response: list[list[int]] = [[] for _ in range(8)]
    for mention, (row, column) in enumerate((row, column) for row, column, shared in cells for _ in range(shared)):
        key[row].append(mention)
        response[column].append(mention)
    components = measure_overlap(key, response).components

    aligned = best_alignment(components, lambda cell: cell[2])

    assert len({cell[0] for cell in aligned}) == len({cell[1] for cell in aligned}) == len(aligned)
    assert sum(cell[2] for cell in aligned) == round(6 * heaviest(table))


def deal(shared: Sequence[tuple[int, int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    """Chains of key and response that share so many mentions: (key chain, response chain, mentions)."""
    labels = [(i, j) for i, j, number in shared for _ in range(number)]
    key: list[list[int]] = [[] for _ in range(1 + max(i for i, _ in labels))]
    response: list[list[int]] = [[] for _ in range(1 + max(j for _, j in labels))]
    for mention, (i, j) in enumerate(labels):
        key[i].append(mention)
        response[j].append(mention)
    return key, response


def assert_as_dense(shared: Sequence[tuple[int, int, int]]) -> None:
    """CEAF by SciPy's dense solver on the full table."""
    key, response = deal(shared)
    table = np.zeros((len(key), len(response)), dtype=np.int64)
    for i, j, number in shared:
        table[i, j] += number

    scores = score_document(filled(key), filled(response), ["ceafm", "ceafe"])

    key_sizes, response_sizes = table.sum(axis=1), table.sum(axis=0)
    phi4 = 2 * table / np.maximum(key_sizes[:, None] + response_sizes[None, :], 1)
    best3 = table[linear_sum_assignment(table, maximize=True)].sum()
    best4 = phi4[linear_sum_assignment(phi4, maximize=True)].sum()
    total = table.sum()
    chains = np.count_nonzero(key_sizes), np.count_nonzero(response_sizes)
    assert scores["ceafm"] == Counts(best3, total, best3, total)
    assert four(scores["ceafe"]) == pytest.approx((best4, chains[0], best4, chains[1]), rel=0, abs=1e-9)


def filled(chains: list[list[int]]) -> list[list[int]]:
    return [chain for chain in chains if chain]


@pytest.mark.parametrize("side", [40, 110])
def test_ceaf_of_one_big_tangle_of_chains_equals_the_dense_assignment(side: int) -> None:
    """Every key chain meets every response chain."""
    rng = random.Random(side)
    assert_as_dense([(i, j, rng.randint(1, 9)) for i in range(side) for j in range(side)])


@pytest.mark.parametrize("partners", [1.5, 3, 6])
def test_ceaf_of_mentions_dealt_out_at_random_equals_the_dense_assignment(partners: float) -> None:
    """One connected part with long chains of chains; the more partners, the less can be folded away."""
    rng = random.Random(7)
    chains = 600
    assert_as_dense([(rng.randrange(chains), rng.randrange(chains), 1) for _ in range(int(partners * chains))])


def test_ceaf_where_every_second_mention_moves_to_the_next_chain_is_linear_work() -> None:
    """Key {0 1} {2 3} ...; response {0} {1 2} {3 4} ... {n}: one path, every key chain keeps one of its two mentions.

    φ4 is 2 / (2 + 2), and 2 / (2 + 1) at the path's two ends: the first key chain keeps its first mention, the last its
    last, and one response chain between them has no partner.
    """
    chains = 100_000
    key = [(2 * i, 2 * i + 1) for i in range(chains)]
    response = [(0,), *((2 * i - 1, 2 * i) for i in range(1, chains)), (2 * chains - 1,)]

    scores = score_document(key, response, ["ceafm", "ceafe"])

    assert scores["ceafm"].recall_numerator == chains
    assert scores["ceafe"].recall_numerator == pytest.approx(2 * 2 / 3 + (chains - 2) / 2)
