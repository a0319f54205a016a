"""Reads several annotators' merges of the same part chains, document by document, and counts where they agree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from client.evaluation.agreement.alpha import AlphaCounts, count_alpha
from client.evaluation.agreement.antecedents import Antecedents, Compare, read_antecedents
from client.evaluation.agreement.pair_counts import PairCounts, count_labels, count_pair
from client.evaluation.agreement.parts_of_speech import ClassTable, count_classes, mention_classes
from client.evaluation.scoring.links import mergeable_chains
from client.evaluation.scoring.overlap import Clustering
from client.evaluation.scoring.pairing import ById, add_failure
from merger.decisions.checked import apply_records
from merger.decisions.records import DecisionRecord
from merger.document import Chain, ChainRef, Document
from merger.errors import AlignmentError, DecisionError, InputError, Location
from merger.notices import Notices
from merger.resegment import with_boundaries_of

Pair = tuple[int, int]
"""Two annotators by their indices in the list, the smaller one first."""

_LEAST = 2
"""Annotators that a document needs, and mentions that make a chain."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """An annotator, with the name that messages and results use.

    The merges are the ``documents``, merged and in any order, and those that ``decisions`` make, by document id.
    """

    name: str
    documents: Iterable[Document] = ()
    decisions: Mapping[str, Sequence[DecisionRecord]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentAgreement:
    """Facts about one document, and the counts of every pair of annotators that both have it.

    ``tokens`` are those of the document, ``chains`` the merged chains of the first annotator that has it. ``joint``
    has the counts of alpha over all annotators at once.
    """

    id: str
    genre: str | None
    parts: int
    tokens: int
    chains: int
    pairs: Mapping[Pair, PairCounts]
    classes: Mapping[Pair, ClassTable]
    joint: AlphaCounts


def count_documents(
    parts: Iterable[Document],
    annotators: Sequence[Annotator],
    *,
    compare: Compare = Compare.CHAIN,
    drop_singletons: bool = True,
    notices: Notices | None = None,
    failures: list[InputError] | None = None,
) -> Iterator[DocumentAgreement]:
    """Count agreement in every document of ``parts`` that two annotators or more have merged.

    Documents are paired by id, tokens by position. A document is left out for an annotator that lacks it or does not
    keep its part chains together, with a notice (an error under the strict policy). So is a document that ``parts``
    lacks. ``drop_singletons`` leaves singletons out of the label agreement.

    Raises ``ValueError`` for fewer than two annotators, and :class:`~merger.errors.AlignmentError` at the first token
    that differs, or if no document has two annotators. :class:`~merger.errors.DecisionError` is raised for decisions
    that are missing or contradict each other or the parts; under the lenient policy their document is left out.

    ``failures`` is the list in which the readers of all these documents collect errors. A document that failed is left
    out for its annotator, or for all if it failed in ``parts``. With the list, the errors above (except ``ValueError``)
    are added to it instead of being raised.
    """
    if len(annotators) < _LEAST:
        raise ValueError("agreement needs two annotators or more")
    notices = Notices() if notices is None else notices
    streams = [ById(annotator.documents, failures) for annotator in annotators]
    found = False
    seen: set[str] = set()
    place = Location()
    for unmerged in parts:
        seen.add(unmerged.id)
        place = Location(unmerged.file, document=unmerged.id)
        try:
            chains = mergeable_chains(unmerged)
        except InputError as error:
            add_failure(failures, error)
            continue
        merges: dict[int, _Merge] = {}
        for number, (annotator, stream) in enumerate(zip(annotators, streams, strict=True)):
            try:
                merged = _take(unmerged, annotator, stream, notices)
            except InputError as error:
                add_failure(failures, error)
                continue
            least = _LEAST if drop_singletons else 1
            merge = None if merged is None else _read(chains, merged, annotator, compare, least, notices)
            if merge is not None:
                merges[number] = merge
        if len(merges) >= _LEAST:
            found = True
            yield _count(unmerged, chains, merges)
    if not found and not failures:
        raise AlignmentError("no document of the parts was merged by two annotators", place)
    seen.update(error.location.document or "" for error in failures or ())
    for annotator, stream in zip(annotators, streams, strict=True):
        _warn_unknown(annotator, stream, seen, notices)


def _read(
    chains: Mapping[ChainRef, Chain],
    merged: Document,
    annotator: Annotator,
    compare: Compare,
    least: int,
    notices: Notices,
) -> _Merge | None:
    """An annotator's merge of a document; ``None``, with a notice, if it breaks a part chain."""
    try:
        labels = [chain.mentions for chain in merged.chains if len(chain.mentions) >= least]
        return _Merge(read_antecedents(chains, merged, compare), labels)
    except DecisionError as error:
        notices.warn(f"document left out for {annotator.name}", error)
        return None


class _Merge(NamedTuple):
    """One annotator's merge of a document: the decisions, and the chains for label agreement."""

    antecedents: Antecedents
    labels: Clustering


def _warn_unknown(annotator: Annotator, stream: ById, seen: Collection[str], notices: Notices) -> None:
    """Warn of the annotator's documents that the parts lack."""
    unknown = [Location(each.file, document=each.id) for each in stream.rest() if each.id not in seen]
    unknown += [records[0].location for name, records in annotator.decisions.items() if name not in seen]
    for location in unknown:
        error = AlignmentError("the parts lack this document", location)
        notices.warn(f"document of {annotator.name} left out", error)


def _take(unmerged: Document, annotator: Annotator, stream: ById, notices: Notices) -> Document | None:
    # A document without chains of two mentions needs no decisions.
    undecided = bool(annotator.decisions) and all(len(chain.mentions) < _LEAST for chain in unmerged.chains)
    if unmerged.id in annotator.decisions or undecided:
        try:
            return apply_records(unmerged, annotator.decisions.get(unmerged.id, ()), keep_singletons=True)
        except DecisionError as error:
            notices.repair(f"decisions of {annotator.name} left out", error, "the document is left out")
            return None
    merged = stream.take(unmerged.id)
    if merged is None:
        missing = stream.why_missing(unmerged, f"{annotator.name} lacks this document")
        if stream.failure_of(unmerged.id) is not None:
            raise missing
        if stream.passed_over is not None:
            missing.hint = f"it has {stream.passed_over!r}"
        notices.warn(f"document missing in {annotator.name}", missing)
        return None
    return with_boundaries_of(unmerged, merged, notices)


def _count(unmerged: Document, chains: Mapping[ChainRef, Chain], merges: Mapping[int, _Merge]) -> DocumentAgreement:
    classes = mention_classes(unmerged, chains)
    pairs: dict[Pair, PairCounts] = {}
    tables: dict[Pair, ClassTable] = {}
    for one, other in combinations(merges, 2):
        a, b = merges[one], merges[other]
        counts = count_pair(a.antecedents, b.antecedents)
        pairs[one, other] = replace(counts, labels=count_labels(a.labels, b.labels))
        tables[one, other] = count_classes(classes, a.antecedents, b.antecedents)
    decided = [merge.antecedents for merge in merges.values()]
    refs = dict.fromkeys(ref for antecedents in decided for ref in antecedents)
    joint = count_alpha([each[ref] for each in decided if ref in each] for ref in refs)
    first = next(iter(merges.values())).labels
    return DocumentAgreement(
        unmerged.id,
        unmerged.genre,
        len(unmerged.parts),
        unmerged.token_count,
        sum(len(mentions) >= _LEAST for mentions in first),
        pairs,
        tables,
        joint,
    )
