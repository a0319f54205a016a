"""How much the server takes on: messages by their bytes, and open streams by their number.

How many requests may wait for a worker is up to each queue (:mod:`protos.serving.documents`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator
from typing import Final

from protos.serving.errors import OverloadedError

_STREAM_RETRY_SECONDS: Final = 1.0


class Budget:
    """Bytes of messages that wait, are in work, or are on their way out.

    Documents that don't fit are refused; parts of streams wait until they do, in order, and their senders with them.
    What is larger than all of the budget fits when nothing else is held.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()

    def fits(self, count: int) -> bool:
        """Whether so many more bytes may be held now, and nobody waits for room."""
        return not self._waiting and self._has_room(count)

    def hold(self, count: int) -> None:
        """Hold them, whether they fit or not."""
        self.held += count

    async def hold_in_turn(self, count: int) -> None:
        """Hold them once they fit."""
        if self.fits(count):
            self.hold(count)
            return
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

    def free(self, count: int) -> None:
        """Hold them no longer."""
        self.held -= count
        self._wake()

    def _has_room(self, count: int) -> bool:
        return self.held == 0 or self.held + count <= self.limit

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


class Streams:
    """Counts open streams."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.open = 0

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        """Count one as open. Raises :class:`~protos.serving.errors.OverloadedError` if there are too many."""
        if self.open >= self.limit:
            raise OverloadedError(f"{self.open} streams are open, as many as may be", _STREAM_RETRY_SECONDS)
        self.open += 1
        try:
            yield
        finally:
            self.open -= 1
