"""Several servers behind a load balancer."""

from __future__ import annotations

import signal
import threading
import time

from client.remote.retries import RetryPolicy
from client.remote.sync import RemoteMerger
from merger.merge import merge_document
from merger.strategies import make_strategy
from tests.service.balancer import balanced
from tests.support.command_line import PATIENCE, serving
from tests.support.running_server import until
from tests.support.samples import long_document


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
