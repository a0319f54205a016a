"""Runs a strategy on a document, or reads what was merged elsewhere, and scores it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from client.evaluation.comparison.data import METRICS, Annotated, DocumentFacts, Outcome
from client.evaluation.comparison.decision_errors import JudgedDecision, judge
from client.evaluation.comparison.peak_memory import peak_memory
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import LinkCounts, antecedents_of, count_links, merged_numbers
from client.evaluation.scoring.mention_matching import EXACT, Matching
from client.evaluation.scoring.metrics import score_documents
from client.evaluation.scoring.pairing import ById, align
from client.evaluation.scoring.scores import Scores
from merger.decisions.model import Evidence
from merger.document import Chain, ChainRef, ChainScope, Document, chain_order
from merger.empty_nodes import has_empty_nodes
from merger.errors import AlignmentError, DecisionError, InputError, Location
from merger.merge import merge_document
from merger.notices import Notices, Policy
from merger.resegment import with_boundaries_of
from merger.strategies.base import Strategy

_LEAST = 2
"""Mentions that make a chain."""


@dataclass(frozen=True)
class Task:
    """A document to merge: its ``parts`` and the gold merges of the same text.

    With ``keep_singletons`` singletons are passed through and scored. ``matching`` is how empty nodes of key
    and response are paired.
    """

    parts: Document
    key: Document
    keep_singletons: bool = False
    matching: Matching = EXACT

    @property
    def zeros(self) -> str | None:
        """How empty nodes are paired, if the key has any."""
        return self.matching.zeros if has_empty_nodes(self.key) else None

    @cached_property
    def facts(self) -> DocumentFacts:
        """What the document is."""
        return facts_of(self.key, len(self.parts.parts))

    @cached_property
    def text(self) -> Annotated | None:
        """The document with the human decisions; ``None`` where the key does not keep the part chains together."""
        try:
            return Annotated(self.parts, antecedents_of(self.parts, self.key), merged_numbers(self.parts, self.key))
        except DecisionError:
            return None

    @cached_property
    def floor(self) -> Scores:
        """The scores of merging nothing."""
        return self.score(self.parts.with_chains(self.parts.chains, ChainScope.DOCUMENT), Notices())

    @cached_property
    def fingerprint(self) -> str:
        """Changes with everything that a strategy or a score sees."""
        import hashlib

        sentences = [
            [(s.forms, s.xpos, s.upos, s.speakers, s.heads, s.empty) for s in part.sentences]
            for part in self.parts.parts
        ]
        seen = repr((sentences, self.parts.chains, self.key.chains, self.keep_singletons, self.zeros))
        return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def score(self, response: Document, notices: Notices) -> Scores:
        """The response's scores against the key. Raises :class:`~merger.errors.AlignmentError` for other tokens."""
        least = 1 if self.keep_singletons else _LEAST
        units = align(self.key, response, notices, self.matching, least=least)
        return score_documents(((unit.key, unit.response) for unit in units), METRICS)


def facts_of(key: Document, parts: int) -> DocumentFacts:
    """What a document with gold merges is."""
    chains = sum(len(chain.mentions) >= _LEAST for chain in key.chains)
    return DocumentFacts(key.id, key.genre, key.token_count, chains, parts)


def make_task(
    parts: Document,
    key: Document,
    *,
    keep_singletons: bool = False,
    notices: Notices | None = None,
    matching: Matching = EXACT,
) -> Task:
    """A task out of parts and gold merges that may have other part boundaries.

    Unless they are kept, singletons of the parts go, so that merging nothing is the floor, and so do mentions of
    the key that are alone in their part, as in :func:`~merger.split.split_document`, with a notice.
    Raises :class:`~merger.errors.AlignmentError` if the tokens differ.
    """
    key = with_boundaries_of(parts, key, notices)
    if not keep_singletons:
        parts = parts.with_chains(tuple(c for c in parts.chains if len(c.mentions) >= _LEAST), parts.scope)
        key = _without_singletons(parts, key, notices)
    return Task(parts, key, keep_singletons, matching)


def _without_singletons(parts: Document, key: Document, notices: Notices | None) -> Document:
    """The key without mentions that are alone in their part, unless a chain of the parts has them with others."""
    merged = set(parts.mentions())
    chains = []
    for chain in key.chains:
        in_part = Counter(mention.part for mention in chain.mentions)
        kept = tuple(mention for mention in chain.mentions if in_part[mention.part] > 1 or mention in merged)
        if kept:
            chains.append(Chain(chain.id, kept))
    left_out = sum(len(chain.mentions) for chain in key.chains) - sum(len(chain.mentions) for chain in chains)
    if not left_out:
        return key
    if notices is not None:
        message = "mentions alone in their part were left out of the key (the option singletons keeps them)"
        notices.add("mentions alone in their part", message, Location(key.file, document=key.id), left_out)
    return key.with_chains(tuple(sorted(chains, key=chain_order)), key.scope)


