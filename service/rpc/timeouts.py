"""Time limits of the server: for work, and for callers that neither send nor read. They hold with any deadline."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from merger.message_text import plain_number
from service.errors import TimeLimitError

_T = TypeVar("_T")


class Timeouts:
    """Limits in seconds.

    ``work_seconds`` is the limit for a document, or a message of a stream, from its arrival until it is done.
    ``idle_seconds`` is the limit for a stream whose caller neither sends nor reads while no work is in progress.
    """

    def __init__(self, work_seconds: float, idle_seconds: float) -> None:
        self.idle_seconds = idle_seconds
        self._work_seconds = work_seconds

    async def work(self, work: Awaitable[_T]) -> _T:
        """The work's result.

        Cancels the work and raises :class:`~service.errors.TimeLimitError` if it takes too long.
        """
        limit = asyncio.timeout(self._work_seconds)
        try:
            async with limit:
                return await work
        except TimeoutError:
            if not limit.expired():
                raise
            most = "the most that this server works on a document, or a message of a stream"
            raise TimeLimitError(
                f"not done after {plain_number(self._work_seconds)} s, {most} (server option max_call_seconds)"
            ) from None

    async def message(self, requests: AsyncIterator[bytes]) -> bytes | None:
        """The caller's next message; ``None`` after the last one.

        Raises :class:`~service.errors.TimeLimitError` if none arrives in time.
        """
        limit = asyncio.timeout(self.idle_seconds)
        try:
            async with limit:
                return await anext(requests, None)
        except TimeoutError:
            if not limit.expired():
                raise
            raise self.idle() from None

    def idle(self, what: str = "nothing came") -> TimeLimitError:
        """The error for an idle caller; ``what`` is its reason."""
        return TimeLimitError(
            f"{what} for {plain_number(self.idle_seconds)} s, the most that this server keeps a stream open for "
            "(server option idle_stream_seconds)"
        )

    @contextmanager
    def sending(self, give_up: Callable[[Exception], None]) -> Iterator[None]:
        """Call ``give_up`` if the caller takes too long to read the answer that is sent inside."""
        # A timer is cheap, and hardly any answer needs the error.
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self.idle_seconds, lambda: give_up(self.idle("nothing was read")))
        try:
            yield
        finally:
            timer.cancel()
