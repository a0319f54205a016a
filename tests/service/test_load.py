"""More than the server can take: what is refused and when to come back, what waits, and what stays small."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator

import grpc
import pytest

from client.remote.sync import RemoteMerger
from merger.document import Chain, Mention, Part, Sentence
from protos.convert.documents import part_to_message
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.command_line import PATIENCE, free_port, serving
from tests.support.one_worker import SMALL, one_worker, wait_for_documents
from tests.support.running_server import (
    ROOT,
    huge_document,
    is_alive,
    is_working,
    needs_proc,
    next_worker,
    request,
    rss_mib,
    stopped,
    told,
    until,
    workers_of,
)
from tests.support.samples import long_document

pytestmark = needs_proc

HUGE = request(huge_document())


def test_past_the_queue_calls_are_refused_with_a_time_to_come_back() -> None:
    with one_worker("--queue", "1") as server:
        with stopped(server.worker):
            in_progress = server.stub.MergeDocument.future(HUGE)
            server.wait_for("in_work", 1)
            waiting = server.stub.MergeDocument.future(SMALL)
            server.wait_for("waiting", 1)
            assert not server.merges()
        in_progress.cancel()
        # What waited is not lost, and then there is room again.
        assert len(waiting.result(timeout=PATIENCE).chains) == 1
        assert server.merges()


def test_without_a_queue_a_call_is_worked_on_if_a_worker_is_free() -> None:
    with one_worker("--queue", "0") as server:
        assert server.merges()
        with stopped(server.worker):
            in_progress = server.stub.MergeDocument.future(HUGE)
            server.wait_for("in_work", 1)
            assert not server.merges()
        in_progress.cancel()


def test_past_the_bytes_calls_are_refused_but_a_single_larger_one_is_taken() -> None:
    assert HUGE.ByteSize() > 1024 * 1024
    with one_worker("--queue-mib", "1") as server:
        with stopped(server.worker):
            in_progress = server.stub.MergeDocument.future(HUGE)
            server.wait_for("in_work", 1)
            assert not server.merges()
        assert len(in_progress.result(timeout=2 * PATIENCE).chains) == 1
        # The answer counts until it is sent, which is a moment after it has come.
        assert until(server.merges)


def test_past_the_streams_one_more_is_refused_until_another_ends() -> None:
    setup = v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
    with serving("--workers", "1", "--streams", "1") as (_, address), grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        with RemoteMerger(address) as remote, remote.stream("d", "none") as stream:
            document = long_document(1)
            stream.add(document.parts[0], document.chains)
            with pytest.raises(grpc.RpcError) as caught:
                list(stub.MergeStream(iter([setup])))
            assert told(caught.value) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED", 1.0)
            # Documents are not streams.
            assert len(stub.MergeDocument(SMALL, timeout=PATIENCE).chains) == 1
        assert until(lambda: _answers(stub, setup) == 1)


def _answers(stub: ChainMergeServiceStub, setup: v1.MergeStreamRequest) -> int:
    try:
        return len(list(stub.MergeStream(iter([setup]))))
    except grpc.RpcError:
        return 0


def test_small_documents_and_streams_do_not_wait_for_huge_ones() -> None:
    document, port = long_document(20), free_port()
    with (
        serving("--workers", "2", "--metrics-port", str(port)) as (process, address),
        grpc.insecure_channel(address) as channel,
        RemoteMerger(address) as remote,
    ):
        stub = ChainMergeServiceStub(channel)
        # However long the first one takes: while its worker is held, all others would wait for ever.
        with stopped(next_worker(process.pid)):
            huge = [stub.MergeDocument.future(HUGE) for _ in range(4)]
            wait_for_documents(port, "in_work", 1)
            wait_for_documents(port, "waiting", 3)
            for _ in range(10):
                assert len(stub.MergeDocument(SMALL, timeout=PATIENCE).chains) == 1
                assert len(remote.merge_in_parts(document, "greedy", timeout=PATIENCE).document.chains) == 1
            assert not any(each.done() for each in huge)
        for each in huge:
            assert len(each.result(timeout=5 * PATIENCE).chains) == 1


@pytest.mark.parametrize("way", ["deadline", "cancellation"])
def test_work_that_does_not_end_with_its_call_is_ended_by_force(way: str) -> None:
    # No work on a worker that is held ends by itself.
    with one_worker() as server, stopped(server.worker):
        call = server.stub.MergeDocument.future(SMALL, timeout=10 if way == "deadline" else None)
        server.wait_for("in_work", 1)
        if way == "cancellation":
            call.cancel()
        # There is another worker, the only one.
        assert server.merges()
        assert not is_alive(server.worker)
        code = call.code()
    assert code is (grpc.StatusCode.DEADLINE_EXCEEDED if way == "deadline" else grpc.StatusCode.CANCELLED)


def test_a_call_that_expires_in_the_queue_is_never_begun() -> None:
    with one_worker() as server:
        with stopped(server.worker):
            first = server.stub.MergeDocument.future(HUGE)
            server.wait_for("in_work", 1)
            second = server.stub.MergeDocument.future(SMALL, timeout=10)
            server.wait_for("waiting", 1)
            with pytest.raises(grpc.RpcError) as caught:
                second.result()
            assert told(caught.value)[0] is grpc.StatusCode.DEADLINE_EXCEEDED
            # The worker still has the first, so nobody has begun the second; and nobody will.
            server.wait_for("waiting", 0)
        assert len(first.result(timeout=2 * PATIENCE).chains) == 1
        assert server.merges()


def test_a_slow_reader_of_a_stream_holds_bounded_memory() -> None:
    # Every answer is about a MiB: a chain's id is in the decision on it. 400 of them are never read.
    sentence = Sentence(("York", "York"), ("NNP", "NNP"))
    chains = [
        Chain(str(index) + "x" * 900, (Mention(0, index, 0, 0), Mention(0, index, 1, 1))) for index in range(1000)
    ]
    part = part_to_message(Part((sentence,) * 1000), chains)
    sent = 0

    def send() -> Iterator[v1.MergeStreamRequest]:
        nonlocal sent
        yield v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
        for _ in range(400):
            sent += 1
            yield v1.MergeStreamRequest(part=part)

    with (
        serving("--workers", "1", "--replay-mib", "0") as (process, address),
        grpc.insecure_channel(address) as channel,
    ):
        (worker,) = workers_of(process.pid, "streams")
        before = rss_mib(process.pid)
        answers = ChainMergeServiceStub(channel).MergeStream(send())
        assert next(answers).HasField("part")
        assert until(lambda: sent > 2)
        seen = 0
        while sent != seen:
            seen = sent
            time.sleep(2)
        assert sent < 100
        assert until(lambda: not is_working(worker))
        assert rss_mib(process.pid) - before < 100
        assert len(ChainMergeServiceStub(channel).MergeDocument(SMALL, timeout=PATIENCE).chains) == 1
        answers.cancel()


@pytest.mark.server
def test_under_more_load_than_it_can_take_the_server_stays_small_and_well() -> None:
    script = [sys.executable, str(ROOT / "benchmarks" / "overload.py"), "--minutes", "0.2", "--json"]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=5 * PATIENCE, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["refused_share"] > 0.2
    assert set(report["codes"]) <= {"OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}
    assert report["codes"]["OK"] > 20
    assert report["retry_info_missing"] == 0
    assert report["server_mib"]["highest"] < report["server_mib"]["idle"] + report["bound_mib"]
    assert report["healthy_after"]
    assert report["normal_call_after_seconds"] < PATIENCE
