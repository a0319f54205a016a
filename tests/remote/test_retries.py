"""When failed calls are tried again: each rule once, on real calls to a server that answers as told."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.remote.errors import (
    BusyError,
    DeadlineError,
    IncompatibleError,
    MessageTooLargeError,
    NotAllowedError,
    RemoteError,
    ServerFailedError,
    UnreachableError,
    WorkLostError,
)
from client.remote.retries import NO_RETRIES, Retries, RetryPolicy
from merger.errors import BackendError, MergeBaselineError, MissingTagsError, OptionError
from merger.merge import merge_document
from merger.strategies import make_strategy
from protos.convert.status import overloaded_status, status_of, worker_lost_status
from tests.remote.calling import BOTH, Merge
from tests.support.command_line import PATIENCE
from tests.support.peers import Peer, answering, backend_failed, busy, gone, status
from tests.support.samples import long_document

if TYPE_CHECKING:
    from google.rpc import status_pb2

DOCUMENT = long_document(2)
MERGED = merge_document(DOCUMENT, make_strategy("none"))
QUICK = RetryPolicy(first_delay=0.01)

both = pytest.mark.parametrize("merge", BOTH)


def waits(peer: Peer) -> list[float]:
    return [later - earlier for earlier, later in pairwise(peer.calls)]


@both
def test_a_busy_server_is_asked_again_when_it_said(merge: Merge) -> None:
    told: list[float] = []
    with answering(busy(0.4), busy(0.2)) as peer:
        found = merge(peer.address, DOCUMENT, retry=QUICK, on_retry=lambda _, wait: told.append(wait))
    assert found == MERGED
    # And the policy's own wait, 0.01 s at most and then 0.02 s.
    assert 0.4 <= told[0] <= 0.41
    assert 0.2 <= told[1] <= 0.22
    # No less than told; what the calls themselves take comes to it.
    assert [took >= wait for took, wait in zip(waits(peer), told, strict=True)] == [True, True]


@both
def test_a_busy_server_that_did_not_say_when_is_not_asked_again(merge: Merge) -> None:
    with answering(busy()) as peer, pytest.raises(BusyError, match="is busy: full") as caught:
        merge(peer.address, DOCUMENT, retry=QUICK)
    assert len(peer.calls) == 1
    assert caught.value.retry_after is None
    assert not caught.value.retryable


@both
def test_a_caller_without_retries_is_told_when_to_come_back(merge: Merge) -> None:
    with answering(overloaded_status("all workers busy", 1.5)) as peer, pytest.raises(BusyError) as caught:
        merge(peer.address, DOCUMENT, retry=NO_RETRIES)
    assert len(peer.calls) == 1
    assert caught.value.retry_after == 1.5
    assert caught.value.retryable


@both
def test_a_message_that_is_too_large_stays_too_large(merge: Merge) -> None:
    too_large = status(grpc.StatusCode.RESOURCE_EXHAUSTED, "Received message larger than max (9 vs. 8)", 0.0)
    with answering(too_large) as peer, pytest.raises(MessageTooLargeError):
        merge(peer.address, DOCUMENT, retry=QUICK)
    assert len(peer.calls) == 1


@both
def test_a_call_that_broke_is_made_again(merge: Merge) -> None:
    with answering(gone(), gone(), worker_lost_status("killed", 0.0)) as peer:
        assert merge(peer.address, DOCUMENT, retry=QUICK) == MERGED
    assert len(peer.calls) == 4


@both
@pytest.mark.parametrize(
    ("each", "kind"), [(gone(), UnreachableError), (worker_lost_status("killed", 0.0), WorkLostError)]
)
def test_attempts_are_counted_with_the_first_call(
    merge: Merge, each: status_pb2.Status, kind: type[RemoteError]
) -> None:
    with answering(*[each] * 9) as peer, pytest.raises(kind):
        merge(peer.address, DOCUMENT, retry=RetryPolicy(attempts=3, first_delay=0.01))
    assert len(peer.calls) == 3


@both
def test_a_failed_backend_gets_one_more_chance(merge: Merge) -> None:
    with answering(backend_failed()) as peer:
        assert merge(peer.address, DOCUMENT, retry=QUICK) == MERGED
    assert len(peer.calls) == 2
    with (
        answering(backend_failed(), gone(), backend_failed()) as peer,
        pytest.raises(BackendError, match="parser died"),
    ):
        merge(peer.address, DOCUMENT, retry=QUICK)
    assert len(peer.calls) == 3


@both
@pytest.mark.parametrize(
    ("each", "kind"),
    [
        (status_of(OptionError("no such option")), OptionError),
        (status_of(MissingTagsError("no tags")), MissingTagsError),
        (status(grpc.StatusCode.INTERNAL, retry_seconds=0), ServerFailedError),
        (status(grpc.StatusCode.UNAUTHENTICATED), NotAllowedError),
        (status(grpc.StatusCode.PERMISSION_DENIED), NotAllowedError),
        (status(grpc.StatusCode.UNIMPLEMENTED), IncompatibleError),
    ],
    ids=["option", "tags", "crash", "no token", "wrong token", "no such method"],
)
def test_what_will_not_pass_is_raised_at_once(
    merge: Merge, each: status_pb2.Status, kind: type[MergeBaselineError]
) -> None:
    with answering(each) as peer, pytest.raises(kind):
        merge(peer.address, DOCUMENT, retry=QUICK)
    assert len(peer.calls) == 1


@both
def test_no_wait_goes_past_the_time_of_the_call(merge: Merge) -> None:
    started = time.monotonic()
    with answering(busy(10 * PATIENCE)) as peer, pytest.raises(BusyError):
        merge(peer.address, DOCUMENT, timeout=PATIENCE)
    # At once.
    assert time.monotonic() - started < PATIENCE / 2
    assert len(peer.calls) == 1


@both
def test_the_time_of_the_call_holds_for_all_attempts_together(merge: Merge) -> None:
    policy = RetryPolicy(attempts=None, first_delay=0)

    def calls(seconds: float) -> int:
        # At 0, 0.2, 0.4 s and so on; what is left of the time may end in a wait or in a call.
        with answering(*[busy(0.2)] * 1000) as peer, pytest.raises((BusyError, DeadlineError, UnreachableError)):
            merge(peer.address, DOCUMENT, timeout=seconds, retry=policy)
        assert len(peer.calls) <= 5 * seconds
        return len(peer.calls)

    # More time if little was enough for the first one only, or to connect.
    assert any(calls(seconds) >= 2 for seconds in (2.0, 10.0, PATIENCE))


@both
def test_retrying_ends_with_the_policys_time(merge: Merge) -> None:
    with answering(*[busy(0.2)] * 100) as peer, pytest.raises(BusyError):
        merge(peer.address, DOCUMENT, retry=RetryPolicy(attempts=None, first_delay=0, for_seconds=0.5))
    # At 0, 0.2 and 0.4 s; the next would be at 0.6 s.
    assert 2 <= len(peer.calls) <= 3


@both
def test_each_wait_is_told(merge: Merge) -> None:
    told: list[tuple[type[MergeBaselineError], float]] = []
    with answering(busy(0.05), gone()) as peer:
        merge(peer.address, DOCUMENT, retry=QUICK, on_retry=lambda error, wait: told.append((type(error), wait)))
    assert [kind for kind, _ in told] == [BusyError, UnreachableError]
    assert 0.05 <= told[0][1] <= 0.06
    assert 0 <= told[1][1] <= 0.02


@both
def test_the_token_goes_with_every_attempt(merge: Merge) -> None:
    with answering(gone()) as peer:
        merge(peer.address, DOCUMENT, retry=QUICK, token="s3cret")  # noqa: S106  # of this test
    assert peer.tokens == ["Bearer s3cret"] * 2


class Clock:
    """A clock that goes when told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


