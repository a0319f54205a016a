"""Whatever goes wrong, no text of a document gets into the server's log, its output, or what callers are told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

import server
from merger.strategies import STRATEGIES
from protos.limits import Longest
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.command_line import PATIENCE
from tests.support.samples import Absent, Crashing, Paced

WORD = "Xyzzyqua"
CLUSTERS = Path(__file__).parents[2] / "examples" / "key" / "wells.conll"
MAX_MESSAGE_BYTES = 100_000


def document(*, tags: bool = True, parts: int = 1) -> v1.Document:
    """Nothing is wrong with it, and the word is in every text that is no id."""
    sentence = v1.Sentence(forms=[WORD, WORD], speakers=[WORD, WORD], xpos=["NN", "NN"] if tags else [])
    mentions = [v1.Mention(first=0, last=0), v1.Mention(first=1, last=1)]
    part = v1.Part(sentences=[sentence], chains=[v1.Chain(id="0", mentions=mentions)])
    return v1.Document(id="wells", parts=[part] * parts)


def asked(
    strategy: str, change: Callable[[v1.Document], object] = lambda _: None, **options: str
) -> v1.MergeDocumentRequest:
    changed = document()
    change(changed)
    settings = [v1.OptionSetting(name=name, value=v1.OptionValue(text=text)) for name, text in options.items()]
    return v1.MergeDocumentRequest(document=changed, strategy=v1.StrategySpec(name=strategy, options=settings))


def with_key(*mentions: v1.Mention) -> v1.MergeDocumentRequest:
    placed = [v1.PlacedMention(mention=mention) for mention in mentions]
    request = asked("oracle")
    request.key.CopyFrom(v1.HumanMerges(chains=[v1.HumanChain(id="0", mentions=placed)]))
    return request


def sentence_of(whole: v1.Document) -> v1.Sentence:
    return whole.parts[0].sentences[0]


def chain_of(whole: v1.Document) -> v1.Chain:
    return whole.parts[0].chains[0]


REFUSED: dict[str, v1.MergeDocumentRequest] = {
    "column": asked("none", lambda whole: sentence_of(whole).upos.append(WORD)),
    "head": asked("none", lambda whole: sentence_of(whole).heads.extend([7, 0])),
    "empty node": asked("none", lambda whole: sentence_of(whole).empty_nodes.append(9)),
    "mention": asked("none", lambda whole: chain_of(whole).mentions.add(first=2, last=2)),
    "mention twice": asked("none", lambda whole: chain_of(whole).mentions.add(first=1, last=1)),
    "piece": asked("none", lambda whole: chain_of(whole).mentions[0].pieces.add()),
    "chain": asked("none", lambda whole: whole.parts[0].chains.add(id="0")),
    "long form": asked("none", lambda whole: sentence_of(whole).forms.__setitem__(0, WORD * Longest.FORM)),
    "long tag": asked("none", lambda whole: sentence_of(whole).xpos.__setitem__(0, WORD * Longest.TEXT)),
    "no strategy": v1.MergeDocumentRequest(document=document()),
    "unknown strategy": asked("nobody"),
    "unknown option": asked("greedy", nothing="1"),
    "option": asked("greedy", match="nothing"),
    "operator's option": asked("precomputed", path="/etc/passwd"),
    "no tags": v1.MergeDocumentRequest(document=document(tags=False), strategy=v1.StrategySpec(name="greedy")),
    "no gold merges": asked("oracle"),
    "gold merges": with_key(v1.Mention(first=0, last=0)),
    "gold merges out of range": with_key(v1.Mention(first=8, last=9)),
    "clusters": asked("precomputed", lambda whole: setattr(whole, "id", "wells")),
    "not enabled": asked("stanza"),
    "not here": asked("absent"),
    "crash": asked("crashing"),
    "message": asked("none", lambda whole: whole.parts.extend(document(parts=5000).parts)),
}


@pytest.fixture(scope="module")
def channel() -> Iterator[grpc.Channel]:
    with pytest.MonkeyPatch.context() as patch:
        for strategy in (Paced, Crashing, Absent):
            patch.setitem(STRATEGIES, strategy.name, strategy)
        options = server.ServerOptions(
            port=0,
            workers=0,
            grace_seconds=0,
            enable=(f"precomputed:path={CLUSTERS}",),
            max_message_bytes=MAX_MESSAGE_BYTES,
        )
        with server.background(options) as address, grpc.insecure_channel(address) as channel:
            yield channel


@pytest.fixture(autouse=True)
def log(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Iterator[pytest.LogCaptureFixture]:
    """All loggers at their most talkative; looked at in the end, with the output."""
    with caplog.at_level(logging.DEBUG):
        yield caplog
    output = capfd.readouterr()
    assert WORD not in caplog.text + output.out + output.err


def told(call: Callable[[], object]) -> str:
    """All that the caller gets of an error."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return f"{caught.value.code()} {caught.value.details()} {caught.value.trailing_metadata()}"


