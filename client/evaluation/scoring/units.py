"""The units that are scored: chains of key and response over the same tokens, mentions aligned by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from client.evaluation.scoring.mention_matching import EXACT, Matching
from client.evaluation.scoring.overlap import Clustering
from merger.document import Chain, ChainScope, Document, Mention, Part, Span
from merger.errors import AlignmentError, Location
from merger.notices import Notices
from merger.token_alignment import token_difference


@dataclass(frozen=True, slots=True)
class Unit:
    """What the official scorer calls a document: chains of key and response over the same tokens.

    ``part`` is the part's index if the unit is one part of a document whose chains are local to parts. ``zeros`` is how
    empty nodes were paired (:data:`~client.evaluation.scoring.mention_matching.ZERO_PAIRINGS`), if one side has any.
    ``first_token_heads`` tells whether the first token was the head of a mention that states none.
    """

    document: str
    part: int | None
    key: Clustering
    response: Clustering
    zeros: str | None = None
    first_token_heads: bool = False


class KeyText:
    """One document of the key, prepared for the comparison with any number of responses.

    Only chains with ``least`` mentions or more count.
    """

    def __init__(self, key: Document, matching: Matching = EXACT, *, least: int = 1) -> None:
        self.key = key
        self._text = _Text(key.parts)
        self._matching = matching
        self._least = least

    def share(self, document: Document) -> Document:
        """The document with the key's own parts if their text is the same, so that it is not compared again.

        The document stays as it is if the match needs heads or empty nodes, which belong to its own sentences.
        """
        text = _Text(document.parts)
        if self._matching.needs_heads or self._text.has_zeros or not self._text.is_same_as(text):
            return document
        return replace(document, parts=self.key.parts) if self._text.numbers == text.numbers else document

    def units(self, response: Document, notices: Notices) -> list[Unit]:
        """The units of the key and a response.

        Parts are the units if the chains of both sides are local to the same parts; otherwise the whole document is
        one. Tokens are compared without empty nodes. Mentions match as ``matching`` says. If one side has no empty
        nodes and a format that cannot have them, the other side's mentions are compared without theirs. A part that
        the response lacks counts as one without chains, and one that only the response has is left out; both with a
        notice, or an error under the strict policy.

        Raises :class:`~merger.errors.AlignmentError` at the first token that differs. Under the lenient policy only
        the number of tokens must be the same; mentions are aligned by position, as the official scorer does. Raises
        :class:`~merger.errors.AnnotationError` for a mention that must have a head to match and has none.
        """
        key = self.key
        response = _with_parts_of(key, response, notices)
        text = _Text(response.parts)
        # The texts are mostly the same, sentence by sentence. Then nothing else needs to be compared.
        same_text = self._text.is_same_as(text)
        some_zeros = self._text.has_zeros or (not same_text and text.has_zeros)
        # Formats without empty nodes can have them as words.
        zeros_are_words = some_zeros and not same_text and self._text.has_zeros_as_words(text)
        same_shape = same_text or self._text.has_shape_of(text, with_empty=zeros_are_words)
        needs_matching = self._matching.needs_heads or (some_zeros and not zeros_are_words)
        by_part = same_shape and key.scope is response.scope is ChainScope.PART and len(key.parts) > 1
        parts = range(len(key.parts)) if by_part else (None,)
        chains = [(_chains(key, self._least, part), _chains(response, self._least, part)) for part in parts]
        # Mentions of sentences that differ are compared by their tokens in the document.
        flat = () if same_shape else (_flat(key.parts, chains[0][0]), _flat(response.parts, chains[0][1]))
        if not same_text:
            self._check_tokens(response, text, notices, with_empty=zeros_are_words)
        if needs_matching:
            # This imports the formats, which most scoring does not need.
            from client.evaluation.scoring.comparable_mentions import Sides

            sides = Sides(
                (key, response),
                self._matching,
                notices,
                by_sentence=same_shape,
                zeros_are_words=zeros_are_words,
                has_zeros=(self._text.has_zeros, text.has_zeros),
            )
            matched = [sides.match(*both) for both in chains]
            return [
                Unit(key.id, part, *each, sides.took_first_tokens) for part, each in zip(parts, matched, strict=True)
            ]
        if not same_shape:
            return [Unit(key.id, None, *flat)]
        return [Unit(key.id, part, *both) for part, both in zip(parts, chains, strict=True)]

    def _check_tokens(self, response: Document, text: _Text, notices: Notices, *, with_empty: bool) -> None:
        same_length = self._text.token_count(with_empty=with_empty) == text.token_count(with_empty=with_empty)
        hint = None if same_length else _other_parts(self._text.numbers, text.numbers)
        error = token_difference(response, self.key, "in the key", with_empty=with_empty)
        if error is None:
            return
        if not same_length:
            error.hint = hint
            raise error
        notices.repair("tokens differ", error, "mentions are aligned by token position")


class _Text:
    """The tokens of a document, for comparison with another one."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts

    @property
    def numbers(self) -> list[int]:
        """The numbers of the parts."""
        return [part.number for part in self.parts]

    @cached_property
    def has_zeros(self) -> bool:
        """Whether a sentence has an empty node."""
        return any(sentence.empty for part in self.parts for sentence in part.sentences)

    @cached_property
    def _sentences(self) -> list[list[tuple[tuple[str, ...], tuple[int, ...]]]]:
        return [[(sentence.forms, sentence.empty) for sentence in part.sentences] for part in self.parts]

    def is_same_as(self, other: _Text) -> bool:
        """Whether both have the same sentences in the same parts, empty nodes included."""
        return self.parts is other.parts or self._sentences == other._sentences

    def has_zeros_as_words(self, other: _Text) -> bool:
        """Whether one side has the other's empty nodes as words, as far as their numbers can show."""
        return (
            self.has_zeros != other.has_zeros
            and self.token_count(with_empty=False) != other.token_count(with_empty=False)
            and self.token_count(with_empty=True) == other.token_count(with_empty=True)
        )

    def has_shape_of(self, other: _Text, *, with_empty: bool) -> bool:
        """Whether the sentences of both have the same lengths."""
        mine, theirs = ([_lengths(part, with_empty=with_empty) for part in each.parts] for each in (self, other))
        return mine == theirs

    def token_count(self, *, with_empty: bool) -> int:
        """The number of tokens."""
        return sum(sum(_lengths(part, with_empty=with_empty)) for part in self.parts)


