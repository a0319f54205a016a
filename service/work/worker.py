"""What a worker is to the server, and a task in work at one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from service.work.ipc import Kind, Result

Tell = Callable[[bytes], None]
"""Takes the bytes of a MergeStreamResponse with progress, on the event loop."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to do. ``stream`` is 0 for documents; ``seconds`` the time left, ``None`` without a deadline."""

    kind: Kind
    data: bytes = b""
    stream: int = 0
    seconds: float | None = None
    tell: Tell | None = None


class Running:
    """A task in work. ``done`` is set once, when the worker is free of it; it never has an exception."""

    def __init__(self, cancel: Callable[[], None]) -> None:
        self.done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._cancel = cancel

    def cancel(self) -> None:
        """Ask the worker to give the work up. ``done`` is set when it has."""
        if not self.done.done():
            self._cancel()

    async def result(self) -> Result:
        """Wait for it; a cancelled wait cancels the work."""
        try:
            return await asyncio.shield(self.done)
        except asyncio.CancelledError:
            self.cancel()
            raise


class Worker(Protocol):
    """Does tasks, ``slots`` of them at a time."""

    slots: int
    in_work: int
    """How many tasks it has now."""
    usable: bool
    """Whether it takes tasks; of one that does not, a task is lost."""
    gone: asyncio.Future[str]
    """Set when it is gone: why, in a few words."""

    async def start(self) -> None:
        """Return when it takes tasks. Raises :class:`~service.errors.WorkerLostError` if it never will."""

    def begin(self, task: Task) -> Running:
        """Give it a task. It must have a free slot."""

    def drop(self, stream: int) -> None:
        """Have it forget a stream."""

    async def close(self) -> None:
        """End it, and what it has in work."""
