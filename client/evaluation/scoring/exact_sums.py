"""Sums of fractions with as little rounding as possible."""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum


def sum_of_fractions(numerator_by_denominator: Mapping[int, int]) -> float:
    """Σ numerator / denominator, for integer numerators already added up per (non-zero) denominator.

    One rounding per distinct denominator and one for the sum, however many chains there are; whole numbers,
    such as those of a perfect response, come out whole.
    """
    return fsum(numerator / denominator for denominator, numerator in numerator_by_denominator.items())
