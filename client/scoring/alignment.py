"""The heaviest one-to-one alignment of key and response chains: exact, and fast because most chains meet few.

Chains without a shared mention have similarity 0 and never need aligning, so the problem falls apart into the
connected parts of the graph of overlapping chains. Most parts are one pair or a star, where the heaviest cell
is the answer. The others are solved by shortest augmenting paths, here or, for big ones, in SciPy (which
takes longer to import than a usual document takes to score).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from client.scoring.matching import match_by_augmenting_paths, match_by_sparse_solver
from client.scoring.overlap import Cell

BIG_COMPONENT_CELLS = 10_000
"""From this many cells on, a component goes to SciPy: below, its import takes longer than the search here."""


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
    table: dict[int, dict[int, float]] = {}
    for cell in component:
        table.setdefault(cell[0], {})[cell[1]] = weight(cell)
    match = match_by_sparse_solver if len(component) >= BIG_COMPONENT_CELLS else match_by_augmenting_paths
    column_of = match(table)
    return [cell for cell in component if column_of.get(cell[0]) == cell[1]]
