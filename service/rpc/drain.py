"""How calls end whose connection is about to be closed: not before what they are answered has arrived."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Final

_SHORTEST_SECONDS: Final = 0.1
_BYTES_PER_SECOND: Final = 2**20
_LONGEST_SECONDS: Final = 5.0

# gRPC closes a connection up to a tenth earlier or later than its age has it.
_EARLIEST: Final = 0.9
_LATEST: Final = 1.2
_LONG_CALL_SECONDS: Final = 1.0


class Farewell:
    """Keeps a call open for a moment behind its answers, once the server stops or the call's connection is old.

    gRPC then closes the connection when the last call on it ends. If anything that the caller's side has sent is unread
    by then, and to take in a large answer it sends one acknowledgement after the other, the system drops what it has
    not delivered yet. A caller whose connection takes less than a MiB a second may still meet that, and so may, on old
    connections, a call of less than a second, which would have to wait too often for what next to none of them meets.
    """

    def __init__(self, connection_age_seconds: float | None) -> None:
        """``connection_age_seconds`` are those after which gRPC closes a connection, if it does."""
        self._age_seconds = math.inf if connection_age_seconds is None else connection_age_seconds
        self._ends: dict[str, float] = {}
        self._stopping = False

    def begin(self) -> None:
        """The server stops."""
        self._stopping = True

    def end_of(self, peer: str) -> float:
        """When the connection to a peer may be closed because of its age, by :func:`time.monotonic`."""
        if self._age_seconds == math.inf:
            return math.inf
        end = self._ends.get(peer)
        if end is None:
            end = self._ends[peer] = time.monotonic() + _EARLIEST * self._age_seconds
            # No call begins on it after that.
            asyncio.get_running_loop().call_later(_LATEST * self._age_seconds, self._ends.pop, peer)
        return end

    async def linger(self, sent_bytes: int, *, begun: float, end: float, seconds_left: float | None) -> None:
        """Wait for so many bytes to arrive, for a part of the seconds that the call has left until its deadline.

        ``begun`` is when the call began, ``end`` when its connection may be closed.
        """
        now = time.monotonic()
        closing = self._stopping or (end <= now and begun <= now - _LONG_CALL_SECONDS)
        if closing and sent_bytes:
            seconds = min(_LONGEST_SECONDS, _SHORTEST_SECONDS + sent_bytes / _BYTES_PER_SECOND)
            await asyncio.sleep(seconds if seconds_left is None else min(seconds, seconds_left / 2))
