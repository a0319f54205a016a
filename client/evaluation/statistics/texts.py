"""Counts of one text: a part (a document of its own in OntoNotes), or a whole document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from merger.document import Chain, Document, Part, chains_by_part, text_order


@dataclass(frozen=True, slots=True)
class TextCounts:
    """One text. ``distances`` counts mentions by their distance in tokens from the previous mention of their chain.

    ``chains`` and ``mentions`` are those of chains with two or more mentions; ``singletons`` are the other chains.
    Empty nodes do not count as tokens. ``document`` is the id; ``merged`` tells whether it has several parts.
    """

    document: str
    genre: str | None
    merged: bool
    tokens: int
    chains: int
    mentions: int
    singletons: int
    distances: Counter[int]


def count_parts(document: Document) -> list[TextCounts]:
    """Each part of a document as a text.

    Raises :class:`~merger.errors.AnnotationError` if a chain crosses parts, as in a merged document.
    """
    merged = len(document.parts) > 1
    return [
        _count(document, [(number, document.parts[number])], chains, merged=merged)
        for number, chains in enumerate(chains_by_part(document))
    ]


def count_whole(document: Document, *, merged: bool | None = None) -> TextCounts:
    """A document as one text. ``merged`` tells whether it had several parts, if its own boundaries do not."""
    merged = len(document.parts) > 1 if merged is None else merged
    return _count(document, list(enumerate(document.parts)), document.chains, merged=merged)


def _count(
    document: Document, parts: Sequence[tuple[int, Part]], chains: Iterable[Chain], *, merged: bool
) -> TextCounts:
    starts: dict[tuple[int, int], int] = {}
    tokens = 0
    for number, part in parts:
        for index, sentence in enumerate(part.sentences):
            starts[number, index] = tokens
            tokens += len(sentence.forms) - len(sentence.empty)
    longer = mentions = singletons = 0
    distances: Counter[int] = Counter()
    for chain in chains:
        if len(chain.mentions) == 1:
            singletons += 1
            continue
        longer += 1
        mentions += len(chain.mentions)
        positions = []
        for mention in sorted(chain.mentions, key=text_order):
            empty = sum(node < mention.first for node in document.sentence(mention).empty)
            positions.append(starts[mention.part, mention.sentence] + mention.first - empty)
        distances.update(later - earlier for earlier, later in pairwise(positions))
    return TextCounts(document.id, document.genre, merged, tokens, longer, mentions, singletons, distances)