@pytest.mark.parametrize("name", REFUSED)
def test_a_document_that_is_refused(channel: grpc.Channel, name: str) -> None:
    stub = ChainMergeServiceStub(channel)
    assert WORD not in told(lambda: stub.MergeDocument(REFUSED[name], timeout=PATIENCE))


def test_the_crash_is_in_the_log_without_its_words(channel: grpc.Channel, log: pytest.LogCaptureFixture) -> None:
    stub = ChainMergeServiceStub(channel)
    assert "StatusCode.INTERNAL" in told(lambda: stub.MergeDocument(REFUSED["crash"], timeout=PATIENCE))
    assert "KeyError in MergeDocument at" in log.text


@pytest.mark.parametrize("damage", [b"", b"\xff", b"\x0a\xff"], ids=["text", "tag", "length"])
def test_bytes_that_are_no_message(channel: grpc.Channel, damage: bytes) -> None:
    for method in ("MergeDocument", "MergeStream", "MergeDocuments"):
        # Every shape of method is the same on the wire.
        call: grpc.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(
            f"/merge_baseline.v1.ChainMergeService/{method}"
        )
        data = damage + WORD.encode()
        assert WORD not in told(lambda call=call, data=data: list(call(iter([data]), timeout=PATIENCE)))  # type: ignore[misc]  # bound now


def test_a_document_that_takes_too_long(channel: grpc.Channel) -> None:
    stub = ChainMergeServiceStub(channel)
    request = v1.MergeDocumentRequest(document=document(parts=100), strategy=v1.StrategySpec(name="paced"))
    answer = told(lambda: stub.MergeDocument(request, timeout=0.2))
    assert "DEADLINE_EXCEEDED" in answer
    assert WORD not in answer


def test_streams_that_are_refused(channel: grpc.Channel) -> None:
    stub = ChainMergeServiceStub(channel)
    setups = {
        name: v1.MergeStreamRequest(setup=v1.MergeStreamSetup(document_id="d", strategy=v1.StrategySpec(name=name)))
        for name in ("none", "greedy", "crashing", "oracle")
    }
    part = v1.MergeStreamRequest(part=document().parts[0])
    untagged = v1.MergeStreamRequest(part=document(tags=False).parts[0])
    wrong = v1.MergeStreamRequest(part=REFUSED["mention"].document.parts[0])
    for messages in (
        [part],
        [setups["none"], setups["none"]],
        [setups["none"], wrong],
        [setups["greedy"], untagged],
        [setups["crashing"], part],
        [setups["oracle"], part],
        [setups["none"], v1.MergeStreamRequest(chunk=v1.PartChunk(piece=part.part, more=True)), part],
    ):
        assert WORD not in told(lambda messages=messages: list(stub.MergeStream(iter(messages), timeout=PATIENCE)))  # type: ignore[misc]  # bound now


def test_documents_of_many_that_are_refused(channel: grpc.Channel) -> None:
    stub = ChainMergeServiceStub(channel)
    wrong = {name: each for name, each in REFUSED.items() if each.ByteSize() < MAX_MESSAGE_BYTES // 2}
    requests = [v1.MergeDocumentsRequest(id=name, request=each) for name, each in wrong.items()]
    answers = list(stub.MergeDocuments(iter(requests), timeout=PATIENCE))
    assert {answer.id for answer in answers} == set(wrong)
    assert all(answer.HasField("error") for answer in answers)
    assert WORD.encode() not in b"".join(answer.SerializeToString() for answer in answers)
