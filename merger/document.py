"""The document model: immutable, typed and compact.

A document is a sequence of parts, a part a sequence of sentences, a sentence a few parallel columns of tokens. Chains
are stored beside the text and refer to it by mentions. All indexes are 0-based and all ends are inclusive.

Empty nodes (CoNLL-U) are tokens like the others, at their place in the sentence; :attr:`Sentence.empty` names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple

from merger.errors import AnnotationError, Location

Span = tuple[int, int]
"""First and last token of a stretch of one sentence, both inclusive, 0-based."""


class Mention(NamedTuple):
    """A set of tokens of one sentence; two mentions are the same if their tokens are.

    ``first`` and ``last`` are the outermost tokens. ``pieces`` is empty for a continuous mention; a discontinuous one
    (CorefUD) has its two or more stretches there, in order, with at least one token between neighbours.
    Mentions sort by position; see :func:`text_order` for the order that puts longer mentions first.
    """

    part: int
    sentence: int
    first: int
    last: int
    pieces: tuple[Span, ...] = ()

    @property
    def spans(self) -> tuple[Span, ...]:
        """The stretches of tokens, one for a continuous mention."""
        return self.pieces or ((self.first, self.last),)

    @property
    def tokens(self) -> tuple[int, ...]:
        """The token indexes, in order."""
        if not self.pieces:
            return tuple(range(self.first, self.last + 1))
        return tuple(index for first, last in self.spans for index in range(first, last + 1))


def make_mention(part: int, sentence: int, spans: tuple[Span, ...]) -> Mention:
    """Build a mention from its stretches in any order; touching or overlapping ones are joined.

    Raises ``ValueError`` if there is no stretch or one ends before it begins.
    """
    if not spans or any(first > last for first, last in spans):
        raise ValueError(f"not a set of tokens: {spans}")
    joined: list[Span] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    pieces = tuple(joined) if len(joined) > 1 else ()
    return Mention(part, sentence, joined[0][0], joined[-1][1], pieces)


def text_order(mention: Mention) -> tuple[int, int, int, int, tuple[Span, ...]]:
    """Sort key: by first token, the longer mention first (LongtoNotes 3.1)."""
    return (mention.part, mention.sentence, mention.first, -mention.last, mention.pieces)


@dataclass(frozen=True, slots=True)
class Chain:
    """Mentions of one entity or event, in text order. ``id`` is a string as the file has it."""

    id: str
    mentions: tuple[Mention, ...]


class ChainRef(NamedTuple):
    """Names a part chain: its part and its id there."""

    part: int
    chain: str


class ChainScope(Enum):
    """Whether chain ids are local to a part (``PART``) or mean the same entity in the whole document."""

    PART = "part"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class SentenceSource:
    """The text a sentence was read from, for writers that change only what a merge changes.

    ``text`` holds every line of the sentence verbatim with its line ends, comments before it and blank lines after it
    included; ``line`` is the 1-based number of its first line. ``layout`` belongs to the format that wrote it.
    ``details`` maps a mention's spans to the format's other annotation of it (CorefUD entity attributes).
    """

    format: str
    text: str
    line: int
    layout: str = ""
    details: Mapping[tuple[Span, ...], str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sentence:
    """Parallel columns, one entry a token. A column is ``None`` if the input has nothing there.

    ``xpos`` are Penn tags, ``upos`` universal ones, ``speakers`` names; an empty string is a missing value.
    ``heads`` are syntactic heads as token indexes in the sentence, -1 for the root and for unknown.
    ``empty`` lists the indexes of empty nodes.
    """

    forms: tuple[str, ...]
    xpos: tuple[str, ...] | None = None
    upos: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    empty: tuple[int, ...] = ()
    source: SentenceSource | None = None

    def __len__(self) -> int:
        return len(self.forms)


@dataclass(frozen=True, slots=True)
class Part:
    """Sentences of one part. ``number`` is the part number as the file writes it (0 in ``part 000``).

    ``head`` and ``tail`` are the lines verbatim that the format puts around the part's sentences.
    """

    sentences: tuple[Sentence, ...]
    number: int = 0
    head: str = ""
    tail: str = ""

    @property
    def token_count(self) -> int:
        """Number of tokens without empty nodes."""
        return sum(len(sentence.forms) - len(sentence.empty) for sentence in self.sentences)


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its parts and the chains over them.

    Chains with ``scope`` ``PART`` lie each in one part, and their ids are unique there; with ``DOCUMENT`` they may
    cross parts, and ids are unique in the document. ``file`` is its source, and ``first_line`` its first line there,
    counted from 1, if its sentences have no lines. ``extra`` keeps other annotation of the format (jsonlines keys) for
    its writer.
    """

    id: str
    parts: tuple[Part, ...]
    chains: tuple[Chain, ...] = ()
    scope: ChainScope = ChainScope.PART
    genre: str | None = None
    file: str | None = None
    extra: str = ""
    first_line: int | None = field(default=None, compare=False)

    @property
    def token_count(self) -> int:
        """Number of tokens without empty nodes."""
        return sum(part.token_count for part in self.parts)

    def sentence(self, mention: Mention) -> Sentence:
        """The sentence of a mention."""
        return self.parts[mention.part].sentences[mention.sentence]

    def forms(self, mention: Mention) -> tuple[str, ...]:
        """The mention's tokens as written."""
        forms = self.sentence(mention).forms
        if not mention.pieces:
            return forms[mention.first : mention.last + 1]
        return tuple(forms[index] for index in mention.tokens)

    def with_chains(self, chains: tuple[Chain, ...], scope: ChainScope) -> Document:
        """The same text with other chains."""
        return replace(self, chains=chains, scope=scope)

    def mentions(self) -> Iterator[Mention]:
        """All mentions, chain by chain."""
        for chain in self.chains:
            yield from chain.mentions


def chain_order(chain: Chain) -> tuple[tuple[int, int, int, int, tuple[Span, ...]], str]:
    """Sort key of chains: by their first mention, ties by the longer mention (LongtoNotes 3.1)."""
    return (text_order(chain.mentions[0]), chain.id)


def make_chain(chain_id: str, mentions: list[Mention] | tuple[Mention, ...]) -> Chain:
    """A chain with its mentions put in text order."""
    return Chain(chain_id, tuple(sorted(mentions, key=text_order)))


def chains_by_part(document: Document) -> tuple[tuple[Chain, ...], ...]:
    """The chains of each part, in annotation order (LongtoNotes 3.1).

    Raises :class:`~merger.errors.AnnotationError` if a chain crosses parts: such a document is already merged.
    """
    by_part: list[list[Chain]] = [[] for _ in document.parts]
    for chain in document.chains:
        if not chain.mentions:
            raise AnnotationError(f"chain {chain.id} has no mentions", Location(document.file, document=document.id))
        part = chain.mentions[0].part
        if chain.mentions[-1].part != part:
            raise AnnotationError(
                f"chain {chain.id} has mentions in parts {part} and {chain.mentions[-1].part}",
                Location(document.file, document=document.id),
                expected="chains that are local to a part",
                hint="this document is merged already; cut it with `merge-baseline split`",
            )
        by_part[part].append(chain)
    return tuple(tuple(sorted(chains, key=chain_order)) for chains in by_part)


def part_chains(document: Document) -> dict[ChainRef, Chain]:
    """The chains of all parts by their names, in annotation order.

    Raises :class:`~merger.errors.AnnotationError` as :func:`chains_by_part` does.
    """
    return {ChainRef(part, chain.id): chain for part, chains in enumerate(chains_by_part(document)) for chain in chains}
