"""What the server gets done under twice its load, when callers wait for some seconds and no longer.

    python benchmarks/goodput.py [--seconds 20] [--rounds 2] [--deadline 3] [--json]

The real server runs as a process of its own, with two workers. Rounds of two phases take turns, so that what else the
machine does meets both: at capacity, where six callers send one document after the other; and at twice the rate that
was answered then, where calls begin whatever becomes of the others, each with a deadline. Documents have 700, 12,000
and 200,000 tokens. The report has the goodput: tokens answered in time a second, in all and for each size, at capacity,
at twice that, and the second as a share of the first. Server, workers and callers share the machine. If it is busy,
documents take longer: a longer deadline keeps its relation to the time that a large document takes (printed too).
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
import random
import statistics
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import grpc
import grpc.aio

from benchmarks.service_load import SERVICE, document_request, serving

SIZES = {700: 20, 12_000: 80, 200_000: 2}
"""Tokens of documents, and how often such documents come."""
QUEUE = 256
"""Long enough that what waits at its end waits past its deadline."""
CALLERS = 6
CAPACITY_DEADLINE_SECONDS = 60.0


_request = functools.cache(document_request)


@dataclass
class Phase:
    """What became of calls, by the tokens of their documents."""

    seconds: float = 0.0
    answered: Counter[int] = field(default_factory=Counter)
    took: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    codes: Counter[tuple[int, str]] = field(default_factory=Counter)

    async def call(self, channel: grpc.aio.Channel, tokens: int, deadline: float) -> None:
        """Have a document merged, and count what becomes of that."""
        started = time.monotonic()
        merge: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"{SERVICE}/MergeDocument")
        try:
            await merge(_request(tokens), timeout=deadline)
        except grpc.aio.AioRpcError as error:
            self.codes[tokens, error.code().name] += 1
        else:
            self.codes[tokens, "OK"] += 1
            self.answered[tokens] += 1
            self.took[tokens].append(time.monotonic() - started)

    def goodput(self, sizes: tuple[int, ...] = tuple(SIZES)) -> float:
        """Tokens a second."""
        return sum(size * self.answered[size] for size in sizes) / self.seconds

    @property
    def rate(self) -> float:
        """Calls answered a second."""
        return sum(self.answered.values()) / self.seconds


def _draws(seed: int) -> Any:  # noqa: ANN401  # an endless generator
    random_ = random.Random(seed)  # noqa: S311  # a choice of load
    while True:
        yield random_.choices(list(SIZES), list(SIZES.values()))[0]


async def _capacity(channel: grpc.aio.Channel, seconds: float, seed: int) -> Phase:
    phase, draws = Phase(), _draws(seed)
    started = time.monotonic()

    async def caller() -> None:
        while time.monotonic() < started + seconds:
            await phase.call(channel, next(draws), CAPACITY_DEADLINE_SECONDS)

    await asyncio.gather(*(caller() for _ in range(CALLERS)))
    phase.seconds = time.monotonic() - started
    return phase


async def _overload(channel: grpc.aio.Channel, seconds: float, seed: int, rate: float, deadline: float) -> Phase:
    phase, draws, random_ = Phase(), _draws(seed), random.Random(seed)  # noqa: S311  # gaps between calls
    started = when = time.monotonic()
    calls = []
    while when < started + seconds:
        when += random_.expovariate(rate)
        await asyncio.sleep(max(0.0, when - time.monotonic()))
        calls.append(asyncio.create_task(phase.call(channel, next(draws), deadline)))
    await asyncio.gather(*calls)
    phase.seconds = time.monotonic() - started
    return phase


async def _run(seconds: float, rounds: int, deadline: float) -> dict[str, Any]:
    for tokens in SIZES:
        _request(tokens)
    capacities, overloads = [], []
    with serving("--workers", "2", "--queue", str(QUEUE)) as (_, address):
        channel = grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
        await _capacity(channel, min(5.0, seconds), 0)
        for number in range(rounds):
            capacity = await _capacity(channel, seconds, 2 * number)
            overload = await _overload(channel, seconds, 2 * number + 1, 2 * capacity.rate, deadline)
            capacities.append(capacity)
            overloads.append(overload)
        await channel.close()

    def goodput(phases: list[Phase], sizes: tuple[int, ...] = tuple(SIZES)) -> float:
        return sum(each.goodput(sizes) for each in phases) / rounds

    def ratio(sizes: tuple[int, ...] = tuple(SIZES)) -> float:
        before = goodput(capacities, sizes)
        return round(goodput(overloads, sizes) / before, 3) if before else 0.0

    def median(phases: list[Phase], tokens: int) -> float:
        return round(statistics.median([each for phase in phases for each in phase.took[tokens]] or [0.0]), 2)

    codes = sum((each.codes for each in overloads), Counter[tuple[int, str]]())
    return {
        "capacity_calls_per_second": [round(each.rate, 1) for each in capacities],
        "capacity_tokens_per_second": [round(each.goodput()) for each in capacities],
        "median_seconds_by_tokens": {tokens: median(capacities, tokens) for tokens in SIZES},
        "tokens_per_second_by_tokens": {
            tokens: [round(goodput(phases, (tokens,))) for phases in (capacities, overloads)] for tokens in SIZES
        },
        "goodput_share": ratio(),
        "goodput_share_by_tokens": {tokens: ratio((tokens,)) for tokens in SIZES},
        "codes_by_tokens": {
            tokens: {code: count for (size, code), count in sorted(codes.items()) if size == tokens} for tokens in SIZES
        },
    }


def main() -> None:
    """Parse the command line and print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0, help="of each phase")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--deadline", type=float, default=3.0, help="of each call at twice the capacity, in seconds")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    arguments = parser.parse_args()
    report = asyncio.run(_run(arguments.seconds, arguments.rounds, arguments.deadline))
    if arguments.json:
        print(json.dumps(report))
        return
    for name, value in report.items():
        print(f"{name:28} {value}")


if __name__ == "__main__":
    main()
