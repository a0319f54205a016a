"""Many documents on one stream: what to send, what the answers mean, what to send again. Does no I/O."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from client.remote.error_mapping import error_of_answer
from client.remote.errors import DeadlineError, MessageTooLargeError
from client.remote.messages import DocumentMessages, MergeSettings
from client.remote.retries import Retries
from client.remote.target import Target
from merger.document import Document
from merger.errors import MergeBaselineError
from merger.merge import MergeResult
from merger.notices import Notices
from protos.merge_baseline import v1

_ENVELOPE_BYTES = 128


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a document: ``result``, or ``error`` if it could not be merged.

    ``index`` is its position in the input, 0-based; ``notices`` are for the user.
    """

    index: int
    document: Document
    result: MergeResult | None = None
    error: MergeBaselineError | None = None
    notices: Notices = field(default_factory=Notices)

    def get(self) -> MergeResult:
        """The result. Raises the error if there is one."""
        if self.result is None:
            raise self.error or RuntimeError("an outcome without result and error")
        return self.result


@dataclass(slots=True)
class PendingDocument:
    """A document in progress. ``due`` is when to send it, in seconds of the clock."""

    index: int
    document: Document
    key: Document | None
    messages: DocumentMessages
    size: int
    retries: Retries
    due: float


@dataclass(slots=True)
class LargeOutcome:
    """The result of a document that is merged by itself, to be filled in."""

    notices: Notices = field(default_factory=Notices)
    result: MergeResult | None = None


