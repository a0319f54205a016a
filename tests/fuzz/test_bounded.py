"""A few hundred damaged inputs for each reader; `make fuzz` tries millions."""

from __future__ import annotations

import contextlib
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.messages import changed, changed_list
from tests.fuzz.targets import answer_document, answer_stream, document_requests, stream_requests, targets

T = TypeVar("T")

TARGETS = targets()
SECONDS = 5.0
"""For one input of a few KiB, on the processor. It takes milliseconds; what grows with a square takes longer."""
MEMORY_KIB = 200 * 1024
"""How much more memory all inputs of a target together may take at their worst."""


@st.composite
def damaged(draw: st.DrawFn, name: str) -> bytes:
    """A seed with a few changes: bytes put in, written over, taken out, copied to another place."""
    target = TARGETS[name]
    data = draw(st.sampled_from(target.seeds))
    for _ in range(draw(st.integers(1, 6))):
        first, second = sorted(draw(st.tuples(*[st.integers(0, len(data))] * 2)))
        new = draw(st.sampled_from(target.words) | st.binary(max_size=4) | st.just(data[first : first + 40]))
        change = draw(st.sampled_from(("put in", "write over", "take out", "cut off")))
        if change == "put in":
            data = data[:second] + new + data[second:]
        elif change == "write over":
            data = data[:second] + new + data[second + len(new) :]
        elif change == "take out":
            data = data[:first] + data[min(second, first + 40) :]
        else:
            data = data[: max(second, 1)]
    return data


@pytest.mark.parametrize("name", TARGETS)
def test_the_seeds_are_fine(name: str) -> None:
    assert [TARGETS[name].run(seed) for seed in TARGETS[name].seeds] == [True] * len(TARGETS[name].seeds)


def check(strategy: st.SearchStrategy[T], run: Callable[[T], bool], examples: int = 300) -> None:
    """Try what the strategy gives, each within the time and all within the memory."""

    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def timed(data: T) -> None:
        begun = time.thread_time()
        run(data)
        assert time.thread_time() - begun < SECONDS

    # What tests before had at their worst does not count.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = peak_kib()
    timed()
    assert peak_kib() - before < MEMORY_KIB


def peak_kib() -> int:
    """The most memory that this process has had; on Linux since that was last reset."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_input_gives_errors_for_the_user_in_bounded_time_and_memory(name: str) -> None:
    check(damaged(name) | st.binary(max_size=200), TARGETS[name].run)


def test_requests_with_wrong_fields_give_errors_for_the_caller() -> None:
    requests = changed(document_requests())
    check(requests, lambda request: answer_document(request.SerializeToString()))


def test_streams_with_wrong_fields_give_errors_for_the_caller() -> None:
    streams = changed_list(stream_requests())
    check(streams, lambda messages: answer_stream(message.SerializeToString() for message in messages))
