"""What can be seen of calls from outside: for metrics and logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from service.work_counts import Tally


@dataclass(slots=True)
class CallRecord:
    """One call of the service.

    ``method`` is the bare name. ``strategy`` is the one asked for, empty until it is known, ``other`` if there is none
    of that name here, so that callers can't make up values. ``code`` is a name of gRPC's status codes, empty while the
    call goes on, ``reason`` that of the ErrorInfo of an error. Of a stream, times and bytes are sums over its messages;
    queue time is that waited for a worker. ``documents`` to ``chains`` are counted as in
    :class:`~service.work_counts.Tally`, ``failed`` are documents of MergeDocuments that were answered with an error.

    ``request_id`` and ``trace_id`` are as in :class:`~service.telemetry.request_id.Identity`.
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
    """Is told of calls, on the event loop: what it does must be quick, and not raise."""

    def begun(self, call: CallRecord) -> None:
        """A call came in."""

    def merged(self, tally: Tally) -> None:
        """Work for a call is done: a document, or some of a stream."""

    def ended(self, call: CallRecord) -> None:
        """A call is over, and its answer or error sent."""


class NoObserver:
    """Looks away."""

    def begun(self, call: CallRecord) -> None:
        """Nothing."""

    def merged(self, tally: Tally) -> None:
        """Nothing."""

    def ended(self, call: CallRecord) -> None:
        """Nothing."""


class Observers:
    """Several as one."""

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = tuple(observers)

    def begun(self, call: CallRecord) -> None:
        """Tell all."""
        for observer in self._observers:
            observer.begun(call)

    def merged(self, tally: Tally) -> None:
        """Tell all."""
        for observer in self._observers:
            observer.merged(tally)

    def ended(self, call: CallRecord) -> None:
        """Tell all."""
        for observer in self._observers:
            observer.ended(call)
