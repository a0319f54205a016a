from __future__ import annotations

from collections.abc import Iterator

import grpc
import pytest

import server
from client.remote.sync import RemoteMerger
from merger.strategies import STRATEGIES
from tests.support.samples import Absent, Crashing, Held, Paced, Telling


# Not longer than the tests here: others are to see the usual strategies.
@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """A server with default limits, one thread for documents, and five more strategies than usual."""
    with pytest.MonkeyPatch.context() as patch:
        for strategy in (Paced, Held, Telling, Crashing, Absent):
            patch.setitem(STRATEGIES, strategy.name, strategy)
        with server.background(server.ServerOptions(port=0, workers=0, grace_seconds=0)) as address:
            yield address


@pytest.fixture(scope="package")
def remote(address: str) -> Iterator[RemoteMerger]:
    with RemoteMerger(address) as remote:
        yield remote


@pytest.fixture(scope="package")
def by_processes() -> Iterator[RemoteMerger]:
    """A server with worker processes, as usual. These know none of the strategies that are made for tests."""
    with (
        server.background(server.ServerOptions(port=0, workers=1, grace_seconds=0)) as address,
        RemoteMerger(address) as remote,
    ):
        yield remote


@pytest.fixture(scope="package")
def channel(address: str) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(address) as channel:
        yield channel
