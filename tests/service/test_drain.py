"""A server that closes a connection does not cut off what it has answered, be the line slower than the server."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue

import grpc
import pytest

from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.service.balancer import balanced
from tests.support.command_line import PATIENCE, free_port, serving
from tests.support.one_worker import SMALL, wait_for_documents
from tests.support.running_server import needs_proc, request, stopped, workers_of
from tests.support.samples import wordy_document

pytestmark = needs_proc

CHAINS = 2_000
# A server allows for a quarter of that.
BYTES_PER_SECOND = 4 * 2**20
LATER = 2 * PATIENCE
WORDY = request(wordy_document(CHAINS), "none")


@dataclass(frozen=True)
class Far:
    """A server with one worker of each kind, and a caller far away from it."""

    process: subprocess.Popen[str]
    metrics_port: int
    stub: ChainMergeServiceStub

    def worker(self, kind: str) -> int:
        (worker,) = workers_of(self.process.pid, kind)
        return worker

    def ends_well(self) -> bool:
        return self.process.wait(PATIENCE) == 0


@contextmanager
def far_away(*arguments: str) -> Iterator[Far]:
    port = free_port()
    with (
        serving("--workers", "1", "--metrics-port", str(port), *arguments) as (process, address),
        balanced([address], BYTES_PER_SECOND) as line,
        grpc.insecure_channel(line.address, options=[("grpc.max_receive_message_length", -1)]) as channel,
    ):
        yield Far(process, port, ChainMergeServiceStub(channel))


@pytest.fixture
def far() -> Iterator[Far]:
    with far_away("--grace", "600") as far:
        yield far


def test_the_answer_to_a_document_arrives(far: Far) -> None:
    with stopped(far.worker("documents")):
        call = far.stub.MergeDocument.future(WORDY, timeout=LATER)
        wait_for_documents(far.metrics_port, "in_work", 1)
        far.process.terminate()

    assert len(call.result(timeout=LATER).chains) == CHAINS
    assert far.ends_well()


def test_the_answers_on_a_stream_arrive(far: Far) -> None:
    document = WORDY
    requests: SimpleQueue[v1.MergeStreamRequest | None] = SimpleQueue()
    requests.put(v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=document.strategy)))
    requests.put(v1.MergeStreamRequest(part=SMALL.document.parts[0]))
    answers = far.stub.MergeStream(iter(requests.get, None), timeout=LATER)
    assert next(answers).HasField("part")
    with stopped(far.worker("streams")):
        requests.put(v1.MergeStreamRequest(part=document.document.parts[0]))
        requests.put(None)
        far.process.terminate()

    left = list(answers)
    assert sum(len(answer.part.decisions) for answer in left) == CHAINS
    assert left[-1].HasField("summary")
    assert far.ends_well()


def test_the_answers_to_many_documents_arrive(far: Far) -> None:
    requests: SimpleQueue[v1.MergeDocumentsRequest | None] = SimpleQueue()
    requests.put(v1.MergeDocumentsRequest(id="small", request=SMALL))
    answers = far.stub.MergeDocuments(iter(requests.get, None), timeout=LATER)
    assert next(answers).id == "small"
    with stopped(far.worker("documents")):
        requests.put(v1.MergeDocumentsRequest(id="wordy", request=WORDY))
        wait_for_documents(far.metrics_port, "in_work", 1)
        far.process.terminate()

    answer = next(answers)
    assert answer.id == "wordy"
    assert len(answer.response.chains) == CHAINS
    with pytest.raises(grpc.RpcError) as stopping:
        next(answers)
    requests.put(None)
    assert stopping.value.details() == "the server is stopping; send again what is not answered"
    assert far.ends_well()


def test_what_is_answered_on_a_connection_that_has_grown_old_arrives() -> None:
    with far_away("--max-connection-age", "1") as far:
        with stopped(far.worker("documents")):
            call = far.stub.MergeDocument.future(WORDY, timeout=LATER)
            wait_for_documents(far.metrics_port, "in_work", 1)
            # gRPC adds a tenth, or takes it away.
            time.sleep(1.5)

        assert len(call.result(timeout=LATER).chains) == CHAINS
