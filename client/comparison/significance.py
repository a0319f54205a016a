"""Is a difference in CoNLL F1 more than chance? Paired tests over documents.

Documents are what is drawn and exchanged: decisions of one document depend on each other. Every resample's score is
made as the score itself is, from counts added up over documents and divided once.

References:
    Efron and Tibshirani 1993: An introduction to the bootstrap. Koehn 2004: Statistical significance tests for machine
        translation evaluation. EMNLP. (Paired bootstrap.)
    Noreen 1989: Computer-intensive methods for testing hypotheses. Yeh 2000: More accurate tests for the statistical
        significance of result differences. COLING. (Approximate randomisation.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from client.agreement.bootstrap import Interval, Resampling, draw_counts, interval
from client.comparison.data import PairedTest
from client.scoring.scores import CONLL_METRICS, Scores, conll_f1

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LEAST = 2
"""Documents that a test needs."""
_EQUAL = 1e-12
"""Differences nearer than this are the same: sums in another order end in other digits."""


@dataclass(frozen=True, slots=True)
class Significance:
    """What the tests say. ``exact`` if all exchanges of documents were tried, not a sample of them."""

    interval: Interval | None
    bootstrap_p: float
    randomisation_p: float
    exact: bool


def compare_scores(one: Sequence[Scores], other: Sequence[Scores], resampling: Resampling) -> Significance | None:
    """Test the difference between two strategies' scores of the same documents; ``None`` for fewer than two documents.

    The paired bootstrap draws documents with replacement, the same for both. Its two-sided p is twice the smaller share
    of resamples in which the difference is at most, or at least, 0. Approximate randomisation exchanges the two
    strategies' outputs of each document by a coin: p is the share of outcomes with a difference at least as large, in
    either direction. Both count the observed outcome, (k + 1) / (n + 1), unless all 2^documents exchanges are no more
    than the resamples: then each is tried once, and p is exact.
    """
    documents = len(one)
    if documents < _LEAST or not resampling.resamples:
        return None
    import numpy as np

    a, b = (np.array([_row(scores) for scores in side], dtype=float) for side in (one, other))
    draws = draw_counts(documents, resampling)
    drawn = _conll_f1(draws @ a) - _conll_f1(draws @ b)
    at_most, at_least = int((drawn <= _EQUAL).sum()), int((drawn >= -_EQUAL).sum())
    bootstrap_p = min(1.0, 2 * (min(at_most, at_least) + 1) / (resampling.resamples + 1))
    exact = 2**documents <= resampling.resamples
    swaps = _all_exchanges(documents) if exact else _exchanges(documents, resampling)
    moved = swaps @ (b - a)
    exchanged = np.abs(_conll_f1(a.sum(axis=0) + moved) - _conll_f1(b.sum(axis=0) - moved))
    observed = abs(float(_conll_f1(a.sum(axis=0)) - _conll_f1(b.sum(axis=0))))
    extreme = int((exchanged >= observed - _EQUAL).sum())
    randomisation_p = extreme / len(swaps) if exact else (extreme + 1) / (len(swaps) + 1)
    return Significance(interval(drawn.tolist()), bootstrap_p, randomisation_p, exact)


def paired_test(
    strategy: str, baseline: str, mine: Sequence[Scores], theirs: Sequence[Scores], resampling: Resampling
) -> PairedTest:
    """The difference between two strategies on the same documents, one or more, tested where that can be done."""
    difference = conll_f1(reduce(add, mine)) - conll_f1(reduce(add, theirs))
    found = compare_scores(mine, theirs, resampling)
    if found is None:
        return PairedTest(strategy, baseline, len(mine), difference)
    return PairedTest(
        strategy,
        baseline,
        len(mine),
        difference,
        found.interval,
        found.bootstrap_p,
        found.randomisation_p,
        found.exact,
    )


def _row(scores: Scores) -> list[float]:
    """The counts of the three metrics, four numbers each."""
    return [
        number
        for metric in CONLL_METRICS
        for counts in (scores[metric],)
        for number in (
            counts.recall_numerator,
            counts.recall_denominator,
            counts.precision_numerator,
            counts.precision_denominator,
        )
    ]


def _conll_f1(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """CoNLL F1 of rows of counts: shape (..., 12) to (...); what is 0/0 is 0."""
    import numpy as np

    counts = sums.reshape(*sums.shape[:-1], len(CONLL_METRICS), 4)
    recall, precision = (
        np.divide(counts[..., i], counts[..., i + 1], out=np.zeros(counts.shape[:-1]), where=counts[..., i + 1] > 0)
        for i in (0, 2)
    )
    both = recall + precision
    f1: NDArray[np.float64] = np.divide(2 * recall * precision, both, out=np.zeros(both.shape), where=both > 0)
    mean: NDArray[np.float64] = f1.mean(axis=-1)
    return mean


def _exchanges(documents: int, resampling: Resampling) -> NDArray[np.float64]:
    """A coin for each document and resample; shape (resamples, documents), of 0 and 1."""
    import random

    import numpy as np

    # Python keeps the sequence of a seed, numpy does not promise to.
    bits = random.Random(resampling.seed).getrandbits  # noqa: S311  # statistics, not secrets
    size = (documents + 7) // 8
    packed = b"".join(bits(8 * size).to_bytes(size, "little") for _ in range(resampling.resamples))
    rows = np.frombuffer(packed, dtype=np.uint8).reshape(resampling.resamples, size)
    return np.unpackbits(rows, axis=1, count=documents).astype(float)


def _all_exchanges(documents: int) -> NDArray[np.float64]:
    """Every way to exchange documents once; shape (2^documents, documents), of 0 and 1."""
    import numpy as np

    ways = np.arange(2**documents)[:, None] >> np.arange(documents)
    return (ways & 1).astype(float)
