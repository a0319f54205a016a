"""The server's budget: bytes of messages, and the number of open streams.

Each queue has its own limit on requests that wait for a worker (:mod:`service.work.queue`).
"""

from __future__ import annotations

import asyncio
from collections import deque

from service.errors import OverloadedError

_RETRY_SECONDS = 1.0


class Budget:
    """Bytes of messages that wait, are in progress, or are on their way out.

    A document that doesn't fit is refused. A message of a stream waits until it fits, in order of arrival, and its
    sender waits too; it is refused if the waiting messages would exceed the limit. A message that is larger than the
    whole budget fits when nothing else is held, and can wait when nothing else waits.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.receiving = 0
        """Latest estimate of the bytes of messages that are being received; not part of ``held``."""
        self.waiting_bytes = 0
        """Bytes of messages that have arrived and wait until they fit."""
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def fits(self, count: int) -> bool:
        """Whether ``count`` more bytes fit now, and no message waits."""
        return not self._waiting and self._has_room(count)

    def hold(self, count: int) -> None:
        """Reserve the bytes even if that exceeds the budget."""
        self.held += count

    async def hold_in_turn(self, count: int) -> None:
        """Reserve the bytes once they fit. Raises OverloadedError if too many bytes wait."""
        if self.fits(count):
            self.hold(count)
            return
        if self.waiting_bytes and self.waiting_bytes + count > self.limit:
            raise OverloadedError(f"{self.waiting_bytes} bytes wait for room, which is the limit", _RETRY_SECONDS)
        self.waiting_bytes += count
        entry = (count, asyncio.get_running_loop().create_future())
        self._waiting.append(entry)
        try:
            await entry[1]
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
                self._wake()
            else:
                self.free(count)
            raise
        finally:
            self.waiting_bytes -= count

    def free(self, count: int) -> None:
        """Release the bytes."""
        self.held -= count
        self._wake()

    def _has_room(self, count: int) -> bool:
        return self.held == 0 or self.held + count <= self.limit

    @property
    def is_full(self) -> bool:
        """Whether the server should receive nothing more for now."""
        return bool(self._waiting) or self.held + self.receiving > self.limit

    def _wake(self) -> None:
        while self._waiting and self._has_room(self._waiting[0][0]):
            count, turn = self._waiting.popleft()
            self.held += count
            turn.set_result(None)


class Share:
    """The bytes of a budget that one call holds."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._held = 0

    def hold(self, count: int) -> None:
        """Reserve the bytes even if that exceeds the budget."""
        self._budget.hold(count)
        self._held += count

    async def hold_in_turn(self, count: int) -> None:
        """Reserve the bytes once they fit."""
        await self._budget.hold_in_turn(count)
        self._held += count

    def transfer(self) -> Share:
        """Move all bytes of this share to a new one."""
        other = Share(self._budget)
        other._held, self._held = self._held, 0
        return other

    def free(self, count: int | None = None) -> None:
        """Release ``count`` bytes; without a number, all of them."""
        count = self._held if count is None else min(count, self._held)
        self._held -= count
        self._budget.free(count)


class Slots:
    """Counts open streams or running calls against a limit."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.open = 0

    @property
    def is_full(self) -> bool:
        """Whether no more can be opened."""
        return self.open >= self.limit

    def take(self) -> None:
        """Count one more."""
        self.open += 1

    def free(self) -> None:
        """Count one less."""
        self.open -= 1
