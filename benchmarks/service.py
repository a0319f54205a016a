"""The service beside an echo server of the same gRPC library, and beside the bare work without any server.

    python -m benchmarks.service [--seconds 3] [--repeats 3] [--write]

The echo server takes the same requests and answers with the bytes that the real server answered, so it does all that
gRPC does and nothing else. All servers run at the same time and are called in turns, by one process that shares the
machine with them. ``--write`` puts the results into docs/performance.md. Needs Linux (/proc).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from statistics import median
from textwrap import wrap

from benchmarks.results import machine, table, write_section
from benchmarks.service_calls import Call, Load, answer, load, stream, teach, unary
from benchmarks.service_load import document_request, serving, started, stream_requests
from benchmarks.service_work import STAGES, stage_seconds, top_functions, work_seconds

SIZES = (70, 700, 12_000)
OPEN_CALLS = 16
TARGET = 0.7
"""The share of an echo server's rate that large documents should reach."""

ECHO, ONE, TWO, STREAM = "echo", "1 worker", "2 workers", "stream, 2 workers"


@dataclass(frozen=True)
class Measured:
    """Of one size of documents: calls by side, under load and one at a time, and the work without a server."""

    tokens: int
    request_bytes: int
    answer_bytes: int
    loaded: Mapping[str, Sequence[Load]]
    alone: Mapping[str, Sequence[Load]]
    work: float
    stages: Mapping[str, float]

    def of(self, side: str, number: Callable[[Load], float], *, alone: bool = False) -> float:
        """The median of a number over the repeats."""
        return median(map(number, (self.alone if alone else self.loaded)[side]))

    def rate(self, side: str) -> float:
        """Calls a second under load."""
        return self.of(side, lambda each: each.rate)

    def milliseconds(self, side: str, *, alone: bool) -> str:
        """p50 and p99 of a call."""
        half, most = (
            1000 * self.of(side, partial(Load.percentile, percent=percent), alone=alone) for percent in (50, 99)
        )
        return f"{half:,.1f} / {most:,.1f}"


def _measure(tokens: int, seconds: float, repeats: int) -> Measured:
    request = document_request(tokens)
    with ExitStack() as stack:
        one = stack.enter_context(serving("--workers", "1"))
        two = stack.enter_context(serving("--workers", "2"))
        echo = stack.enter_context(started([sys.executable, "-m", "benchmarks.echo_server"]))
        reply = answer(two[1], request)
        teach(echo[1], request, reply)
        call = unary(request)
        sides: dict[str, tuple[tuple[int, str], Call]] = {
            ECHO: (echo, call),
            ONE: (one, call),
            TWO: (two, call),
            STREAM: (two, stream(stream_requests(tokens))),
        }
        loaded: dict[str, list[Load]] = {side: [] for side in sides}
        alone: dict[str, list[Load]] = {side: [] for side in sides}
        for _ in range(repeats):
            for side, (server, each) in sides.items():
                loaded[side].append(load(server, each, OPEN_CALLS, seconds))
                alone[side].append(load(server, each, 1, seconds / 2))
    return Measured(tokens, len(request), len(reply), loaded, alone, work_seconds(request), stage_seconds(request))


def _rates(all_measured: Sequence[Measured]) -> list[str]:
    rows = [
        [
            f"{each.tokens:,}",
            f"{each.request_bytes:,} / {each.answer_bytes:,}",
            f"{each.rate(ECHO):,.0f}",
            *(f"{each.rate(side):,.1f} ({each.rate(side) / each.rate(ECHO):.3f})" for side in (ONE, TWO)),
            f"{each.rate(TWO) / each.rate(ONE):.2f}",
            f"{1 / each.work:,.1f}",
            f"{each.rate(STREAM):,.1f} ({each.rate(STREAM) / each.rate(TWO):.2f})",
        ]
        for each in all_measured
    ]
    header = (
        "tokens",
        "request / answer, bytes",
        "echo",
        "1 worker (of echo)",
        "2 workers (of echo)",
        "2 : 1",
        "work alone, one processor",
        "MergeStream, 2 workers (of unary)",
    )
    return table(header, rows)


def _latencies(all_measured: Sequence[Measured]) -> list[str]:
    rows = [
        [
            f"{each.tokens:,}",
            *(each.milliseconds(side, alone=True) for side in (ECHO, TWO, STREAM)),
            *(each.milliseconds(side, alone=False) for side in (ECHO, TWO, STREAM)),
        ]
        for each in all_measured
    ]
    header = ("tokens", *(f"{side}, {when}" for when in ("alone", "loaded") for side in (ECHO, "unary", "stream")))
    return table(header, rows)


