"""Agreement over many documents: every metric with its interval, per pair and on average, in total and by group."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from client.evaluation.agreement.alpha import AlphaCounts, alpha
from client.evaluation.agreement.antecedents import Compare
from client.evaluation.agreement.bootstrap import Interval, Resampling, draw_counts, interval, resample_sums
from client.evaluation.agreement.measure import Measure, mean
from client.evaluation.agreement.metrics import METRICS
from client.evaluation.agreement.pair_counts import PairCounts
from client.evaluation.agreement.parts_of_speech import ClassTable, add_tables
from client.evaluation.agreement.study import DocumentAgreement, Pair
from client.evaluation.breakdown_bins import LENGTH_BINS, LONG, MANY, bin_group, genre_group
from client.evaluation.scoring.pairing import failed_documents
from merger.errors import InputError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measure and its bootstrap interval, if it has one."""

    measure: Measure
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class PairSummary:
    """A pair of annotators: the documents that both have, the chains that both decided on, the metrics by name."""

    documents: int
    decisions: int
    metrics: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Summary:
    """A set of documents. ``decisions`` are the chains after the first part that two annotators or more decided on.

    ``mean`` has each metric's mean over the pairs in which it is defined, ``joint_alpha`` Krippendorff's alpha over all
    annotators at once, in both readings of *new*; ``classes`` adds up all pairs.
    """

    documents: int
    documents_with_decisions: int
    decisions: int
    pairs: Mapping[Pair, PairSummary]
    mean: Mapping[str, Estimate]
    joint_alpha: Mapping[str, Measure]
    classes: ClassTable


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All numbers. ``groups`` has the summaries by kind (``genre``, ``length``, ...) and name of group.

    ``left_out`` are the ids of documents that cannot be read and so count nowhere.
    """

    annotators: tuple[str, ...]
    compare: Compare
    resampling: Resampling
    total: Summary
    groups: Mapping[str, Mapping[str, Summary]]
    documents: tuple[DocumentAgreement, ...] = field(repr=False)
    left_out: tuple[str, ...] = ()

    @property
    def identical(self) -> list[tuple[str, str]]:
        """Pairs of annotators that agree in every decision, links included: perhaps one annotator under two names."""
        found = []
        for (one, other), summary in self.total.pairs.items():
            value = summary.metrics["strict_match"].measure.value
            linked = summary.metrics["not_new_any"].measure.value
            if value == linked == 1:
                found.append((self.annotators[one], self.annotators[other]))
        return found


def summarise(
    documents: Iterable[DocumentAgreement],
    annotators: Sequence[str],
    *,
    compare: Compare = Compare.CHAIN,
    resampling: Resampling | None = None,
    failures: Iterable[InputError] = (),
) -> AgreementReport:
    """Add up documents, in total and by group; without ``resampling`` there are no intervals.

    ``compare`` is how antecedents were compared, ``failures`` are the errors of the count.
    """
    resampling = Resampling(0) if resampling is None else resampling
    counted = tuple(documents)
    groups = {}
    for kind, group_of in GROUPINGS.items():
        members: dict[tuple[int, str], list[DocumentAgreement]] = {}
        for document in counted:
            members.setdefault(group_of(document), []).append(document)
        groups[kind] = {key[1]: _summary(members[key], len(annotators), resampling) for key in sorted(members)}
    total = _summary(counted, len(annotators), resampling)
    counted_ids = {document.id for document in counted}
    left_out = tuple(name for name in failed_documents(failures) if name not in counted_ids)
    return AgreementReport(tuple(annotators), compare, resampling, total, groups, counted, left_out)


GROUPINGS: Mapping[str, Callable[[DocumentAgreement], tuple[int, str]]] = {
    "genre": lambda document: genre_group(document.genre),
    "length": lambda document: bin_group(document.tokens, (LONG,), "tokens"),
    "length_bins": lambda document: bin_group(document.tokens, LENGTH_BINS, "tokens"),
    "chains": lambda document: bin_group(document.chains, (MANY,), "chains"),
}
"""For each kind of group, the order and the name of a document's group."""


def _summary(documents: Sequence[DocumentAgreement], annotators: int, resampling: Resampling) -> Summary:
    pairs = [(one, other) for one in range(annotators) for other in range(one + 1, annotators)]
    pairs = [pair for pair in pairs if any(pair in document.pairs for document in documents)]
    totals = {pair: _total(documents, pair) for pair in pairs}
    measures = {
        pair: {name: metric.measure(counts) for name, metric in METRICS.items()} for pair, counts in totals.items()
    }
    intervals, mean_intervals = _intervals(documents, pairs, resampling)
    joint = sum((document.joint for document in documents), AlphaCounts())
    return Summary(
        documents=len(documents),
        documents_with_decisions=sum(_decisions(document) > 0 for document in documents),
        decisions=sum(map(_decisions, documents)),
        pairs={
            pair: PairSummary(
                sum(pair in document.pairs for document in documents),
                int(totals[pair].decisions),
                {name: Estimate(measures[pair][name], intervals[pair].get(name)) for name in METRICS},
            )
            for pair in pairs
        },
        mean={
            name: Estimate(mean([measures[pair][name] for pair in pairs]), mean_intervals.get(name)) for name in METRICS
        },
        joint_alpha={"alpha": alpha(joint), "alpha_own_new": alpha(joint, own_new=True)},
        classes=add_tables(table for document in documents for table in document.classes.values()),
    )


def _total(documents: Iterable[DocumentAgreement], pair: Pair) -> PairCounts:
    return sum((document.pairs[pair] for document in documents if pair in document.pairs), PairCounts())


def _decisions(document: DocumentAgreement) -> int:
    return int(max((counts.decisions for counts in document.pairs.values()), default=0))


def _intervals(
    documents: Sequence[DocumentAgreement], pairs: Sequence[Pair], resampling: Resampling
) -> tuple[dict[Pair, dict[str, Interval | None]], dict[str, Interval | None]]:
    """Intervals of each pair and of the mean; a single document has none."""
    if not resampling.resamples or len(documents) <= 1:
        return {pair: {} for pair in pairs}, {}
    draws = draw_counts(len(documents), resampling)
    measures: dict[Pair, dict[str, list[Measure]]] = {}
    for pair in pairs:
        rows = [document.pairs.get(pair, PairCounts()).numbers() for document in documents]
        sums = [PairCounts.from_numbers(row) for row in resample_sums(rows, draws)]
        measures[pair] = {name: [metric.measure(counts) for counts in sums] for name, metric in METRICS.items()}
    means = {name: interval(_means([measures[pair][name] for pair in pairs])) for name in METRICS}
    return {
        pair: {name: interval([each.value for each in found]) for name, found in by_name.items()}
        for pair, by_name in measures.items()
    }, means


def _means(by_pair: Sequence[Sequence[Measure]]) -> list[float | None]:
    return [mean(same).value for same in zip(*by_pair, strict=True)]
