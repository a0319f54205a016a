"""How much memory the process uses, and giving back to the system what was freed.

glibc keeps what lies between blocks that are still in use. In a process that runs for months and takes messages from
bytes to megabytes that adds up to a multiple of what it needs.
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
    """What mallinfo(3) tells, by the names of its fields."""

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
    """The memory that the process has of the system; ``None`` where the system does not tell (it must be Linux)."""
    try:
        pages = int(Path("/proc/self/statm").read_bytes().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def allocated_bytes() -> int | None:
    """The part of it that is in use; ``None`` where it can't be told (it must be glibc 2.33 or later)."""
    if _mallinfo is None:
        return None
    told = _mallinfo()
    return int(told.uordblks + told.hblkhd)


class Growth:
    """How much more memory is in use than when this was made, or begun again."""

    def __init__(self) -> None:
        self._resident = self._allocated = 0
        self.begin()

    def begin(self, grown: int = 0) -> None:
        """Count from here on, so that it has ``grown`` by so much now."""
        self._resident = (resident_bytes() or 0) - grown
        self._allocated = (allocated_bytes() or 0) - grown

    def bytes(self, precise_above: int) -> int | None:
        """In bytes; ``None`` where the system does not tell. Up to ``precise_above`` what was freed may be in it."""
        resident = resident_bytes()
        if resident is None:
            return None
        grown = resident - self._resident
        # It takes a millisecond where much was freed here and there.
        if grown > precise_above and (allocated := allocated_bytes()) is not None:
            grown = min(grown, allocated - self._allocated)
        return max(0, grown)


def give_back() -> None:
    """Give back what can be; nothing where the system has no means for it."""
    if _trim is not None:
        _trim(0)


async def keep_giving_back() -> None:
    """Do so now and then, until cancelled."""
    while True:
        await asyncio.sleep(_SECONDS)
        await asyncio.to_thread(give_back)
