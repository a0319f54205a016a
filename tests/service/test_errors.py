"""What a caller is told when something goes wrong, over the client library and over the bare protocol."""

from __future__ import annotations

import logging
import pickle
from typing import cast

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

import server
from client.remote.errors import MessageTooLargeError, RemoteError, ServerFailedError
from client.remote.sync import RemoteMerger
from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.errors import (
    AlignmentError,
    AnnotationError,
    DecisionError,
    FormatError,
    InputError,
    Location,
    MergeBaselineError,
    MissingTagsError,
    OptionError,
    UnavailableError,
    UnsupportedError,
)
from protos.convert.documents import document_to_message
from protos.convert.errors import InvalidRequestError, Violation
from protos.convert.status import error_of, status_of
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.command_line import PATIENCE
from tests.support.samples import long_document

EVERY_ERROR: list[MergeBaselineError] = [
    FormatError("no", Location("f", 3, "d", 0, 1, 2), expected="yes", hint="try"),
    AnnotationError("no", Location(document="d")),
    AlignmentError("no"),
    DecisionError("no", expected="yes"),
    InputError("no", hint="try"),
    MissingTagsError("no tags"),
    OptionError("no option"),
    UnsupportedError("no such thing"),
    UnavailableError("no model"),
    MergeBaselineError("no"),
    InvalidRequestError("no", Location(part=1), violations=[Violation("a.b[1]", "3; expected 4")]),
]


