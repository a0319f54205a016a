"""A server in this process whose time leaps when told to: what takes it hours is over at once, and not before."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import grpc
import pytest

import server
from client.remote.channel import HEALTH_METHOD
from merger.strategies import STRATEGIES
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.options import ObservabilityOptions
from tests.service.test_metrics import scrape
from tests.support.command_line import PATIENCE, free_port
from tests.support.running_server import until
from tests.support.samples import Held


class Clock:
    """What event loops take for the time. Deadlines that callers set are not theirs, but gRPC's."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._loops: set[asyncio.AbstractEventLoop] = set()

    def time_of(self, loop: asyncio.AbstractEventLoop) -> float:
        self._loops.add(loop)
        return time.monotonic() + self._ahead

    def leap(self, seconds: float) -> None:
        self._ahead += seconds
        for loop in list(self._loops):
            # One that has nothing to do would not look; one that is closed need not.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(lambda: None)


@dataclass(frozen=True)
class Leaping:
    """One thread works on documents and one on streams, of which one may be open. It offers ``held`` too."""

    address: str
    channel: grpc.Channel
    stub: ChainMergeServiceStub
    clock: Clock
    metrics_port: int

    def wait_for(self, name: str, value: float) -> None:
        """Wait until a metric has this value, and what made it so is over."""
        assert until(lambda: scrape(self.metrics_port)[f"merge_baseline_{name}"] == value)
        self._see_to_the_end()

    def leap(self, seconds: float) -> None:
        """When this returns, what was to happen in the meantime has begun to."""
        self.clock.leap(seconds)
        self._see_to_the_end()

    def _see_to_the_end(self) -> None:
        check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = self.channel.unary_unary(HEALTH_METHOD)
        for _ in range(3):
            check(b"", timeout=PATIENCE)


@contextmanager
def leaping(options: server.ServerOptions) -> Iterator[Leaping]:
    clock, port = Clock(), free_port()

    def time_of(loop: asyncio.AbstractEventLoop) -> float:
        return clock.time_of(loop)

    options = replace(
        options,
        port=0,
        workers=0,
        grace_seconds=0,
        streams=1,
        observability=ObservabilityOptions(metrics_port=port),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STRATEGIES, Held.name, Held)
        patch.setattr(asyncio.BaseEventLoop, "time", time_of)
        Held.begun.clear()
        Held.let_go.clear()
        with server.background(options) as address, grpc.insecure_channel(address) as channel:
            try:
                yield Leaping(address, channel, ChainMergeServiceStub(channel), clock, port)
            finally:
                Held.let_go.set()
