"""Merges a document with a strategy, or takes it from a file, and scores the result."""

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
    """A merged document, and the evidence for its links where it is known."""

    document: Document
    evidence: Mapping[ChainRef, Evidence]


class Contender(Protocol):
    """A source of merged documents, one for each task.

    ``timed`` tells whether its time is the time of merging.
    """

    name: str
    timed: bool

    @property
    def signature(self) -> str:
        """Name and options."""

    def conditions(self, documents: Iterable[Document]) -> str:
        """The signature's addition for these documents, which are not merged yet."""

    def merge(self, task: Task, notices: Notices) -> Merged:
        """The merged document. Raises :class:`~merger.errors.InputError` if it fails on this document."""


class StrategyContender:
    """A strategy that runs in this process."""

    timed = True

    def __init__(self, name: str, strategy: Strategy, tagging: str = "") -> None:
        """``tagging`` is the signature of the tagger that tagged the documents, if any."""
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
        """The name of the file and a digest of its content."""
        return self._signature

    def conditions(self, documents: Iterable[Document]) -> str:  # noqa: ARG002  # as the protocol has it
        """Nothing: the signature already identifies the file."""
        return ""

    def merge(self, task: Task, notices: Notices) -> Merged:  # noqa: ARG002  # as the protocol has it
        """The document with the task's id. After an error in the file all later documents are missing."""
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
    """Merge and score one document. Its error is part of the outcome; under the strict policy it is raised."""
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
