"""Reduces an alignment problem exactly, without search: removes chains that overlap with only one other chain.

This solves the whole problem if chains were only cut or joined, and much of it even for random short chains.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import TypeAlias

Graph: TypeAlias = dict[int, dict[int, float]]
"""graph[a][b] = graph[b][a]: the weight, above 0, of aligning a and b. Key and response chains have different ids."""

Fold: TypeAlias = tuple[int, int]
"""(a chain that had one partner left, that partner)."""


def fold_leaves(graph: Graph) -> list[Fold]:
    """Reduce the graph, in place, until every node has no partner or at least two.

    Let a leaf have only the hub as a partner, with weight w. The hub is in every best alignment, because the leaf is
    always free for it. Aligned with the leaf it adds w; aligned elsewhere with weight x it adds w + (x - w). So remove
    the leaf, subtract w from all weights of the hub, and drop those that are not above 0: the best alignment of the
    original graph is worth w more than that of the reduced graph. If the reduced one leaves the hub alone, the original
    one aligns it with the leaf. The folds are returned in order, for :func:`unfold`.
    """
    folds: list[Fold] = []
    # Hubs with few partners first, because each fold visits all partners of the hub.
    leaves = [
        (len(graph[hub]), leaf, hub) for leaf, partners in graph.items() if len(partners) == 1 for hub in partners
    ]
    heapq.heapify(leaves)
    while leaves:
        _, leaf, hub = heapq.heappop(leaves)
        partners = graph[hub]
        if leaf not in partners:
            continue
        # All leaves of the hub at once: folding the heaviest removes the lighter ones.
        weight, leaf = max((weight, other) for other, weight in partners.items() if len(graph[other]) == 1)
        folds.append((leaf, hub))
        _subtract(weight, hub, graph, leaves)
    return folds


def _subtract(weight: float, hub: int, graph: Graph, leaves: list[tuple[int, int, int]]) -> None:
    partners = graph[hub]
    for other, before in list(partners.items()):
        theirs = graph[other]
        if before > weight:
            partners[other] = theirs[hub] = before - weight
            continue
        del partners[other], theirs[hub]
        if len(theirs) == 1:
            (its_hub,) = theirs
            heapq.heappush(leaves, (len(graph[its_hub]), other, its_hub))
    if len(partners) == 1:
        (its_hub,) = partners
        heapq.heappush(leaves, (len(graph[its_hub]), hub, its_hub))


def unfold(partner_of: dict[int, int], folds: Iterable[Fold]) -> None:
    """Extend a best alignment of the folded graph, in place, to one of the graph as it was; both ways round."""
    for leaf, hub in reversed(list(folds)):
        if hub not in partner_of:
            partner_of[hub] = leaf
            partner_of[leaf] = hub
