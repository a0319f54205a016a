"""LEA: the share of its links that each chain keeps, weighted by its size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.exact_sums import sum_of_fractions
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Cell, Overlap


def count_lea(overlap: Overlap) -> Counts:
    """LEA, the link-based entity-aware metric (Moosavi and Strube 2016).

    recall = Σ_K |K| · Σ_R link(K ∩ R) / link(K) / Σ_K |K|, with link(X) = |X| (|X| - 1) / 2 and the size of
    the chain as its importance; precision the same with key and response exchanged. A singleton has one link,
    to itself, which is right only if the same mention is a singleton on the other side too. As in the
    authors' implementation (coval), whose numerators and denominators are also added up over documents.

    For |K| > 1 a cell of n mentions adds |K| · (n (n - 1) / 2) / (|K| (|K| - 1) / 2) = n (n - 1) / (|K| - 1).
    """
    mirrored = [(response, key, shared) for key, response, shared in overlap.cells]
    return Counts(
        _right_links(overlap.cells, overlap.key_sizes, overlap.response_sizes),
        overlap.key_mentions,
        _right_links(mirrored, overlap.response_sizes, overlap.key_sizes),
        overlap.response_mentions,
    )


LEA = Metric("lea", "LEA", "Moosavi and Strube 2016", count_lea, compared=True)


def _right_links(cells: Sequence[Cell], sizes: Sequence[int], other_sizes: Sequence[int]) -> float:
    by_denominator: dict[int, int] = defaultdict(int)
    for chain, other, shared in cells:
        size = sizes[chain]
        if size > 1:
            by_denominator[size - 1] += shared * (shared - 1)
        elif other_sizes[other] == 1:
            by_denominator[1] += 1
    return sum_of_fractions(by_denominator)
