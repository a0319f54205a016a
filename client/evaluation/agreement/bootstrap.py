"""Percentile bootstrap over documents, because decisions of one document depend on each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Resampling:
    """The number of times that documents are drawn with replacement (0: no resampling), and the seed of the draws."""

    resamples: int = 1000
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Interval:
    """The middle 95% of the values over resamples; ``resamples`` is the number of resamples with a defined value."""

    low: float
    high: float
    resamples: int


@lru_cache(maxsize=4)
def draw_counts(documents: int, resampling: Resampling) -> NDArray[np.float64]:
    """How often each document is drawn: shape (resamples, documents), every row adds up to ``documents``.

    The draws come from :meth:`random.Random.random`, whose sequence Python guarantees for a seed. The array is
    read-only, because many tests share it.
    """
    import random

    import numpy as np

    draw = random.Random(resampling.seed).random  # noqa: S311  # statistics, not secrets
    counts = np.zeros((resampling.resamples, documents))
    for resample in range(resampling.resamples):
        drawn = [int(draw() * documents) for _ in range(documents)]
        counts[resample] = np.bincount(drawn, minlength=documents)
    counts.flags.writeable = False
    return counts


def resample_sums(rows: Sequence[Sequence[float]], draws: NDArray[np.float64]) -> Iterator[Sequence[float]]:
    """For every resample the sum of the rows of its documents."""
    import numpy as np

    sums: list[list[float]] = (draws @ np.array(rows, dtype=float)).tolist()
    yield from sums


def interval(values: Sequence[float | None]) -> Interval | None:
    """The percentile interval over resamples, with linear interpolation; ``None`` if no value is defined."""
    defined = sorted(value for value in values if value is not None)
    if not defined:
        return None
    low, high = (_quantile(defined, share) for share in ((1 - LEVEL) / 2, (1 + LEVEL) / 2))
    return Interval(low, high, len(defined))


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])
