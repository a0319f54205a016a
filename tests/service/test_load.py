"""More than the server can take: what is refused and when to come back, what waits, and what stays small."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest

from client.remote import RemoteMerger
from merger.document import Chain, Document, Mention, Part, Sentence
from protos.documents import part_to_message
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.cli.running import serving
from tests.service.running import (
    ROOT,
    huge_document,
    is_working,
    needs_proc,
    request,
    rss_mib,
    told,
    until,
    wait_for_work,
    workers_of,
)
from tests.service.samples import long_document

pytestmark = needs_proc

HUGE = request(huge_document())
SMALL = request(long_document(2))


def one_part(mentions: int) -> v1.MergeDocumentRequest:
    """A document of one part, on which work can't be given up between parts: every sentence is a chain of two."""
    sentence = Sentence(("York", "York"), ("NNP", "NNP"))
    chains = [Chain(str(index), (Mention(0, index, 0, 0), Mention(0, index, 1, 1))) for index in range(mentions // 2)]
    return request(Document("d", (Part((sentence,) * (mentions // 2)),), tuple(chains)))


def refusal(stub: ChainMergeServiceStub, message: v1.MergeDocumentRequest) -> float:
    """The seconds after which a call that must be refused may be tried again."""
    begun = time.monotonic()
    with pytest.raises(grpc.RpcError) as caught:
        stub.MergeDocument(message, timeout=20)
    code, reason, seconds = told(caught.value)
    assert (code, reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED")
    assert time.monotonic() - begun < 2
    assert seconds is not None
    return seconds


def test_past_the_queue_calls_are_refused_with_a_time_to_come_back() -> None:
    with serving("--workers", "1", "--queue", "1") as (process, address), grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        in_work = stub.MergeDocument.future(HUGE)
        wait_for_work(process.pid)
        waiting = stub.MergeDocument.future(SMALL)
        time.sleep(0.2)
        assert 0.1 <= refusal(stub, SMALL) <= 30
        in_work.cancel()
        # What waited is not lost, and then there is room again.
        assert len(waiting.result(timeout=20).chains) == 1
        assert len(stub.MergeDocument(SMALL, timeout=20).chains) == 1


def test_without_a_queue_a_call_is_worked_on_if_a_worker_is_free() -> None:
    with serving("--workers", "1", "--queue", "0") as (process, address), grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        assert len(stub.MergeDocument(SMALL, timeout=20).chains) == 1
        in_work = stub.MergeDocument.future(HUGE)
        wait_for_work(process.pid)
        refusal(stub, SMALL)
        in_work.cancel()


def test_past_the_bytes_calls_are_refused_but_a_single_larger_one_is_taken() -> None:
    assert HUGE.ByteSize() > 1024 * 1024
    arguments = ("--workers", "1", "--queue-mib", "1")
    with serving(*arguments) as (process, address), grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        in_work = stub.MergeDocument.future(HUGE)
        wait_for_work(process.pid)
        refusal(stub, SMALL)
        assert len(in_work.result(timeout=60).chains) == 1
        assert len(stub.MergeDocument(SMALL, timeout=20).chains) == 1


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
            assert len(stub.MergeDocument(SMALL, timeout=20).chains) == 1
        assert until(lambda: _answers(stub, setup) == 1)


def _answers(stub: ChainMergeServiceStub, setup: v1.MergeStreamRequest) -> int:
    try:
        return len(list(stub.MergeStream(iter([setup]))))
    except grpc.RpcError:
        return 0


def test_small_documents_and_streams_do_not_wait_for_huge_ones() -> None:
    document = long_document(20)
    with (
        serving("--workers", "2") as (_, address),
        grpc.insecure_channel(address) as channel,
        RemoteMerger(address) as remote,
        ThreadPoolExecutor(1) as pool,
    ):
        stub = ChainMergeServiceStub(channel)
        huge = [stub.MergeDocument.future(HUGE) for _ in range(4)]
        last = pool.submit(lambda: [each.result(timeout=120) for each in huge])
        times: list[float] = []
        while not last.done() and len(times) < 30:
            begun = time.monotonic()
            stub.MergeDocument(SMALL, timeout=60)
            remote.merge_in_parts(document, "greedy")
            times.append(time.monotonic() - begun)
        # Thirty rounds, of a document and a stream of twenty parts each, were over before the huge documents were.
        assert len(times) == 30
        assert not last.done()
        assert sorted(times)[15] < 1


@pytest.mark.parametrize("way", ["deadline", "cancellation"])
def test_work_that_does_not_end_with_its_call_is_ended_by_force(way: str) -> None:
    # Decoding and deciding on a part of 600,000 mentions takes longer than it is given to end by itself.
    message = one_part(600_000)
    with serving("--workers", "1") as (process, address), grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        call = stub.MergeDocument.future(message, timeout=1.5 if way == "deadline" else None)
        wait_for_work(process.pid)
        begun = time.monotonic()
        if way == "cancellation":
            call.cancel()
        # The only worker is free again: by itself, or since it is another one.
        assert len(stub.MergeDocument(SMALL, timeout=20).chains) == 1
        assert time.monotonic() - begun < 8
        assert not any(is_working(pid) for pid in workers_of(process.pid))
        code = call.code()
    assert code is (grpc.StatusCode.DEADLINE_EXCEEDED if way == "deadline" else grpc.StatusCode.CANCELLED)


def test_a_call_that_expires_in_the_queue_is_never_begun() -> None:
    with serving("--workers", "1") as (process, address), grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        first = stub.MergeDocument.future(HUGE)
        worker = wait_for_work(process.pid)
        with pytest.raises(grpc.RpcError) as caught:
            stub.MergeDocument(HUGE, timeout=0.5)
        assert told(caught.value)[0] is grpc.StatusCode.DEADLINE_EXCEEDED
        assert len(first.result(timeout=60).chains) == 1
        assert not is_working(worker)


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
        time.sleep(3)
        assert sent < 100
        assert not is_working(worker)
        assert rss_mib(process.pid) - before < 100
        assert len(ChainMergeServiceStub(channel).MergeDocument(SMALL, timeout=20).chains) == 1
        answers.cancel()


def test_under_more_load_than_it_can_take_the_server_stays_small_and_well() -> None:
    script = [sys.executable, str(ROOT / "benchmarks" / "overload.py"), "--minutes", "0.2", "--json"]
    done = subprocess.run(script, capture_output=True, text=True, check=False, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["refused_share"] > 0.2
    assert set(report["codes"]) <= {"OK", "RESOURCE_EXHAUSTED", "DEADLINE_EXCEEDED"}
    assert report["codes"]["OK"] > 50
    assert report["retry_info_missing"] == 0
    assert report["server_mib"]["highest"] < report["server_mib"]["idle"] + report["bound_mib"]
    assert report["healthy_after"]
    assert report["normal_call_after_seconds"] < 5
