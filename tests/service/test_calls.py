"""Calls to the real server: strategies, streams, health, reflection, deadlines, cancellation."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from client.remote.errors import CancelledError, DeadlineError, RemoteError
from client.remote.sync import RemoteMerger
from merger.document import Chain, ChainRef, ChainScope, Document, Mention, Part, Sentence
from merger.errors import AnnotationError, MergeBaselineError, UnavailableError
from merger.notices import Notices
from merger.progress import WorkContext
from merger.strategies import STRATEGIES
from merger.strategies.coreference import CoreferenceStrategy
from tests.support.command_line import PATIENCE
from tests.support.samples import Held, Paced, long_document

SERVICE = "merge_baseline.v1.ChainMergeService"
MANY = 1500
"""Parts on which paced work takes half a minute, and longer where the machine has other things to do."""


def test_the_server_lists_every_strategy_with_its_options(remote: RemoteMerger) -> None:
    infos = {info.name: info for info in remote.strategies()}
    assert list(infos) == list(STRATEGIES)
    for name, strategy in STRATEGIES.items():
        assert infos[name].summary == strategy.summary
        assert infos[name].needs_key == strategy.needs_key
        if not issubclass(strategy, CoreferenceStrategy):
            assert infos[name].options == strategy.options
    assert infos["greedy"].needs_tags
    assert not infos["none"].needs_tags
    assert infos["greedy"].unavailable is None
    assert infos["absent"].unavailable == "its model is not installed"


def test_a_strategy_with_a_backend_must_be_enabled_and_shows_only_the_options_of_callers(remote: RemoteMerger) -> None:
    corenlp = next(info for info in remote.strategies() if info.name == "corenlp")

    assert corenlp.unavailable == "the operator has not enabled it (server option enable)"
    assert {"policy", "mentions", "pass", "algorithm"} <= {option.name for option in corenlp.options}
    assert not {"home", "memory", "url", "port"} & {option.name for option in corenlp.options}
    with pytest.raises(UnavailableError, match="strategy corenlp: the operator has not enabled it"):
        remote.merge(long_document(2), "corenlp")


def test_slow_work_on_a_part_is_told_before_its_answer(remote: RemoteMerger) -> None:
    told: list[tuple[str, int, int]] = []
    watch = WorkContext(progress=lambda stage, done, total: told.append((stage, done, total)))

    remote.merge_in_parts(long_document(2), "telling", watch=watch)

    # Of news that come faster than they are sent only the newest is.
    assert [each for each in told if each != ("look", 1, 2)] == [
        ("look", 2, 2),
        ("parts", 1, 2),
        ("look", 2, 2),
        ("parts", 2, 2),
    ]


def test_a_merged_document_is_the_callers_with_its_layout(remote: RemoteMerger) -> None:
    document = long_document(3)
    parts = tuple(Part(part.sentences, part.number, "head", "tail") for part in document.parts)
    document = Document(document.id, parts, document.chains, file="in.conll", extra="{}")
    merged = remote.merge(document, "greedy").document
    mentions = tuple(Mention(part, sentence, 0, 0) for part in range(3) for sentence in range(2))
    # Ids collide between parts, so the merged chain is numbered.
    assert merged == document.with_chains((Chain("0", mentions),), ChainScope.DOCUMENT)


def test_a_stream_refuses_part_numbers_that_fall(remote: RemoteMerger) -> None:
    york = Sentence(("York",), ("NNP",))
    with remote.stream("d", "greedy") as stream:
        stream.add(Part((york,), 5), [])
        with pytest.raises(AnnotationError, match=r"part\.number: 4 after 5"):
            stream.add(Part((york,), 4), [])


def test_decisions_on_a_part_arrive_before_the_next_part_exists(remote: RemoteMerger) -> None:
    york = Sentence(("York", "York"), ("NNP", "NNP"))
    with remote.stream("d", "greedy") as stream:
        (first,) = stream.add(Part((york,)), [Chain("a", (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1)))])
        assert (first.chain, first.antecedent) == (ChainRef(0, "a"), None)
        # What the caller does next may depend on the answer.
        linked = Chain(f"after {first.chain.chain}", (Mention(1, 0, 0, 0), Mention(1, 0, 1, 1)))
        (second,) = stream.add(Part((york,)), [linked, Chain("s", (Mention(1, 0, 0, 1),))])
        assert (second.chain, second.antecedent) == (ChainRef(1, "after a"), ChainRef(0, "a"))
        notices = Notices()
        result = stream.finish(notices)
    assert result.decisions == (first, second)
    assert result.singletons == 1
    assert [(notice.kind, notice.count) for notice in notices] == [("singletons left out", 1)]
    assert result.chains == (
        Chain("a", (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1), Mention(1, 0, 0, 0), Mention(1, 0, 1, 1))),
    )


def test_streams_keep_apart(remote: RemoteMerger) -> None:
    document = long_document(2)
    with remote.stream("one", "greedy") as one, remote.stream("two", "greedy") as two:
        one.add(document.parts[0], document.chains[:1])
        two.add(Part(()), [])
        assert one.add(document.parts[1], document.chains[1:])[0].antecedent == ChainRef(0, "0")
        assert two.add(document.parts[1], document.chains[1:])[0].antecedent is None


def test_a_part_sent_with_another_parts_mentions_is_refused(remote: RemoteMerger) -> None:
    document = long_document(2)
    with remote.stream("d", "none") as stream, pytest.raises(AnnotationError, match="mentions of another part"):
        stream.add(document.parts[1], document.chains[1:])


def test_progress_is_told_part_by_part(remote: RemoteMerger) -> None:
    done: list[int] = []
    remote.merge_in_parts(
        long_document(3), "none", watch=WorkContext(progress=lambda _stage, count, _total: done.append(count))
    )
    assert done == [1, 2, 3]


def test_health_is_told_for_the_service_and_for_the_whole_server(remote: RemoteMerger, channel: grpc.Channel) -> None:
    assert remote.is_serving()
    for service in ("", SERVICE):
        stub: Any = health_pb2_grpc.HealthStub(channel)
        response = stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert response.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_describes_the_methods_that_are_served(channel: grpc.Channel) -> None:
    database = ProtoReflectionDescriptorDatabase(channel)
    assert {SERVICE, "grpc.health.v1.Health"} <= set(database.get_services())
    methods = DescriptorPool(database).FindServiceByName(SERVICE).methods
    assert {method.name for method in methods} == {"MergeDocument", "MergeDocuments", "MergeStream", "ListStrategies"}
    for method in methods:
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(f"/{SERVICE}/{method.name}")
        with pytest.raises(grpc.RpcError) as caught:
            list(call(iter([b"\xff"])))
        # Served, since it complains about the message; otherwise UNIMPLEMENTED.
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def assert_work_stopped() -> None:
    """See that no part follows any more, and that it was not for want of parts."""
    seen = -1
    while seen != Paced.parts_seen:
        seen = Paced.parts_seen
        time.sleep(0.3)
    assert seen < MANY


def test_work_stops_between_parts_when_the_deadline_passes(remote: RemoteMerger) -> None:
    with pytest.raises(DeadlineError, match="within the time set"):
        remote.merge(long_document(MANY), "paced", timeout=0.3)
    assert_work_stopped()


def test_work_stops_between_parts_when_the_call_is_cancelled(address: str) -> None:
    caught: list[MergeBaselineError] = []

    def merge(remote: RemoteMerger) -> None:
        try:
            remote.merge(long_document(MANY), "paced")
        except MergeBaselineError as error:
            caught.append(error)

    Paced.begun.clear()
    remote = RemoteMerger(address)
    thread = threading.Thread(target=merge, args=(remote,))
    thread.start()
    assert Paced.begun.wait(PATIENCE)
    remote.close()
    thread.join(PATIENCE)
    assert [type(error) for error in caught] == [CancelledError]
    assert_work_stopped()


@contextmanager
def held_work(remote: RemoteMerger) -> Iterator[threading.Thread]:
    """A thread that has the one worker for documents in work."""
    Held.begun.clear()
    Held.let_go.clear()
    thread = threading.Thread(target=lambda: remote.merge(long_document(1), "held"))
    thread.start()
    try:
        assert Held.begun.wait(PATIENCE)
        yield thread
    finally:
        Held.let_go.set()
        thread.join(PATIENCE)


def test_a_call_that_expires_while_it_waits_is_never_begun(remote: RemoteMerger) -> None:
    with held_work(remote):
        # What others had given up may have gone on until now.
        Paced.begun.clear()
        with pytest.raises(DeadlineError):
            remote.merge(long_document(1), "paced", timeout=0.5)
        # The server hears of it before it hears of these.
        for _ in range(3):
            assert remote.is_serving()
    # There is but one thread for documents.
    assert remote.merge(long_document(2), "none").strategy == "none"
    assert not Paced.begun.is_set()


def test_health_is_answered_while_work_is_done(remote: RemoteMerger) -> None:
    with held_work(remote) as worker:
        assert remote.is_serving(timeout=PATIENCE)
        assert worker.is_alive()


def test_the_deadline_of_a_stream_holds_for_all_of_it(remote: RemoteMerger) -> None:
    with pytest.raises(DeadlineError):
        remote.merge_in_parts(long_document(MANY), "paced", timeout=0.3)
    assert_work_stopped()


def test_a_stream_given_up_by_the_caller_can_not_go_on(remote: RemoteMerger) -> None:
    document = long_document(2)
    with remote.stream("d", "none") as stream:
        stream.add(document.parts[0], document.chains[:1])
        stream.cancel()
        with pytest.raises(RemoteError):
            stream.add(document.parts[1], document.chains[1:])
