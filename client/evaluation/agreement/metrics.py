"""The registry of agreement metrics. A new metric is a function from counts to a measure, and an entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from client.evaluation.agreement.alpha import alpha
from client.evaluation.agreement.measure import Measure, fraction
from client.evaluation.agreement.pair_counts import PairCounts
from client.evaluation.scoring.counts import Undefined
from client.evaluation.scoring.scores import CONLL_METRICS


@dataclass(frozen=True, slots=True)
class AgreementMetric:
    """A metric: ``name`` in JSON, ``label`` over a column, ``meaning`` in legends; ``measure`` computes it."""

    name: str
    label: str
    meaning: str
    measure: Callable[[PairCounts], Measure]


def strict_match(counts: PairCounts) -> Measure:
    """Share of the decisions with the same antecedent or *new* in both (LongtoNotes 3.3, i)."""
    return fraction(counts.matching, counts.decisions, "no decisions")


def jaccard(counts: PairCounts) -> Measure:
    """Mean Jaccard index of the chain with its antecedent; both new: 1 (LongtoNotes 3.3, ii)."""
    return fraction(counts.jaccard, counts.decisions, "no decisions")


def new_chain(counts: PairCounts) -> Measure:
    """Both new, of the chains that at least one calls new (LongtoNotes 3.3, iii)."""
    return fraction(counts.both_new, counts.any_new, "nobody decided on new")


def not_new(counts: PairCounts) -> Measure:
    """The same antecedent, of the chains that both linked (LongtoNotes 3.3, iv; the default reading)."""
    return fraction(counts.matching - counts.both_new, counts.decisions - counts.any_new, "no chain that both linked")


def not_new_any(counts: PairCounts) -> Measure:
    """The same antecedent, of the chains that at least one linked (the other reading of LongtoNotes 3.3, iv)."""
    return fraction(counts.matching - counts.both_new, counts.decisions - counts.both_new, "nobody linked a chain")


def label_agreement(counts: PairCounts) -> Measure:
    """CoNLL F1, 0 to 1, between the two resulting documents (LongtoNotes 3.3)."""
    for name, each in zip(CONLL_METRICS, counts.labels, strict=True):
        if each.undefined is Undefined.F1:
            return Measure(None, reason=f"0/0: nothing that {name} counts is in the merged documents")
    return Measure(sum(each.f1 for each in counts.labels) / len(counts.labels))


METRICS: Mapping[str, AgreementMetric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            AgreementMetric("strict_match", "strict", "the same antecedent, or both new", strict_match),
            AgreementMetric("jaccard", "Jaccard", "mean overlap of the resulting sets of part chains", jaccard),
            AgreementMetric("new_chain", "new", "both new / at least one new", new_chain),
            AgreementMetric("not_new", "not new", "the same antecedent / both linked", not_new),
            AgreementMetric("not_new_any", "not new*", "the same antecedent / at least one linked", not_new_any),
            AgreementMetric("alpha", "alpha", "Krippendorff's alpha, new as one label", lambda c: alpha(c.alpha)),
            AgreementMetric(
                "alpha_own_new",
                "alpha*",
                "Krippendorff's alpha, new as a label of its own on each chain",
                lambda c: alpha(c.alpha, own_new=True),
            ),
            AgreementMetric("conll_f1", "labels", "CoNLL F1 between the merged documents", label_agreement),
        )
    }
)
"""All metrics by name, in the order of display."""
