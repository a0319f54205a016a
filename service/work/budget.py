"""How much the server takes on: messages by their bytes, and open streams by their number.

How many requests may wait for a worker is up to each queue (:mod:`service.work.queue`).
"""

from __future__ import annotations

import asyncio
from collections import deque

from service.errors import OverloadedError

_RETRY_SECONDS = 1.0


class Budget:
    """Bytes of messages that wait, are in work, or are on their way out.

    Documents that don't fit are refused; parts of streams wait until they do, in order, and their senders with them,
    but are refused too once as much waits. What is larger than all of the budget fits when nothing else is held,
    and waits when nothing else waits.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.receiving = 0
        """Bytes of messages that are being received, as estimated last; no share of what is held."""
        self.wanted = 0
        """Bytes of messages that are there and wait to be held."""
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def fits(self, count: int) -> bool:
        """Whether so many more bytes may be held now, and nobody waits for room."""
        return not self._waiting and self._has_room(count)

    def hold(self, count: int) -> None:
        """Hold them, whether they fit or not."""
        self.held += count

    async def hold_in_turn(self, count: int) -> None:
        """Hold them once they fit. Raises OverloadedError if too many wait for that."""
        if self.fits(count):
            self.hold(count)
            return
        if self.wanted and self.wanted + count > self.limit:
            raise OverloadedError(f"{self.wanted} bytes wait for room, as many as may", _RETRY_SECONDS)
        self.wanted += count
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
            self.wanted -= count

    def free(self, count: int) -> None:
        """Hold them no longer."""
        self.held -= count
        self._wake()

    def _has_room(self, count: int) -> bool:
        return self.held == 0 or self.held + count <= self.limit

    @property
    def is_full(self) -> bool:
        """Whether nothing more had better be received."""
        return bool(self._waiting) or self.held + self.receiving > self.limit

    def _wake(self) -> None:
        while self._waiting and self._has_room(self._waiting[0][0]):
            count, turn = self._waiting.popleft()
            self.held += count
            turn.set_result(None)


class Share:
    """What one call holds of a budget."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._held = 0

    def hold(self, count: int) -> None:
        """Hold them, whether they fit or not."""
        self._budget.hold(count)
        self._held += count

    async def hold_in_turn(self, count: int) -> None:
        """Hold them once they fit."""
        await self._budget.hold_in_turn(count)
        self._held += count

    def moved(self) -> Share:
        """Another share that has all that is held here, where nothing is then."""
        other = Share(self._budget)
        other._held, self._held = self._held, 0
        return other

    def free(self, count: int | None = None) -> None:
        """Hold them no longer; without a number, all that is held."""
        count = self._held if count is None else min(count, self._held)
        self._held -= count
        self._budget.free(count)


class Slots:
    """Counts what may be open at a time, such as streams."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.open = 0

    @property
    def is_full(self) -> bool:
        """Whether no more may be opened."""
        return self.open >= self.limit

    def take(self) -> None:
        """Count one more."""
        self.open += 1

    def free(self) -> None:
        """Count one less."""
        self.open -= 1
