"""What a coreference metric is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client.evaluation.scoring.counts import MetricCounts
from client.evaluation.scoring.overlap import Overlap


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: ``name`` in options, JSON and signatures, ``label`` and ``citation`` for readers.

    ``count`` computes the counts of one document. ``compared`` metrics have a column in every table of documents or
    strategies, and are tested for significance; their counts must be
    :class:`~client.evaluation.scoring.counts.Counts`.
    """

    name: str
    label: str
    citation: str
    count: Callable[[Overlap], MetricCounts]
    compared: bool = False
