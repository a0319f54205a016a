"""Documents, parts, chains and mentions: merger's types to messages and back.

Only what merging needs travels: the layout of the file that a document was read from stays with the caller. Messages
are converted back as they are; :mod:`protos.validation` says beforehand whether they make sense.
"""

from __future__ import annotations

from collections.abc import Iterable

from merger.document import (
    Chain,
    ChainRef,
    Document,
    Mention,
    Part,
    Sentence,
    chain_order,
    chains_by_part,
    make_chain,
)
from protos.merge_baseline import v1


def document_to_message(document: Document) -> v1.Document:
    """Raises :class:`~merger.errors.AnnotationError` if a chain crosses parts."""
    parts = zip(document.parts, chains_by_part(document), strict=True)
    return v1.Document(
        id=document.id, genre=document.genre, parts=[part_to_message(part, chains) for part, chains in parts]
    )


def document_from_message(message: v1.Document) -> Document:
    """The document, with its chains by part and in text order."""
    pairs = [part_from_message(part, index) for index, part in enumerate(message.parts)]
    return Document(
        id=message.id,
        parts=tuple(part for part, _ in pairs),
        chains=tuple(chain for _, chains in pairs for chain in chains),
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


def part_from_message(message: v1.Part, index: int) -> tuple[Part, tuple[Chain, ...]]:
    """The part and its chains in annotation order (LongtoNotes 3.1), with mentions that carry the part's ``index``."""
    part = Part(tuple(_sentence_from_message(sentence) for sentence in message.sentences), message.number)
    chains = [
        make_chain(chain.id, [mention_from_message(mention, index) for mention in chain.mentions])
        for chain in message.chains
    ]
    return part, tuple(sorted(chains, key=chain_order))


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
    return Sentence(
        forms=tuple(message.forms),
        xpos=tuple(message.xpos) or None,
        upos=tuple(message.upos) or None,
        speakers=tuple(message.speakers) or None,
        heads=tuple(message.heads) or None,
        empty=tuple(message.empty_nodes),
    )


def mention_to_message(mention: Mention) -> v1.Mention:
    """A mention without its part."""
    message = v1.Mention(sentence=mention.sentence, first=mention.first, last=mention.last)
    for first, last in mention.pieces:
        message.pieces.add(first=first, last=last)
    return message


def mention_from_message(message: v1.Mention, part: int) -> Mention:
    """A mention of the part with this index."""
    pieces = tuple((piece.first, piece.last) for piece in message.pieces)
    return Mention(part, message.sentence, message.first, message.last, pieces)


def placed_to_message(mention: Mention) -> v1.PlacedMention:
    """A mention with its part."""
    return v1.PlacedMention(part=mention.part, mention=mention_to_message(mention))


def placed_from_message(message: v1.PlacedMention) -> Mention:
    """A mention with its part."""
    return mention_from_message(message.mention, message.part)


def ref_to_message(ref: ChainRef) -> v1.ChainRef:
    """The name of a part chain."""
    return v1.ChainRef(part=ref.part, chain=ref.chain)


def ref_from_message(message: v1.ChainRef) -> ChainRef:
    """The name of a part chain."""
    return ChainRef(message.part, message.chain)
