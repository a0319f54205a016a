"""Is a difference between two strategies more than chance? Paired tests over documents.

Whole documents are drawn and exchanged, because decisions of one document depend on each other. The score of a resample
is computed like the score itself: counts are added up over documents and divided once.

References:
    Efron and Tibshirani 1993: An introduction to the bootstrap. Koehn 2004: Statistical significance tests for machine
        translation evaluation. EMNLP. (Paired bootstrap.)
    Holm 1979: A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics.
    Noreen 1989: Computer-intensive methods for testing hypotheses. Yeh 2000: More accurate tests for the statistical
        significance of result differences. COLING. (Approximate randomisation.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from client.evaluation.agreement.bootstrap import Interval, Resampling, draw_counts, interval
from client.evaluation.comparison.columns import column_values, scores_row
from client.evaluation.scoring.scores import Scores

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST = 2
"""Documents that a test needs."""
_EQUAL = 1e-12
"""Smaller differences are rounding errors of sums in another order."""


@dataclass(frozen=True, slots=True)
class Significance:
    """The tests of one column. ``exact`` if all exchanges of documents were tried rather than a sample."""

    interval: Interval | None
    bootstrap_p: float
    randomisation_p: float
    exact: bool


def compare_rows(
    one: Sequence[Sequence[float]], other: Sequence[Sequence[float]], resampling: Resampling
) -> list[Significance] | None:
    """Test the differences between two strategies' counts of the same documents, one result for each column.

    Rows and columns are those of :mod:`client.evaluation.comparison.columns`. ``None`` for fewer than two documents, or
    without resamples.

    The paired bootstrap draws documents with replacement, the same ones for both. Its two-sided p is twice the smaller
    of the shares of resamples with a difference of at most 0 and of at least 0. For approximate randomisation a coin
    toss for each document decides whether the outputs of the two strategies are exchanged: p is the share of exchanges
    with a difference at least as large, in either direction. Both count the observed outcome, (k + 1) / (n + 1). If
    there are no more than ``resamples`` exchanges (2^documents), each is tried once instead, and p is exact.
    """
    documents = len(one)
    if documents < _LEAST or not resampling.resamples:
        return None
    import numpy as np

    a, b = (np.array(side, dtype=float) for side in (one, other))
    draws = draw_counts(documents, resampling)
    drawn = column_values(draws @ a) - column_values(draws @ b)
    at_most, at_least = (drawn <= _EQUAL).sum(axis=0), (drawn >= -_EQUAL).sum(axis=0)
    bootstrap_p = np.minimum(1.0, 2 * (np.minimum(at_most, at_least) + 1) / (resampling.resamples + 1))
    exact = 2**documents <= resampling.resamples
    swaps = _all_exchanges(documents) if exact else _exchanges(documents, resampling)
    moved = swaps @ (b - a)
    exchanged = np.abs(column_values(a.sum(axis=0) + moved) - column_values(b.sum(axis=0) - moved))
    observed = np.abs(column_values(a.sum(axis=0)) - column_values(b.sum(axis=0)))
    extreme = (exchanged >= observed - _EQUAL).sum(axis=0)
    randomisation_p = extreme / len(swaps) if exact else (extreme + 1) / (len(swaps) + 1)
    # interval() sorts again, which is quick for sorted values.
    ordered = np.sort(drawn, axis=0)
    return [
        Significance(interval(ordered[:, column].tolist()), float(bootstrap_p[column]), float(p), exact)
        for column, p in enumerate(randomisation_p)
    ]


def compare_scores(one: Sequence[Scores], other: Sequence[Scores], resampling: Resampling) -> Significance | None:
    """Test the difference in CoNLL F1, as :func:`compare_rows` does."""
    found = compare_rows([scores_row(each) for each in one], [scores_row(each) for each in other], resampling)
    return None if found is None else found[0]


def score_intervals(rows: Sequence[Sequence[float]], resampling: Resampling) -> list[Interval | None]:
    """The bootstrap interval of each column's value (0 to 1); nothing for fewer than two documents."""
    if len(rows) < _LEAST or not resampling.resamples:
        return []
    import numpy as np

    drawn = column_values(draw_counts(len(rows), resampling) @ np.array(rows, dtype=float))
    return [interval(values.tolist()) for values in np.sort(drawn, axis=0).T]


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values, adjusted for their number: the share of false findings in the whole family stays below p.

    The smallest of m is multiplied by m, the next by m - 1, and so on; none gets smaller than one before it (Holm
    1979).
    """
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = least
    return adjusted


@lru_cache(maxsize=4)
def _exchanges(documents: int, resampling: Resampling) -> NDArray[np.float64]:
    """A coin toss for each document and resample; shape (resamples, documents), of 0 and 1."""
    import random

    import numpy as np

    # Python guarantees the sequence of a seed, numpy does not.
    bits = random.Random(resampling.seed).getrandbits  # noqa: S311  # statistics, not secrets
    size = (documents + 7) // 8
    packed = b"".join(bits(8 * size).to_bytes(size, "little") for _ in range(resampling.resamples))
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(resampling.resamples, size)
    coins: NDArray[np.float64] = np.unpackbits(rows, axis=1, count=documents).astype(float)
    coins.flags.writeable = False
    return coins


def _all_exchanges(documents: int) -> NDArray[np.float64]:
    """Every way to exchange documents once; shape (2^documents, documents), of 0 and 1."""
    import numpy as np

    ways = np.arange(2**documents)[:, None] >> np.arange(documents)
    return (ways & 1).astype(float)
