"""A number that can be undefined, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measure:
    """A value, mostly from 0 to 1, or ``None`` with the reason; numerator and denominator if it is a fraction."""

    value: float | None
    numerator: float | None = None
    denominator: float | None = None
    reason: str = ""


def fraction(numerator: float, denominator: float, reason: str) -> Measure:
    """The quotient; undefined for the reason given if the denominator is 0."""
    if not denominator:
        return Measure(None, numerator, denominator, f"0/0: {reason}")
    return Measure(numerator / denominator, numerator, denominator)


def mean(measures: Sequence[Measure]) -> Measure:
    """The mean of the values that are defined."""
    values = [measure.value for measure in measures if measure.value is not None]
    if not values:
        return Measure(None, reason=measures[0].reason if measures else "no pair of annotators")
    partly = "" if len(values) == len(measures) else f"of {len(values)} of {len(measures)} pairs"
    return Measure(sum(values) / len(values), reason=partly)
