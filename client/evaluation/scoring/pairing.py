"""Pairs the documents of key and response by id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from merger.document import Document
from merger.errors import AlignmentError, InputError, Location
from merger.formats.part_names import document_of_part, look_like_parts
from merger.notices import Notices


class ById:
    """Documents of a stream by id. Documents that were passed over are held until they are taken.

    ``failures`` are the errors of reading the stream, and perhaps of others (:class:`~merger.formats.ReadOptions`).
    """

    def __init__(self, documents: Iterable[Document], failures: Sequence[InputError] | None = None) -> None:
        self._remaining = iter(documents)
        self._waiting: dict[str, Document] = {}
        self._failures = () if failures is None else failures

    def take(self, document_id: str) -> Document | None:
        """The document of that id, each once, or ``None``."""
        if document_id in self._waiting:
            return self._waiting.pop(document_id)
        for document in self._remaining:
            if document.id == document_id:
                return document
            self._waiting[document.id] = document
        return None

    def rest(self) -> Iterator[Document]:
        """The documents that were not taken."""
        yield from self._waiting.values()
        yield from self._remaining

    def failure_of(self, document_id: str) -> InputError | None:
        """A possible cause of a missing document: its own failure, or that of text without a document id."""
        unknown = None
        for error in self._failures:
            if error.location.document == document_id:
                return error
            if error.location.document is None:
                unknown = unknown or error
        return unknown

    def why_missing(self, document: Document, message: str) -> InputError:
        """The error for a missing document: its own failure, or one with this message."""
        cause = self.failure_of(document.id)
        if cause is not None and cause.location.document is not None:
            return cause
        hint = self._parts_of(document.id) if cause is None else f"some of it cannot be read: {cause}"
        return AlignmentError(message, Location(document.file, document=document.id), hint=hint)

    def _parts_of(self, document_id: str) -> str | None:
        """A hint if the document ids here look like parts of this one, or it looks like a part of one of them."""
        parts = [name for name in self._waiting if document_of_part(name) == document_id]
        if not parts and document_of_part(document_id) in self._waiting:
            whole = document_of_part(document_id)
            return f"{document_id!r} looks like a part of {whole!r}: option part_pattern joins such ids"
        return look_like_parts(parts)

    @property
    def passed_over(self) -> str | None:
        """The id of a document that was passed over."""
        return next(iter(self._waiting), None)


def add_failure(failures: list[InputError] | None, error: InputError) -> None:
    """Add an error to the list, unless it has it already. Without a list the error is raised."""
    if failures is None:
        raise error
    if not any(error is each for each in failures):
        failures.append(error)


def failed_documents(failures: Iterable[InputError]) -> tuple[str, ...]:
    """The ids of the documents that failed, each once. Text without a document id is listed by its location."""
    return tuple(dict.fromkeys(error.location.document or str(error.location) for error in failures))


def pair_documents(
    keys: Iterable[Document],
    responses: Iterable[Document],
    notices: Notices,
    missing: set[str] | None = None,
    failures: list[InputError] | None = None,
) -> Iterator[tuple[Document, Document]]:
    """Yield (key, response) by document id, in the order of the key.

    A document that the response lacks is paired with one without chains, and one that only the response has is left
    out; both with a notice, or an error under the strict policy. The ids of those that it lacks go to ``missing``.
    With the ``failures`` of reading both sides, documents that failed on one side are left out. If the response has
    text without a document id, so are the documents that it lacks; their errors go to ``failures`` too. Raises
    :class:`~merger.errors.AlignmentError` if the two have no document in common.
    """
    by_id = ById(responses, failures)
    found = False
    first_missing: tuple[Location, str | None] | None = None
    for key in keys:
        response = by_id.take(key.id)
        if response is None:
            error = by_id.why_missing(key, "the response lacks this document")
            if failures is not None and by_id.failure_of(key.id) is not None:
                found = True
                add_failure(failures, error)
                continue
            first_missing = first_missing or (error.location, error.hint)
            if not found and by_id.passed_over is not None and error.hint is None:
                error.hint = f"the response has {by_id.passed_over!r}"
            notices.warn("document missing in the response", error)
            response = replace(key, chains=())
            if missing is not None:
                missing.add(key.id)
        else:
            found = True
        yield key, response
    # Only here is it known: the response can lack the first documents of the key and have later ones.
    if first_missing is not None and not found and by_id.passed_over is not None:
        message = "no document of the key is in the response"
        expected = f"the same document ids; the response has {by_id.passed_over!r}"
        place, hint = first_missing
        raise AlignmentError(message, place, expected=expected, hint=hint)
    failed = {error.location.document for error in failures or ()}
    for extra in by_id.rest():
        if extra.id not in failed:
            place = Location(extra.file, document=extra.id)
            error = AlignmentError("the response has a document that the key lacks", place)
            notices.warn("extra document in the response", error)
