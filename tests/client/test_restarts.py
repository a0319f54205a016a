"""Servers that are killed, stopped and started again while calls are made."""

from __future__ import annotations

import threading
import time

import pytest

from client.errors import UnreachableError
from client.remote import RemoteMerger
from client.retries import NO_RETRIES, RetryPolicy
from merger.errors import MergeBaselineError
from merger.merge import merge_document
from merger.strategies import make_strategy
from tests.client.calling import BOTH, Merge
from tests.client.peers import Restarted
from tests.client.test_chunks import random_document
from tests.service.samples import long_document

SLOW = random_document(1, parts=60, sentences=60, length=40, chains=300)
"""Takes a second or more."""


@pytest.mark.parametrize("in_parts", [False, True])
def test_work_that_a_killed_server_had_is_done_by_the_next(*, in_parts: bool) -> None:
    told: list[MergeBaselineError] = []
    with Restarted() as server, RemoteMerger(server.address, on_retry=lambda error, _: told.append(error)) as remote:
        remote.strategies()

        def kill() -> None:
            time.sleep(0.4)
            server.kill()
            server.start()

        thread = threading.Thread(target=kill)
        thread.start()
        merge = remote.merge_in_parts if in_parts else remote.merge
        result = merge(SLOW, "greedy")
        thread.join()
    assert result == merge_document(SLOW, make_strategy("greedy"))
    assert {type(error) for error in told} == {UnreachableError}


def test_calls_wait_for_a_server_that_comes_back() -> None:
    document = long_document(3)
    with Restarted() as server, RemoteMerger(server.address) as remote:
        expected = remote.merge(document, "greedy")
        server.kill()
        late = server.start_later(2)
        assert remote.merge(document, "greedy") == expected
        late.join()


def test_calls_do_not_wait_longer_than_they_may() -> None:
    document = long_document(1)
    with (
        Restarted() as server,
        RemoteMerger(server.address, retry=RetryPolicy(attempts=None, for_seconds=1.0), connect_timeout=0.3) as remote,
    ):
        remote.merge(document, "none")
        server.kill()
        started = time.monotonic()
        with pytest.raises(UnreachableError):
            remote.merge(document, "none")
        assert 0.5 < time.monotonic() - started < 4
        started = time.monotonic()
        with pytest.raises(UnreachableError):
            remote.merge(document, "none", timeout=0.2)
        assert time.monotonic() - started < 1.5


def test_a_server_that_was_away_for_long_is_found_soon() -> None:
    """By default gRPC would look for it less and less often, every other minute in the end."""
    document = long_document(1)
    with Restarted() as server, RemoteMerger(server.address, retry=NO_RETRIES, connect_timeout=1) as remote:
        expected = remote.merge(document, "none")
        server.kill()
        away = time.monotonic()
        while time.monotonic() - away < 8:
            with pytest.raises(UnreachableError):
                remote.merge(document, "none")
        server.start()
        back = time.monotonic()
        while time.monotonic() - back < 4:
            try:
                assert remote.merge(document, "none") == expected
            except UnreachableError:
                continue
            break
        assert time.monotonic() - back < 4


@pytest.mark.parametrize("merge", BOTH)
def test_a_server_that_was_never_there_is_not_waited_for(merge: Merge) -> None:
    started = time.monotonic()
    with pytest.raises(UnreachableError):
        merge("127.0.0.1:1", long_document(1), connect_timeout=0.5)
    assert time.monotonic() - started < 2
