"""Several servers behind a load balancer that knows nothing but TCP."""

from __future__ import annotations

import contextlib
import itertools
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from client.remote import RemoteMerger
from client.retries import RetryPolicy
from merger.merge import merge_document
from merger.strategies import make_strategy
from tests.cli.running import PATIENCE, serving
from tests.service.running import until
from tests.service.samples import long_document


class Balancer:
    """Gives each connection to the next server that takes it."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._targets = [(host, int(port)) for host, _, port in (each.rpartition(":") for each in addresses)]
        self._next = itertools.count()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.connections = [0] * len(self._targets)
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for each in self._threads:
            each.join(10)

    def _start(self, target: Callable[..., None], *arguments: socket.socket) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._start(self._connect, self._listener.accept()[0])

    def _connect(self, caller: socket.socket) -> None:
        with caller:
            for _ in self._targets:
                index = next(self._next) % len(self._targets)
                with contextlib.suppress(OSError), socket.create_connection(self._targets[index], timeout=2) as server:
                    server.settimeout(None)
                    self.connections[index] += 1
                    for thread in (self._start(self._copy, caller, server), self._start(self._copy, server, caller)):
                        thread.join()
                    return

    @staticmethod
    def _copy(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
        for each in (source, target):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def balanced(addresses: Sequence[str]) -> Iterator[Balancer]:
    balancer = Balancer(addresses)
    try:
        yield balancer
    finally:
        balancer.close()


def test_a_pipeline_goes_on_when_replicas_are_killed_and_stopped_one_after_the_other() -> None:
    documents = [long_document(parts) for parts in range(1, 41)]
    expected = [merge_document(document, make_strategy("greedy")).decisions for document in documents]
    with (
        serving("--workers", "1") as (first, address_1),
        serving("--workers", "1") as (second, address_2),
        serving("--workers", "1") as (_, address_3),
        balanced([address_1, address_2, address_3]) as balancer,
        RemoteMerger(balancer.address, retry=RetryPolicy(attempts=None, for_seconds=5 * PATIENCE)) as remote,
    ):
        found = []
        # Without a word, perhaps in the middle of a call.
        killer = threading.Timer(0.01, first.kill)
        for index, document in enumerate(documents):
            if index == 10:
                killer.start()
            if index == 20:
                # From here on, at the latest, the second one is asked.
                killer.join()
                first.wait(PATIENCE)
            if index == 25:
                second.send_signal(signal.SIGTERM)
            if index == 35:
                # And here the third.
                assert second.wait(PATIENCE) == 0
            found.append(remote.merge(document, "greedy").decisions)

        assert found == expected
        # Once for each server, as the connection went to the next one.
        assert sum(balancer.connections) >= 3
        assert balancer.connections[2] >= 1


def test_callers_spread_over_replicas_where_connections_grow_old_and_streams_run_on() -> None:
    document = long_document(30)
    chains = {chain.mentions[0].part: chain for chain in document.chains}
    arguments = ("--workers", "0", "--max-connection-age", "1")
    with (
        serving(*arguments) as (_, address_1),
        serving(*arguments) as (_, address_2),
        balanced([address_1, address_2]) as balancer,
        RemoteMerger(balancer.address) as remote,
        RemoteMerger(balancer.address) as streaming,
        streaming.stream("d", "greedy") as stream,
    ):

        def call() -> bool:
            remote.merge(long_document(1), "none")
            return min(balancer.connections) >= 2

        begun = time.monotonic()
        for index, part in enumerate(document.parts):
            stream.add(part, [chains[index]])
            call()
            time.sleep(0.15)
        assert until(call)
        result = stream.finish()

        # Far older than the age: gRPC adds some tenths to it.
        assert time.monotonic() - begun > 4
        assert len(result.chains) == 1
