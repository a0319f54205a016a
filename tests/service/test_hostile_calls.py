"""Calls that are made to cost the server more than they give it: refused ones, large ones at once, silent ones.

All on the real server, in a process of its own.
"""

from __future__ import annotations

import itertools
import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from grpc_reflection.v1alpha import reflection

from client.remote.channel import HEALTH_METHOD
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.rpc.servicer import SERVICE
from tests.support.command_line import PATIENCE, PROGRAM, serving
from tests.support.one_worker import SMALL
from tests.support.running_server import huge_document, needs_proc, request, rss_mib, told, until

_MIB = 2**20
_DAMAGED = b"\xff"
_REFLECTION = f"/{reflection.SERVICE_NAME}/ServerReflectionInfo"
_QUEUE, _STREAMS, _WORKERS = 4, 4, 1
_CALLS = 2 * (_QUEUE + _STREAMS) + _WORKERS + 128
"""As many calls as such a server has slots for."""

if TYPE_CHECKING:
    Call = grpc.StreamStreamMultiCallable[bytes, bytes]


def _method(channel: grpc.Channel, name: str) -> Call:
    return channel.stream_stream(name if name.startswith("/") else f"/{SERVICE}/{name}")


def _code(call: Call, request: bytes) -> grpc.StatusCode:
    try:
        list(call(iter((request,)), timeout=PATIENCE))
    except grpc.RpcError as error:
        return told(error)[0]
    return grpc.StatusCode.OK


@needs_proc
@pytest.mark.parametrize("method", ["MergeDocument", "MergeDocuments", "MergeStream", "ListStrategies", HEALTH_METHOD])
def test_refused_requests_leave_nothing_in_memory(method: str) -> None:
    mib, few, many = 16, 5, 25
    with serving("--workers", "1") as (process, address), grpc.insecure_channel(address) as channel:
        call, request = _method(channel, method), _DAMAGED * (mib * _MIB)
        memory = []
        for _ in range(many):
            assert _code(call, request) is grpc.StatusCode.INVALID_ARGUMENT
            memory.append(rss_mib(process.pid))
        # The last of them may still be there, and so may what gRPC and the allocator keep of two more.
        assert memory[-1] < max(memory[:few]) + 3 * mib


