"""The input and the output of an engine, one document at a time; all of it can be pickled."""

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

    ``index`` counts from 0 in the order of the input. ``file`` is where the document was read from: the path if each
    file is merged by itself, else its name. ``target`` is the format to write. ``notices`` are those of reading since
    the job before.

    A job with ``done_before`` or ``failure`` has no work. ``done_before``: an earlier run has done it; if each file is
    merged by itself, the job stands for a whole file and has no ``id``. ``failure``: why the document, or its key,
    cannot be read; the ``id`` is empty if it is not known. Outcomes from other processes have jobs without ``document``
    and ``key``.
    """

    index: int
    file: str | None
    id: str
    target: str
    fingerprint: str = ""
    notices: tuple[Notice, ...] = ()
    done_before: bool = False
    failure: InputError | None = None
    document: Document | None = None
    key: Document | None = None

    @property
    def is_settled(self) -> bool:
        """Whether the job has no work."""
        return self.document is None

    def settled(self) -> Outcome:
        """The outcome of a job without work."""
        return Outcome(self, failure=self.failure, notices=self.notices)


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged document.

    ``text`` is the document in its format, ``decisions`` JSON Lines, ``report`` its counts as JSON data, ``strategy``
    the signature. ``notices`` are those of merging and writing, ``strategy_notices`` the new ones of the strategy.
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
    """The outcome of a job.

    It has ``merged``; or ``failure``, which leaves the document out; or ``error``, which ends the run; or none of them
    if the job had no work. ``notices`` are those of reading and, without ``merged``, those of the failed attempt;
    ``strategy_notices`` are those of the strategy in the failed attempt.
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
    """Runs jobs."""

    def run(self, source: JobSource) -> Iterator[Outcome]:
        """Yield the outcomes, in the order of the jobs.

        An exception of the source is raised after the outcomes of the jobs before it. Closing the iterator ends the
        work.
        """


class JobSource(Protocol):
    """Where jobs come from. An engine can pickle it, and read it in another process, from the start, more than once."""

    def jobs(self) -> Iterator[Job]:
        """The jobs, in order; raises what reading raises."""


def notices_since(before: dict[str, int], notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """The notices since the counts by kind were ``before``, which is updated."""
    new = []
    for notice in notices:
        count = notice.count - before.get(notice.kind, 0)
        if count:
            new.append(Notice(notice.kind, notice.message, notice.location, count))
            before[notice.kind] = notice.count
    return tuple(new)
