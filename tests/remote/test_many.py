"""Many documents on one stream."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import replace
from typing import Unpack

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.remote.aio import AsyncRemoteMerger
from client.remote.document_window import Outcome
from client.remote.errors import UnreachableError
from client.remote.retries import NO_RETRIES, RetryPolicy
from client.remote.sync import RemoteMerger
from client.remote.target import RemoteOptions
from merger.document import Chain, ChainScope, Document, Mention
from merger.errors import AnnotationError, FormatError, MergeBaselineError, OptionError, UnsupportedError
from merger.merge import MergeResult, merge_document
from merger.notices import Notice, Notices
from merger.strategies import make_strategy
from protos.convert.documents import document_to_message
from protos.convert.errors import InvalidRequestError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.rpc.envelopes import unpack_request
from tests.remote.test_chunks import random_document
from tests.support.command_line import PATIENCE, free_port, serving
from tests.support.one_worker import wait_for_documents
from tests.support.peers import Restarted
from tests.support.running_server import needs_proc, next_worker, stopped
from tests.support.samples import documents_with_key, long_document

Documents = Iterable[Document]


def many_sync(
    address: str, documents: Documents, strategy: str = "greedy", **options: Unpack[RemoteOptions]
) -> list[Outcome]:
    with RemoteMerger(address, **options) as remote:
        return list(remote.merge_many(documents, strategy))


def many_async(
    address: str, documents: Documents, strategy: str = "greedy", **options: Unpack[RemoteOptions]
) -> list[Outcome]:
    async def merge() -> list[Outcome]:
        async with AsyncRemoteMerger(address, **options) as remote:
            return [outcome async for outcome in remote.merge_many(documents, strategy)]

    return asyncio.run(merge())


Many = Callable[..., list[Outcome]]

both = pytest.mark.parametrize("many", [many_sync, many_async])


def numbered(count: int) -> list[Document]:
    return [replace(long_document(1 + number % 7), id=f"d{number}") for number in range(count)]


def here(documents: Documents) -> list[MergeResult]:
    strategy = make_strategy("greedy")
    return [merge_document(document, strategy) for document in documents]


@both
def test_outcomes_come_in_the_order_of_the_input(many: Many, address: str) -> None:
    documents = numbered(100)
    outcomes = many(address, documents)
    assert [outcome.index for outcome in outcomes] == list(range(100))
    assert [outcome.document for outcome in outcomes] == documents
    assert [outcome.get() for outcome in outcomes] == here(documents)


@both
def test_one_bad_document_costs_the_others_nothing(many: Many, address: str) -> None:
    documents = numbered(20)
    # One that the server refuses, and one that can't even be sent.
    wrong = Chain("0", (Mention(0, 0, 0, 9), Mention(0, 1, 0, 0)))
    documents[7] = documents[7].with_chains((wrong,), ChainScope.PART)
    documents[11] = replace(documents[11], id="\udc80")
    outcomes = many(address, documents)
    assert [outcome.index for outcome in outcomes if outcome.error is not None] == [7, 11]
    assert isinstance(outcomes[7].error, AnnotationError)
    assert str(outcomes[7].error) == (
        "document d7: document.parts[0].chains[0].mentions[0].last: 9; expected a token of sentence 0, from 0 to 1"
    )
    assert isinstance(outcomes[11].error, UnsupportedError)
    with pytest.raises(UnsupportedError, match="can't be sent"):
        outcomes[11].get()
    good = [outcome for outcome in outcomes if outcome.error is None]
    assert [outcome.get() for outcome in good] == here(outcome.document for outcome in good)


@both
def test_a_bad_strategy_is_told_for_each_document(many: Many, address: str) -> None:
    outcomes = many(address, numbered(3), "gready")
    assert [type(outcome.error) for outcome in outcomes] == [OptionError] * 3
    with pytest.raises(OptionError, match="no strategy 'gready'"):
        outcomes[0].get()


@both
def test_no_documents_have_no_outcomes(many: Many, address: str) -> None:
    assert many(address, []) == []


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(pairs=st.lists(documents_with_key(), max_size=4), keep=st.booleans())
def test_many_documents_merge_as_each_does_in_process(
    address: str,
    pairs: list[tuple[Document, Document]],
    keep: bool,  # noqa: FBT001  # hypothesis passes it by name
) -> None:
    documents = [replace(document, id=str(number)) for number, (document, _) in enumerate(pairs)]
    keys = {str(number): replace(key, id=str(number)) for number, (_, key) in enumerate(pairs)}

    def local(document: Document) -> tuple[MergeResult, list[Notice]] | str:
        notices = Notices()
        try:
            strategy = make_strategy("oracle")
            result = merge_document(document, strategy, key=keys[document.id], keep_singletons=keep, notices=notices)
        except MergeBaselineError as error:
            return str(error)
        return result, list(notices)

    def shown(outcome: Outcome) -> tuple[MergeResult, list[Notice]] | str:
        return str(outcome.error) if outcome.error else (outcome.get(), list(outcome.notices))

    with RemoteMerger(address) as remote:
        outcomes = remote.merge_many(
            documents, "oracle", key_of=lambda document: keys[document.id], keep_singletons=keep
        )
        assert [shown(outcome) for outcome in outcomes] == [local(document) for document in documents]


@needs_proc
def test_what_is_ready_first_comes_first_where_order_does_not_matter() -> None:
    port = free_port()
    with (
        serving("--workers", "2", "--metrics-port", str(port)) as (process, address),
        RemoteMerger(address) as remote,
        contextlib.ExitStack() as held,
    ):
        # Whoever gets the first document is not done with it before the others are.
        held.enter_context(stopped(next_worker(process.pid)))

        def source() -> Iterator[Document]:
            yield long_document(1)
            wait_for_documents(port, "in_work", 1)
            yield from numbered(5)

        indexes = []
        for outcome in remote.merge_many(source(), "greedy", ordered=False, timeout=2 * PATIENCE):
            indexes.append(outcome.index)
            if len(indexes) == 5:
                held.close()
    assert sorted(indexes[:5]) == [1, 2, 3, 4, 5]
    assert indexes[5:] == [0]


@both
def test_what_the_source_raises_is_raised(many: Many, address: str) -> None:
    def source() -> Iterator[Document]:
        yield from numbered(3)
        raise FormatError("broken here")

    with pytest.raises(FormatError, match="broken here"):
        many(address, source())


def test_outcomes_before_a_fault_of_the_source_are_handed_out(address: str) -> None:
    def source() -> Iterator[Document]:
        yield from numbered(3)
        raise FormatError("broken here")

    got: list[int] = []
    with RemoteMerger(address) as remote:
        outcomes = remote.merge_many(source(), "greedy")
        got.extend(next(outcomes).index for _ in range(3))
        with pytest.raises(FormatError, match="broken here"):
            next(outcomes)
    assert got == [0, 1, 2]


def test_no_more_documents_are_read_than_the_window_holds(address: str) -> None:
    read = handed_out = most = 0

    def source() -> Iterator[Document]:
        nonlocal read, most
        for document in numbered(60):
            read += 1
            most = max(most, read - handed_out)
            yield document

    with RemoteMerger(address, window=5) as remote:
        for _ in remote.merge_many(source(), "greedy"):
            handed_out += 1
            time.sleep(0.005)
    assert (read, handed_out) == (60, 60)
    # The one that is being handed out is not counted yet.
    assert most <= 6


def test_no_more_bytes_are_held_than_a_message_may_have(address: str) -> None:
    document = long_document(50)
    size = document_to_message(document).ByteSize()
    read = handed_out = most = 0

    def source() -> Iterator[Document]:
        nonlocal read, most
        for _ in range(20):
            read += 1
            most = max(most, read - handed_out)
            yield document

    with RemoteMerger(address, max_message_bytes=3 * size) as remote:
        for outcome in remote.merge_many(source(), "none"):
            outcome.get()
            handed_out += 1
    # Three are over the bound with what is around them; one is being handed out.
    assert most <= 4


@both
def test_documents_larger_than_a_message_go_in_parts(many: Many, address: str) -> None:
    documents = numbered(6)
    documents[2] = long_document(200)
    outcomes = many(address, documents, max_message_bytes=4000)
    assert [outcome.get() for outcome in outcomes] == here(documents)


def test_documents_larger_than_the_server_takes_go_in_parts_too() -> None:
    documents = numbered(30)
    documents[5] = documents[20] = long_document(200)
    with Restarted("--max-message-bytes", "4000") as server:
        # The client is not told of it and sends up to 64 MiB.
        assert [outcome.get() for outcome in many_sync(server.address, documents)] == here(documents)


@both
def test_a_server_killed_in_the_middle_costs_nothing(many: Many) -> None:
    documents = numbered(300)
    with Restarted() as server:

        def source() -> Iterator[Document]:
            for number, document in enumerate(documents):
                if number in {100, 200}:
                    server.kill()
                    server.start()
                yield document

        outcomes = many(server.address, source())
    assert [outcome.get() for outcome in outcomes] == here(documents)


@both
def test_a_server_that_stays_away_ends_it_after_what_was_done(many: Many) -> None:
    documents = numbered(40)
    policy = RetryPolicy(attempts=None, for_seconds=0.5)
    with Restarted() as server:

        def source() -> Iterator[Document]:
            yield from documents[:30]
            server.kill()
            yield from documents[30:]

        started = time.monotonic()
        with pytest.raises(UnreachableError):
            many(server.address, source(), retry=policy, connect_timeout=0.5)
    # Not the minute that is the default.
    assert time.monotonic() - started < PATIENCE


def test_a_server_that_is_told_to_stop_answers_what_it_has_and_the_rest_goes_to_the_next() -> None:
    documents = numbered(200)
    told: list[str] = []
    with Restarted("--grace", "5") as server:

        def source() -> Iterator[Document]:
            for number, document in enumerate(documents):
                if number == 100:
                    server.stop()
                    server.start()
                yield document

        with RemoteMerger(server.address, on_retry=lambda error, _: told.append(str(error))) as remote:
            outcomes = list(remote.merge_many(source(), "greedy"))
    assert [outcome.get() for outcome in outcomes] == here(documents)
    assert len(told) >= 1


def test_documents_of_an_asyncio_source_are_answered_while_the_next_is_waited_for(address: str) -> None:
    async def main() -> list[str]:
        events: list[str] = []
        answered = asyncio.Event()

        async def source() -> AsyncIterator[Document]:
            for document in numbered(3):
                answered.clear()
                events.append(f"read {document.id}")
                yield document
                # Comes only if the answer does not wait for the next document.
                await asyncio.wait_for(answered.wait(), PATIENCE)

        async with AsyncRemoteMerger(address) as remote:
            async for outcome in remote.merge_many(source(), "none"):
                events.append(f"got {outcome.document.id}")
                answered.set()
        return events

    assert asyncio.run(main()) == [f"{what} d{number}" for number in range(3) for what in ("read", "got")]


def raw(channel: grpc.Channel, messages: Iterator[v1.MergeDocumentsRequest]) -> Iterator[v1.MergeDocumentsResponse]:
    return iter(ChainMergeServiceStub(channel).MergeDocuments(messages, timeout=5 * PATIENCE))


def request(name: str, document: Document, strategy: str = "none") -> v1.MergeDocumentsRequest:
    inner = v1.MergeDocumentRequest(document=document_to_message(document), strategy=v1.StrategySpec(name=strategy))
    return v1.MergeDocumentsRequest(id=name, request=inner)


def test_answers_carry_the_callers_ids_and_errors_their_status(address: str) -> None:
    messages = [
        request("ä 1", long_document(1)),
        request("", long_document(2), "nothing"),
        v1.MergeDocumentsRequest(id="e"),
    ]
    with grpc.insecure_channel(address) as channel:
        answers = {answer.id: answer for answer in raw(channel, iter(messages))}
    assert set(answers) == {"ä 1", "", "e"}
    assert answers["ä 1"].response.signature == "none"
    assert answers[""].error.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert answers["e"].error.code == grpc.StatusCode.INVALID_ARGUMENT.value[0]
    assert "missing; expected a document" in str(answers["e"].error.details)


def test_a_documents_own_time_ends_its_work_and_no_other(address: str) -> None:
    slow = request("slow", random_document(1, parts=200, sentences=60, length=40, chains=200), "greedy")
    slow.timeout.FromMilliseconds(200)
    with grpc.insecure_channel(address) as channel:
        answers = {each.id: each for each in raw(channel, iter([slow, request("quick", long_document(1))]))}
    assert answers["slow"].error.code == grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
    assert answers["quick"].HasField("response")


def test_the_server_reads_no_further_while_answers_are_not_taken() -> None:
    """Documents of nearly 1 MB, most of it chain ids, which come back thrice, to a caller that takes no answer."""
    form = v1.Sentence(forms=["a"] * 2000)
    chains = [
        v1.Chain(
            id=f"{number:0900}", mentions=[v1.Mention(first=place, last=place) for place in (number, 1000 + number)]
        )
        for number in range(1000)
    ]
    document = v1.Document(parts=[v1.Part(sentences=[form], chains=chains)])
    inner = v1.MergeDocumentRequest(document=document, strategy=v1.StrategySpec(name="none"))
    sent: queue.SimpleQueue[int] = queue.SimpleQueue()
    with Restarted("--workers", "1") as server, grpc.insecure_channel(server.address) as channel:

        def source() -> Iterator[v1.MergeDocumentsRequest]:
            for number in range(60):
                sent.put(number)
                yield v1.MergeDocumentsRequest(id=str(number), request=inner)

        answers = raw(channel, source())
        before = -1
        while sent.qsize() != before:
            before = sent.qsize()
            time.sleep(2)
        # Some are in work, some answers in buffers; the rest was not even sent.
        assert before < 30
        assert sorted(int(answer.id) for answer in answers) == list(range(60))


@given(data=st.binary(max_size=60))
def test_any_bytes_are_a_request_or_are_refused(data: bytes) -> None:
    # Nothing else is raised.
    with contextlib.suppress(InvalidRequestError):
        assert (
            unpack_request(v1.MergeDocumentsRequest(id=unpack_request(data).id).SerializeToString()).id
            == unpack_request(data).id
        )


def test_bytes_that_are_no_request_end_the_stream(address: str) -> None:
    method = "/merge_baseline.v1.ChainMergeService/MergeDocuments"
    with grpc.insecure_channel(address) as channel:
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(method)
        with pytest.raises(grpc.RpcError) as caught:
            list(call(iter([b"\xff"]), timeout=5 * PATIENCE))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "expected an encoded merge_baseline.v1.MergeDocumentsRequest" in (caught.value.details() or "")


def test_a_stream_without_retries_tells_that_it_broke() -> None:
    with Restarted() as server:

        def source() -> Iterator[Document]:
            yield from numbered(30)
            server.kill()
            yield from numbered(30)

        with pytest.raises(UnreachableError):
            many_sync(server.address, source(), retry=NO_RETRIES, connect_timeout=0.5)
