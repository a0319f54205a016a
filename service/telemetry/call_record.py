"""The record of a call, and the observers that get it: metrics, logs, traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.work_counts import WorkCounts


@dataclass(slots=True)
class CallRecord:
    """One call of the service.

    ``method`` is the bare name. ``strategy`` is the requested one, empty until it is known, ``other`` if this server
    has none of that name, so that callers can't make up values. ``code`` is the name of a gRPC status code, empty while
    the call is running, and ``reason`` the reason in the ErrorInfo of an error. For a stream, times (in seconds) and
    bytes are sums over its messages; queue time is the wait for a worker. ``documents`` to ``chains`` are those of
    :class:`~service.work_counts.WorkCounts`; ``failed`` counts documents of MergeDocuments that got an error.

    ``request_id`` and ``trace_id`` are those of :class:`~service.telemetry.request_id.CallIds`.
    """

    method: str
    strategy: str = ""
    code: str = ""
    received_bytes: int = 0
    sent_bytes: int = 0
    queue_seconds: float = 0.0
    work_seconds: float = 0.0
    total_seconds: float = 0.0
    reason: str = ""
    request_id: str = ""
    trace_id: str = ""
    documents: int = 0
    failed: int = 0
    parts: int = 0
    linked: int = 0
    new: int = 0
    chains: int = 0


class Observer(Protocol):
    """Gets every call, on the event loop. Its methods must be quick and must not raise."""

    def started(self, call: CallRecord) -> None:
        """A call has arrived."""

    def merged(self, counts: WorkCounts) -> None:
        """Work for a call is done: on a document, or on a message of a stream."""

    def ended(self, call: CallRecord) -> None:
        """A call is over, and its answer or error has been sent."""


class NoObserver:
    """Ignores all calls."""

    def started(self, call: CallRecord) -> None:
        """Do nothing."""

    def merged(self, counts: WorkCounts) -> None:
        """Do nothing."""

    def ended(self, call: CallRecord) -> None:
        """Do nothing."""


class Observers:
    """Passes calls on to several observers."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = tuple(observers)

    def started(self, call: CallRecord) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.started(call)

    def merged(self, counts: WorkCounts) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.merged(counts)

    def ended(self, call: CallRecord) -> None:
        """Pass it on."""
        for observer in self._observers:
            observer.ended(call)
