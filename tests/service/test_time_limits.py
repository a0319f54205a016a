"""No call goes on for ever: work that its caller sets no deadline for, and streams that nothing happens on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from typing import Any, ClassVar

import grpc
import pytest

import server
from client.errors import DeadlineError
from client.remote import RemoteMerger
from merger.decisions import Decision, MergedChains
from merger.document import Chain, ChainRef, Document, Mention, Part, Sentence
from merger.strategies import STRATEGIES, Run, Strategy
from merger.watch import Watch
from protos.documents import part_to_message
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.cli.running import PATIENCE, error_of, serving
from tests.service.one_worker import SMALL, one_worker
from tests.service.running import huge_document, needs_proc, stopped, told, until, wait_for_work
from tests.service.samples import long_document

SETUP = v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
GIVEN_UP = (grpc.StatusCode.DEADLINE_EXCEEDED, "TIME_LIMIT", None)
TOO_LONG = (
    "not done after 3 s, the most that this server works on a document, or a message of a stream (--max-call-seconds)"
)
TOO_QUIET = "nothing came for 0.5 s, the most that this server keeps a stream open for (--idle-stream-seconds)"


class Sleeping(Strategy):
    """Takes four seconds for each part."""

    name: ClassVar[str] = "sleeping"
    summary: ClassVar[str] = "slow"

    def start(self, document: Document | None = None, key: Document | None = None, watch: Watch | None = None) -> Run:  # noqa: ARG002  # needs neither
        return _SleepingRun()


class _SleepingRun(Run):
    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        time.sleep(4)
        return [Decision(ChainRef(index, chain.id)) for chain in chains]


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
        stub = narrow.stub
        begun = time.monotonic()
        # The second one waits for the first one's worker, which counts too.
        calls = [stub.MergeDocument.future(SMALL), stub.MergeDocument.future(SMALL, timeout=10 * PATIENCE)]
        # A shorter deadline is the caller's own.
        with pytest.raises(grpc.RpcError) as own:
            stub.MergeDocument(SMALL, timeout=0.5)
        errors = [call.exception(timeout=PATIENCE) for call in calls]
        seconds = time.monotonic() - begun

        assert own.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert own.value.details() != TOO_LONG
        for error in errors:
            assert isinstance(error, grpc.RpcError)
            assert told(error) == GIVEN_UP
            assert error.details() == TOO_LONG
        assert seconds >= 3
        # It is another one, which may need longer to start than a call may wait.
        assert until(lambda: is_answered(stub))


def is_answered(stub: ChainMergeServiceStub) -> bool:
    try:
        return len(stub.MergeDocument(SMALL).chains) == 1
    except grpc.RpcError:
        return False


@needs_proc
def test_of_many_documents_only_the_one_that_takes_too_long_fails_and_the_client_says_why() -> None:
    with (
        serving("--workers", "2", "--max-call-seconds", "3") as (process, address),
        RemoteMerger(address) as remote,
        contextlib.ExitStack() as held,
    ):

        def documents() -> Iterator[Document]:
            yield huge_document()
            held.enter_context(stopped(wait_for_work(process.pid)))
            yield from (long_document(2), long_document(3))

        huge, first, last = list(remote.merge_many(documents(), "greedy"))

    assert first.error is last.error is None
    assert isinstance(huge.error, DeadlineError)
    assert str(huge.error) == f"the server at {address} gave up: {TOO_LONG}"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Room for one stream, little time for everything, and a strategy that takes longer for each part."""
    options = server.ServerOptions(
        port=0, workers=0, grace_seconds=0, streams=1, max_call_seconds=3, idle_stream_seconds=0.5
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STRATEGIES, Sleeping.name, Sleeping)
        with server.background(options) as address:
            yield address


@pytest.fixture
def stub(address: str) -> Iterator[ChainMergeServiceStub]:
    with grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        assert until(lambda: free_again(stub))
        yield stub


def test_a_part_of_a_stream_that_takes_too_long_ends_the_stream(address: str, stub: ChainMergeServiceStub) -> None:
    document = long_document(1)
    with (
        RemoteMerger(address) as remote,
        pytest.raises(DeadlineError, match="gave up: not done after 3 s"),
        remote.stream("d", "sleeping") as stream,
    ):
        stream.add(document.parts[0], document.chains)
    assert until(lambda: free_again(stub))


@pytest.mark.parametrize("method", ["MergeStream", "MergeDocuments"])
@pytest.mark.parametrize("count", [0, 1])
def test_a_stream_on_which_nothing_comes_any_more_is_ended(
    stub: ChainMergeServiceStub, method: str, count: int
) -> None:
    requests = Requests()
    calls: dict[str, Any] = {"MergeStream": stub.MergeStream, "MergeDocuments": stub.MergeDocuments}
    begun = time.monotonic()
    answers = calls[method](requests, timeout=PATIENCE)
    if count:
        requests.send(SETUP if method == "MergeStream" else v1.MergeDocumentsRequest(id="a", request=SMALL))
    with pytest.raises(grpc.RpcError) as ended:
        list(answers)

    assert told(ended.value) == GIVEN_UP
    assert ended.value.details() == TOO_QUIET
    assert 0.5 <= time.monotonic() - begun < PATIENCE
    assert until(lambda: free_again(stub))


def test_a_stream_that_is_worked_for_is_not_idle() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(STRATEGIES, Sleeping.name, Sleeping)
        options = server.ServerOptions(port=0, workers=0, grace_seconds=0, idle_stream_seconds=2)
        document = long_document(1)
        with server.background(options) as address, RemoteMerger(address) as remote:
            in_parts = remote.merge_in_parts(document, "sleeping")
            (outcome,) = remote.merge_many([document], "sleeping")

    assert len(in_parts.decisions) == 1
    assert outcome.get().decisions == in_parts.decisions


def test_who_does_not_read_what_is_answered_does_not_keep_the_stream() -> None:
    """Answers of a MiB each: a chain's id is in the decision on it. None is read but the first."""
    sentence = Sentence(("York", "York"), ("NNP", "NNP"))
    chains = [
        Chain(str(index) + "x" * 900, (Mention(0, index, 0, 0), Mention(0, index, 1, 1))) for index in range(1000)
    ]
    part = v1.MergeStreamRequest(part=part_to_message(Part((sentence,) * 1000), chains))
    options = server.ServerOptions(port=0, workers=0, grace_seconds=0, streams=1, idle_stream_seconds=3)
    with server.background(options) as address, grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        answers = stub.MergeStream(iter([SETUP, *[part] * 50]), timeout=2 * PATIENCE)
        assert next(answers).HasField("part")
        assert not free_again(stub)
        assert until(lambda: free_again(stub))
        # Who reads after all is told.
        with pytest.raises(grpc.RpcError) as ended:
            list(answers)
    assert told(ended.value) == GIVEN_UP
    assert ended.value.details() == TOO_QUIET.replace("came for 0.5 s", "was read for 3 s")


def test_a_backend_must_have_the_time_that_its_operator_gives_it() -> None:
    error = error_of(
        *("serve", "--port", "0", "--workers", "0", "--no-warm", "--max-call-seconds", "60"),
        *("--enable", "corenlp:url=http://127.0.0.1:9,timeout=90"),
        code=3,
    )

    assert error == (
        "strategy corenlp may take 90 s for a document (its option timeout), and calls end after 60 s: expected a "
        "--max-call-seconds that is not below"
    )
