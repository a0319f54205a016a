"""Reads the callers' messages: how long the server waits for each, and how much memory they take together.

gRPC reads a message whole, and gives no sign of it before it is complete. So behind a pending read is either a caller
who sends nothing or a message of up to the largest size. All pending reads are counted here with their callers: a call
that sends nothing can be ended when other calls wait, and the newest reads can be ended when memory runs short.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Final

import grpc.aio
from google.protobuf.message import DecodeError

from protos.convert.errors import Violation, request_error
from service.errors import CallerLimitError, OverloadedError, TimeLimitError
from service.options import OTHER_BYTES
from service.work.budget import Budget
from service.work.malloc_trim import Growth

FIRST_SECONDS: Final = 5.0
"""A call is ended if its first message takes longer, except in methods with large messages."""

LEAST_IDLE_SECONDS: Final = 1.0
"""A caller whose read has been pending for less than this can be in the middle of a message."""

_NEXT_SECONDS: Final = 60.0
_CHECK_SECONDS: Final = 0.02
_RETRY_SECONDS: Final = 1.0
_OVER_SECONDS: Final = 1.0
_TURN_SECONDS: Final = 2.0
_NEW_SECONDS: Final = 0.05
_LEAST_AT_ONCE: Final = 2
_SHARE: Final = 4
"""While others wait for a slot, one caller can have a fourth of the slots in idle calls."""


class MessageReader(AsyncIterator[Any]):
    """The messages of one call.

    Replaces gRPC's own iterator, which keeps a reference to its last message and is part of a cycle, so that the
    message would stay in memory until a garbage collection.
    """

    def __init__(self, reception: Reception, context: grpc.aio.ServicerContext[Any, Any], caller: str) -> None:
        self.caller = caller
        self.since = 0.0
        """When the pending read started, by :func:`time.monotonic`."""
        self.busy: Callable[[], bool] = lambda: False
        """Whether work for the call is in progress while it reads."""
        self.is_stream = False
        self.is_held_later = False
        """Whether the call first waits for room for the message, and then calls :meth:`taken` itself."""
        self.first_seconds = FIRST_SECONDS
        """Limit for the first message."""
        self.next_seconds: float | None = _NEXT_SECONDS
        """Limit for later messages; ``None`` if the method has its own."""
        self.over = asyncio.Event()
        self._reception = reception
        self._context = context
        self._any = False
        self._task: asyncio.Task[Any] | None = None
        self._ended: Exception | None = None

    async def __anext__(self) -> Any:  # noqa: ANN401  # the type depends on the method
        """The next message.

        Raises :class:`~service.errors.TimeLimitError` if it takes too long,
        :class:`~service.errors.OverloadedError` or :class:`~service.errors.CallerLimitError` if the call
        has to make room for others, and InvalidRequestError for bytes that can't be decoded.
        """
        seconds = self.next_seconds if self._any else self.first_seconds
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                message = await self._reception.read(self, self._read)
        except TimeoutError:
            if not limit.expired():
                raise
            raise TimeLimitError(f"no message arrived within {seconds:g} s") from None
        except DecodeError:
            raise request_error([Violation("request", "damaged")]) from None
        self._any = True
        if not self.is_held_later:
            self.taken()
        if message is grpc.aio.EOF:
            raise StopAsyncIteration
        return message

    def taken(self) -> None:
        """Note that the budget now holds the last message."""
        self._reception.taken(self)

    @property
    def is_on_its_way(self) -> bool:
        """Whether a read is pending, so that a message can be on its way."""
        return self._task is not None

    def end(self, error: Exception) -> None:
        """Make the pending read raise ``error``."""
        if self._task is not None and self._ended is None:
            self._ended = error
            self._task.cancel()

    async def _read(self) -> object:
        task = self._task = asyncio.current_task()
        try:
            return await self._context.read()
        except asyncio.CancelledError:
            if self._ended is None or task is None:
                raise
            task.uncancel()
            raise self._ended from None
        finally:
            self._task = None


current: ContextVar[MessageReader] = ContextVar("reader")
"""The reader of the current call."""


class Reception:
    """All pending reads of a server, and a bound on the memory of their messages and those that ``budget`` holds.

    A read that has just started can bring the largest message at once. As many of these run as fit in the budget, but
    at least two; others wait for a moment. A read that has brought nothing after that moment is idle or slow. The
    growth of the process's memory shows how much all of these bring. If that is too much, no read starts, and the
    newest ones are ended.

    ``kept`` gives the bytes of messages that the server keeps elsewhere. ``growth`` is the growth of the process's
    memory by messages. It is ``None`` if documents are merged in the same process, whose memory then says nothing about
    messages. Slow reads are not bounded then, nor on systems that give no number.
    """

    def __init__(
        self, budget: Budget, largest: int, *, growth: Growth | None = None, kept: Callable[[], int] = lambda: 0
    ) -> None:
        """``largest`` is the size limit of a message, in bytes."""
        self._budget = budget
        self._most = max(budget.limit, largest)
        self._largest = largest
        self._growth = growth
        self._kept = kept
        self._pending: dict[MessageReader, None] = {}
        self._at_once = max(_LEAST_AT_ONCE, budget.limit // largest)
        self._new: dict[MessageReader, float] = {}
        """Reads that can bring a large message at once, or whose message is not held yet, with their start times."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._too_much = False
        self._check_timer: asyncio.TimerHandle | None = None

    async def read(self, reader: MessageReader, read: Callable[[], Awaitable[object]]) -> object:
        """Wait until a read can start, and read a message. The read counts as new until :meth:`taken`."""
        self.taken(reader)
        reader.since = time.monotonic()
        self._pending[reader] = None
        try:
            if self._check_timer is None:
                self._check_soon()
            if self._waiting or not self._may_start:
                await self._turn()
            self._new[reader] = time.monotonic()
            return await read()
        except BaseException:
            self.taken(reader)
            raise
        finally:
            del self._pending[reader]

    def taken(self, reader: MessageReader) -> None:
        """Note that the budget holds the message, or that there is none."""
        if self._new.pop(reader, None) is not None:
            self._start_waiting()

    @property
    def _may_start(self) -> bool:
        return len(self._new) < self._at_once and not self._too_much

    async def _turn(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        # Not for long: memory can be short for another reason.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TURN_SECONDS):
                await turn

    def _start_waiting(self) -> None:
        started = 0
        while self._waiting and not self._too_much and len(self._new) + started < self._at_once:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                started += 1

    def end_idle(self, slots: int, *, streams: bool = False) -> MessageReader | None:
        """End the longest idle call of the caller with most idle calls, and return its reader.

        Returns ``None`` if that caller does not exceed its share of the slots. ``streams`` restricts this to open
        streams.
        """
        idle = [each for each in self._pending if each.is_stream >= streams and not each.busy()]
        most = Counter(each.caller for each in idle).most_common(1)
        if not most or most[0][1] <= max(1, slots // _SHARE):
            return None
        seconds = time.monotonic() - LEAST_IDLE_SECONDS
        victim = next((each for each in idle if each.caller == most[0][0] and each.since <= seconds), None)
        if victim is not None:
            idle_seconds = time.monotonic() - victim.since
            reason = f"nothing came for {idle_seconds:.0f} s, and others wait: {most[0][1]} of {slots} calls do so"
            victim.end(CallerLimitError(reason, _RETRY_SECONDS))
        return victim

    async def make_room(self, is_full: Callable[[], bool], slots: int, *, streams: bool = False) -> bool:
        """End idle calls until there is room. Returns whether there is."""
        while is_full():
            victim = self.end_idle(slots, streams=streams)
            if victim is None:
                return False
            try:
                async with asyncio.timeout(_OVER_SECONDS):
                    await victim.over.wait()
            except TimeoutError:
                return False
        return True

    def _check_soon(self) -> None:
        self._check_timer = asyncio.get_running_loop().call_later(_CHECK_SECONDS, self._check)

    def _check(self) -> None:
        self._check_timer = None
        before = time.monotonic() - _NEW_SECONDS
        for reader in [each for each, started in self._new.items() if started < before and each.is_on_its_way]:
            del self._new[reader]
        active = [each for each in self._pending if each.is_on_its_way]
        over = self._over() if active else 0
        self._too_much = over > 0
        if self._too_much:
            if len(self._pending) == 1 and not (self._budget.held or self._budget.waiting_bytes):
                # A single message is never too much, so the memory was taken by something else.
                self._reset_growth(self._largest)
            self._end_last(active, over)
        self._start_waiting()
        if self._pending:
            self._check_soon()
        else:
            self._budget.receiving = 0

    def _over(self) -> int:
        """By how many bytes messages exceed the bound."""
        if self._growth is None:
            return 0
        # gRPC copies a complete message twice.
        others = OTHER_BYTES + 2 * self._largest + self._kept()
        messages = (self._growth.bytes(precise_above=self._most) or 0) - others
        self._budget.receiving = max(0, messages - self._budget.held)
        return messages - self._most

    def _reset_growth(self, grown: int) -> None:
        if self._growth is not None:
            self._growth.reset(grown)

    def _end_last(self, readers: list[MessageReader], over: int) -> None:
        """End the newest reads, enough to free ``over`` bytes if all have brought the same; one is left."""
        share = max(1, self._budget.receiving // len(readers))
        for each in readers[max(1, len(readers) - -(-over // share)) :]:
            each.end(OverloadedError("more is being received than fits", _RETRY_SECONDS))
