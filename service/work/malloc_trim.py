"""Memory of this process: how much it uses, and returning freed memory to the system (malloc_trim).

glibc keeps freed memory that lies between blocks in use. In a process that runs for months and handles messages from
bytes to megabytes, that adds up to a multiple of the memory in use.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

_SECONDS: Final = 15.0


def _trim_function() -> Callable[[int], Any] | None:
    # Windows has no such library, macOS and musl have no such function.
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


_trim: Final = _trim_function()


# In the order of the structure.
_MALLINFO: Final = (
    *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
    *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
)


class _Mallinfo2(ctypes.Structure):
    """The struct mallinfo2 of mallinfo(3)."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in _MALLINFO)


def _mallinfo_function() -> Callable[[], Any] | None:
    try:
        function = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError, TypeError):
        return None
    function.restype = _Mallinfo2
    return function


_mallinfo: Final = _mallinfo_function()


def resident_bytes() -> int | None:
    """Resident memory of the process in bytes; ``None`` on systems other than Linux."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def allocated_bytes() -> int | None:
    """Memory in use, as malloc counts it, in bytes; ``None`` without glibc 2.33 or later."""
    if _mallinfo is None:
        return None
    info = _mallinfo()
    return int(info.uordblks + info.hblkhd)


class Growth:
    """Growth of the memory in use since this object was made, or since :meth:`reset`."""

    def __init__(self) -> None:
        self._resident = self._allocated = 0
        self.reset()

    def reset(self, grown: int = 0) -> None:
        """Start again, with a growth of ``grown`` bytes at this moment."""
        self._resident = (resident_bytes() or 0) - grown
        self._allocated = (allocated_bytes() or 0) - grown

    def bytes(self, precise_above: int) -> int | None:
        """The growth; ``None`` if the system gives no number. Up to ``precise_above`` it can include freed memory."""
        resident = resident_bytes()
        if resident is None:
            return None
        grown = resident - self._resident
        # This takes a millisecond if freed blocks are scattered.
        if grown > precise_above and (allocated := allocated_bytes()) is not None:
            grown = min(grown, allocated - self._allocated)
        return max(0, grown)


def trim() -> None:
    """Return freed memory to the system; does nothing if the system has no malloc_trim."""
    if _trim is not None:
        _trim(0)


async def trim_regularly() -> None:
    """Trim at intervals, until cancelled."""
    while True:
        await asyncio.sleep(_SECONDS)
        await asyncio.to_thread(trim)
