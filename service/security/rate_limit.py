"""Limits of each caller: calls at a time, and calls per second."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from service.options import CallerLimits

MAX_CALLERS: Final = 10_000
"""How many callers without running calls are remembered. Beyond that, the one that called longest ago is dropped."""

_TRY_AGAIN_SECONDS: Final = 1.0
_IPV6_NETWORK: Final = 64


@dataclass(slots=True)
class _Caller:
    left: float
    updated: float
    running: int = 0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call is refused, and in how many seconds it can start."""

    reason: str
    retry_seconds: float


class RateLimits:
    """Counts the calls of each caller. Used on the event loop's thread only."""

    def __init__(self, limits: CallerLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._callers: OrderedDict[str, _Caller] = OrderedDict()

    def start_call(self, name: str) -> Refusal | None:
        """Count a call as started, or return why it is refused. Call :meth:`end_call` for each call that started."""
        limits = self._limits
        caller = self._caller(name)
        if limits.concurrency is not None and caller.running >= limits.concurrency:
            return Refusal(f"{limits.concurrency} calls of {name} are running, which is the limit", _TRY_AGAIN_SECONDS)
        wait = self._seconds_to_wait(caller)
        if wait > 0:
            return Refusal(f"{name} began more than {limits.rate:g} calls a second", wait)
        if limits.rate is not None:
            caller.left -= 1
        caller.running += 1
        return None

    def end_call(self, name: str) -> None:
        """Count a call as ended."""
        caller = self._callers.get(name)
        if caller is not None:
            caller.running -= 1

    def seconds_to_next(self, name: str) -> float:
        """Count another document of a running call. Returns the seconds to wait before it."""
        rate = self._limits.rate
        if rate is None:
            return 0.0
        caller = self._caller(name)
        self._seconds_to_wait(caller)
        caller.left -= 1
        return max(0.0, -caller.left / rate)

    def _caller(self, name: str) -> _Caller:
        caller = self._callers.get(name)
        if caller is None:
            caller = self._callers[name] = _Caller(self._limits.allowance, self._clock())
            self._forget()
        self._callers.move_to_end(name)
        return caller

    def _seconds_to_wait(self, caller: _Caller) -> float:
        limits = self._limits
        if limits.rate is None:
            return 0.0
        now = self._clock()
        caller.left = min(limits.allowance, caller.left + (now - caller.updated) * limits.rate)
        caller.updated = now
        return max(0.0, (1 - caller.left) / limits.rate)

    def _forget(self) -> None:
        if len(self._callers) <= MAX_CALLERS:
            return
        oldest = next((name for name, caller in self._callers.items() if caller.running == 0), None)
        if oldest is not None:
            del self._callers[oldest]


def address_of(peer: str) -> str:
    """The address in a gRPC peer name (``ipv4:127.0.0.1:4242``, ``ipv6:%5B::1%5D:4242``), without the port.

    For IPv6 it is the network of 64 bits, since a single host can use all addresses of its network.
    """
    family, _, rest = unquote(peer).partition(":")
    if family not in {"ipv4", "ipv6"}:
        return peer
    host = rest.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ipaddress.ip_network((address, _IPV6_NETWORK), strict=False))
    return str(address)
