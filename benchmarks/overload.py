"""The server under twice the load that it can take: memory, what callers see, and how it is afterwards.

    python benchmarks/overload.py [--minutes 10] [--json]

The real server runs as a process of its own, with two workers and small limits. First its capacity is measured: calls
one after the other from four callers. Then calls begin at twice that rate, or at twice the rate at which it answered in
the last second if that is more, whatever becomes of them: documents of 700, 12,000 and 100,000 tokens and streams of
eight parts, each with five seconds to be answered. Server, workers and callers share the machine. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
import grpc.aio
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from benchmarks.service_load import SERVICE, children_of, document_request, rss_mib, serving, stream_requests

QUEUE, QUEUE_MIB, STREAMS = 16, 32, 16
DEADLINE_SECONDS = 5.0
AFTERWARDS_SECONDS = 60.0
"""For what is asked once the load is over: how soon it is answered is told."""
CHANNELS = 4
MOST_CALLS = 1_000
"""Calls that the callers have open at a time: a bound for their own memory, far above what the server lets in."""

# Bytes that wait and are in work, once more for copies between gRPC, the pipes and their buffers, and what memory
# allocators keep.
BOUND_MIB = 2 * QUEUE_MIB + 48

Call = Callable[[grpc.aio.Channel], Awaitable[None]]


@dataclass
class Seen:
    """What the callers saw."""

    codes: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    refused_seconds: list[float] = field(default_factory=list)
    retry_info_missing: int = 0
    surprises: Counter[str] = field(default_factory=Counter)
    """Details of statuses that overload does not explain."""
    memory: list[tuple[float, float, float]] = field(default_factory=list)

    async def call(self, call: Call, channel: grpc.aio.Channel) -> None:
        """Make a call and count what became of it."""
        begun = time.monotonic()
        try:
            await call(channel)
        except grpc.aio.AioRpcError as error:
            code = error.code()
            self.codes[code.name] += 1
            if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
                self.refused_seconds.append(time.monotonic() - begun)
                self.retry_info_missing += not _has_retry_info(error)
            elif code is not grpc.StatusCode.DEADLINE_EXCEEDED:
                self.surprises[f"{code.name}: {error.details()}"] += 1
        else:
            self.codes["OK"] += 1
            self.seconds.append(time.monotonic() - begun)


def _has_retry_info(error: grpc.aio.AioRpcError) -> bool:
    status = rpc_status.from_call(cast("Any", error))
    details = () if status is None else status.details
    return any(detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR) for detail in details)


def _document_call(request: bytes, seconds: float = DEADLINE_SECONDS) -> Call:
    async def call(channel: grpc.aio.Channel) -> None:
        merge: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"{SERVICE}/MergeDocument")
        await merge(request, timeout=seconds)

    return call


def _stream_call(requests: list[bytes]) -> Call:
    async def call(channel: grpc.aio.Channel) -> None:
        async def send() -> AsyncIterator[bytes]:
            for request in requests:
                yield request

        merge: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"{SERVICE}/MergeStream")
        async for _ in merge(send(), timeout=DEADLINE_SECONDS):
            pass

    return call


def _mix() -> Callable[[], Call]:
    """What the next call is, drawn at random."""
    calls = [
        _document_call(document_request(700)),
        _document_call(document_request(12_000)),
        _document_call(document_request(100_000)),
        _stream_call(stream_requests(5_600)),
    ]
    random_ = random.Random(1)  # noqa: S311  # a choice of load
    return lambda: random_.choices(calls, (70, 20, 2, 8))[0]


async def _capacity(channel: grpc.aio.Channel, draw: Callable[[], Call], seconds: float) -> float:
    """Calls a second that the server answers to four callers."""
    end = time.monotonic() + seconds
    seen = Seen()

    async def caller() -> None:
        while time.monotonic() < end:
            await seen.call(draw(), channel)

    begun = time.monotonic()
    await asyncio.gather(*(caller() for _ in range(4)))
    return seen.codes["OK"] / (time.monotonic() - begun)


async def _load(channels: list[grpc.aio.Channel], draw: Callable[[], Call], capacity: float, seconds: float) -> Seen:
    """Begin calls at twice the capacity, or at twice what is answered if that is more."""
    random_ = random.Random(2)  # noqa: S311  # gaps between calls
    seen = Seen()
    calls: set[asyncio.Task[None]] = set()
    begun = when = second = time.monotonic()
    answered = 0
    rate = 2 * capacity
    for channel in itertools.cycle(channels):
        if time.monotonic() > second + 1:
            rate = 2 * max(capacity, (seen.codes["OK"] - answered) / (time.monotonic() - second))
            second, answered = time.monotonic(), seen.codes["OK"]
        when += random_.expovariate(rate)
        if when > begun + seconds:
            break
        await asyncio.sleep(max(0.0, when - time.monotonic()))
        if len(calls) < MOST_CALLS:
            task = asyncio.create_task(seen.call(draw(), channel))
            calls.add(task)
            task.add_done_callback(calls.discard)
    await asyncio.gather(*calls)
    return seen


async def _watch_memory(pid: int, seen: list[tuple[float, float, float]]) -> None:
    begun = time.monotonic()
    while True:
        seen.append((time.monotonic() - begun, rss_mib(pid), sum(map(rss_mib, children_of(pid)))))
        await asyncio.sleep(0.5)


async def _run(minutes: float) -> dict[str, Any]:
    arguments = ("--workers", "2", "--queue", str(QUEUE), "--queue-mib", str(QUEUE_MIB), "--streams", str(STREAMS))
    with serving(*arguments) as (pid, address):
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [grpc.aio.insecure_channel(address, options) for _ in range(CHANNELS)]
        draw = _mix()
        memory: list[tuple[float, float, float]] = []
        idle = rss_mib(pid)
        capacity = await _capacity(channels[0], draw, max(4.0, min(20.0, 6 * minutes)))
        watching = asyncio.create_task(_watch_memory(pid, memory))
        seen = await _load(channels, draw, capacity, 60 * minutes)
        watching.cancel()
        health = await _health(channels[0])
        begun = time.monotonic()
        await _normal_call(channels[0])
        after = time.monotonic() - begun
        for channel in channels:
            await channel.close()
    return _report(seen, memory, idle=idle, capacity=capacity) | {
        "minutes": minutes,
        "healthy_after": health,
        "normal_call_after_seconds": round(after, 3),
    }


async def _normal_call(channel: grpc.aio.Channel) -> None:
    """Have a document merged as callers do, who come back when told to: calls may just be expiring on the server."""
    end = time.monotonic() + AFTERWARDS_SECONDS
    while True:
        try:
            await _document_call(document_request(700), end - time.monotonic())(channel)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED or time.monotonic() > end:
                raise
            await asyncio.sleep(0.1)
        else:
            return


async def _health(channel: grpc.aio.Channel) -> bool:
    check: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/grpc.health.v1.Health/Check")
    answer = await check(b"", timeout=AFTERWARDS_SECONDS)
    return bool(health_pb2.HealthCheckResponse.FromString(answer).status == health_pb2.HealthCheckResponse.SERVING)


def _report(seen: Seen, memory: list[tuple[float, float, float]], *, idle: float, capacity: float) -> dict[str, Any]:
    calls = sum(seen.codes.values())
    settled = memory[len(memory) // 10 :]
    first, last = settled[: len(settled) // 4 or 1], settled[-(len(settled) // 4) or -1 :]
    return {
        "capacity_per_second": round(capacity, 1),
        "calls": calls,
        "codes": dict(seen.codes),
        "refused_share": round(seen.codes["RESOURCE_EXHAUSTED"] / max(1, calls), 3),
        "retry_info_missing": seen.retry_info_missing,
        "surprises": dict(seen.surprises),
        "answered_seconds": _quantiles(seen.seconds),
        "refused_seconds": _quantiles(seen.refused_seconds),
        "bound_mib": BOUND_MIB,
        "server_mib": {
            "idle": round(idle, 1),
            "first_quarter": _mean([server for _, server, _ in first]),
            "last_quarter": _mean([server for _, server, _ in last]),
            "highest": round(max(server for _, server, _ in memory), 1),
        },
        "workers_mib": {
            "first_quarter": _mean([workers for _, _, workers in first]),
            "last_quarter": _mean([workers for _, _, workers in last]),
            "highest": round(max(workers for _, _, workers in memory), 1),
        },
        "memory_mib_by_second": [
            [round(when), round(server, 1), round(workers, 1)]
            for when, server, workers in memory[:: max(1, len(memory) // 30)]
        ],
    }


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 1)


def _quantiles(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    ordered = sorted(values)
    return {
        name: round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 3)
        for name, share in (("p50", 0.5), ("p99", 0.99), ("longest", 1.0))
    }


def main() -> None:
    """Parse the command line and print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args()
    report = asyncio.run(_run(arguments.minutes))
    if arguments.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        if name != "memory_mib_by_second":
            print(f"{name:26} {value}")
    print("\n| second | server, MiB | workers, MiB |\n|---|---|---|")
    for when, server, workers in report["memory_mib_by_second"]:
        print(f"| {when} | {server} | {workers} |")


if __name__ == "__main__":
    main()
