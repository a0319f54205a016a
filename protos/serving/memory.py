"""Gives memory that was freed back to the system.

glibc keeps what lies between blocks that are still in use. In a process that runs for months and takes messages from
bytes to megabytes that adds up to a multiple of what it needs.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable
from typing import Any, Final

_SECONDS: Final = 15.0


def _trim_function() -> Callable[[int], Any] | None:
    # Windows has no such library, macOS and musl have no such function.
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None


_trim: Final = _trim_function()


def give_back() -> None:
    """Give back what can be; nothing where the system has no means for it."""
    if _trim is not None:
        _trim(0)


async def keep_giving_back() -> None:
    """Do so now and then, until cancelled."""
    while True:
        await asyncio.sleep(_SECONDS)
        await asyncio.to_thread(give_back)
