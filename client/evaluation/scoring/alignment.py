"""The heaviest one-to-one alignment of key and response chains: exact, and fast because most chains meet few.

Chains without a shared mention have similarity 0 and never need aligning, so the problem separates into the connected
components of the graph of overlapping chains. Most components are one pair or a star, where the heaviest cell is the
answer. In the others, chains with one partner are folded away until there are none. The rest is solved by shortest
augmenting paths: here as long as that is quick, otherwise in SciPy, whose import takes longer than scoring a usual
document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from client.evaluation.scoring.assignment import Weights, match_by_augmenting_paths, match_by_sparse_solver
from client.evaluation.scoring.leaf_folding import Graph, fold_leaves, unfold
from client.evaluation.scoring.overlap import Cell

LEAST_EFFORT = 50_000
"""The search here can always look at so many weights; that takes less time than importing SciPy."""

EFFORT_PER_WEIGHT = 10
"""How often it can look at each weight on average. Beyond that, searches overlap and SciPy is faster."""


def best_alignment(components: Iterable[Sequence[Cell]], weight: Callable[[Cell], float]) -> list[Cell]:
    """Choose cells, no two with a chain in common, so that the sum of their weights is as large as possible.

    `components` are groups of cells without chains in common (`Overlap.components`); weights must be
    positive. Which of several equally heavy alignments is returned is not specified.
    """
    aligned: list[Cell] = []
    for component in components:
        if len(component) == 1:
            aligned.append(component[0])
        elif _is_star(component):
            aligned.append(max(component, key=weight))
        else:
            aligned.extend(_align(component, weight))
    return aligned


def _is_star(component: Sequence[Cell]) -> bool:
    key, response, _ = component[0]
    return all(cell[0] == key for cell in component) or all(cell[1] == response for cell in component)


def _align(component: Sequence[Cell], weight: Callable[[Cell], float]) -> list[Cell]:
    # Key chains are the nodes 0, 1, ..., response chains the nodes -1, -2, ...
    graph: Graph = {}
    for cell in component:
        key, response, value = cell[0], ~cell[1], weight(cell)
        graph.setdefault(key, {})[response] = value
        graph.setdefault(response, {})[key] = value
    folds = fold_leaves(graph)
    partner_of: dict[int, int] = {}
    for table in _tables(graph):
        for one, other in _match(table).items():
            partner_of[one] = other
            partner_of[other] = one
    unfold(partner_of, folds)
    return [cell for cell in component if partner_of.get(cell[0]) == ~cell[1]]


def _tables(graph: Graph) -> Iterator[Weights]:
    """The connected components that have edges, each with the side of fewer chains as rows."""
    seen: set[int] = set()
    for node, partners in graph.items():
        if node < 0 or not partners or node in seen:
            continue
        seen.add(node)
        reached = [node]
        for each in reached:
            new = graph[each].keys() - seen
            seen |= new
            reached += new
        keys = [each for each in reached if each >= 0]
        of_key = 2 * len(keys) <= len(reached)
        yield {each: graph[each] for each in (keys if of_key else reached) if of_key or each < 0}


def _match(table: Weights) -> dict[int, int]:
    size = sum(map(len, table.values()))
    found = match_by_augmenting_paths(table, max(LEAST_EFFORT, EFFORT_PER_WEIGHT * size))
    return match_by_sparse_solver(table) if found is None else found
