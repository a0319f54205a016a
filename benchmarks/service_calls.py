"""Calls to a server as fast as it answers them, with bytes as messages: how many a second, and how long each took."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import grpc.aio

from benchmarks.service_load import SERVICE, children_of, cpu_seconds

Call = Callable[[grpc.aio.Channel], Awaitable[object]]


@dataclass(frozen=True)
class Load:
    """What calls came to.

    ``rate`` is how many there were a second, ``seconds`` how long each took, sorted; ``server`` and ``workers`` are the
    processor seconds of a call in the server's own process and in its workers.
    """

    rate: float
    seconds: Sequence[float]
    server: float
    workers: float

    def percentile(self, percent: float) -> float:
        """Seconds that this share of the calls took at most."""
        return self.seconds[min(len(self.seconds) - 1, int(len(self.seconds) * percent / 100))]


def unary(request: bytes) -> Call:
    """MergeDocument."""

    async def call(channel: grpc.aio.Channel) -> bytes:
        merge: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"{SERVICE}/MergeDocument")
        return await merge(request)

    return call


def stream(requests: Sequence[bytes]) -> Call:
    """MergeStream, where every part is sent when the one before it was answered."""

    async def call(channel: grpc.aio.Channel) -> None:
        merge: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"{SERVICE}/MergeStream")
        going = merge()
        setup, *parts = requests
        await going.write(setup)
        for part in parts:
            await going.write(part)
            await going.read()
        await going.done_writing()
        while await going.read() is not grpc.aio.EOF:
            pass

    return call


async def _load(address: str, call: Call, open_calls: int, seconds: float) -> tuple[float, list[float]]:
    async with grpc.aio.insecure_channel(address) as channel:
        await call(channel)
        times: list[float] = []
        begun = time.perf_counter()

        async def caller() -> None:
            before = time.perf_counter()
            while before < begun + seconds:
                await call(channel)
                after = time.perf_counter()
                times.append(after - before)
                before = after

        await asyncio.gather(*(caller() for _ in range(open_calls)))
        return len(times) / (time.perf_counter() - begun), sorted(times)


def load(server: tuple[int, str], call: Call, open_calls: int, seconds: float) -> Load:
    """Have this many calls open at a time, for so many seconds. ``server`` is its process id and its address."""
    pid, address = server
    children = children_of(pid)
    before = cpu_seconds(pid), sum(map(cpu_seconds, children))
    rate, times = asyncio.run(_load(address, call, open_calls, seconds))
    # The first call, which opened the connection, is one more.
    count = len(times) + 1
    return Load(
        rate,
        times,
        (cpu_seconds(pid) - before[0]) / count,
        (sum(map(cpu_seconds, children)) - before[1]) / count,
    )


def answer(address: str, request: bytes) -> bytes:
    """The answer to one MergeDocumentRequest."""

    async def once() -> bytes:
        async with grpc.aio.insecure_channel(address) as channel:
            merge: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"{SERVICE}/MergeDocument")
            return await merge(request)

    return asyncio.run(once())


def teach(address: str, request: bytes, reply: bytes) -> None:
    """Tell the echo server what to answer to requests of this length."""

    async def once() -> None:
        async with grpc.aio.insecure_channel(address) as channel:
            tell: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"{SERVICE}/Teach")
            await tell(reply, metadata=(("length", str(len(request))),))

    asyncio.run(once())
