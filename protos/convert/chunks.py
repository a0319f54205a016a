"""Parts, gold merges and answers that are larger than the message limit: cut into pieces, and joined again.

Lists are cut between their entries. A chain that is too long by itself is cut between its mentions (or members); it
continues as the first chain of the next piece, under the same id. A single sentence, mention or decision is never cut,
so a piece can be larger than the limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from protos.merge_baseline import v1

_M = TypeVar("_M", bound=Message)
_Chain = TypeVar("_Chain", v1.Chain, v1.HumanChain, v1.MergedChain)

CHUNK_BYTES: Final = 1024 * 1024
"""The size of a piece, unless the other side has a lower limit: a quarter of gRPC's default limit."""

_ENTRY_BYTES: Final = 6
"""Bytes of a list entry besides its content: a tag, and a length below 2 GiB."""

_ENVELOPE_BYTES: Final = 64
"""Bytes of a piece besides its lists; a generous bound."""


def part_chunks(part: v1.Part, max_bytes: int = CHUNK_BYTES) -> Iterator[v1.PartChunk]:
    """The part in messages of about ``max_bytes`` at most."""
    room = max_bytes - _ENVELOPE_BYTES
    number = part.number
    for sentences in _groups(part.sentences, room):
        yield v1.PartChunk(piece=v1.Part(number=number, sentences=sentences), more=True)
    groups = _chain_groups(part.chains, room, _mentions)
    chains = next(groups)
    for following in groups:
        yield v1.PartChunk(piece=v1.Part(number=number, chains=chains), more=True)
        chains = following
    yield v1.PartChunk(piece=v1.Part(number=number, chains=chains))


def add_piece(part: v1.Part, piece: v1.Part) -> None:
    """Append the next piece of a part."""
    if not part.sentences and not part.chains:
        part.number = piece.number
    part.sentences.extend(piece.sentences)
    add_chains(part.chains, piece.chains)


def key_pieces(key: v1.HumanMerges, max_bytes: int = CHUNK_BYTES) -> Iterator[v1.HumanMerges]:
    """Gold merges in messages of about ``max_bytes`` at most; at least one."""
    for chains in _chain_groups(key.chains, max_bytes - _ENVELOPE_BYTES, _mentions):
        yield v1.HumanMerges(chains=chains)


def decision_pieces(decisions: v1.PartDecisions, max_bytes: int) -> Iterator[v1.PartDecisions]:
    """The answer to a part in messages of about ``max_bytes`` at most; at least one. 0: in one."""
    if not max_bytes or decisions.ByteSize() <= max_bytes - _ENVELOPE_BYTES:
        yield decisions
        return
    groups = _groups(decisions.decisions, max_bytes - _ENVELOPE_BYTES)
    group = next(groups)
    for following in groups:
        yield v1.PartDecisions(part=decisions.part, decisions=group, more=True)
        group = following
    yield v1.PartDecisions(part=decisions.part, decisions=group)


def summary_pieces(summary: v1.MergeStreamSummary, max_bytes: int) -> Iterator[v1.MergeStreamSummary]:
    """The summary of a stream in messages of about ``max_bytes`` at most; at least one. 0: in one."""
    if not max_bytes or summary.ByteSize() <= max_bytes - _ENVELOPE_BYTES:
        yield summary
        return
    piece = v1.MergeStreamSummary(
        singletons=summary.singletons, signature=summary.signature, notices=summary.notices, more=True
    )
    for chains in _chain_groups(summary.chains, max_bytes - _ENVELOPE_BYTES, lambda chain: chain.members):
        yield piece
        piece = v1.MergeStreamSummary(chains=chains, more=True)
    piece.more = False
    yield piece


def add_chains(chains: MutableSequence[_Chain], more: Sequence[_Chain]) -> None:
    """Append the chains of the next piece; the first can continue the last one so far."""
    if not more:
        return
    continues = bool(chains) and chains[-1].id == more[0].id
    if continues:
        chains[-1].MergeFrom(_without_id(more[0]))
    chains.extend(more[1:] if continues else more)


def _without_id(chain: _Chain) -> _Chain:
    copy = type(chain)()
    copy.CopyFrom(chain)
    copy.ClearField("id")
    return copy


def _mentions(chain: v1.Chain | v1.HumanChain) -> Any:  # noqa: ANN401  # a protobuf list
    return chain.mentions


def _groups(entries: Iterable[_M], max_bytes: int) -> Iterator[list[_M]]:
    """Entries in their order, in groups that take ``max_bytes`` at most or are of one entry; at least one group."""
    group: list[_M] = []
    size = 0
    for entry in entries:
        cost = entry.ByteSize() + _ENTRY_BYTES
        if group and size + cost > max_bytes:
            yield group
            group, size = [], 0
        group.append(entry)
        size += cost
    yield group


def _chain_groups(chains: Iterable[_Chain], max_bytes: int, entries: Callable[[_Chain], Any]) -> Iterator[list[_Chain]]:
    """Chains in groups like :func:`_groups`; a chain that does not fit continues as the first of the next group."""
    group: list[_Chain] = []
    size = 0
    for chain in chains:
        cost = chain.ByteSize() + _ENTRY_BYTES
        if size + cost <= max_bytes:
            group.append(chain)
            size += cost
            continue
        head = type(chain)(id=chain.id)
        for some in _groups(entries(chain), max_bytes - head.ByteSize() - _ENTRY_BYTES):
            if group:
                yield group
            piece = type(chain)(id=chain.id)
            entries(piece).extend(some)
            group, size = [piece], piece.ByteSize() + _ENTRY_BYTES
    yield group