def _with_parts_of(key: Document, response: Document, notices: Notices) -> Document:
    """The response with the key's parts, where the chains of both sides are local to numbered parts.

    Parts that the response lacks are added without chains, and those that only the response has are removed. The
    response stays as it is if no part number is in both, or if parts with one number have sentences of other lengths.
    """
    place_of = {part.number: index for index, part in enumerate(key.parts)}
    numbers = [part.number for part in response.parts]
    if len(place_of) < len(key.parts) or len(set(numbers)) < len(numbers) or list(place_of) == numbers:
        return response
    common = [part for part in response.parts if part.number in place_of]
    if key.scope is not ChainScope.PART or response.scope is not ChainScope.PART or not common:
        return response
    if any(_lengths(part) != _lengths(key.parts[place_of[part.number]]) for part in common):
        return response
    for number in [number for number in place_of if number not in numbers]:
        place = Location(key.file, document=key.id, part=number)
        notices.warn("part missing in the response", AlignmentError("the response lacks this part", place))
    for number in numbers:
        if number not in place_of:
            place = Location(response.file, document=response.id, part=number)
            error = AlignmentError("the response has a part that the key lacks", place)
            notices.warn("extra part in the response", error)
    parts = list(key.parts)
    for part in common:
        parts[place_of[part.number]] = part
    moved = [
        Chain(chain.id, tuple(mention._replace(part=place_of[numbers[mention.part]]) for mention in chain.mentions))
        for chain in response.chains
        if numbers[chain.mentions[0].part] in place_of
    ]
    return replace(response, parts=tuple(parts), chains=tuple(moved))


def _lengths(part: Part, *, with_empty: bool = False) -> list[int]:
    return [len(sentence.forms) - (0 if with_empty else len(sentence.empty)) for sentence in part.sentences]


def _chains(document: Document, least: int, part: int | None) -> list[tuple[Mention, ...]]:
    return [
        chain.mentions
        for chain in document.chains
        if len(chain.mentions) >= least and (part is None or chain.mentions[0].part == part)
    ]


def _flat(parts: Sequence[Part], chains: Sequence[Sequence[Mention]]) -> list[tuple[tuple[Span, ...], ...]]:
    """Chains of mentions as stretches of token positions in the document."""
    starts: dict[tuple[int, int], int] = {}
    position = 0
    for part, each in enumerate(parts):
        for index, sentence in enumerate(each.sentences):
            starts[part, index] = position
            position += len(sentence.forms)
    return [
        tuple(_shifted(mention.spans, starts[mention.part, mention.sentence]) for mention in mentions)
        for mentions in chains
    ]


def _shifted(spans: tuple[Span, ...], start: int) -> tuple[Span, ...]:
    return tuple((start + first, start + last) for first, last in spans)


def _other_parts(in_key: Sequence[int], in_response: Sequence[int]) -> str | None:
    """A hint if each has several parts, but not the same ones."""
    if in_key == in_response or len(in_key) == 1 or len(in_response) == 1:
        return None
    return f"the key has the parts {', '.join(map(str, in_key))}, the response {', '.join(map(str, in_response))}"
