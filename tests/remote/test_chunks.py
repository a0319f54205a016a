"""Parts and answers that are larger than a message may be."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.remote.aio import AsyncRemoteMerger
from client.remote.errors import MessageTooLargeError
from client.remote.sync import RemoteMerger
from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, chains_by_part, make_chain
from merger.merge import MergeResult, merge_document
from merger.notices import Notices
from merger.strategies import make_strategy
from protos.convert.chunks import (
    add_chains,
    add_piece,
    decision_pieces,
    key_pieces,
    part_chunks,
    summary_pieces,
)
from protos.convert.decisions import key_to_message
from protos.convert.documents import part_to_message
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.command_line import serving
from tests.support.samples import documents_with_key

MIB = 1024 * 1024
SIZES = st.integers(80, 400)
"""In bytes. 64 are kept for what is around the lists."""


def parts_of(document: Document) -> Iterator[v1.Part]:
    return map(part_to_message, document.parts, chains_by_part(document))


def entries(piece: v1.Part) -> int:
    return len(piece.sentences) + sum(len(chain.mentions) for chain in piece.chains)


@given(pair=documents_with_key(), size=SIZES)
def test_a_part_is_its_chunks_put_together(pair: tuple[Document, Document], size: int) -> None:
    for part in parts_of(pair[0]):
        chunks = list(part_chunks(part, size))
        whole = v1.Part()
        for chunk in chunks:
            add_piece(whole, chunk.piece)
            assert chunk.ByteSize() <= size or entries(chunk.piece) == 1
        assert whole == part
        assert [chunk.more for chunk in chunks] == [True] * (len(chunks) - 1) + [False]


@given(pair=documents_with_key(), size=SIZES)
def test_human_merges_are_their_pieces_put_together(pair: tuple[Document, Document], size: int) -> None:
    key = key_to_message(pair[1])
    whole = v1.HumanMerges()
    for piece in key_pieces(key, size):
        add_chains(whole.chains, piece.chains)
        assert piece.ByteSize() <= size or sum(len(chain.mentions) for chain in piece.chains) == 1
    assert whole == key


@given(members=st.lists(st.integers(0, 40), max_size=12), size=SIZES, singletons=st.integers(0, 3))
def test_a_summary_is_its_pieces_put_together(members: list[int], size: int, singletons: int) -> None:
    chains = [
        v1.MergedChain(id=str(number), members=[v1.ChainRef(part=part, chain="c") for part in range(count)])
        for number, count in enumerate(members)
    ]
    summary = v1.MergeStreamSummary(chains=chains, singletons=singletons, signature="s")
    pieces = list(summary_pieces(summary, size))
    whole = v1.MergeStreamSummary(singletons=pieces[0].singletons, signature=pieces[0].signature)
    for piece in pieces:
        add_chains(whole.chains, piece.chains)
        assert piece.ByteSize() <= size
    assert whole == summary
    assert [piece.more for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    assert list(summary_pieces(summary, 0)) == [summary]


@given(count=st.integers(0, 40), size=SIZES)
def test_decisions_are_their_pieces_put_together(count: int, size: int) -> None:
    decisions = [v1.Decision(chain=v1.ChainRef(part=3, chain=str(number))) for number in range(count)]
    answer = v1.PartDecisions(part=3, decisions=decisions)
    pieces = list(decision_pieces(answer, size))
    assert [each for piece in pieces for each in piece.decisions] == decisions
    assert all(piece.part == 3 and piece.ByteSize() <= size for piece in pieces)
    assert [piece.more for piece in pieces] == [True] * (len(pieces) - 1) + [False]


def random_document(seed: int, parts: int, sentences: int, length: int, chains: int) -> Document:
    """Sentences of the same length with random nouns, every mention a token, each chain with about as many."""
    draw = random.Random(seed)
    nouns = [f"noun{number}" for number in range(500)]
    tags = ("NN",) * length
    texts = []
    found: list[Chain] = []
    for part in range(parts):
        rows = tuple(Sentence(tuple(draw.choices(nouns, k=length)), tags) for _ in range(sentences))
        texts.append(Part(rows, part))
        owners: list[list[Mention]] = [[] for _ in range(chains)]
        for number in range(sentences):
            for token in range(0, length, 3):
                draw.choice(owners).append(Mention(part, number, token, token))
        found.extend(make_chain(f"{part}-{number}", own) for number, own in enumerate(owners) if own)
    return Document("random", tuple(texts), tuple(found))


def merged_here(document: Document, strategy: str, key: Document | None = None) -> tuple[MergeResult, list[object]]:
    notices = Notices()
    return merge_document(document, make_strategy(strategy), key=key, notices=notices), list(notices)


@pytest.mark.parametrize("strategy", ["none", "greedy", "oracle"])
def test_parts_human_merges_and_answers_go_through_a_narrow_client(address: str, strategy: str) -> None:
    # 1,100 bytes a message, both ways; a part is about 10,000 bytes.
    document = random_document(1, parts=3, sentences=40, length=30, chains=60)
    owners: dict[str, list[Mention]] = {}
    for chain in document.chains:
        owners.setdefault(chain.id.partition("-")[2], []).extend(chain.mentions)
    merged = tuple(make_chain(name, mentions) for name, mentions in owners.items())
    key = Document("random", document.parts, merged, ChainScope.DOCUMENT)
    notices = Notices()
    with RemoteMerger(address, max_message_bytes=1100) as remote:
        with pytest.raises(MessageTooLargeError):
            remote.merge(document, strategy, key=key)
        result = remote.merge_in_parts(document, strategy, key=key, notices=notices)
    assert (result, list(notices)) == merged_here(document, strategy, key)


def test_chains_of_a_million_tokens_go_through_under_grpcs_own_bound() -> None:
    """4 MiB; of two parts the first has 900,000 tokens and 300,000 mentions, in a message about 15 MiB."""
    large = random_document(2, parts=1, sentences=45_000, length=20, chains=3_000)
    small = random_document(3, parts=1, sentences=5_000, length=20, chains=500)
    moved = [
        Chain(f"1-{chain.id}", tuple(Mention(1, each.sentence, each.first, each.last) for each in chain.mentions))
        for chain in small.chains
    ]
    document = Document("large", (large.parts[0], small.parts[0]), (*large.chains, *moved))
    assert document.token_count == 1_000_000
    assert next(parts_of(document)).ByteSize() > 3 * 4 * MIB
    floor = merge_document(document, make_strategy("none"))

    async def merge_async(address: str) -> MergeResult:
        async with AsyncRemoteMerger(address, max_message_bytes=4 * MIB) as remote:
            return await remote.merge_in_parts(document, "none")

    with serving("--max-message-bytes", str(4 * MIB), "--log-level", "error") as (_, address):
        with RemoteMerger(address, max_message_bytes=4 * MIB) as remote:
            assert remote.merge_in_parts(document, "greedy") == merge_document(document, make_strategy("greedy"))
        assert asyncio.run(merge_async(address)) == floor


SETUP = v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
PART = v1.Part(sentences=[v1.Sentence(forms=["a"])])
BEGUN = v1.MergeStreamRequest(chunk=v1.PartChunk(piece=PART, more=True))


@pytest.mark.parametrize(
    ("messages", "field"),
    [
        ([SETUP, BEGUN, v1.MergeStreamRequest(part=PART)], "part: in the middle of a part"),
        ([SETUP, BEGUN], "chunk: in the middle of a part"),
        ([SETUP, v1.MergeStreamRequest(part=PART), v1.MergeStreamRequest(key=v1.HumanMerges())], "key: after a part"),
        ([SETUP, BEGUN, v1.MergeStreamRequest(key=v1.HumanMerges())], "key: after a part"),
        ([BEGUN], "chunk: chunk instead of a setup"),
    ],
    ids=["part in a part", "end in a part", "key after a part", "key in a part", "no setup"],
)
def test_chunks_out_of_order_are_refused(address: str, messages: list[v1.MergeStreamRequest], field: str) -> None:
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as caught:
        list(ChainMergeServiceStub(channel).MergeStream(iter(messages)))
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in (caught.value.details() or "")


def test_a_chunked_part_keeps_the_rules_of_a_part(address: str) -> None:
    """A chain goes on only as the first of a chunk: elsewhere its id is there twice."""
    one = v1.Chain(id="x", mentions=[v1.Mention()])
    piece = v1.Part(sentences=PART.sentences, chains=[one, one])
    messages = [SETUP, v1.MergeStreamRequest(chunk=v1.PartChunk(piece=piece))]
    with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as caught:
        list(ChainMergeServiceStub(channel).MergeStream(iter(messages)))
    assert "'x' is the id of chains[0] too" in (caught.value.details() or "")


def test_a_caller_that_sets_no_bound_for_answers_gets_each_in_one_message(address: str) -> None:
    document = random_document(4, parts=1, sentences=40, length=30, chains=60)
    messages = [SETUP, *(v1.MergeStreamRequest(part=part) for part in parts_of(document))]
    with grpc.insecure_channel(address) as channel:
        answers = list(ChainMergeServiceStub(channel).MergeStream(iter(messages)))
    assert [each.WhichOneof("message") for each in answers if not each.HasField("progress")] == ["part", "summary"]
