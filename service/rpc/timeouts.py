"""How long the server works for a caller, and waits for one, whatever deadline that caller sets, if any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from merger.message_text import plain_number
from service.errors import TimeLimitError

_T = TypeVar("_T")


class Patience:
    """``work_seconds`` are for a document, or a message of a stream, from when it is there to when it is done.

    ``idle_seconds`` are for the caller of a stream who neither sends what comes next nor reads what is answered, while
    nothing is worked on.
    """

    def __init__(self, work_seconds: float, idle_seconds: float) -> None:
        self.idle_seconds = idle_seconds
        self._work_seconds = work_seconds

    async def work(self, work: Awaitable[_T]) -> _T:
        """The work's result. When it takes too long it is cancelled.

        Raises :class:`~service.errors.TimeLimitError` then.
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
        """The caller's next message; ``None`` if there is none.

        Raises :class:`~service.errors.TimeLimitError` if nothing comes.
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
        """The error for a caller who sends nothing, or as ``what`` has it."""
        return TimeLimitError(
            f"{what} for {plain_number(self.idle_seconds)} s, the most that this server keeps a stream open for "
            "(server option idle_stream_seconds)"
        )

    @contextmanager
    def sending(self, give_up: Callable[[Exception], None]) -> Iterator[None]:
        """Have ``give_up`` called if what is done inside takes too long: for an answer that its caller must read."""
        # Every answer goes through here, and next to none needs the error.
        loop = asyncio.get_running_loop()
        timer = loop.call_later(self.idle_seconds, lambda: give_up(self.idle("nothing was read")))
        try:
            yield
        finally:
            timer.cancel()
