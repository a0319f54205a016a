"""The columns of a comparison that are tested: their counts in each document, and their values from summed counts.

The counts of a document are one row of numbers. Rows of several documents, or of a resample of documents, are added up
and divided once, like the scores themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from client.evaluation.scoring.counts import MetricCounts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import NO_LINKS
from client.evaluation.scoring.metrics import COMPARED_METRICS
from client.evaluation.scoring.scores import CONLL_METRICS, Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Count = TypeVar("Count", float, NDArray[np.float64])
    """One count: of one row, or of many rows at once."""

COLUMNS = ("conll_f1", *COMPARED_METRICS, "link_f1", "strict_match")
"""CoNLL F1, F1 of each metric, F1 of links between part chains, share of decisions with the gold antecedent."""
LINK_COLUMNS = frozenset({"link_f1", "strict_match"})
"""Columns that need documents whose part chains the response keeps together."""
_WIDTH = 4
"""Numbers of one metric in a row: numerator and denominator of recall, then of precision."""


def scores_row(scores: Scores) -> list[float]:
    """The counts of the metrics, four numbers each; 0 for links and decisions, which are unknown."""
    return [*_scores(scores), *[0.0] * (_WIDTH + 2)]


def result_row(result: Result) -> list[float]:
    """The counts of the metrics, the links and the decisions."""
    links = NO_LINKS if result.links is None else result.links
    return [*_scores(result.scores), *counts_row(links.links), links.matching, links.decisions]


def without_links(row: Sequence[float]) -> list[float]:
    """The row with 0 for the links and decisions."""
    return [*row[: _WIDTH * len(COMPARED_METRICS)], *[0.0] * (_WIDTH + 2)]


def column_values(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values of the columns (0 to 1) for rows of summed counts: shape (..., counts) to (..., columns).

    0/0 is 0, as in the official scorer.
    """
    import numpy as np

    return np.stack(_values(list(np.moveaxis(sums, -1, 0)), _divide_each), axis=-1)


def total_values(rows: Sequence[Sequence[float]]) -> list[float]:
    """The values of the columns for the sum of all rows, like :func:`column_values` but without numpy."""
    return _values([sum(counts) for counts in zip(*rows, strict=True)], _divide)


def _values(counts: Sequence[Count], divide: Callable[[Count, Count], Count]) -> list[Count]:
    """The values of the columns from their counts."""
    starts = range(0, _WIDTH * (len(COMPARED_METRICS) + 1), _WIDTH)
    values: list[Count] = [_f1(counts[start : start + _WIDTH], divide) for start in starts]
    muc, b_cubed, ceaf_e = (values[COMPARED_METRICS.index(name)] for name in CONLL_METRICS)
    values.insert(0, (muc + b_cubed + ceaf_e) / len(CONLL_METRICS))
    values.append(divide(counts[-2], counts[-1]))
    return values


def _f1(counts: Sequence[Count], divide: Callable[[Count, Count], Count]) -> Count:
    recall, precision = divide(counts[0], counts[1]), divide(counts[2], counts[3])
    return divide(2 * recall * precision, recall + precision)


def _scores(scores: Scores) -> list[float]:
    return [number for metric in COMPARED_METRICS for number in counts_row(scores[metric])]


def counts_row(counts: MetricCounts) -> list[float]:
    """Numerator and denominator of recall, then of precision."""
    return [
        counts.recall_numerator,
        counts.recall_denominator,
        counts.precision_numerator,
        counts.precision_denominator,
    ]


def _divide(over: float, under: float) -> float:
    return over / under if under > 0 else 0.0


def _divide_each(over: NDArray[np.float64], under: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    shares: NDArray[np.float64] = np.divide(over, under, out=np.zeros(under.shape), where=under > 0)
    return shares
