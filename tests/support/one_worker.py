"""The real server with one worker for documents, which tests hold, and what its metrics say of the queue before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import grpc

from client.remote.channel import HEALTH_METHOD
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.service.test_metrics import scrape
from tests.support.command_line import PATIENCE, free_port, serving
from tests.support.running_server import request, told, until, workers_of
from tests.support.samples import long_document

SMALL = request(long_document(2))


@dataclass(frozen=True)
class Server:
    """``worker`` is the process that works on documents."""

    address: str
    worker: int
    stub: ChainMergeServiceStub
    metrics_port: int

    def wait_for(self, state: str, count: int) -> None:
        """Wait until so many documents are ``in_work``, or ``waiting``."""
        wait_for_documents(self.metrics_port, state, count)

    def merges(self) -> bool:
        """Whether it takes a small document; it must be answered or refused, and with a time to come back."""
        try:
            answer = self.stub.MergeDocument(SMALL, timeout=PATIENCE)
        except grpc.RpcError as error:
            code, reason, seconds = told(error)
            assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
            assert seconds is not None
            assert 0.1 <= seconds <= 30
            return False
        assert len(answer.chains) == 1
        return True


def wait_for_documents(metrics_port: int, state: str, count: int) -> None:
    """Wait until a server has so many documents ``in_work``, or ``waiting``."""
    name = f"merge_baseline_queue_documents{{place=usual,state={state}}}"
    assert until(lambda: scrape(metrics_port)[name] == count)


@contextmanager
def one_worker(*arguments: str) -> Iterator[Server]:
    port = free_port()
    with (
        serving("--workers", "1", "--metrics-port", str(port), *arguments) as (process, address),
        grpc.insecure_channel(address) as channel,
    ):
        # What is called with little time need not connect in it.
        check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(HEALTH_METHOD)
        check(b"", timeout=PATIENCE, wait_for_ready=True)
        (worker,) = workers_of(process.pid, "documents")
        yield Server(address, worker, ChainMergeServiceStub(channel), port)
