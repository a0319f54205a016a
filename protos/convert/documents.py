"""Documents, parts, chains and mentions: merger's types to messages and back.

Only what merging needs travels: the layout of the file that a document was read from stays with the caller. Messages
are converted back as they are; :mod:`service.request_validation` says beforehand whether they make sense.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from merger.document import (
    Chain,
    ChainRef,
    Document,
    Mention,
    Part,
    Sentence,
    Span,
    chains_by_part,
)
from protos.merge_baseline import v1

PartWithChains = tuple[Part, tuple[Chain, ...]]


def document_to_message(document: Document) -> v1.Document:
    """Raises :class:`~merger.errors.AnnotationError` if a chain crosses parts."""
    parts = zip(document.parts, chains_by_part(document), strict=True)
    return v1.Document(
        id=document.id, genre=document.genre, parts=[part_to_message(part, chains) for part, chains in parts]
    )


def parts_from_message(message: v1.Document) -> list[PartWithChains]:
    """The parts of a document, each as by :func:`part_from_message`."""
    return [part_from_message(part, index) for index, part in enumerate(message.parts)]


def document_from_message(message: v1.Document, parts: Sequence[PartWithChains] | None = None) -> Document:
    """The document, with its chains by part and in text order. ``parts`` are those of the message, if at hand."""
    parts = parts_from_message(message) if parts is None else parts
    return Document(
        id=message.id,
        parts=tuple([part for part, _ in parts]),
        chains=tuple([chain for _, chains in parts for chain in chains]),
        genre=message.genre if message.HasField("genre") else None,
    )


def part_to_message(part: Part, chains: Iterable[Chain]) -> v1.Part:
    """A part with its chains; the part index that their mentions carry is left out."""
    return v1.Part(
        number=part.number,
        sentences=[_sentence_to_message(sentence) for sentence in part.sentences],
        chains=[
            v1.Chain(id=chain.id, mentions=[mention_to_message(mention) for mention in chain.mentions])
            for chain in chains
        ],
    )


def part_from_message(message: v1.Part, index: int) -> PartWithChains:
    """The part and its chains in annotation order (LongtoNotes 3.1), with mentions that carry the part's ``index``."""
    part = Part(tuple(map(_sentence_from_message, message.sentences)), message.number)
    chains = []
    for chain in message.chains:
        # Reading fields is most of the cost, so each is read once, into what is in text order when sorted as it is.
        rows = [
            (each.sentence, each.first, -each.last, _spans(pieces) if (pieces := each.pieces) else ())
            for each in chain.mentions
        ]
        rows.sort()
        mentions = tuple([Mention(index, sentence, first, -last, spans) for sentence, first, last, spans in rows])
        chains.append((rows[:1], chain.id, mentions))
    chains.sort()
    return part, tuple([Chain(name, mentions) for _, name, mentions in chains])


def _sentence_to_message(sentence: Sentence) -> v1.Sentence:
    return v1.Sentence(
        forms=sentence.forms,
        xpos=sentence.xpos,
        upos=sentence.upos,
        speakers=sentence.speakers,
        heads=sentence.heads,
        empty_nodes=sentence.empty,
    )


def _sentence_from_message(message: v1.Sentence) -> Sentence:
    upos, speakers, heads, empty = message.upos, message.speakers, message.heads, message.empty_nodes
    # Most columns are empty in most texts, which is quicker to see than to copy.
    return Sentence(
        tuple(message.forms),
        tuple(message.xpos) or None,
        tuple(upos) if upos else None,
        tuple(speakers) if speakers else None,
        tuple(heads) if heads else None,
        tuple(empty) if empty else (),
    )


def mention_to_message(mention: Mention) -> v1.Mention:
    """A mention without its part."""
    message = v1.Mention()
    _set_mention(message, mention)
    return message


def _set_mention(message: v1.Mention, mention: Mention) -> None:
    _, message.sentence, message.first, message.last, pieces = mention
    for first, last in pieces:
        message.pieces.add(first=first, last=last)


def mention_from_message(message: v1.Mention, part: int) -> Mention:
    """A mention of the part with this index."""
    return Mention(part, message.sentence, message.first, message.last, _spans(message.pieces))


def _spans(pieces: Iterable[v1.Span]) -> tuple[Span, ...]:
    return tuple([(piece.first, piece.last) for piece in pieces])


def placed_to_message(mention: Mention) -> v1.PlacedMention:
    """A mention with its part."""
    message = v1.PlacedMention()
    set_placed(message, mention)
    return message


def set_placed(message: v1.PlacedMention, mention: Mention) -> None:
    """Make an empty message that of a mention with its part."""
    message.part = mention.part
    _set_mention(message.mention, mention)


def placed_from_message(message: v1.PlacedMention) -> Mention:
    """A mention with its part."""
    return mention_from_message(message.mention, message.part)


def ref_from_message(message: v1.ChainRef) -> ChainRef:
    """The name of a part chain."""
    return ChainRef(message.part, message.chain)
