"""Servers that are killed, stopped and started again while calls are made."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from client.remote.errors import UnreachableError
from client.remote.retries import NO_RETRIES, RetryPolicy
from client.remote.sync import RemoteMerger
from client.remote.target import Target
from merger.errors import MergeBaselineError
from merger.merge import merge_document
from merger.strategies import make_strategy
from tests.remote.calling import BOTH, Merge
from tests.remote.test_chunks import random_document
from tests.service.test_metrics import scrape
from tests.support.command_line import NOWHERE, free_port
from tests.support.peers import Restarted
from tests.support.running_server import needs_proc, soon, stopped, until, workers_of
from tests.support.samples import long_document

DEFAULT_SECONDS = RetryPolicy().for_seconds or 0.0

DOCUMENT = random_document(1, parts=6, sentences=60, length=40, chains=300)


@needs_proc
@pytest.mark.parametrize("in_parts", [False, True])
def test_work_that_a_killed_server_had_is_done_by_the_next(*, in_parts: bool) -> None:
    told: list[MergeBaselineError] = []
    kind = "streams" if in_parts else "documents"
    shown = "streams_open" if in_parts else "queue_documents{place=usual,state=in_work}"
    metrics_port = free_port()
    with (
        Restarted("--workers", "1", "--metrics-port", str(metrics_port)) as server,
        RemoteMerger(server.address, on_retry=lambda error, _: told.append(error)) as remote,
    ):

        def kill() -> None:
            assert until(lambda: scrape(metrics_port)[f"merge_baseline_{shown}"] == 1)
            server.kill()
            server.start()

        (worker,) = workers_of(server.pid, kind)
        # Held, it can't be done with the work before.
        with stopped(worker), ThreadPoolExecutor(1) as threads:
            killed = threads.submit(kill)
            result = (remote.merge_in_parts if in_parts else remote.merge)(DOCUMENT, "greedy")
            killed.result()
    assert result == merge_document(DOCUMENT, make_strategy("greedy"))
    assert {type(error) for error in told} == {UnreachableError}


def test_calls_wait_for_a_server_that_comes_back() -> None:
    document = long_document(3)
    with Restarted() as server, RemoteMerger(server.address) as remote:
        expected = remote.merge(document, "greedy")
        server.kill()
        late = server.start_later(2)
        assert remote.merge(document, "greedy") == expected
        late.join()


def answers(remote: RemoteMerger) -> bool:
    """Whether a merger that waits little for a connection has got one."""
    try:
        return remote.is_serving()
    except UnreachableError:
        return False


def test_calls_do_not_wait_longer_than_they_may() -> None:
    document = long_document(1)
    told: list[float] = []
    policy = RetryPolicy(attempts=None, for_seconds=1.0)
    with (
        Restarted() as server,
        RemoteMerger(
            server.address, retry=policy, connect_timeout=0.3, on_retry=lambda _, wait: told.append(wait)
        ) as remote,
    ):
        assert until(lambda: answers(remote))
        server.kill()
        started = time.monotonic()
        with pytest.raises(UnreachableError):
            remote.merge(document, "none")
        # Not the minute that is the default.
        assert time.monotonic() - started < DEFAULT_SECONDS
        assert told
    with (
        Restarted() as server,
        RemoteMerger(server.address, retry=RetryPolicy(attempts=None), connect_timeout=0.3) as remote,
    ):
        assert until(lambda: answers(remote))
        server.kill()
        started = time.monotonic()
        with pytest.raises(UnreachableError):
            remote.merge(document, "none", timeout=3)
        assert time.monotonic() - started < DEFAULT_SECONDS


def test_a_server_that_was_away_for_long_is_found_soon() -> None:
    """By default gRPC would look for it less and less often, every other minute in the end."""
    document = long_document(1)
    with Restarted() as server, RemoteMerger(server.address, retry=NO_RETRIES, connect_timeout=1) as remote:
        assert until(lambda: answers(remote))
        expected = remote.merge(document, "none")
        server.kill()
        away = time.monotonic()
        while time.monotonic() - away < 8:
            with pytest.raises(UnreachableError):
                remote.merge(document, "none")
        server.start()
        assert until(lambda: answers(remote))
        assert remote.merge(document, "none") == expected


@pytest.mark.parametrize("merge", BOTH)
def test_a_server_that_was_never_there_is_not_waited_for(merge: Merge) -> None:
    def call() -> None:
        with pytest.raises(UnreachableError):
            merge(NOWHERE, long_document(1), connect_timeout=0.5)

    # By default it would wait for longer.
    assert soon(call, Target(address=NOWHERE).connect_timeout)
