"""What callers see when processes die: of a worker, of the server, and when the server is told to stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import server
from client.remote.sync import RemoteMerger
from merger.document import ChainRef
from merger.merge import merge_document
from merger.strategies import make_strategy
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.command_line import PATIENCE, PROGRAM, free_port, serving
from tests.support.one_worker import wait_for_documents
from tests.support.running_server import (
    huge_document,
    is_alive,
    needs_proc,
    next_worker,
    request,
    stopped,
    told,
    until,
    workers_of,
)
from tests.support.samples import long_document

pytestmark = needs_proc

LONG = huge_document()


@dataclass(frozen=True)
class Running:
    process: subprocess.Popen[str]
    address: str
    metrics_port: int

    @contextmanager
    def at_work(self, channel: grpc.Channel) -> Iterator[tuple[Any, int]]:
        """A call that is in work, and the worker, which is held until this ends."""
        worker = next_worker(self.process.pid)
        with stopped(worker):
            call = ChainMergeServiceStub(channel).MergeDocument.future(request(LONG))
            wait_for_documents(self.metrics_port, "in_work", 1)
            yield call, worker


@contextmanager
def server_with(*arguments: str, group: bool = False) -> Iterator[Running]:
    port = free_port()
    with serving("--metrics-port", str(port), *arguments, group=group) as (process, address):
        yield Running(process, address, port)


@pytest.fixture
def running() -> Iterator[Running]:
    with server_with("--workers", "2", "--grace", "600") as running:
        yield running


def test_a_killed_worker_costs_its_request_and_nothing_else(running: Running) -> None:
    process, address = running.process, running.address
    before = workers_of(process.pid)
    assert len(before) == 4
    document = long_document(2)
    with grpc.insecure_channel(address) as channel, RemoteMerger(address) as remote:
        stub = ChainMergeServiceStub(channel)
        with remote.stream("d", "greedy") as stream:
            stream.add(document.parts[0], document.chains[:1])
            with running.at_work(channel) as (call, victim):
                os.kill(victim, signal.SIGKILL)
            with pytest.raises(grpc.RpcError) as caught:
                call.result(timeout=PATIENCE)
            # Another request, the stream that was open, and the request itself, tried again.
            assert len(stub.MergeDocument(request(document), timeout=PATIENCE).chains) == 1
            assert stream.add(document.parts[1], document.chains[1:])[0].antecedent == ChainRef(0, "0")
            assert len(stub.MergeDocument(request(long_document(200)), timeout=2 * PATIENCE).chains) == 1
    code, reason, seconds = told(caught.value)
    assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "WORKER_LOST")
    assert seconds == 0.5
    assert until(lambda: len(workers_of(process.pid)) == 4)
    after = set(workers_of(process.pid))
    assert set(before) - after == {victim}


def test_a_stream_goes_on_after_its_worker_was_killed(running: Running) -> None:
    process, address = running.process, running.address
    document = long_document(6)
    with RemoteMerger(address) as remote, remote.stream(document.id, "greedy") as stream:
        for index in range(6):
            if index == 3:
                for pid in workers_of(process.pid, "streams"):
                    os.kill(pid, signal.SIGKILL)
            stream.add(document.parts[index], document.chains[index : index + 1])
        there = stream.finish()
    here = merge_document(document, make_strategy("greedy"))
    assert there.decisions == here.decisions
    assert there.chains == here.document.chains


def test_a_stream_whose_messages_were_not_kept_ends_and_others_begin() -> None:
    document = long_document(2)
    with (
        serving("--workers", "1", "--replay-mib", "0") as (process, address),
        grpc.insecure_channel(address) as channel,
    ):
        messages: list[v1.MergeStreamRequest] = [
            v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="greedy"))),
            *(v1.MergeStreamRequest(part=part) for part in request(document).document.parts),
        ]
        go_on = threading.Event()

        def send() -> Iterator[v1.MergeStreamRequest]:
            yield from messages[:2]
            go_on.wait()
            yield messages[2]

        stub = ChainMergeServiceStub(channel)
        answers = stub.MergeStream(send())
        assert next(answers).HasField("part")
        (worker,) = workers_of(process.pid, "streams")
        os.kill(worker, signal.SIGKILL)
        go_on.set()
        with pytest.raises(grpc.RpcError) as caught:
            next(answers)
        assert told(caught.value) == (grpc.StatusCode.UNAVAILABLE, "WORKER_LOST", 0.5)
        assert len(list(stub.MergeStream(iter(messages), timeout=PATIENCE))) == 3


def test_workers_end_with_their_server_even_in_the_middle_of_work(running: Running) -> None:
    workers = workers_of(running.process.pid)
    with grpc.insecure_channel(running.address) as channel:
        with running.at_work(channel) as (call, _):
            running.process.kill()
        assert until(lambda: not any(map(is_alive, workers)))
        with pytest.raises(grpc.RpcError) as caught:
            call.result(timeout=PATIENCE)
    assert told(caught.value)[0] is grpc.StatusCode.UNAVAILABLE


def test_sigterm_lets_the_work_end_and_leaves_no_process_behind(running: Running) -> None:
    process = running.process
    workers = workers_of(process.pid)
    with grpc.insecure_channel(running.address) as channel:
        with running.at_work(channel) as (call, _):
            process.terminate()
        assert len(call.result(timeout=2 * PATIENCE).chains) == 1
    assert process.wait(PATIENCE) == 0
    assert until(lambda: not any(map(is_alive, workers)))
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


def test_work_that_takes_longer_than_the_grace_is_cancelled() -> None:
    with server_with("--workers", "1", "--grace", "0.5") as running, grpc.insecure_channel(running.address) as channel:
        workers = workers_of(running.process.pid)
        # Held, it would take for ever.
        with running.at_work(channel) as (call, _):
            running.process.terminate()
            assert running.process.wait(PATIENCE) == 0
            assert not any(map(is_alive, workers))
        with pytest.raises(grpc.RpcError) as caught:
            call.result(timeout=PATIENCE)
    assert told(caught.value)[0] in {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}


def test_a_watcher_of_its_health_does_not_hold_up_a_server_that_stops() -> None:
    with serving("--workers", "1", "--grace", "600") as (process, address), grpc.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest())
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        process.terminate()
        assert [response.status for response in watch] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert process.wait(PATIENCE) == 0


def test_ctrl_c_reaches_the_workers_too_and_they_finish_what_they_do() -> None:
    with (
        server_with("--workers", "1", "--grace", "600", group=True) as running,
        grpc.insecure_channel(running.address) as channel,
    ):
        process = running.process
        with running.at_work(channel) as (call, _):
            os.killpg(process.pid, signal.SIGINT)
        assert len(call.result(timeout=2 * PATIENCE).chains) == 1
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()


def test_a_second_server_on_the_port_says_so_and_leaves_the_first_alone() -> None:
    with serving("--workers", "1") as (_, address):
        second = subprocess.run(
            [PROGRAM, "serve", "--port", address.rpartition(":")[2]],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert second.returncode == 3
        assert f"can't listen on {address}: Address already in use" in second.stderr
        with RemoteMerger(address) as remote:
            assert remote.is_serving()


def test_workers_that_can_not_start_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with (
        pytest.raises(server.ServerStartError, match="a worker process does not start: exit code 1"),
        server.background(server.ServerOptions(port=0, workers=1)),
    ):
        pass


def test_a_worker_that_can_not_start_again_is_tried_again_and_calls_wait_for_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Servers of other tests may run in this process, with workers of their own.
    others = set(workers_of(os.getpid(), "documents"))
    with server.background(server.ServerOptions(port=0, workers=1, grace_seconds=0)) as address:
        with monkeypatch.context() as broken, ThreadPoolExecutor(1) as pool, RemoteMerger(address) as remote:
            broken.setattr(sys, "executable", "/bin/false")
            (worker,) = set(workers_of(os.getpid(), "documents")) - others
            os.kill(worker, signal.SIGKILL)
            assert until(lambda: caplog.text.count("a worker does not start") >= 2)
            result = pool.submit(remote.merge, long_document(2), "greedy")
            time.sleep(0.2)
            assert not result.done()
            # Load balancers had better send calls elsewhere.
            assert not remote.is_serving()
            broken.undo()
            assert len(result.result(PATIENCE).document.chains) == 1
            assert until(remote.is_serving)
        assert "next attempt in 0.5 s" in caplog.text
        assert "next attempt in 1 s" in caplog.text
