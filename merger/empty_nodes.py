"""Finds documents and mentions with empty nodes, and the nodes that another document lacks."""

from __future__ import annotations

from collections.abc import Container, Iterator
from operator import attrgetter

from merger.document import Chain, Document, Mention, Sentence

_EMPTY = attrgetter("empty")


def has_empty_nodes(document: Document) -> bool:
    """Whether a sentence has an empty node."""
    return any(any(map(_EMPTY, part.sentences)) for part in document.parts)


def touches_empty_node(sentence: Sentence, mention: Mention) -> bool:
    """Whether a mention has an empty node among its tokens."""
    return bool(sentence.empty) and not set(sentence.empty).isdisjoint(mention.tokens)


def deciding_mentions(chain: Chain, known: Container[Mention], merged: Document) -> Iterator[Mention]:
    """The chain's mentions without those on empty nodes that the merged document lacks.

    ``known`` are the merged document's mentions. Other annotators can have other empty nodes, and some formats have
    none. If the merged document lacks the sentence, as one sent over the wire can, every mention counts.
    """
    for mention in chain.mentions:
        if mention in known or not _has_text(merged, mention) or not _touches(merged, mention):
            yield mention


def _has_text(document: Document, mention: Mention) -> bool:
    parts = document.parts
    return mention.part < len(parts) and mention.sentence < len(parts[mention.part].sentences)


def _touches(document: Document, mention: Mention) -> bool:
    return touches_empty_node(document.sentence(mention), mention)
