"""Reads inputs and makes a job of every document."""

from __future__ import annotations

import hashlib
import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from client.engines.jobs import Job, notices_since
from client.engines.worker import Plan
from client.evaluation.scoring.pairing import ById
from merger.document import Document
from merger.errors import FormatError, InputError, Location
from merger.formats import ReadOptions, find_inputs, read_documents
from merger.formats.open_inputs import display_name
from merger.notices import Notice, Notices, Policy
from merger.options import OptionValue


class Formats(Protocol):
    """Chooses the format that a document is written in, in the order of the documents."""

    def of(self, document: Document, notices: Notices) -> str:
        """The name of the format. Oddities are noted."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What to read, and how. ``stdin`` is a file with the content of standard input, for processes without one."""

    paths: tuple[str, ...]
    formats: Callable[[], Formats]
    format_name: str | None = None
    policy: Policy = Policy.NORMAL
    part_pattern: re.Pattern[str] | None = None
    clusters_field: str | None = None
    key_path: str | None = None
    stdin: str | None = None
    columns: str = ""

    def opened(self) -> _Reading:
        """The documents with their keys, from the start."""
        if self.stdin is not None:
            sys.stdin = io.TextIOWrapper(Path(self.stdin).open("rb"))  # noqa: SIM115  # the reader closes it
        return _Reading(self)


