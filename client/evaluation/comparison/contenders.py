"""Runs a strategy on a document, or reads what was merged elsewhere, and scores it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from client.evaluation.comparison.data import DocumentOutcome
from client.evaluation.comparison.decision_errors import judge
from client.evaluation.comparison.peak_memory import peak_memory
from client.evaluation.comparison.task import Task
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import Linking, compare_linkings
from client.evaluation.scoring.pairing import ById
from merger.decisions.model import Evidence
from merger.document import ChainRef, Document
from merger.errors import AlignmentError, DecisionError, InputError
from merger.merge import merge_document
from merger.notices import Notices, Policy
from merger.strategies.base import Strategy


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


def attempt(contender: Contender, task: Task, notices: Notices) -> DocumentOutcome:
    """Merge and score one document; an error in the document is part of the outcome, or strictly raised."""
    start = time.perf_counter()
    try:
        merged = contender.merge(task, notices)
        seconds = time.perf_counter() - start if contender.timed else None
        scores = task.score(merged.document, notices)
        linking = _link(task, merged.document, notices)
    except InputError as error:
        if notices.policy is Policy.STRICT:
            raise
        return DocumentOutcome(task.key.id, failure=str(error), reason=error.reason)
    outcome = DocumentOutcome(
        task.key.id,
        Result(scores, task.floor, None),
        seconds=seconds,
        peak_memory=peak_memory() if contender.timed else None,
    )
    if linking is None:
        return outcome
    return replace(
        outcome,
        result=Result(scores, task.floor, compare_linkings(task.gold.linking, linking)),
        decisions=judge(task.gold, linking, merged.evidence),
        merged=linking.numbers,
    )


def _link(task: Task, response: Document, notices: Notices) -> Linking | None:
    """How the response links the part chains; ``None``, with a notice, if it or the key breaks one."""
    try:
        return task.gold.link(response)
    except (DecisionError, AlignmentError) as error:
        notices.add("no link scores", f"the link scores leave this document out: {error}")
        return None
