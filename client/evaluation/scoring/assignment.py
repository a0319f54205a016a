"""Two exact solvers of the assignment problem on sparse weights: one without imports, one for large input."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Weights: TypeAlias = Mapping[int, Mapping[int, float]]
"""weights[row][column], all positive; absent pairs can't be matched. Every row has at least one column."""


def match_by_augmenting_paths(weights: Weights, effort: float = math.inf) -> dict[int, int] | None:
    """Match rows with columns so that the sum of weights is largest; a row can stay without a column.

    Returns {row: column}, or `None` after more than `effort` looks at weights.
    Successive shortest augmenting paths with prices (Kuhn 1955; Jonker and Volgenant 1987), each search a Dijkstra over
    the rows it reaches only: fast where rows seldom compete, in memory linear in the number of weights.
    """
    matching = _Matching(weights)
    for row in weights:
        matching.admit(row)
        if matching.looked_at > effort:
            return None
    return matching.column_of


def match_by_sparse_solver(weights: Weights) -> dict[int, int]:
    """Do what `match_by_augmenting_paths` does, in SciPy: faster where many rows compete.

    SciPy's solver requires a match for every row. So each row gets an extra column, which stands for no match. Adding 1
    to all weights, those of the extra columns included, adds the number of rows to every sum; the best sum stays the
    best, and no weight is a zero that the solver would drop.
    """
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows = list(weights)
    columns = list({column: None for row in weights.values() for column in row})
    position = {column: index for index, column in enumerate(columns)}
    row_indices = [index for index, row in enumerate(rows) for _ in weights[row]] + list(range(len(rows)))
    column_indices = [position[column] for row in weights.values() for column in row]
    column_indices += range(len(columns), len(columns) + len(rows))
    values = [value + 1 for row in weights.values() for value in row.values()] + [1] * len(rows)
    graph = csr_matrix(
        (np.array(values, dtype=np.float64), (row_indices, column_indices)),
        shape=(len(rows), len(columns) + len(rows)),
    )
    matched_rows, matched_columns = min_weight_full_bipartite_matching(graph, maximize=True)
    return {
        rows[row]: columns[column]
        for row, column in zip(matched_rows.tolist(), matched_columns.tolist(), strict=True)
        if column < len(columns)
    }


_Visit: TypeAlias = tuple[float, int, int]
"""(loss, row, the row that displaces it)."""


@dataclass(slots=True)
class _Path:
    """A path of rows that displace each other, from a new row to a row that finds a free column or stays without one.

    `loss` is what the total weight loses, against the prices, if it ends at that row; of rows visited.
    """

    last_row: int
    last_column: int | None
    total_loss: float
    loss: dict[int, float] = field(default_factory=dict)
    displaced_by: dict[int, int] = field(default_factory=dict)


class _Matching:
    """A matching that is the best possible for the rows admitted so far.

    Prices prove it: row price + column price >= weight for every pair, with equality for matched ones; rows
    without a column and columns without a row have price 0, and no price is negative.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._row_price: dict[int, float] = {}
        self._column_price = {column: 0.0 for row in weights.values() for column in row}
        self._row_of: dict[int, int] = {}
        self.column_of: dict[int, int] = {}
        self.looked_at = 0

    def admit(self, row: int) -> None:
        wishes = self._weights[row].items()
        self._row_price[row] = max(0.0, *(value - self._column_price[column] for column, value in wishes))
        path = self._cheapest_path(row)
        self._reprice(path)
        self._apply(path, row)

    def _cheapest_path(self, start: int) -> _Path:
        path = _Path(last_row=start, last_column=None, total_loss=self._row_price[start])
        queue: list[_Visit] = [(0.0, start, start)]
        while queue and queue[0][0] < path.total_loss:
            loss, row, displacer = heapq.heappop(queue)
            if row in path.loss:
                continue
            path.loss[row] = loss
            path.displaced_by[row] = displacer
            if loss + self._row_price[row] < path.total_loss:
                path.last_row, path.last_column = row, None
                path.total_loss = loss + self._row_price[row]
            self._ask_columns(row, path, queue)
        return path

    def _ask_columns(self, row: int, path: _Path, queue: list[_Visit]) -> None:
        base = path.loss[row] + self._row_price[row]
        self.looked_at += len(self._weights[row])
        for column, value in self._weights[row].items():
            loss = base + self._column_price[column] - value
            if loss >= path.total_loss:
                continue
            owner = self._row_of.get(column)
            if owner is None:
                path.last_row, path.last_column, path.total_loss = row, column, loss
            elif owner not in path.loss:
                heapq.heappush(queue, (loss, owner, row))

    def _reprice(self, path: _Path) -> None:
        for row, loss in path.loss.items():
            change = path.total_loss - loss
            self._row_price[row] -= change
            if row in self.column_of:
                self._column_price[self.column_of[row]] += change

    def _apply(self, path: _Path, start: int) -> None:
        row, column = path.last_row, path.last_column
        while True:
            given_up = self.column_of.pop(row, None)
            if column is not None:
                self.column_of[row] = column
                self._row_of[column] = row
            if row == start:
                return
            row, column = path.displaced_by[row], given_up
