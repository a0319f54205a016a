"""The interface of a worker, and a task in progress on one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from service.work.ipc import Kind, Result

Report = Callable[[bytes], None]
"""Takes the bytes of a MergeStreamResponse with progress, on the event loop."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task. ``stream`` is 0 for documents; ``seconds`` is the time left, ``None`` without a deadline."""

    kind: Kind
    data: bytes = b""
    stream: int = 0
    seconds: float | None = None
    report: Report | None = None


class Running:
    """A task in progress. ``done`` is set once, when the worker has finished it, and never has an exception."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self.done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._cancel = cancel

    def cancel(self) -> None:
        """Ask the worker to end the task. ``done`` is set when it has ended."""
        if not self.done.done():
            self._cancel()

    async def result(self) -> Result:
        """Wait for the result. If the wait is cancelled, so is the task."""
        try:
            return await asyncio.shield(self.done)
        except asyncio.CancelledError:
            self.cancel()
            raise


class Worker(Protocol):
    """Does tasks, ``slots`` of them at a time."""

    slots: int
    in_progress: int
    """How many tasks are in progress."""
    usable: bool
    """Whether the worker takes tasks; a task for one that does not is lost."""
    gone: asyncio.Future[str]
    """Set to the reason, in a few words, when the worker is gone."""

    async def start(self) -> None:
        """Return when the worker takes tasks. Raises :class:`~service.errors.WorkerLostError` if it can't start."""

    def submit(self, task: Task) -> Running:
        """Start a task. The worker must have a free slot."""

    def drop(self, stream: int) -> None:
        """Make the worker forget a stream."""

    async def close(self) -> None:
        """End the worker and its tasks in progress."""
