"""The counts of several metrics together, for one document or for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from client.evaluation.scoring.counts import MetricCounts, Undefined

CONLL_METRICS = ("muc", "bcub", "ceafe")
"""The CoNLL score is the mean of their F1 (CoNLL-2011 and 2012 shared tasks; Pradhan et al. 2014)."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Counts per metric name. `+` adds documents up, numerators and denominators apart (micro average)."""

    counts: Mapping[str, MetricCounts]

    def __add__(self, other: Scores) -> Scores:
        """Counts of both. Raises ValueError if the metrics differ, because such a sum is meaningless."""
        if self.counts.keys() != other.counts.keys():
            raise ValueError(
                f"scores of different metrics can't be added: {', '.join(self.counts)} and {', '.join(other.counts)}"
            )
        return Scores({name: counts + other.counts[name] for name, counts in self.counts.items()})

    def __getitem__(self, metric: str) -> MetricCounts:
        """The counts of one metric, by name. Raises KeyError for a metric that was not computed."""
        return self.counts[metric]

    @property
    def undefined(self) -> dict[str, Undefined]:
        """The metrics that are 0/0 somewhere."""
        return {name: counts.undefined for name, counts in self.counts.items() if counts.undefined}


def conll_f1(scores: Scores) -> float:
    """CoNLL F1, 0 to 1: mean of the F1 of MUC, B³ and entity-based CEAF. Raises KeyError if one is missing.

    An F1 that is 0/0 counts as 0 in the mean, as in the official scorer; see `Scores.undefined`.
    """
    return sum(scores[name].f1 for name in CONLL_METRICS) / len(CONLL_METRICS)