class Merged(NamedTuple):
    """A merged document, and what its links were made by, where that is known."""

    document: Document
    evidence: Mapping[ChainRef, Evidence]


class Contender(Protocol):
    """What is compared: something that gives a merged document for a task.

    ``signature`` says how, ``timed`` whether giving it is merging.
    """

    name: str
    timed: bool

    @property
    def signature(self) -> str:
        """Name and options."""

    def conditions(self, documents: Iterable[Document]) -> str:
        """What the signature adds for these documents, before they were merged."""

    def merge(self, task: Task, notices: Notices) -> Merged:
        """The merged document. Raises :class:`~merger.errors.InputError` if it fails on this document."""


class StrategyContender:
    """A strategy that runs here."""

    timed = True

    def __init__(self, name: str, strategy: Strategy, tagging: str = "") -> None:
        """``tagging`` is what the signature says of a tagger that documents went through."""
        self.name = name
        self.strategy = strategy
        self._tagging = tagging

    @property
    def signature(self) -> str:
        """The strategy's, and the tagger's."""
        return self.strategy.signature + self._tagging

    def conditions(self, documents: Iterable[Document]) -> str:
        """The strategy's."""
        return self.strategy.conditions(documents)

    def merge(self, task: Task, notices: Notices) -> Merged:
        """Run the strategy."""
        result = merge_document(
            task.parts, self.strategy, key=task.key, keep_singletons=task.keep_singletons, notices=notices
        )
        evidence = {each.chain: each.evidence for each in result.decisions if each.evidence is not None}
        return Merged(result.document, evidence)


class FileContender:
    """Documents merged elsewhere, in any order."""

    timed = False

    def __init__(
        self, name: str, signature: str, documents: Iterable[Document], failures: Sequence[InputError] | None = None
    ) -> None:
        """``failures`` are those of reading the documents."""
        self.name = name
        self._signature = signature
        self._documents = ById(documents, failures)
        self._broken: InputError | None = None

    @property
    def signature(self) -> str:
        """Names the file and what is in it."""
        return self._signature

    def conditions(self, documents: Iterable[Document]) -> str:  # noqa: ARG002  # as the protocol has it
        """None: what is in the file is in the signature."""
        return ""

    def merge(self, task: Task, notices: Notices) -> Merged:  # noqa: ARG002  # as the protocol has it
        """The document of the task's id. What cannot be read is missing for all documents that come behind it."""
        if self._broken is not None:
            raise self._broken
        try:
            found = self._documents.take(task.key.id)
        except InputError as error:
            self._broken = error
            raise
        if found is None:
            raise self._documents.why_missing(task.key, f"{self.name} lacks this document")
        return Merged(found, {})


def attempt(contender: Contender, task: Task, notices: Notices) -> Outcome:
    """Merge and score one document; an error in the document is part of the outcome, or strictly raised."""
    begin = time.perf_counter()
    try:
        merged = contender.merge(task, notices)
        seconds = time.perf_counter() - begin if contender.timed else None
        scores = task.score(merged.document, notices)
        judged = _judge(task, merged, notices)
    except InputError as error:
        if notices.policy is Policy.STRICT:
            raise
        return Outcome(task.key.id, failure=str(error), reason=error.reason)
    result = Result(scores, task.floor, judged.counts)
    return Outcome(
        task.key.id, result, judged.decisions, judged.merged, None, seconds, peak_memory() if contender.timed else None
    )


class _Judged(NamedTuple):
    counts: LinkCounts | None = None
    decisions: tuple[JudgedDecision, ...] = ()
    merged: tuple[int, ...] = ()


def _judge(task: Task, merged: Merged, notices: Notices) -> _Judged:
    try:
        response = with_boundaries_of(task.parts, merged.document)
        return _Judged(
            count_links(task.parts, task.key, response),
            judge(task.parts, task.key, response, merged.evidence),
            merged_numbers(task.parts, response),
        )
    except (DecisionError, AlignmentError) as error:
        notices.add("no link scores", f"the link scores leave this document out: {error}")
        return _Judged()
