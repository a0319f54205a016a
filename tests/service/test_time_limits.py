"""No call goes on for ever: work that its caller sets no deadline for, and streams that nothing happens on."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import grpc
import pytest

import server
from client.remote.errors import DeadlineError
from client.remote.sync import RemoteMerger
from merger.document import Document
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.service.leaping import Leaping, leaping
from tests.support.command_line import PATIENCE, error_of, free_port, serving
from tests.support.one_worker import SMALL, one_worker, wait_for_documents
from tests.support.running_server import is_alive, needs_proc, next_worker, request, stopped, told, until
from tests.support.samples import Held, long_document, wordy_document

SETUP = v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
GIVEN_UP = (grpc.StatusCode.DEADLINE_EXCEEDED, "TIME_LIMIT", None)
LIMIT, IDLE = 3600, 600
"""Seconds for work, and for a caller who neither sends nor reads, on a server whose time leaps."""


def too_long(seconds: int) -> str:
    most = "the most that this server works on a document, or a message of a stream (server option max_call_seconds)"
    return f"not done after {seconds} s, {most}"


def too_quiet(seconds: int, what: str = "came") -> str:
    most = "the most that this server keeps a stream open for (server option idle_stream_seconds)"
    return f"nothing {what} for {seconds} s, {most}"


class Requests:
    """What a caller sends on a stream, message by message; it stays open."""

    def __init__(self) -> None:
        self._messages: SimpleQueue[object] = SimpleQueue()

    def send(self, message: object) -> None:
        self._messages.put(message)

    def __iter__(self) -> Requests:
        return self

    def __next__(self) -> object:
        return self._messages.get()


def free_again(stub: ChainMergeServiceStub) -> bool:
    """Whether another stream can be opened."""
    try:
        return len(list(stub.MergeStream(iter([SETUP]), timeout=PATIENCE))) == 1
    except grpc.RpcError:
        return False


@needs_proc
def test_a_document_without_a_deadline_is_given_up_and_its_worker_is_free_again() -> None:
    with one_worker("--max-call-seconds", "3") as narrow, stopped(narrow.worker):
        begun = time.monotonic()
        error = narrow.stub.MergeDocument.future(SMALL).exception(timeout=PATIENCE)
        seconds = time.monotonic() - begun

        assert isinstance(error, grpc.RpcError)
        assert told(error) == GIVEN_UP
        assert error.details() == too_long(3)
        assert seconds >= 3
        # It is another one, which may need longer to start than a call may wait.
        assert until(lambda: is_answered(narrow.stub))
        assert not is_alive(narrow.worker)


def is_answered(stub: ChainMergeServiceStub) -> bool:
    try:
        return len(stub.MergeDocument(SMALL).chains) == 1
    except grpc.RpcError:
        return False


@needs_proc
def test_of_many_documents_only_the_one_that_takes_too_long_fails_and_the_client_says_why() -> None:
    port = free_port()
    with (
        serving("--workers", "2", "--max-call-seconds", "10", "--metrics-port", str(port)) as (process, address),
        RemoteMerger(address) as remote,
        stopped(next_worker(process.pid)),
    ):

        def documents() -> Iterator[Document]:
            yield long_document(1)
            wait_for_documents(port, "in_work", 1)
            yield from (long_document(2), long_document(3))

        held, first, last = list(remote.merge_many(documents(), "greedy"))

    assert first.error is last.error is None
    assert isinstance(held.error, DeadlineError)
    assert str(held.error) == f"the server at {address} gave up: {too_long(10)}"


@pytest.fixture
def patient() -> Iterator[Leaping]:
    with leaping(server.ServerOptions(max_call_seconds=LIMIT, idle_stream_seconds=IDLE)) as patient:
        yield patient


def test_a_document_that_waits_for_a_worker_is_given_up_too(patient: Leaping) -> None:
    held = patient.stub.MergeDocument.future(request(long_document(1), "held"), timeout=10 * PATIENCE)
    assert Held.begun.wait(PATIENCE)
    waiting = patient.stub.MergeDocument.future(SMALL, timeout=10 * PATIENCE)
    patient.wait_for("queue_documents{place=usual,state=waiting}", 1)
    # A shorter deadline is the caller's own.
    with pytest.raises(grpc.RpcError) as own:
        patient.stub.MergeDocument(SMALL, timeout=0.5)
    patient.leap(LIMIT - 4 * PATIENCE)
    assert not held.done()
    assert not waiting.done()
    patient.leap(4 * PATIENCE)
    errors = [call.exception(timeout=PATIENCE) for call in (held, waiting)]

    assert own.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert own.value.details() != too_long(LIMIT)
    for error in errors:
        assert isinstance(error, grpc.RpcError)
        assert told(error) == GIVEN_UP
        assert error.details() == too_long(LIMIT)


def test_a_part_of_a_stream_that_takes_too_long_ends_the_stream(patient: Leaping) -> None:
    document = long_document(1)
    with (
        ThreadPoolExecutor(1) as pool,
        RemoteMerger(patient.address) as remote,
        remote.stream("d", "held") as stream,
    ):
        adding = pool.submit(stream.add, document.parts[0], document.chains)
        assert Held.begun.wait(PATIENCE)
        patient.leap(LIMIT)
        with pytest.raises(DeadlineError, match=f"gave up: not done after {LIMIT} s"):
            adding.result(PATIENCE)
    Held.let_go.set()
    assert until(lambda: free_again(patient.stub))


@pytest.mark.parametrize("method", ["MergeStream", "MergeDocuments"])
def test_a_stream_on_which_nothing_comes_any_more_is_ended(patient: Leaping, method: str) -> None:
    requests = Requests()
    calls: dict[str, Any] = {"MergeStream": patient.stub.MergeStream, "MergeDocuments": patient.stub.MergeDocuments}
    answers = calls[method](requests, timeout=3 * PATIENCE)
    part = v1.MergeStreamRequest(part=SMALL.document.parts[0])
    sent = [SETUP, part] if method == "MergeStream" else [v1.MergeDocumentsRequest(id="a", request=SMALL)]
    for each in sent:
        requests.send(each)
    next(answers)
    patient.wait_for("streams_open", 1)
    # An answer counts until it is sent, which is a moment after it has come.
    patient.wait_for("held_bytes", 0)
    patient.leap(IDLE - 4 * PATIENCE)
    assert answers.is_active()
    patient.leap(4 * PATIENCE)
    with pytest.raises(grpc.RpcError) as ended:
        list(answers)

    assert told(ended.value) == GIVEN_UP
    assert ended.value.details() == too_quiet(IDLE)
    assert until(lambda: free_again(patient.stub))


@pytest.mark.parametrize("method", ["MergeStream", "MergeDocuments"])
def test_a_stream_on_which_nothing_comes_at_all_is_ended_sooner(patient: Leaping, method: str) -> None:
    calls: dict[str, Any] = {"MergeStream": patient.stub.MergeStream, "MergeDocuments": patient.stub.MergeDocuments}
    answers = calls[method](Requests(), timeout=3 * PATIENCE)
    patient.wait_for("streams_open", 1)
    patient.leap(120)
    with pytest.raises(grpc.RpcError) as ended:
        list(answers)

    assert told(ended.value) == GIVEN_UP
    assert until(lambda: free_again(patient.stub))


@pytest.mark.parametrize("way", ["in parts", "many"])
def test_a_stream_that_is_worked_for_is_not_idle(patient: Leaping, way: str) -> None:
    document = long_document(1)
    with RemoteMerger(patient.address) as remote, ThreadPoolExecutor(1) as pool:
        merging = pool.submit(
            lambda: (
                remote.merge_in_parts(document, "held")
                if way == "in parts"
                else next(remote.merge_many([document], "held")).get()
            )
        )
        assert Held.begun.wait(PATIENCE)
        patient.leap(2 * IDLE)
        Held.let_go.set()
        assert len(merging.result(PATIENCE).decisions) == 1


def test_who_does_not_read_what_is_answered_does_not_keep_the_stream() -> None:
    """Answers of a MiB each: a chain's id is in the decision on it. None is read but the first."""
    part = v1.MergeStreamRequest(part=request(wordy_document(1_000)).document.parts[0])
    options = server.ServerOptions(port=0, workers=0, grace_seconds=0, streams=1, idle_stream_seconds=10)
    with server.background(options) as address, grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        answers = stub.MergeStream(iter([SETUP, *[part] * 50]), timeout=5 * PATIENCE)
        assert next(answers).HasField("part")
        assert until(lambda: free_again(stub), 2 * PATIENCE)
        # Who reads after all is told.
        with pytest.raises(grpc.RpcError) as ended:
            list(answers)
    assert told(ended.value) == GIVEN_UP
    assert ended.value.details() == too_quiet(10, "was read")


def test_a_backend_must_have_the_time_that_its_operator_gives_it() -> None:
    error = error_of(
        *("serve", "--port", "0", "--workers", "0", "--no-warm", "--max-call-seconds", "60"),
        *("--enable", "corenlp:url=http://127.0.0.1:9,timeout=90"),
        code=3,
    )

    assert error == (
        "strategy corenlp may take 90 s for a document (its option timeout), and calls end after 60 s: expected "
        "that --max-call-seconds is not below"
    )
