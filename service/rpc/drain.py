"""Drain: a call on a connection that is about to close stays open until its answers have arrived."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Final

_SHORTEST_SECONDS: Final = 0.1
_BYTES_PER_SECOND: Final = 2**20
_LONGEST_SECONDS: Final = 5.0

# gRPC varies the age at which it closes a connection by a tenth in either direction.
_EARLIEST: Final = 0.9
_LATEST: Final = 1.2
_LONG_CALL_SECONDS: Final = 1.0


class Drain:
    """Keeps a call open for a moment after its answers, if the server is stopping or the call's connection is old.

    gRPC then closes the connection when the last call on it ends. If the server has not read everything from the caller
    by then, the operating system drops data that it has not delivered yet. While a caller receives a large answer, it
    keeps sending acknowledgements, so there is often something unread.

    Two cases are left: a connection slower than one MiB a second, and a call of less than a second on an old
    connection. Such calls are many, and hardly any of them loses data, so they don't wait.
    """

    def __init__(self, connection_age_seconds: float | None) -> None:
        """``connection_age_seconds`` is the age at which gRPC closes a connection; ``None`` if it does not."""
        self._age_seconds = math.inf if connection_age_seconds is None else connection_age_seconds
        self._ends: dict[str, float] = {}
        self._stopping = False

    def start(self) -> None:
        """Note that the server is stopping."""
        self._stopping = True

    def end_of(self, peer: str) -> float:
        """When the connection to a peer may be closed because of its age, by :func:`time.monotonic`."""
        if self._age_seconds == math.inf:
            return math.inf
        end = self._ends.get(peer)
        if end is None:
            end = self._ends[peer] = time.monotonic() + _EARLIEST * self._age_seconds
            # No call starts on the connection after that.
            asyncio.get_running_loop().call_later(_LATEST * self._age_seconds, self._ends.pop, peer)
        return end

    async def linger(self, sent_bytes: int, *, started: float, end: float, seconds_left: float | None) -> None:
        """Wait until ``sent_bytes`` have probably arrived, for at most half of the seconds left until the deadline.

        ``started`` is when the call started, ``end`` when its connection can be closed, both by ``time.monotonic()``.
        """
        now = time.monotonic()
        closing = self._stopping or (end <= now and started <= now - _LONG_CALL_SECONDS)
        if closing and sent_bytes:
            seconds = min(_LONGEST_SECONDS, _SHORTEST_SECONDS + sent_bytes / _BYTES_PER_SECOND)
            await asyncio.sleep(seconds if seconds_left is None else min(seconds, seconds_left / 2))
