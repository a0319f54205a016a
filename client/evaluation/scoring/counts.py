"""The counts that metrics return. They are added up over documents and divided once at the end."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol, Self


class Undefined(enum.Flag):
    """Which of recall and precision is 0/0 and so 0 only by convention. False if neither is.

    F1 is undefined if both are; if only one is, F1 is a true 0.
    """

    NONE = 0
    RECALL = enum.auto()
    PRECISION = enum.auto()
    F1 = RECALL | PRECISION

    @property
    def reason(self) -> str:
        """The reason as half a sentence; empty if nothing is undefined."""
        return _REASONS[self]


_REASONS = {
    Undefined.NONE: "",
    Undefined.RECALL: "recall is 0/0: the key has nothing that this metric counts",
    Undefined.PRECISION: "precision is 0/0: the response has nothing that this metric counts",
    Undefined.F1: "recall and precision are 0/0: key and response have nothing that this metric counts",
}


class MetricCounts(Protocol):
    """The interface of the counts of all metrics. Recall, precision and F1 are fractions from 0 to 1, never NaN."""

    @property
    def recall_numerator(self) -> float:
        """What is right, in units of the key."""

    @property
    def recall_denominator(self) -> float:
        """The total of the key."""

    @property
    def precision_numerator(self) -> float:
        """What is right, in units of the response."""

    @property
    def precision_denominator(self) -> float:
        """The total of the response."""

    @property
    def recall(self) -> float:
        """Share of the key that the response has right; 0 if undefined."""

    @property
    def precision(self) -> float:
        """Share of the response that is right; 0 if undefined."""

    @property
    def f1(self) -> float:
        """F1 as the metric defines it; 0 if undefined."""

    @property
    def undefined(self) -> Undefined:
        """Which of the values above is 0/0."""

    def __add__(self, other: Self) -> Self:
        """The counts of two sets of documents together."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Numerators and denominators of recall and precision; each is their quotient, or 0 if that is 0/0.

    F1 is the harmonic mean of the two, 0 if both are 0. Both as the official scorer (v8.01, `ShowRPF`) has
    them.
    """

    recall_numerator: float
    recall_denominator: float
    precision_numerator: float
    precision_denominator: float

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.recall_numerator + other.recall_numerator,
            self.recall_denominator + other.recall_denominator,
            self.precision_numerator + other.precision_numerator,
            self.precision_denominator + other.precision_denominator,
        )

    @property
    def recall(self) -> float:
        """Recall, 0 to 1."""
        return self.recall_numerator / self.recall_denominator if self.recall_denominator else 0.0

    @property
    def precision(self) -> float:
        """Precision, 0 to 1."""
        return self.precision_numerator / self.precision_denominator if self.precision_denominator else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of recall and precision, 0 to 1."""
        recall, precision = self.recall, self.precision
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    @property
    def undefined(self) -> Undefined:
        """Which of recall and precision has the denominator 0."""
        no_recall = Undefined.NONE if self.recall_denominator else Undefined.RECALL
        no_precision = Undefined.NONE if self.precision_denominator else Undefined.PRECISION
        return no_recall | no_precision


@dataclass(frozen=True, slots=True)
class BlancCounts:
    """Coreference links and non-coreference links, from which BLANC is combined at the very end.

    Recall, precision and F1 are each the mean of the two kinds' own; the F1 is thus not the harmonic mean of the recall
    and precision shown. A kind of link that the *key* has none of (over all documents added up) is left out of the
    mean; one that only the response has none of stays in, with precision 0. This is the official scorer's (v8.01,
    `ScoreBLANC`) reading of the boundary cases in Luo et al. (2014). So swapping key and response swaps recall and
    precision only if both sides have both kinds of links.
    """

    coreference: Counts
    non_coreference: Counts

    def __add__(self, other: BlancCounts) -> BlancCounts:
        return BlancCounts(self.coreference + other.coreference, self.non_coreference + other.non_coreference)

    @property
    def recall_numerator(self) -> float:
        """The recall itself, over a denominator of 1, as the official scorer prints it."""
        return self.recall

    @property
    def recall_denominator(self) -> float:
        """1: BLANC is a mean of two fractions and has no denominator of its own."""
        return 1

    @property
    def precision_numerator(self) -> float:
        """The precision itself, over a denominator of 1, as the official scorer prints it."""
        return self.precision

    @property
    def precision_denominator(self) -> float:
        """1, see `recall_denominator`."""
        return 1

    @property
    def recall(self) -> float:
        """Mean recall of the kinds of links that the key has, 0 to 1."""
        return _mean([kind.recall for kind in self._kinds_in_key])

    @property
    def precision(self) -> float:
        """Mean precision of the kinds of links that the key has, 0 to 1."""
        return _mean([kind.precision for kind in self._kinds_in_key])

    @property
    def f1(self) -> float:
        """Mean F1 of the kinds of links that the key has, 0 to 1."""
        return _mean([kind.f1 for kind in self._kinds_in_key])

    @property
    def undefined(self) -> Undefined:
        """Recall: the key has no links. Precision: the response has no links of the kinds that count."""
        kinds = self._kinds_in_key
        no_recall = Undefined.NONE if kinds else Undefined.RECALL
        judged = kinds or (self.coreference, self.non_coreference)
        any_precision = any(kind.precision_denominator for kind in judged)
        return no_recall | (Undefined.NONE if any_precision else Undefined.PRECISION)

    @property
    def _kinds_in_key(self) -> tuple[Counts, ...]:
        return tuple(kind for kind in (self.coreference, self.non_coreference) if kind.recall_denominator)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