@pytest.mark.parametrize("error", EVERY_ERROR, ids=lambda error: type(error).__name__)
def test_an_error_comes_out_of_a_status_as_it_went_in(error: MergeBaselineError) -> None:
    back = error_of(status_of(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert vars(back) == vars(error)


@pytest.mark.parametrize("error", EVERY_ERROR, ids=lambda error: type(error).__name__)
def test_an_error_survives_the_way_out_of_a_worker_process(error: MergeBaselineError) -> None:
    back = pickle.loads(pickle.dumps(error))  # noqa: S301  # our own bytes
    assert (type(back), str(back), vars(back)) == (type(error), str(error), vars(error))


def test_an_error_in_the_human_merges_says_so_to_callers_in_other_languages(channel: grpc.Channel) -> None:
    """Their files are the caller's; the server has no name for them."""
    request = v1.MergeDocumentRequest(
        document=document_to_message(long_document(1)),
        strategy=v1.StrategySpec(name="oracle"),
        key=v1.HumanMerges(),
    )
    with pytest.raises(grpc.RpcError) as caught:
        ChainMergeServiceStub(channel).MergeDocument(request, timeout=PATIENCE)
    details = cast("grpc.Call", caught.value).details()
    place = f"gold merges (document {request.document.id}, part 0)"
    message = "the mentions of part chain 0 are in no merged chain; expected all of them in one merged chain"
    assert details == f"{place}: {message}"


def test_an_option_error_is_raised_as_without_a_server(remote: RemoteMerger) -> None:
    with pytest.raises(OptionError, match=r"^option match: 'nouns' is not one of noun, token, mention, head, fuzzy$"):
        remote.merge(long_document(1), "greedy", {"match": "nouns"})
    near = r"no strategy 'gready' \(did you mean greedy\?\); there are none, greedy, .*oracle"
    with pytest.raises(OptionError, match=near):
        remote.merge(long_document(1), "gready")


def test_missing_tags_are_reported_as_without_a_server(remote: RemoteMerger) -> None:
    bare = Sentence(("York", "York"))
    document = Document("d", (Part((bare,)),), (Chain("0", (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1))),))
    with pytest.raises(MissingTagsError, match=r"^document d, part 0: no part-of-speech tags"):
        remote.merge(document, "greedy")


def test_a_strategy_that_can_not_run_on_the_server_says_why(remote: RemoteMerger) -> None:
    with pytest.raises(UnavailableError, match="absent can't run on this server: its model is not installed"):
        remote.merge(long_document(1), "absent")


def test_an_error_in_the_human_merges_names_the_callers_file(remote: RemoteMerger) -> None:
    document = long_document(1)
    key = Document("key id", document.parts, (), ChainScope.DOCUMENT, file="key.conll")
    with pytest.raises(DecisionError) as caught:
        remote.merge(document, "oracle", key=key)
    assert str(caught.value) == (
        "key.conll (document key id, part 0): the mentions of part chain 0 are in no merged chain; expected all of "
        "them in one merged chain"
    )


def test_a_wrong_mention_is_named_with_what_was_expected(remote: RemoteMerger) -> None:
    document = long_document(2)
    wrong = Chain("0", (Mention(1, 0, 0, 2), Mention(1, 1, 0, 0)))
    with pytest.raises(AnnotationError) as caught:
        remote.merge(document.with_chains((document.chains[0], wrong), ChainScope.PART), "none")
    assert str(caught.value) == (
        "document long: document.parts[1].chains[0].mentions[0].last: 2; expected a token of sentence 0, from 0 to 1"
    )


def test_a_wrong_part_of_a_stream_is_named(remote: RemoteMerger) -> None:
    document = long_document(2)
    wrong = Chain("0", (Mention(1, 0, 0, 0), Mention(1, 2, 0, 0)))
    with remote.stream("d", "none") as stream:
        stream.add(document.parts[0], document.chains[:1])
        with pytest.raises(InvalidRequestError) as caught:
            stream.add(document.parts[1], [wrong])
    assert str(caught.value) == (
        "document d, part 1: part.chains[0].mentions[1].sentence: 2; expected a sentence of the part, from 0 to 1"
    )


def test_chains_that_cross_parts_are_reported_before_anything_is_sent(remote: RemoteMerger) -> None:
    crossing = Chain("0", (Mention(0, 0, 0, 0), Mention(1, 0, 0, 0)))
    with pytest.raises(AnnotationError, match="chain 0 has mentions in parts 0 and 1"):
        remote.merge(long_document(2).with_chains((crossing,), ChainScope.DOCUMENT), "none")


def test_text_that_is_no_unicode_can_not_be_sent(remote: RemoteMerger) -> None:
    document = Document("d", (Part((Sentence(("\udc80",)),)),))
    with pytest.raises(UnsupportedError, match=r"^document d: this can't be sent to a server: .*surrogates"):
        remote.merge(document, "none")


def details(error: grpc.RpcError) -> tuple[error_details_pb2.ErrorInfo, dict[str, str]]:
    """The ErrorInfo and the field violations of a failed call."""
    status = rpc_status.from_call(cast("grpc.Call", error))
    info, request = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(request)
    return info, {entry.field: entry.description for entry in request.field_violations}


def test_a_bare_protocol_caller_gets_reason_and_fields(channel: grpc.Channel) -> None:
    request = v1.MergeDocumentRequest(document=v1.Document(parts=[v1.Part(chains=[v1.Chain(id="x")])]))
    with pytest.raises(grpc.RpcError) as caught:
        ChainMergeServiceStub(channel).MergeDocument(request)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    info, fields = details(caught.value)
    assert (info.reason, info.domain) == ("REQUEST_INVALID", "merge-baseline")
    assert fields == {
        "strategy": "missing; expected a strategy's name and options",
        "document.parts[0].chains[0].mentions": "empty; expected at least one mention",
    }


@pytest.mark.parametrize(
    ("strategy", "code", "reason"),
    [
        ("absent", grpc.StatusCode.FAILED_PRECONDITION, "STRATEGY_UNAVAILABLE"),
        ("greedy", grpc.StatusCode.FAILED_PRECONDITION, "TAGS_MISSING"),
        ("nothing", grpc.StatusCode.INVALID_ARGUMENT, "OPTION_INVALID"),
        ("oracle", grpc.StatusCode.INVALID_ARGUMENT, "OPTION_INVALID"),
    ],
)
def test_each_kind_of_error_has_its_code_and_reason(
    channel: grpc.Channel, strategy: str, code: grpc.StatusCode, reason: str
) -> None:
    document = document_to_message(long_document(1))
    for sentence in document.parts[0].sentences:
        sentence.ClearField("xpos")
    request = v1.MergeDocumentRequest(document=document, strategy=v1.StrategySpec(name=strategy))
    with pytest.raises(grpc.RpcError) as caught:
        ChainMergeServiceStub(channel).MergeDocument(request)
    assert caught.value.code() is code
    assert details(caught.value)[0].reason == reason


def test_bytes_that_are_no_message_are_refused(channel: grpc.Channel) -> None:
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
        "/merge_baseline.v1.ChainMergeService/MergeDocument"
    )
    with pytest.raises(grpc.RpcError) as caught:
        call(b"\xff\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    expected = "damaged; expected an encoded merge_baseline.v1.MergeDocumentRequest"
    assert details(caught.value)[1] == {"request": expected}


def test_the_most_and_longest_violations_still_reach_a_caller_with_usual_header_limits(channel: grpc.Channel) -> None:
    # 8 KiB is what gRPC clients take by default; a CJK character is three bytes, or nine percent-encoded.
    chains = [v1.Chain(id="長" * 1000) for _ in range(100)]
    request = v1.MergeDocumentRequest(document=v1.Document(id="長" * 1000, parts=[v1.Part(chains=chains)]))
    with pytest.raises(grpc.RpcError) as caught:
        ChainMergeServiceStub(channel).MergeDocument(request)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert len(details(caught.value)[1]) >= 10


def test_twenty_violations_are_reported_and_no_more(channel: grpc.Channel) -> None:
    chains = [v1.Chain(id=str(number)) for number in range(30)]
    request = v1.MergeDocumentRequest(
        document=v1.Document(parts=[v1.Part(chains=chains)]), strategy=v1.StrategySpec(name="none")
    )
    with pytest.raises(grpc.RpcError) as caught:
        ChainMergeServiceStub(channel).MergeDocument(request)
    assert list(details(caught.value)[1]) == [f"document.parts[0].chains[{number}].mentions" for number in range(20)]


def test_a_crash_shows_neither_code_nor_document_to_anyone(
    remote: RemoteMerger, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(ServerFailedError) as caught:
        remote.merge(long_document(1), "crashing")
    error_id = caught.value.error_id
    assert error_id is not None
    assert error_id in str(caught.value)
    assert "York" not in str(caught.value)
    assert "KeyError" not in str(caught.value)
    assert error_id in caplog.text
    assert "KeyError" in caplog.text
    assert "York" not in caplog.text


def test_a_crash_ends_a_stream_the_same_way(remote: RemoteMerger) -> None:
    document = long_document(1)
    with remote.stream("d", "crashing") as stream, pytest.raises(ServerFailedError, match="internal error"):
        stream.add(document.parts[0], document.chains)


def test_too_large_a_document_is_refused_by_the_client_with_a_way_out(address: str) -> None:
    with (
        RemoteMerger(address, max_message_bytes=10_000) as small,
        pytest.raises(MessageTooLargeError, match="send it as a stream of parts"),
    ):
        small.merge(long_document(1000), "none")


def test_too_large_a_document_is_refused_by_the_server_and_goes_through_in_parts() -> None:
    document = long_document(200)
    with (
        server.background(server.ServerOptions(port=0, max_message_bytes=10_000, grace_seconds=0)) as address,
        RemoteMerger(address) as remote,
    ):
        with pytest.raises(MessageTooLargeError, match="send it as a stream of parts"):
            remote.merge(document, "greedy")
        with remote.stream("long", "greedy") as stream:
            decisions = [
                decision
                for part, chain in zip(document.parts, document.chains, strict=True)
                for decision in stream.add(part, [chain])
            ]
        # All parts name York, so every chain but the first joins.
        assert sum(decision.antecedent is not None for decision in decisions) == 199


def document_with_long_ids() -> Document:
    """Less than 10,000 bytes, and its answer more: a chain's id comes back with its decision and its merged chain."""
    sentence = Sentence(("York", "York"), ("NNP", "NNP"))
    chains = [Chain(f"{index}{'x' * 900}", (Mention(0, index, 0, 0), Mention(0, index, 1, 1))) for index in range(8)]
    return Document("long", (Part((sentence,) * 8),), tuple(chains))


def test_too_large_an_answer_is_refused_with_a_way_out() -> None:
    with (
        server.background(server.ServerOptions(port=0, max_message_bytes=10_000, grace_seconds=0)) as address,
        RemoteMerger(address) as remote,
        pytest.raises(MessageTooLargeError, match="send it as a stream of parts"),
    ):
        remote.merge(document_with_long_ids(), "none")


def test_too_large_an_answer_is_refused_by_the_client_too(address: str) -> None:
    with (
        RemoteMerger(address, max_message_bytes=10_000) as small,
        pytest.raises(MessageTooLargeError, match="send it as a stream of parts"),
    ):
        small.merge(document_with_long_ids(), "none")


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([v1.MergeStreamRequest(part=v1.Part())], "part"),
        ([v1.MergeStreamRequest()], "message"),
        ([v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))] * 2, "setup"),
        ([], "setup"),
    ],
    ids=["part first", "empty message", "two setups", "nothing"],
)
def test_a_stream_out_of_order_is_refused(
    channel: grpc.Channel, messages: list[v1.MergeStreamRequest], field: str
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        list(ChainMergeServiceStub(channel).MergeStream(iter(messages)))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert list(details(caught.value)[1]) == [field]


@pytest.mark.parametrize("address", ["nowhere", ":1", "host:", "host:port", "", "::1:1", "[::1:1", "dns:host:1"])
def test_an_address_without_host_or_port_is_refused(address: str) -> None:
    with pytest.raises(OptionError, match="is not HOST:PORT"):
        RemoteMerger(address)


def test_no_error_of_grpc_reaches_a_caller(remote: RemoteMerger) -> None:
    document = long_document(1)
    for strategy in ("crashing", "absent", "nothing"):
        with pytest.raises(MergeBaselineError) as caught:
            remote.merge(document, strategy)
        assert not isinstance(caught.value, grpc.RpcError)
    assert issubclass(RemoteError, MergeBaselineError)
