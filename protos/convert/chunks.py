"""Parts, gold merges and answers that are larger than a message may be: cut into pieces, and put together again.

Lists are cut between their entries; a chain that is too long by itself is cut between its mentions (or members), and
goes on as the first chain of the next piece, under its id. A single sentence, mention or decision is never cut, so a
piece may be larger than asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from protos.merge_baseline import v1

_M = TypeVar("_M", bound=Message)
_Chain = TypeVar("_Chain", v1.Chain, v1.HumanChain, v1.MergedChain)

CHUNK_BYTES: Final = 1024 * 1024
"""The size of a piece unless a side takes less: a quarter of what gRPC takes by default."""

_ENTRY_BYTES: Final = 6
"""What an entry of a list takes beside its own bytes: a tag, and a length below 2 GiB."""

_ENVELOPE_BYTES: Final = 64
"""What surrounds the lists of a piece, generously."""


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
    """Add the next piece of a part to those before it."""
    if not part.sentences and not part.chains:
        part.number = piece.number
    part.sentences.extend(piece.sentences)
    add_chains(part.chains, piece.chains)


def key_pieces(key: v1.HumanMerges, max_bytes: int = CHUNK_BYTES) -> Iterator[v1.HumanMerges]:
    """Human merges in messages of about ``max_bytes`` at most; at least one."""
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
    """Add the chains of the next piece to those before it; the first may go on with the last one so far."""
    if not more:
        return
    goes_on = bool(chains) and chains[-1].id == more[0].id
    if goes_on:
        chains[-1].MergeFrom(_without_id(more[0]))
    chains.extend(more[1:] if goes_on else more)


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
    """Chains in groups as by :func:`_groups`; one that does not fit goes on as the first of the next group."""
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
