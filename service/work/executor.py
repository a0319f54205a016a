"""The work of a worker on a message, the same in a process and on a thread of the server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Final

from merger.errors import MergeBaselineError
from merger.progress import WorkContext
from protos.convert.status import status_of
from protos.limits import DEFAULT_LIMITS, Limits
from service.answers import StreamAnswers, merge_document_answer, progress_answer
from service.errors import CallEndedError, where
from service.strategies import ServedStrategies
from service.work.ipc import Kind, Result
from service.work_counts import WorkCounts

_PROGRESS_SECONDS: Final = 0.05


class Call:
    """Deadline, cancellation and progress of one piece of work.

    ``seconds`` is the time left, ``None`` without a deadline. ``report`` is called on the working thread with the bytes
    of a MergeStreamResponse, at most twenty times a second and at the end of every stage.
    """

    def __init__(self, seconds: float | None = None, report: Callable[[bytes], None] | None = None) -> None:
        self._cancelled = threading.Event()
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._report = report
        self._last_report = 0.0

    @property
    def watch(self) -> WorkContext:
        """The watch to pass to the work."""
        return WorkContext(self._deadline, self.check, self.progress)

    def cancel(self) -> None:
        """Make the next check raise; from any thread."""
        self._cancelled.set()

    def check(self) -> None:
        """Raise :class:`~service.errors.CallEndedError` if the call is over."""
        if self._cancelled.is_set() or (self._deadline is not None and time.monotonic() >= self._deadline):
            raise CallEndedError

    def progress(self, stage: str, done: int, total: int) -> None:
        """Report the progress of a stage, unless the last report was just now."""
        now = time.monotonic()
        if self._report is None or (done != total and now - self._last_report < _PROGRESS_SECONDS):
            return
        self._last_report = now
        self._report(progress_answer(stage, done, total))


class _Stream:
    """A stream's state. Every message brings a call of its own; the watch follows the call in progress."""

    def __init__(self, strategies: ServedStrategies, call: Call, limits: Limits) -> None:
        self.call = call
        self.answers = StreamAnswers(strategies, WorkContext(call.watch.deadline, self._check, self._progress), limits)

    def _check(self) -> None:
        self.call.check()

    def _progress(self, stage: str, done: int, total: int) -> None:
        self.call.progress(stage, done, total)


class Executor:
    """Does the work. Different streams and documents can run at the same time on several threads."""

    def __init__(self, strategies: ServedStrategies, limits: Limits = DEFAULT_LIMITS) -> None:
        self._strategies = strategies
        self._limits = limits
        self._streams: dict[int, _Stream] = {}

    def work(self, kind: Kind, stream: int, data: bytes, call: Call) -> Result:
        """The result of a task; it never raises."""
        started = time.monotonic()
        try:
            call.check()
            counts = WorkCounts()
            answers = tuple(self._answers(kind, stream, data, call, counts))
            result = Result(Kind.DONE, counts.pack(), answers=answers)
        except CallEndedError:
            result = Result(Kind.ENDED)
        except MergeBaselineError as error:
            result = Result(Kind.REFUSED, status_of(error).SerializeToString())
        except Exception as error:  # noqa: BLE001  # the boundary: a bug must not end the worker
            result = Result(Kind.CRASHED, f"{type(error).__qualname__}\n{where(error)}".encode())
        return result._replace(seconds=time.monotonic() - started)

    def drop(self, stream: int) -> None:
        """Forget a stream, if there is one of this number."""
        self._streams.pop(stream, None)

    def _answers(self, kind: Kind, stream: int, data: bytes, call: Call, counts: WorkCounts) -> Iterable[bytes]:
        if kind is Kind.DOCUMENT:
            return (merge_document_answer(self._strategies, data, call.watch, self._limits, counts),)
        state = self._streams.get(stream)
        if state is None:
            state = self._streams[stream] = _Stream(self._strategies, call, self._limits)
        state.call = call
        state.answers.counts = counts
        return state.answers.finish() if kind is Kind.FINISH else state.answers.take(data)
