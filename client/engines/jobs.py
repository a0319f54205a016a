"""What goes into an engine and what comes out, one document at a time; all of it can be pickled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from merger.document import Document
from merger.errors import InputError
from merger.notices import Notice


@dataclass(frozen=True, slots=True)
class Job:
    """One document to merge.

    ``index`` counts from 0 in the order of the input. ``file`` is where the document was read from: the path itself
    where files are units of their own, else its name. ``target`` is the format to write, ``notices`` what reading up to
    this document told since the job before. ``kept``: an earlier run has done it, nothing is left to do; where files
    are units it stands for a whole file, without an ``id``. ``failure``: why the document, or its key, cannot be read;
    nothing is left to do either, and the ``id`` is empty where it is not known. Outcomes have jobs without ``document``
    and ``key``, if they come from another process.
    """

    index: int
    file: str | None
    id: str
    target: str
    fingerprint: str = ""
    notices: tuple[Notice, ...] = ()
    kept: bool = False
    failure: InputError | None = None
    document: Document | None = None
    key: Document | None = None

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to do."""
        return self.document is None

    def settled(self) -> Outcome:
        """The outcome of a job with nothing to do."""
        return Outcome(self, failure=self.failure, notices=self.notices)


@dataclass(frozen=True, slots=True)
class Merged:
    """What merging a document came to.

    ``text`` is the document in its format, ``decisions`` JSON Lines, ``report`` its counts as JSON data, ``strategy``
    the signature. ``notices`` are those of merging and writing, ``strategy_notices`` what the strategy told besides.
    """

    id: str
    token_count: int
    text: str
    decisions: str
    report: dict[str, Any]
    strategy: str
    notices: tuple[Notice, ...] = ()
    strategy_notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job.

    Either ``merged``; or ``failure``, which leaves the document out; or ``error``, which ends the run; or none of them
    where the job had nothing to do. ``notices`` are those of reading and, without ``merged``, of what was tried;
    ``strategy_notices`` likewise what the strategy told.
    """

    job: Job
    merged: Merged | None = None
    failure: InputError | None = None
    error: Exception | None = None
    notices: tuple[Notice, ...] = ()
    strategy_notices: tuple[Notice, ...] = ()

    @property
    def token_count(self) -> int:
        """Tokens of the merged document."""
        return 0 if self.merged is None else self.merged.token_count


class Engine(Protocol):
    """Does jobs."""

    def run(self, source: Source) -> Iterator[Outcome]:
        """The outcomes, in the order of the jobs.

        What the source raises is raised behind the outcomes of the jobs before. To close the iterator ends the work.
        """


class Source(Protocol):
    """Where jobs come from. Engines may pickle it and read it elsewhere, from the start, more than once."""

    def jobs(self) -> Iterator[Job]:
        """The jobs, in order; raises what reading raises."""


def notices_since(before: dict[str, int], notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """What was noted since the counts by kind were ``before``, which is brought up to date."""
    new = []
    for notice in notices:
        count = notice.count - before.get(notice.kind, 0)
        if count:
            new.append(Notice(notice.kind, notice.message, notice.location, count))
            before[notice.kind] = notice.count
    return tuple(new)