def _costs(all_measured: Sequence[Measured]) -> list[str]:
    rows = []
    for each in all_measured:
        echo = each.of(ECHO, lambda one: one.server)
        server, workers = each.of(ONE, lambda one: one.server), each.of(ONE, lambda one: one.workers)
        rows.append(
            [
                f"{each.tokens:,}",
                *(f"{1000 * cost:.2f}" for cost in (each.work, echo, server, workers)),
                f"{(server + workers) / (echo + each.work):.2f}",
                f"{echo / (echo + each.work):.3f}",
            ]
        )
    header = (
        "tokens",
        "work alone",
        "echo server",
        "service: server",
        "service: worker",
        "service / (work + echo)",
        "echo / (echo + work)",
    )
    return table(header, rows)


def _shares(all_measured: Sequence[Measured]) -> list[str]:
    rows = []
    for each in all_measured:
        total = sum(each.stages.values())
        shares = [each.stages[stage] / total for stage in STAGES]
        apart = 1 - each.stages["merging"] / total
        rows.append([f"{each.tokens:,}", *(f"{100 * share:.0f} %" for share in (*shares, apart))])
    return table(("tokens", *STAGES, "all but merging"), rows)


def _limit(large: Measured) -> str:
    echo = large.of(ECHO, lambda each: each.server)
    reached = max(large.rate(side) / large.rate(ECHO) for side in (ONE, TWO))
    if reached >= TARGET:
        return f"Documents of {large.tokens:,} tokens reach {reached:.2f} of an echo server's rate."
    objects = large.stages["decoding"] + large.stages["conversion"]
    return f"""An echo server moves a request of {large.request_bytes:,} bytes in {1000 * echo:.2f} ms, without looking
        into it. To reach {TARGET} of its rate on as many processors, all work on a document of {large.tokens:,} tokens
        would have to be done in {1000 * echo * (1 / TARGET - 1):.2f} ms. It takes {1000 * large.work:.1f} ms, of which
        {1000 * objects:.1f} ms go into decoding the message and making Python objects of its texts and mentions, before
        anything is compared. So what bounds the share of the echo server is the work, as the last column says, and not
        the way there: what transport and worker processes add is in the column before."""


def _section(
    all_measured: Sequence[Measured], seconds: float, repeats: int, top: Sequence[tuple[str, float]]
) -> list[str]:
    large = all_measured[-1]
    blocks = (
        ["## Service"],
        _paragraph(
            f"""`benchmarks/service.py` on {machine()}; medians of {repeats} repeats in turns, {seconds:g} s each.
            Caller and servers share the machine. Generated documents, strategy greedy; "loaded" is {OPEN_CALLS} calls
            open at a time, "alone" one. The echo server is of the same gRPC library and moves the same bytes."""
        ),
        _paragraph(
            """Documents a second, loaded, and as shares of the echo server. The work alone is done in one process
            without any server."""
        ),
        _rates(all_measured),
        _paragraph("Latency in ms, p50 / p99; unary and stream are the service with 2 workers."),
        _latencies(all_measured),
        _paragraph("Processor time of a call in ms, loaded; the service has 1 worker."),
        _costs(all_measured),
        _paragraph(_limit(large)),
        _paragraph("Shares of the work alone."),
        _shares(all_measured),
        _paragraph(
            f"""Functions with the largest shares of the work on {large.tokens:,} tokens, each with the C code that it
            calls, by a profiler, which makes small functions look larger than they are."""
        ),
        table(("function", "share"), [[name, f"{100 * share:.0f} %"] for name, share in top]),
    )
    return [line for block in blocks for line in ("", *block)][1:]


def _paragraph(text: str) -> list[str]:
    return wrap(" ".join(text.split()), 120, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Parse the command line, measure, and print or write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="write the section of docs/performance.md")
    arguments = parser.parse_args()
    measured = [_measure(tokens, arguments.seconds, arguments.repeats) for tokens in SIZES]
    lines = _section(measured, arguments.seconds, arguments.repeats, top_functions(SIZES[-1], 12))
    print("\n".join(lines))
    if arguments.write:
        write_section("service", lines)


if __name__ == "__main__":
    main()
