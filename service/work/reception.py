"""What callers send, read message by message: who is waited for, how long, and how much memory that may take.

gRPC reads a message whole, and tells nothing of it before it is complete. So a read that goes on is either a caller who
sends nothing or a message of up to the largest size. Readings are counted here, each with its caller, so that those who
send nothing can be ended when others wait, and those begun last when memory runs short.
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
"""A call whose caller sends nothing for so long is ended, but where messages may be large."""

LEAST_IDLE_SECONDS: Final = 1.0
"""A caller who has sent nothing for less may just be sending."""

_NEXT_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.02
_RETRY_SECONDS: Final = 1.0
_OVER_SECONDS: Final = 1.0
_TURN_SECONDS: Final = 2.0
_NEW_SECONDS: Final = 0.05
_LEAST_AT_ONCE: Final = 2
_SHARE: Final = 4
"""One caller may have a fourth of the slots in idle calls while others wait for one."""


class Reading(AsyncIterator[Any]):
    """The messages of one call, in the place of gRPC's own iterator, which keeps the last one it gave.

    gRPC's is part of a cycle, so that the message would stay until a garbage collection.
    """

    def __init__(self, reception: Reception, context: grpc.aio.ServicerContext[Any, Any], caller: str) -> None:
        self.caller = caller
        self.since = 0.0
        """When the read began that goes on, by :func:`time.monotonic`."""
        self.busy: Callable[[], bool] = lambda: False
        """Whether something is worked on for the call while it reads."""
        self.is_stream = False
        self.is_held_later = False
        """Whether the call waits for room for the message, and tells by :meth:`taken` when it has it."""
        self.first_seconds = FIRST_SECONDS
        """How long the first message may take to arrive."""
        self.next_seconds: float | None = _NEXT_SECONDS
        """How long another one may take; ``None`` where the method sees to that."""
        self.over = asyncio.Event()
        self._reception = reception
        self._context = context
        self._any = False
        self._task: asyncio.Task[Any] | None = None
        self._ended: Exception | None = None

    async def __anext__(self) -> Any:  # noqa: ANN401  # what the method's deserializer makes
        """The next message.

        Raises :class:`~service.errors.TimeLimitError` if it takes too long,
        :class:`~service.errors.OverloadedError` or :class:`~service.errors.CallerLimitError` if the call
        is to make room, and InvalidRequestError for what can't be decoded.
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
        """The last message is held by the budget now."""
        self._reception.taken(self)

    @property
    def is_on_its_way(self) -> bool:
        """Whether a message may be being received."""
        return self._task is not None

    def end(self, error: Exception) -> None:
        """Have the read that goes on raise this."""
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


current: ContextVar[Reading] = ContextVar("reading")
"""The reading of the call that is being answered."""


class Reception:
    """All readings of a server, and the memory that they may take together with what ``budget`` holds.

    Of reads that have just begun, any of which may bring the largest message at once, so many go on as fit in the
    budget, and two at least; the others wait for a moment. A read that has brought nothing since then is idle or slow,
    and how much all of these bring is seen by the memory of the process. If that is too much, no read begins, and those
    begun last are ended.

    ``kept`` is what else the server has of messages. ``growth`` is the memory that the process has more than without
    messages. It is ``None`` where that says nothing about them, since documents are worked on in the same process, and
    where the system does not tell: then slow readings may take as much as there are of them.
    """

    def __init__(
        self, budget: Budget, largest: int, *, growth: Growth | None = None, kept: Callable[[], int] = lambda: 0
    ) -> None:
        """``largest`` is that of a message, in bytes."""
        self._budget = budget
        self._most = max(budget.limit, largest)
        self._largest = largest
        self._growth = growth
        self._kept = kept
        self._going_on: dict[Reading, None] = {}
        self._at_once = max(_LEAST_AT_ONCE, budget.limit // largest)
        self._new: dict[Reading, float] = {}
        """Those that may bring a large message at once, or whose message is not held yet, and when they began."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._too_much = False
        self._looking: asyncio.TimerHandle | None = None

    async def read(self, reading: Reading, read: Callable[[], Awaitable[object]]) -> object:
        """Read a message, once it may come. It counts as new until :meth:`taken`."""
        self.taken(reading)
        reading.since = time.monotonic()
        self._going_on[reading] = None
        try:
            if self._looking is None:
                self._look_soon()
            if self._waiting or not self._may_begin:
                await self._turn()
            self._new[reading] = time.monotonic()
            return await read()
        except BaseException:
            self.taken(reading)
            raise
        finally:
            del self._going_on[reading]

    def taken(self, reading: Reading) -> None:
        """The message that was read is held by the budget now, or is none."""
        if self._new.pop(reading, None) is not None:
            self._begin_waiting()

    @property
    def _may_begin(self) -> bool:
        return len(self._new) < self._at_once and not self._too_much

    async def _turn(self) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        # Not for long: memory may be short for another reason.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_TURN_SECONDS):
                await turn

    def _begin_waiting(self) -> None:
        begun = 0
        while self._waiting and not self._too_much and len(self._new) + begun < self._at_once:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                begun += 1

    def end_idle(self, slots: int, *, streams: bool = False) -> Reading | None:
        """End the call that has sent nothing for longest, of the caller with most such calls.

        That caller must have more than its share of the slots in them. ``None`` if there is no such call. With
        ``streams`` only open streams are looked at.
        """
        idle = [each for each in self._going_on if each.is_stream >= streams and not each.busy()]
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
        """End idle calls until there is room; whether there is."""
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

    def _look_soon(self) -> None:
        self._looking = asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = None
        before = time.monotonic() - _NEW_SECONDS
        for reading in [each for each, begun in self._new.items() if begun < before and each.is_on_its_way]:
            del self._new[reading]
        reading_now = [each for each in self._going_on if each.is_on_its_way]
        over = self._over() if reading_now else 0
        self._too_much = over > 0
        if self._too_much:
            if len(self._going_on) == 1 and not (self._budget.held or self._budget.wanted):
                # One alone is never too much, so it is not messages that the memory is for.
                self._begin_growth(self._largest)
            self._end_last(reading_now, over)
        self._begin_waiting()
        if self._going_on:
            self._look_soon()
        else:
            self._budget.receiving = 0

    def _over(self) -> int:
        """Bytes of messages above what may be."""
        if self._growth is None:
            return 0
        # gRPC makes two copies of a message when it is complete.
        others = OTHER_BYTES + 2 * self._largest + self._kept()
        messages = (self._growth.bytes(precise_above=self._most) or 0) - others
        self._budget.receiving = max(0, messages - self._budget.held)
        return messages - self._most

    def _begin_growth(self, grown: int) -> None:
        if self._growth is not None:
            self._growth.begin(grown)

    def _end_last(self, reading: list[Reading], over: int) -> None:
        """End those begun last, as many as bring so many bytes if all have brought the same; one is left."""
        share = max(1, self._budget.receiving // len(reading))
        for each in reading[max(1, len(reading) - -(-over // share)) :]:
            each.end(OverloadedError("more is being received than fits", _RETRY_SECONDS))