class _Reading:
    """Documents, keys and notices of one pass over the inputs."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._notices = Notices(inputs.policy)
        self._counts: dict[str, int] = {}
        self._failures: list[InputError] = []
        self._key_failures: list[InputError] = []
        self.keys = None
        if inputs.key_path is not None:
            self.keys = ById(self._read([inputs.key_path], None, self._key_failures), self._key_failures)

    @property
    def is_strict(self) -> bool:
        """Whether the first failure is raised."""
        return self._inputs.policy is Policy.STRICT

    def _read(self, paths: Sequence[str], clusters_field: str | None, failures: list[InputError]) -> Iterator[Document]:
        inputs = self._inputs
        options = ReadOptions(
            self._notices,
            inputs.part_pattern,
            clusters_field=clusters_field,
            columns=inputs.columns,
            failures=None if self.is_strict else failures,
        )
        return read_documents(paths, inputs.format_name, options)

    def jobs(self, paths: Sequence[str], first: int, known: Mapping[str, str] | None) -> Iterator[Job]:
        """A job for each document of the paths.

        ``known`` has the fingerprints of finished documents, by id: their jobs are ``done_before`` and have no
        document. ``None`` makes no fingerprints. A document that cannot be read, or has no key, is a job with a
        failure; under the strict policy the error is raised.
        """
        formats = self._inputs.formats()
        index = first
        for document in self._read(paths, self._inputs.clusters_field, self._failures):
            for job in self._failed(index):
                yield job
                index += 1
            yield self._job(index, document, formats, known)
            index += 1
        yield from self._failed(index)

    def _failed(self, index: int) -> Iterator[Job]:
        """Jobs for the documents that could not be read since the last call."""
        failures, self._failures[:] = list(self._failures), []
        for number, error in enumerate(failures, index):
            place = error.location
            yield Job(number, place.file, place.document or "", "", notices=self._new_notices(), failure=error)

    def _new_notices(self) -> tuple[Notice, ...]:
        return notices_since(self._counts, self._notices)

    def _job(self, index: int, document: Document, formats: Formats, known: Mapping[str, str] | None) -> Job:
        key = None if self.keys is None else self.keys.take(document.id)
        if self.keys is not None and key is None:
            error = self.keys.why_missing(document, "the key lacks this document")
            if self.is_strict:
                raise error
            return Job(index, document.file, document.id, "", notices=self._new_notices(), failure=error)
        target = formats.of(document, self._notices)
        notices = self._new_notices()
        fingerprint = "" if known is None else _fingerprint(document, key, target)
        job = Job(index, document.file, document.id, target, fingerprint, notices)
        if known is not None and known.get(document.id) == fingerprint:
            return replace(job, done_before=True)
        return replace(job, document=document, key=key)


def _fingerprint(document: Document, key: Document | None, target: str) -> str:
    """A hash of everything that merging and writing use."""
    seen = repr((document, key, target))
    return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class OneStream:
    """All documents of all inputs, one after the other; a document can go on in the next file.

    ``known`` has the fingerprints of documents that need not be merged again, by id; ``None`` makes no fingerprints.
    """

    inputs: Inputs
    known: Mapping[str, str] | None = None

    def jobs(self) -> Iterator[Job]:
        """The jobs; raises what reading raises."""
        return self.inputs.opened().jobs(self.inputs.paths, 0, self.known)


@dataclass(frozen=True, slots=True)
class FileByFile:
    """Each input file by itself. ``done`` has the document ids of files that need not be read again, by path."""

    inputs: Inputs
    done: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def jobs(self) -> Iterator[Job]:
        """The jobs; a finished file is one job without a document.

        Raises what reading raises, and :class:`~merger.errors.FormatError` for a document that two files have.
        """
        reading = self.inputs.opened()
        owners: dict[str, str] = {}
        index = 0
        for path in self.inputs.paths:
            if path in self.done:
                for name in self.done[path]:
                    _own(owners, name, path)
                    if reading.keys is not None:
                        reading.keys.take(name)
                yield Job(index, path, "", "", done_before=True)
                index += 1
                continue
            for job in reading.jobs([path], index, None):
                yield replace(_owned(job, owners, path, reading), file=path)
                index = job.index + 1


def _owned(job: Job, owners: dict[str, str], path: str, reading: _Reading) -> Job:
    """The job, or a failed one if another file has its document."""
    if job.failure is not None:
        return job
    try:
        _own(owners, job.id, path)
    except FormatError as error:
        if reading.is_strict:
            raise
        return replace(job, document=None, key=None, failure=error)
    return job


def _own(owners: dict[str, str], name: str, path: str) -> None:
    """Raises :class:`~merger.errors.FormatError` if another file has the document."""
    owner = owners.setdefault(name, path)
    if owner != path:
        raise FormatError(
            f"{display_name(owner)} has this document too",
            Location(display_name(path), document=name),
            expected="every document in one file, where each file is merged by itself",
            hint="with one output file a document can go on in the next input file",
        )


def made_by(
    plan: Plan, inputs: Inputs, target: str | None, *, whole_key: bool, server: str | None = None
) -> dict[str, str]:
    """Everything but the document that decides how it is merged and written. Checkpoints hold for the same values only.

    With ``whole_key`` this includes the content of the key, for checkpoints of whole files. A server interprets options
    in its own way, so with ``server`` this has its address and the request instead of the strategy's signature.
    """
    tagger = "retagger" if plan.retag else "tagger"
    tagging = "" if plan.tagger is None else f"+{tagger}:{_asked(*plan.tagger)}"
    tagging += "" if plan.server_tagger is None else f"+server-{tagger}:{plan.server_tagger}"
    asked = f"{_asked(plan.strategy, plan.options)}{tagging} on {server}"
    pattern = inputs.part_pattern
    parts = {
        "strategy": plan.signature() if server is None else asked,
        "singletons": "keep" if plan.keep_singletons else "drop",
        "to": target or "",
        "format": inputs.format_name or "",
        "policy": inputs.policy.value,
        "part-pattern": "" if pattern is None else pattern.pattern,
        "clusters-field": inputs.clusters_field or "",
        "columns": inputs.columns,
        "version": plan.version,
    }
    if whole_key and inputs.key_path is not None:
        content = hashlib.sha256()
        for file in find_inputs(inputs.key_path):
            content.update(Path(file).read_bytes())
        parts["key"] = content.hexdigest()
    return parts


def _asked(name: str, options: Mapping[str, OptionValue]) -> str:
    shown = ",".join(f"{option}={value}" for option, value in sorted(options.items()))
    return f"{name}[{shown}]" if shown else name
