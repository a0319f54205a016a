"""Counts of the agreement of two annotators, for one document or added up over many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from client.evaluation.agreement.alpha import AlphaCounts, count_alpha
from client.evaluation.agreement.antecedents import NEW, Antecedents
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.metrics import score_document
from client.evaluation.scoring.overlap import Clustering
from client.evaluation.scoring.scores import CONLL_METRICS

_NONE = Counts(0, 0, 0, 0)
_NO_ALPHA = AlphaCounts()


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Counts of a pair of annotators over the chains that both decided on; ``+`` adds documents up.

    ``decisions``: those chains. ``matching``: the same antecedent. ``jaccard``: the sum of the Jaccard indices of the
    two resulting sets, the chain with its antecedent. ``both_new`` and ``any_new``: both or at least one chose *new*.
    ``labels``: MUC, B³ and CEAFe counts of the two resulting documents, the first annotator's in the role of the key.
    """

    decisions: float = 0
    matching: float = 0
    jaccard: float = 0
    both_new: float = 0
    any_new: float = 0
    alpha: AlphaCounts = _NO_ALPHA
    labels: tuple[Counts, Counts, Counts] = (_NONE, _NONE, _NONE)

    def __add__(self, other: PairCounts) -> PairCounts:
        sums = [one + two for one, two in zip(self.numbers(), other.numbers(), strict=True)]
        return PairCounts.from_numbers(sums)

    def numbers(self) -> tuple[float, ...]:
        """All counts as a row of a matrix over documents."""
        alpha = self.alpha
        row = [self.decisions, self.matching, self.jaccard, self.both_new, self.any_new]
        row += [alpha.values, alpha.disagreement, alpha.label_squares, alpha.new_values, alpha.new_squares]
        for counts in self.labels:
            row += [
                counts.recall_numerator,
                counts.recall_denominator,
                counts.precision_numerator,
                counts.precision_denominator,
            ]
        return tuple(row)

    @classmethod
    def from_numbers(cls, row: Sequence[float]) -> PairCounts:
        """The counts that :meth:`numbers` put in a row."""
        decisions, matching, jaccard, both_new, any_new = row[:5]
        muc, bcub, ceafe = (Counts(*row[start : start + 4]) for start in (10, 14, 18))
        return cls(decisions, matching, jaccard, both_new, any_new, AlphaCounts(*row[5:10]), (muc, bcub, ceafe))


def count_pair(one: Antecedents, other: Antecedents) -> PairCounts:
    """The counts of two annotators' decisions on one document, without its labels."""
    both = [(one[chain], other[chain]) for chain in one if chain in other]
    return PairCounts(
        decisions=len(both),
        matching=sum(a == b for a, b in both),
        # The chain itself is in both sets.
        jaccard=sum((1 + len(a & b)) / (1 + len(a | b)) for a, b in both),
        both_new=sum(a == b == NEW for a, b in both),
        any_new=sum(NEW in {a, b} for a, b in both),
        alpha=count_alpha(both),
    )


def count_labels(one: Clustering, other: Clustering) -> tuple[Counts, Counts, Counts]:
    """MUC, B³ and CEAFe counts of two annotators' merged chains of one document."""
    scores: Mapping[str, object] = score_document(one, other, CONLL_METRICS).counts
    muc, bcub, ceafe = (_counts(scores[name]) for name in CONLL_METRICS)
    return muc, bcub, ceafe


def _counts(counts: object) -> Counts:
    if not isinstance(counts, Counts):
        raise TypeError(f"the CoNLL metrics count in Counts, not in {type(counts).__name__}")
    return counts
