"""Makes a merge task from a document with chains over the whole text: parts, gold merges and gold decisions.

LongtoNotes itself needs an OntoNotes licence. A whole document with human chains stands in for it: cut it at sentence
boundaries, keep the mentions of the chains in each part. The document's own chains, restricted to the remaining
mentions, are the gold merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from merger.decisions.model import Decision, read_decisions
from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, chain_order
from merger.errors import InputError, Location, OptionError
from merger.notices import Notices


class Cut(Enum):
    """Where to cut a document.

    ``TOKENS``: a part has at most the given number of tokens, or one longer sentence. ``SENTENCES``: a part has at most
    the given number of sentences. ``PARTS``: the given number of parts, as equal in tokens as sentence
    boundaries allow. ``KEEP``: the parts that the document has already.
    """

    TOKENS = "tokens"
    SENTENCES = "sentences"
    PARTS = "parts"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class MergeTask:
    """The result of a split.

    ``parts`` has the chains local to each part, ``key`` the gold merges over the same mentions, ``decisions`` the
    human decisions. ``dropped`` counts the mentions left out because they are alone in their part.
    """

    parts: Document
    key: Document
    decisions: tuple[Decision, ...]
    dropped: int


def split_document(
    document: Document, cut: Cut, size: int = 0, *, keep_singletons: bool = False, notices: Notices | None = None
) -> MergeTask:
    """Cut a document into parts.

    A mention that is the only one of its chain in a part is left out of parts and key, or kept as a singleton
    with ``keep_singletons``. ``size`` is the number of tokens, sentences or parts.

    Raises :class:`~merger.errors.OptionError` for a size below 1 and :class:`~merger.errors.InputError` if the
    document has several parts whose chains are local to them (there are no gold merges in it), or fewer sentences than
    parts wanted.
    """
    if cut is not Cut.KEEP and size < 1:
        raise OptionError(f"{size} {cut.value}: at least 1 is needed")
    if len(document.parts) > 1 and document.scope is ChainScope.PART and document.chains:
        raise InputError(
            "the document's chains are local to its parts, so it has no gold merges",
            Location(document.file, document=document.id),
            expected="chains over the whole document",
        )
    sentences = [(sentence, part) for part, each in enumerate(document.parts) for sentence in each.sentences]
    starts = _starts(document, [sentence for sentence, _ in sentences], cut, size)
    place = _places(document, starts, len(sentences))
    parts = _cut_parts(document, [sentence for sentence, _ in sentences], starts)
    part_chains, key_chains, dropped = _cut_chains(document, place, keep_singletons=keep_singletons)
    if dropped and notices is not None:
        message = "mentions alone in their part were left out of parts and key (option keep_singletons keeps them)"
        notices.add("mentions alone in their part", message, count=dropped)
    task = replace(document, parts=parts, chains=tuple(part_chains), scope=ChainScope.PART)
    key = task.with_chains(tuple(key_chains), ChainScope.DOCUMENT)
    return MergeTask(task, key, read_decisions(task, key), dropped)


def _starts(document: Document, sentences: Sequence[Sentence], cut: Cut, size: int) -> list[int]:
    """The first sentence of each part."""
    if cut is Cut.KEEP:
        starts = []
        count = 0
        for part in document.parts:
            starts.append(count)
            count += len(part.sentences)
        return starts
    if not sentences:
        return [0]
    if cut is Cut.SENTENCES:
        return list(range(0, len(sentences), size))
    lengths = [len(sentence.forms) - len(sentence.empty) for sentence in sentences]
    return _by_tokens(lengths, size) if cut is Cut.TOKENS else _evenly(document, lengths, size)


def _by_tokens(lengths: Sequence[int], size: int) -> list[int]:
    starts = [0]
    filled = 0
    for index, length in enumerate(lengths):
        if filled and filled + length > size:
            starts.append(index)
            filled = 0
        filled += length
    return starts


def _evenly(document: Document, lengths: Sequence[int], parts: int) -> list[int]:
    if parts > len(lengths):
        raise InputError(
            f"{len(lengths)} sentences do not make {parts} parts", Location(document.file, document=document.id)
        )
    total = sum(lengths)
    ends = [0]
    for length in lengths:
        ends.append(ends[-1] + length)
    starts = [0]
    for number in range(1, parts):
        # Every part needs a sentence: cut after the last cut and leave one sentence for each later part.
        allowed = range(starts[-1] + 1, len(lengths) - (parts - number) + 1)
        starts.append(min(allowed, key=lambda index: (abs(ends[index] * parts - total * number), index)))
    return starts


def _places(document: Document, starts: Sequence[int], count: int) -> dict[tuple[int, int], tuple[int, int]]:
    """From (part, sentence) in the document to (part, sentence) in the task."""
    new = [
        (part, index - start)
        for part, start in enumerate(starts)
        for index in range(start, starts[part + 1] if part + 1 < len(starts) else count)
    ]
    old = [(part, index) for part, each in enumerate(document.parts) for index in range(len(each.sentences))]
    return dict(zip(old, new, strict=True))


def _cut_parts(document: Document, sentences: Sequence[Sentence], starts: Sequence[int]) -> tuple[Part, ...]:
    ends = [*starts[1:], len(sentences)]
    bounds = list(zip(starts, ends, strict=True))
    old = document.parts
    return tuple(
        Part(
            tuple(sentences[start:end]),
            index,
            old[0].head if old and index == 0 else "",
            old[-1].tail if old and index + 1 == len(bounds) else "",
        )
        for index, (start, end) in enumerate(bounds)
    )


def _cut_chains(
    document: Document, place: dict[tuple[int, int], tuple[int, int]], *, keep_singletons: bool
) -> tuple[list[Chain], list[Chain], int]:
    part_chains: list[Chain] = []
    key_chains: list[Chain] = []
    dropped = 0
    for chain in document.chains:
        by_part: dict[int, list[Mention]] = {}
        for mention in chain.mentions:
            part, sentence = place[mention.part, mention.sentence]
            by_part.setdefault(part, []).append(mention._replace(part=part, sentence=sentence))
        kept = [mentions for mentions in by_part.values() if keep_singletons or len(mentions) > 1]
        dropped += len(chain.mentions) - sum(map(len, kept))
        part_chains.extend(Chain(chain.id, tuple(mentions)) for mentions in kept)
        if kept:
            key_chains.append(Chain(chain.id, tuple(mention for mentions in kept for mention in mentions)))
    key_chains.sort(key=chain_order)
    part_chains.sort(key=chain_order)
    return _number(part_chains), key_chains, dropped


def _number(chains: Sequence[Chain]) -> list[Chain]:
    """Number the chains from 0 in each part, so that their ids do not reveal the merges."""
    counts: dict[int, int] = {}
    numbered = []
    for chain in chains:
        part = chain.mentions[0].part
        number = counts[part] = counts.get(part, -1) + 1
        numbered.append(Chain(str(number), chain.mentions))
    return numbered


def cut_text(cut: Cut, size: int) -> str:
    """How the cut is written in a signature: ``tokens=400``."""
    return cut.value if cut is Cut.KEEP else f"{cut.value}={size}"