class DocumentWindow:
    """The documents that are read and not yet handed out.

    They are at most the target's ``window`` documents and ``max_message_bytes`` bytes, but at least one document. If
    ``ordered``, an outcome waits for all outcomes before it.
    """

    def __init__(
        self,
        target: Target,
        settings: MergeSettings,
        timeout: float | None,
        *,
        ordered: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._target = target
        self._settings = settings
        self._timeout = timeout
        self._ordered = ordered
        self._clock = clock
        self._retries = Retries(target.retry, None, target.on_retry)
        self._count = 0
        self._sizes: dict[int, int] = {}
        self._waiting: dict[int, PendingDocument] = {}
        self._sent: dict[int, PendingDocument] = {}
        self._large: dict[int, PendingDocument] = {}
        self._done: dict[int, Outcome] = {}
        self._next = 0
        self._ended = False
        self._failure: BaseException | None = None
        self._last_answer = clock()

    @property
    def has_room(self) -> bool:
        """Whether there is room for another document."""
        held = self._sizes
        roomy = not held or (len(held) < self._target.window and sum(held.values()) < self._target.max_message_bytes)
        return roomy and not self._ended

    @property
    def finished(self) -> bool:
        """Whether everything was handed out. Raises the exception that the source of the documents ended with."""
        if not self._ended or self._sizes:
            return False
        if self._failure is not None:
            raise self._failure
        return True

    @property
    def has_pending(self) -> bool:
        """Whether there is anything to send or to wait for."""
        return bool(self._waiting or self._sent)

    def add(self, document: Document, key: Document | None) -> None:
        """Add the next document."""
        index = self._count
        self._count += 1
        self._sizes[index] = 0
        try:
            messages = DocumentMessages(document, self._settings, key)
        except MergeBaselineError as error:
            self._finish(Outcome(index, document, error=error))
            return
        size = messages.request.ByteSize() + _ENVELOPE_BYTES
        self._sizes[index] = size
        retries = Retries(self._target.retry, None, self._target.on_retry)
        item = PendingDocument(index, document, key, messages, size, retries, self._clock())
        if size > self._target.max_message_bytes:
            self._large[index] = item
        else:
            self._waiting[index] = item

    def end(self, failure: BaseException | None = None) -> None:
        """Note that there are no more documents. An exception of their source is raised when all are handed out."""
        self._ended = True
        self._failure = failure

    def requests(self) -> Iterator[v1.MergeDocumentsRequest]:
        """The requests that are due now."""
        now = self._clock()
        due = [item for item in self._waiting.values() if item.due <= now]
        if due and not self._sent:
            self._last_answer = now
        for item in due:
            self._sent[item.index] = self._waiting.pop(item.index)
            request = v1.MergeDocumentsRequest(id=str(item.index), request=item.messages.request)
            if self._timeout is not None:
                request.timeout.FromNanoseconds(int(self._timeout * 1e9))
            yield request

    def wait_seconds(self) -> float | None:
        """Seconds to wait for an answer before something else is due; ``None`` for no limit."""
        now = self._clock()
        ends = [item.due for item in self._waiting.values()]
        if self._sent and self._timeout is not None:
            ends.append(self._answer_deadline())
        return max(0.0, min(ends) - now) if ends else None

    def check_timeout(self) -> None:
        """Raise :class:`~client.remote.errors.DeadlineError` if no answer came for longer than a document can take."""
        if self._sent and self._timeout is not None and self._clock() >= self._answer_deadline():
            message = f"no answer from {self._target.address} within the time set (timeout)"
            raise DeadlineError(message, self._target.address)

    def _answer_deadline(self) -> float:
        # The server measures the time of a document. This leaves it time to report a timeout.
        return self._last_answer + (self._timeout or 0.0) + self._target.connect_timeout

    def take(self, response: v1.MergeDocumentsResponse) -> None:
        """Take an answer."""
        self._last_answer = self._clock()
        item = self._sent.pop(int(response.id), None) if response.id.isdecimal() else None
        if item is None:
            return
        if response.HasField("response"):
            # The connection works, so attempts are counted from here.
            self._retries.succeeded()
            self._answered(item, response.response)
            return
        error = error_of_answer(response.error, self._target.address)
        if isinstance(error, MessageTooLargeError):
            self._large[item.index] = item
            return
        try:
            item.due = self._clock() + item.retries.delay(error)
        except MergeBaselineError:
            self._failed(item, error)
        else:
            self._waiting[item.index] = item

    def stream_broke(self, error: MergeBaselineError) -> float:
        """Seconds to wait before the next stream, as this one ended with ``error``. Raises it if there is no retry."""
        sent, self._sent = self._sent, {}
        self._waiting = dict(sorted({**sent, **self._waiting}.items()))
        if isinstance(error, MessageTooLargeError) and sent:
            # The error does not name the document. The largest is the likeliest, and any document can go in parts.
            largest = max(sent.values(), key=lambda item: item.size)
            self._large[largest.index] = self._waiting.pop(largest.index)
            return 0.0
        return self._retries.delay(error)

    def large(self) -> Iterator[PendingDocument]:
        """The documents that are too large for one message. Merge each of them within :meth:`merging`."""
        while self._large:
            yield self._large.pop(min(self._large))

    @contextmanager
    def merging(self, item: PendingDocument) -> Iterator[LargeOutcome]:
        """Merge a document that is too large. A ``MergeBaselineError`` becomes its outcome."""
        merging = LargeOutcome()
        error: MergeBaselineError | None = None
        try:
            yield merging
        except MergeBaselineError as caught:
            error = caught
        self._last_answer = self._clock()
        self._finish(Outcome(item.index, item.document, merging.result, error, merging.notices))

    def ready(self) -> Iterator[Outcome]:
        """The outcomes that can be handed out now."""
        if self._ordered:
            while self._next in self._done:
                yield self._handed_out(self._next)
                self._next += 1
        else:
            for index in list(self._done):
                yield self._handed_out(index)

    def _handed_out(self, index: int) -> Outcome:
        del self._sizes[index]
        return self._done.pop(index)

    def _answered(self, item: PendingDocument, response: v1.MergeDocumentResponse) -> None:
        notices = Notices()
        result = item.messages.result(response, notices)
        self._finish(Outcome(item.index, item.document, result, notices=notices))

    def _failed(self, item: PendingDocument, error: MergeBaselineError) -> None:
        try:
            with item.messages.errors():
                raise error
        except MergeBaselineError as named:
            self._finish(Outcome(item.index, item.document, error=named))

    def _finish(self, outcome: Outcome) -> None:
        self._done[outcome.index] = outcome
