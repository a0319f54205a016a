"""Documents that are larger than a server takes are refused before any work; field and limit are told."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import grpc
import pytest

import server
from merger.errors import OptionError
from merger.progress import WorkContext
from protos.convert.errors import InvalidRequestError, Violation
from protos.limits import DEFAULT_LIMITS, Limits, Longest
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.answers import merge_document_answer
from service.strategies import ServedStrategies
from tests.support.command_line import PATIENCE
from tests.support.running_server import until

STRATEGIES = ServedStrategies()
NONE = v1.StrategySpec(name="none")
SMALL = Limits(parts=2, sentences=4, tokens=8, chains=2, mentions=4, stream_bytes=400)


def sentence(tokens: int = 1) -> v1.Sentence:
    return v1.Sentence(forms=["a"] * tokens)


def chain(name: str, *places: tuple[int, int]) -> v1.Chain:
    mentions = [v1.Mention(sentence=index, first=token, last=token) for index, token in places]
    return v1.Chain(id=name, mentions=mentions)


def part(tokens: Iterable[int] = (1,), chains: Iterable[v1.Chain] = ()) -> v1.Part:
    return v1.Part(sentences=[sentence(each) for each in tokens], chains=chains)


def document(*parts: v1.Part) -> v1.MergeDocumentRequest:
    return v1.MergeDocumentRequest(document=v1.Document(id="d", parts=parts), strategy=NONE)


def violations(request: v1.MergeDocumentRequest, limits: Limits = DEFAULT_LIMITS) -> tuple[Violation, ...]:
    try:
        merge_document_answer(STRATEGIES, request.SerializeToString(), WorkContext(), limits)
    except InvalidRequestError as error:
        return error.violations
    return ()


AT_THE_LIMIT = [
    document(part(), part()),
    document(part((1, 1)), part((1, 1))),
    document(part((5,)), part((3,))),
    document(part((4,), [chain("0", (0, 0), (0, 1))]), part((4,), [chain("0", (0, 0), (0, 1))])),
]
TOO_MUCH = [
    (document(part(), part(), part()), "parts[2]", "3 parts", 2),
    (document(part((1, 1)), part((1, 1, 1))), "parts[1].sentences", "5 sentences", 4),
    (document(part((5,)), part((4,))), "parts[1].sentences", "9 tokens", 8),
    (
        document(part((4,), [chain("0", (0, 0)), chain("1", (0, 1))]), part((4,), [chain("0", (0, 0))])),
        "parts[1].chains",
        "3 chains",
        2,
    ),
    (
        document(part((4,), [chain("0", (0, 0), (0, 1), (0, 2))]), part((4,), [chain("0", (0, 0), (0, 1))])),
        "parts[1].chains",
        "5 mentions",
        4,
    ),
]


@pytest.mark.parametrize("request_", AT_THE_LIMIT, ids=["parts", "sentences", "tokens", "chains and mentions"])
def test_what_is_at_the_limit_is_taken(request_: v1.MergeDocumentRequest) -> None:
    assert violations(request_, SMALL) == ()


@pytest.mark.parametrize(
    ("request_", "field", "count", "most"), TOO_MUCH, ids=["parts", "sentences", "tokens", "chains", "mentions"]
)
def test_what_is_beyond_is_named(request_: v1.MergeDocumentRequest, field: str, count: str, most: int) -> None:
    told = f"{count} so far in the document; this server takes at most {most}"
    assert violations(request_, SMALL) == (Violation(f"document.{field}", told),)


def test_the_human_merges_have_the_same_limits_by_themselves() -> None:
    request = document(part((2,), [chain("0", (0, 0), (0, 1))]))
    mention = v1.PlacedMention(mention=v1.Mention())
    request.key.CopyFrom(v1.HumanMerges(chains=[v1.HumanChain(id="0", mentions=[mention] * 5)]))
    told = "5 mentions in the gold merges so far in the document; this server takes at most 4"
    assert violations(request, SMALL) == (Violation("key.chains", told),)
    request.key.CopyFrom(v1.HumanMerges(chains=[v1.HumanChain(id=str(index)) for index in range(3)]))
    told = "3 chains in the gold merges so far in the document; this server takes at most 2"
    assert violations(request, SMALL) == (Violation("key.chains", told),)


def with_text(field: str, size: int) -> v1.MergeDocumentRequest:
    """A request with a text of this size in a field."""
    text = "é" * size
    request = document(part((1, 1), [chain("0", (0, 0), (1, 0))]))
    request.key.chains.add()
    request.strategy.options.add(name="match", value=v1.OptionValue(text="noun"))
    place: Any = request
    *path, last = re.findall(r"\w+", field)
    for step in path:
        place = place[int(step)] if step.isdigit() else getattr(place, step)
    if not last.isdigit():
        setattr(place, last, text)
    elif place:
        place[int(last)] = text
    else:
        place.append(text)
    return request


@pytest.mark.parametrize(
    ("field", "longest"),
    [
        ("document.id", Longest.TEXT),
        ("document.genre", Longest.TEXT),
        ("document.parts[0].chains[0].id", Longest.TEXT),
        ("document.parts[0].sentences[0].forms[0]", Longest.FORM),
        ("document.parts[0].sentences[0].xpos[0]", Longest.TEXT),
        ("document.parts[0].sentences[0].upos[0]", Longest.TEXT),
        ("document.parts[0].sentences[0].speakers[0]", Longest.TEXT),
        ("key.chains[0].id", Longest.TEXT),
        ("strategy.name", Longest.TEXT),
        ("strategy.options[0].name", Longest.TEXT),
        ("strategy.options[0].value.text", Longest.TEXT),
    ],
)
def test_texts_have_a_longest_length(field: str, longest: int) -> None:
    expected = (Violation(field, f"{longest + 1} characters; expected at most {longest}"),)
    assert violations(with_text(field, longest + 1)) == expected
    # All is well but for the option, which this strategy has not.
    with pytest.raises(OptionError):
        violations(with_text(field, longest))


def test_short_lists_have_a_longest_length() -> None:
    request = document(part((2 * Longest.PIECES + 2,), [chain("0", (0, 0))]))
    mention = request.document.parts[0].chains[0].mentions[0]
    for index in range(Longest.PIECES + 1):
        mention.pieces.add(first=2 * index, last=2 * index)
    mention.last = 2 * Longest.PIECES
    told = f"{Longest.PIECES + 1} pieces; expected at most {Longest.PIECES}"
    assert violations(request) == (Violation("document.parts[0].chains[0].mentions[0].pieces", told),)
    del mention.pieces[-1]
    mention.last -= 2
    assert violations(request) == ()
    for index in range(Longest.OPTIONS + 1):
        request.strategy.options.add(name=str(index), value=v1.OptionValue(flag=True))
    told = f"{Longest.OPTIONS + 1} options; expected at most {Longest.OPTIONS}"
    assert violations(request) == (Violation("strategy.options", told),)


@pytest.mark.parametrize("name", [each.name for each in fields(Limits)])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match=rf"^{name}: 0 is not a whole number from 1$"):
        replace(DEFAULT_LIMITS, **{name: 0})


@pytest.fixture(scope="module", params=[0, 1], ids=["threads", "processes"])
def stub(request: pytest.FixtureRequest) -> Iterator[ChainMergeServiceStub]:
    options = server.ServerOptions(port=0, workers=request.param, grace_seconds=0, limits=SMALL)
    with server.background(options) as address, grpc.insecure_channel(address) as channel:
        yield ChainMergeServiceStub(channel)


def refusal(stub: ChainMergeServiceStub, *messages: v1.MergeStreamRequest) -> str:
    setup = v1.MergeStreamRequest(setup=v1.MergeStreamSetup(document_id="d", strategy=NONE))
    with pytest.raises(grpc.RpcError) as caught:
        list(stub.MergeStream(iter([setup, *messages]), timeout=PATIENCE))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    return caught.value.details() or ""


def test_a_server_holds_documents_to_the_limits_of_its_operator(stub: ChainMergeServiceStub) -> None:
    assert stub.MergeDocument(AT_THE_LIMIT[0], timeout=PATIENCE).signature == "none"
    for request, field, count, most in TOO_MUCH:
        with pytest.raises(grpc.RpcError) as caught:
            stub.MergeDocument(request, timeout=PATIENCE)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        told = f"{count} so far in the document; this server takes at most {most}"
        assert caught.value.details() == f"document d: document.{field}: {told}"


def test_a_stream_does_not_get_past_them_part_by_part(stub: ChainMergeServiceStub) -> None:
    message = v1.MergeStreamRequest(part=part((3,)))
    assert refusal(stub, *[message] * 3) == (
        "document d, part 2: part: 3 parts so far in the stream; this server takes at most 2 (and 1 more)"
    )
    message = v1.MergeStreamRequest(part=part((5,)))
    assert refusal(stub, *[message] * 2) == (
        "document d, part 1: part.sentences: 10 tokens so far in the stream; this server takes at most 8"
    )


def test_a_stream_does_not_get_past_them_chunk_by_chunk(stub: ChainMergeServiceStub) -> None:
    chunk = v1.MergeStreamRequest(chunk=v1.PartChunk(piece=part((3,)), more=True))
    assert refusal(stub, *[chunk] * 3) == (
        "document d, part 0: chunk.piece.sentences: 9 tokens so far in the stream; this server takes at most 8"
    )
    key = v1.HumanMerges(chains=[v1.HumanChain(id="0"), v1.HumanChain(id="1")])
    assert refusal(stub, *[v1.MergeStreamRequest(key=key)] * 2) == (
        "document d: key.chains: 4 chains in the gold merges so far in the stream; this server takes at most 2"
    )


def test_a_stream_does_not_get_past_the_bytes(stub: ChainMergeServiceStub) -> None:
    long = v1.MergeStreamRequest(part=v1.Part(sentences=[v1.Sentence(forms=["a" * 300])]))
    # A tag of one byte and a length of two before the form, its sentence, and the part.
    size = 300 + 3 * 3
    setup = v1.MergeStreamRequest(setup=v1.MergeStreamSetup(document_id="d", strategy=NONE)).ByteSize()
    assert refusal(stub, long, long) == (
        f"document d: message: {setup + 2 * size} bytes so far in the stream; this server takes at most 400"
    )


def test_a_long_text_in_a_stream_is_refused_too() -> None:
    long = part((1,), [v1.Chain(id="i" * 1001, mentions=[v1.Mention()])])
    options = server.ServerOptions(port=0, workers=0, grace_seconds=0)
    with server.background(options) as address, grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        told = refusal(stub, v1.MergeStreamRequest(part=long))
        assert told == "document d, part 0: part.chains[0].id: 1001 characters; expected at most 1000"
        told = refusal(stub, v1.MergeStreamRequest(chunk=v1.PartChunk(piece=long, more=True)))
        assert told == "document d, part 0: chunk.piece.chains[0].id: 1001 characters; expected at most 1000"


def test_what_the_counting_costs_grows_no_faster_than_the_document() -> None:
    def seconds(parts: int) -> float:
        data = document(*[part([25] * 40, [chain("0", (0, 0), (1, 0))])] * parts)
        # Fails for its key, as the last thing that is looked at: all is counted and checked, nothing merged.
        data.key.chains.add(id="0", mentions=[v1.PlacedMention(part=parts + 1, mention=v1.Mention())])
        encoded = data.SerializeToString()
        # Of this thread alone: servers of other tests may run beside it.
        begun = time.thread_time()
        with pytest.raises(InvalidRequestError):
            merge_document_answer(STRATEGIES, encoded, WorkContext())
        return time.thread_time() - begun

    # What other tests have left in memory is not to be looked through meanwhile.
    gc.collect()
    gc.freeze()

    def grows_no_faster() -> bool:
        small = min(seconds(50) for _ in range(5))
        large = min(seconds(500) for _ in range(3))
        # Half a million tokens; the merge itself takes seconds.
        return large < min(30 * small, 3)

    # What disturbs a measurement passes. What grows with the square does not: it is a hundred times as much.
    grows = until(grows_no_faster)
    gc.unfreeze()
    assert grows