UNREACHABLE = UnreachableError("gone", "h:1")


def delays(policy: RetryPolicy, clock: Callable[[], float] | None = None) -> list[float]:
    """All waits after failures in a row, without really waiting."""
    retries = Retries(policy, clock=clock or Clock())
    found: list[float] = []
    try:
        while len(found) < 50:
            found.append(retries.delay(UNREACHABLE))
    except UnreachableError:
        pass
    return found


@given(first=st.floats(0, 10), factor=st.floats(1, 10), most=st.floats(0, 100), attempts=st.integers(1, 12))
def test_waits_are_random_below_a_bound_that_grows(first: float, factor: float, most: float, attempts: int) -> None:
    policy = RetryPolicy(attempts, first, factor, most, for_seconds=None)
    found = delays(policy)
    assert len(found) == attempts - 1
    for number, wait in enumerate(found):
        assert 0 <= wait <= min(most, first * factor**number) * (1 + 1e-9)


def test_callers_of_one_server_do_not_come_back_together() -> None:
    policy = RetryPolicy(attempts=2, first_delay=1.0)
    found = sorted(wait for _ in range(200) for wait in delays(policy))
    # Uniform from 0 to 1: with 200 draws each tenth has some, but for odds of 10 * 0.9**200 (7e-9).
    assert {int(wait * 10) for wait in found} == set(range(10))


def test_success_lets_counting_begin_again() -> None:
    clock = Clock()
    retries = Retries(RetryPolicy(attempts=2, first_delay=0, for_seconds=5), clock=clock)
    for _ in range(3):
        assert retries.delay(UNREACHABLE) == 0
        clock.now += 10
        retries.succeeded()
    retries.delay(UNREACHABLE)
    with pytest.raises(UnreachableError):
        retries.delay(UNREACHABLE)


@pytest.mark.parametrize(
    "values", [{"attempts": 0}, {"first_delay": -1}, {"factor": 0.5}, {"max_delay": -1}, {"for_seconds": float("nan")}]
)
def test_a_policy_that_makes_no_sense_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=f"retry policy: .*{values[next(iter(values))]:g}"):
        RetryPolicy(**values)  # type: ignore[arg-type]  # from a table
