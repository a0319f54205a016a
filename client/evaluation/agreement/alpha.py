"""Krippendorff's alpha for decisions: nominal, units are chains, values are antecedents or *new*.

    α = 1 - D_o / D_e, D_o = d / n, D_e = (n² - Σ n_c²) / (n (n - 1))

over units with at least two values: n values in all, n_c of label c, and d = Σ over units of the ordered pairs of
different values in the unit, divided by the unit's number of values less one (Krippendorff 2011: Computing
Krippendorff's alpha-reliability). A chain that only one annotator decided on is left out; missing values are allowed.

An antecedent is a label of its document, so the counts of documents can be added up; *new* is the only label that
documents share. The package ``krippendorff`` gives the same numbers from the table of all values, but resampling would
have to build that table for every resample.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from client.evaluation.agreement.antecedents import NEW, Antecedent
from client.evaluation.agreement.measure import Measure


@dataclass(frozen=True, slots=True)
class AlphaCounts:
    """The counts from which alpha is computed; ``+`` adds documents up.

    ``values`` is n, ``disagreement`` is d, ``label_squares`` is Σ n_c² over antecedents, ``new_values`` is the number
    of values that are *new*, and ``new_squares`` is Σ k² over chains, where k annotators chose *new*.
    """

    values: float = 0
    disagreement: float = 0
    label_squares: float = 0
    new_values: float = 0
    new_squares: float = 0

    def __add__(self, other: AlphaCounts) -> AlphaCounts:
        return AlphaCounts(
            self.values + other.values,
            self.disagreement + other.disagreement,
            self.label_squares + other.label_squares,
            self.new_values + other.new_values,
            self.new_squares + other.new_squares,
        )


def count_alpha(units: Iterable[Sequence[Antecedent]]) -> AlphaCounts:
    """The counts of one document; a unit has the antecedents that the annotators chose for one chain."""
    values = disagreement = new_values = new_squares = 0.0
    labels: Counter[Antecedent] = Counter()
    for unit in units:
        if len(unit) < 2:  # noqa: PLR2004  # a pair has two values
            continue
        chosen = Counter(unit)
        values += len(unit)
        disagreement += (len(unit) ** 2 - sum(count**2 for count in chosen.values())) / (len(unit) - 1)
        new = chosen.pop(NEW, 0)
        new_values += new
        new_squares += new**2
        labels.update(chosen)
    squares = float(sum(count**2 for count in labels.values()))
    return AlphaCounts(values, disagreement, squares, new_values, new_squares)


def alpha(counts: AlphaCounts, *, own_new: bool = False) -> Measure:
    """Alpha, at most 1; below 0 for less agreement than by chance.

    *New* is one label for all chains. With ``own_new`` it is a label of its own on each chain: then hardly any
    agreement is expected by chance, and alpha nearly equals strict match, as in Table 3.
    """
    if not counts.values:
        return Measure(None, reason="no chain was decided on by two annotators")
    squares = counts.label_squares + (counts.new_squares if own_new else counts.new_values**2)
    expected = counts.values**2 - squares
    if not expected:
        return Measure(None, reason="0/0: all decisions have one label, so chance alone would agree")
    return Measure(1 - (counts.values - 1) * counts.disagreement / expected)
