"""Gives a document the part and sentence boundaries of another one with the same tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from merger.document import (
    Chain,
    ChainScope,
    Document,
    Mention,
    Span,
    chain_order,
    make_chain,
    make_mention,
)
from merger.errors import AlignmentError, Location
from merger.notices import Notices
from merger.token_alignment import TokenPlace, align_tokens, token_difference, token_line


def with_boundaries_of(template: Document, document: Document, notices: Notices | None = None) -> Document:
    """``document`` cut into the parts and sentences of ``template``: its chains, the template's text.

    Mentions are aligned by tokens. Empty nodes that only one of the two has are left out: a mention with nothing else
    is dropped. A mention with the same words as a mention of the template becomes that mention. Any other mention takes
    in a node of the template if it has tokens on both sides of it. A mention over a sentence boundary of the template
    is dropped with a notice; without ``notices`` it is an error.

    Chains stay local to parts (``ChainScope.PART``) if they were, each still lies in one part, and ids stay unique
    there. Raises :class:`~merger.errors.AlignmentError` at the first token that differs.
    """
    if document.parts is template.parts:
        return document
    if _forms(document) == _forms(template):
        return replace(document, parts=template.parts)
    # Formats without empty nodes may have them as tokens like the others.
    with_empty = token_difference(document, template, with_empty=True) is None
    error = None if with_empty else token_difference(document, template)
    if error is not None:
        raise error
    mover = _Mover(template, document, align_tokens(document, template, with_empty=with_empty), notices)
    moved = [(chain.id, mover.move(chain.mentions)) for chain in document.chains]
    chains = [make_chain(name, mentions) for name, mentions in moved if mentions]
    kept, scope = _rescoped(document, chains)
    return replace(document, parts=template.parts, chains=kept, scope=scope)


def _forms(document: Document) -> list[list[tuple[str, ...]]]:
    return [[sentence.forms for sentence in part.sentences] for part in document.parts]


def _rescoped(document: Document, chains: list[Chain]) -> tuple[tuple[Chain, ...], ChainScope]:
    """The moved chains and the new scope of their ids; chains whose ids collide are numbered in text order."""
    places = {(chain.mentions[0].part, chain.id) for chain in chains}
    stay = all(chain.mentions[0].part == chain.mentions[-1].part for chain in chains) and len(places) == len(chains)
    if document.scope is ChainScope.PART and len(document.parts) > 1 and stay:
        return tuple(chains), ChainScope.PART
    if len({chain.id for chain in chains}) < len(chains):
        chains = [Chain(str(number), chain.mentions) for number, chain in enumerate(sorted(chains, key=chain_order))]
    return tuple(chains), ChainScope.DOCUMENT


class _Mover:
    """Moves mentions of a document to where the template has their tokens."""

    def __init__(
        self, template: Document, document: Document, places: Mapping[TokenPlace, TokenPlace], notices: Notices | None
    ) -> None:
        self._template = template
        self._document = document
        self._notices = notices
        self._places = places
        taken = set(places.values())
        self._extra = {
            place
            for part, each in enumerate(template.parts)
            for index, sentence in enumerate(each.sentences)
            for place in (TokenPlace(part, index, token) for token in sentence.empty)
            if place not in taken
        }

    @cached_property
    def _by_tokens(self) -> Mapping[tuple[TokenPlace, ...], Mention]:
        """The template's mentions by their tokens without the nodes that only it has; the plainest of several."""
        found: dict[tuple[TokenPlace, ...], Mention] = {}
        if not self._extra:
            return found
        for mention in self._template.mentions():
            places = [TokenPlace(mention.part, mention.sentence, token) for token in mention.tokens]
            shared = tuple(place for place in places if place not in self._extra)
            if len(shared) == len(places):
                found[shared] = mention
            elif shared:
                found.setdefault(shared, mention)
        return found

    def move(self, mentions: tuple[Mention, ...]) -> list[Mention]:
        """The mentions that have a place in the template, each once."""
        moved: dict[Mention, None] = {}
        for mention in mentions:
            found = self._moved(mention)
            if found is not None:
                moved[found] = None
        return list(moved)

    def _moved(self, mention: Mention) -> Mention | None:
        found = [self._places.get(TokenPlace(mention.part, mention.sentence, token)) for token in mention.tokens]
        places = [place for place in found if place is not None]
        if not places:
            if self._notices is not None:
                message = "mentions of empty nodes only, which the other text lacks, were left out"
                self._notices.add("mention on empty nodes left out", message, self._location(mention))
            return None
        known = self._by_tokens.get(tuple(places))
        if known is not None:
            return known
        part, sentence, _ = places[0]
        if any(place[:2] != (part, sentence) for place in places):
            self._report_crossing(mention, places)
            return None
        spans: list[Span] = [(place.token, place.token) for place in places]
        spans += [
            (token, token)
            for one, other in pairwise(places)
            for token in range(one.token + 1, other.token)
            if all(TokenPlace(part, sentence, each) in self._extra for each in range(one.token + 1, other.token))
        ]
        return make_mention(part, sentence, tuple(spans))

    def _report_crossing(self, mention: Mention, places: list[TokenPlace]) -> None:
        next_sentence = next(place for place in places if place[:2] != places[0][:2])
        boundary = self._template.parts[next_sentence.part].sentences[next_sentence.sentence]
        line = token_line(boundary, next_sentence.token)
        boundary_place = Location(
            self._template.file,
            line,
            self._template.id,
            next_sentence.part,
            next_sentence.sentence,
            next_sentence.token,
        )
        message = f"a mention of {len(mention.tokens)} tokens goes over a sentence boundary at {boundary_place}"
        error = AlignmentError(message, self._location(mention), expected="mentions inside one sentence")
        if self._notices is None:
            raise error
        self._notices.warn("mention over a sentence boundary left out", error)

    def _location(self, mention: Mention) -> Location:
        line = token_line(self._document.sentence(mention), mention.first)
        return Location(self._document.file, line, self._document.id, mention.part, mention.sentence, mention.first)