@needs_proc
@pytest.mark.parametrize("method", ["MergeStream", "MergeDocuments", "MergeDocument"])
def test_what_is_being_received_counts_as_held(method: str) -> None:
    mib, calls = 15, 60
    arguments = ("--workers", "1", "--queue-mib", "16", "--replay-mib", "0", "--max-message-bytes", str(16 * _MIB))
    with serving(*arguments) as (process, address), grpc.insecure_channel(address) as channel:
        before, request = rss_mib(process.pid), _DAMAGED * (mib * _MIB)
        with ThreadPoolExecutor(calls) as callers, _highest(lambda: rss_mib(process.pid)) as highest:
            codes = list(callers.map(lambda _: _code(_method(channel, method), request), range(calls)))
        refused = {grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert set(codes) <= refused
        assert grpc.StatusCode.INVALID_ARGUMENT in codes
        # 16 held, 2 * 16 for copies, 32 for other things, and what came until it was seen that it is too much: half of
        # what the callers sent would be 450.
        assert max(highest) - before < calls * mib / 2


@contextmanager
def _highest(measure: Callable[[], float]) -> Iterator[list[float]]:
    values, ended = [measure()], threading.Event()

    def watch() -> None:
        while not ended.wait(0.01):
            values.append(measure())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield values
    finally:
        ended.set()
        thread.join()


@contextmanager
def _silent(address: str, method: str, count: int) -> Iterator[list[Any]]:
    """So many calls of one connection that send nothing."""
    options = (("grpc.use_local_subchannel_pool", 1),)
    ended = threading.Event()

    def nothing() -> Iterator[bytes]:
        ended.wait()
        yield from ()

    with grpc.insecure_channel(address, options) as channel:
        check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(HEALTH_METHOD)
        check(b"", timeout=PATIENCE, wait_for_ready=True)
        call = _method(channel, method)
        calls = [call(nothing(), timeout=5 * PATIENCE) for _ in range(count)]
        try:
            yield calls
        finally:
            ended.set()
            for each in calls:
                each.cancel()


@contextmanager
def _small_server(*arguments: str) -> Iterator[str]:
    counts = ("--workers", str(_WORKERS), "--queue", str(_QUEUE), "--streams", str(_STREAMS))
    with serving(*counts, *arguments) as (_, address):
        yield address


def _merges(channel: grpc.Channel, method: str = "MergeDocument") -> bool:
    """Whether a document is merged; it must be refused else, with a time to come back."""
    merge: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(f"/{SERVICE}/{method}")
    try:
        merge(SMALL.SerializeToString(), timeout=PATIENCE)
    except grpc.RpcError as error:
        code, _, seconds = told(error)
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert seconds is not None
        return False
    return True


@pytest.mark.parametrize(
    ("method", "count"), [("MergeDocument", _QUEUE + _WORKERS + 1), (_REFLECTION, _CALLS), ("MergeDocument", _CALLS)]
)
def test_calls_that_send_nothing_refuse_nobody_for_long(method: str, count: int) -> None:
    with _small_server() as address, _silent(address, method, count), grpc.insecure_channel(address) as channel:
        assert until(lambda: _merges(channel))


def test_silent_calls_of_one_connection_leave_it_room_for_health_checks() -> None:
    with _small_server() as address, grpc.insecure_channel(address) as channel:
        check: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(HEALTH_METHOD)
        with _silent(address, _REFLECTION, _CALLS):
            check(b"", timeout=PATIENCE)


def test_a_stream_is_opened_where_idle_streams_take_all_places() -> None:
    with _small_server() as address, grpc.insecure_channel(address) as channel:
        with _silent(address, "MergeStream", _STREAMS) as idle:
            assert until(lambda: _code(_method(channel, "MergeStream"), b"") is not grpc.StatusCode.RESOURCE_EXHAUSTED)
            # The one that waited longest made room, and was told so.
            codes = [told(call) for call in idle if not call.is_active() and call.code() is not None]
        assert [code for code, *_ in codes] == [grpc.StatusCode.RESOURCE_EXHAUSTED] * len(codes)
        assert {reason for _, reason, _ in codes} == {"CALLER_LIMIT"}


def test_idle_streams_stay_while_nobody_else_waits() -> None:
    with _small_server() as address, _silent(address, "MergeStream", _STREAMS) as idle:
        with grpc.insecure_channel(address) as channel:
            for _ in itertools.repeat(None, 3):
                assert _merges(channel)
        assert all(call.is_active() for call in idle)


def test_a_first_message_has_seconds_to_come() -> None:
    with _small_server() as address, _silent(address, _REFLECTION, 1) as (call,):
        assert until(lambda: not call.is_active())
        assert told(call)[:2] == (grpc.StatusCode.DEADLINE_EXCEEDED, "TIME_LIMIT")


def test_a_long_or_repeated_id_costs_its_document_and_no_other() -> None:
    names = ["a", "x" * 1_001, "b"]
    with _small_server() as address, grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        requests = [v1.MergeDocumentsRequest(id=name, request=SMALL) for name in names]
        answers = {each.id: each for each in stub.MergeDocuments(iter(requests), timeout=PATIENCE)}
        assert set(answers) == set(names)
        assert [answers[name].HasField("error") for name in names] == [False, True, False]

        # The first one is in work for longer than the second takes to come.
        large = v1.MergeDocumentsRequest(id="a", request=request(huge_document()))
        again = v1.MergeDocumentsRequest(id="a", request=SMALL)
        first, second = stub.MergeDocuments(iter([large, again]), timeout=PATIENCE)
        assert (first.HasField("error"), second.HasField("error")) == (True, False)
        assert "is the id of another document" in first.error.message


def test_with_too_few_open_files_the_server_says_so() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f"ulimit -n 20; exec {PROGRAM} serve --port 0"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 3
    assert "20 files may be open" in done.stderr
    assert "Traceback" not in done.stderr


def test_brackets_around_an_ipv6_address_to_listen_on_are_taken() -> None:
    with serving("--workers", "0", "--host", "[::1]") as (_, address), grpc.insecure_channel(address) as channel:
        assert address.startswith("[::1]:")
        assert _merges(channel)
