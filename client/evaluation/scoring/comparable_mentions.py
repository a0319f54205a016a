"""Prepares the mentions of key and response for :mod:`client.evaluation.scoring.mention_matching`."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from client.evaluation.scoring.mention_matching import Comparable, Dependencies, Matching, Position, match_mentions
from client.evaluation.scoring.overlap import Clustering
from merger.document import Document, Mention, Sentence
from merger.errors import AnnotationError, Location
from merger.formats import format_of
from merger.formats.conllu.format import ConlluFormat
from merger.formats.mention_details import enhanced_dependencies, stated_head
from merger.message_text import shorten
from merger.notices import Notices
from merger.token_alignment import token_line

_PlaceOfSentence: TypeAlias = tuple[int, int]
"""Index of the part, index of the sentence there."""

Chains: TypeAlias = Sequence[Sequence[Mention]]


class Positions:
    """The positions of the tokens of one document, in terms that both sides of a comparison share.

    With ``by_sentence`` words are counted in their sentence, otherwise over the whole document, because the sides have
    other sentences. With ``zeros_are_words`` empty nodes are words like the others. Only mentions of ``sentences`` can
    be looked up, by default of all sentences.
    """

    def __init__(
        self,
        document: Document,
        notices: Notices,
        *,
        by_sentence: bool,
        zeros_are_words: bool,
        sentences: Collection[_PlaceOfSentence] | None = None,
    ) -> None:
        self._document = document
        self._notices = notices
        self.took_first_token = False
        """Whether a head was needed and not stated."""
        self._positions: dict[_PlaceOfSentence, list[Position]] = {}
        self._roots: dict[_PlaceOfSentence, Position] = {}
        self._dependencies_of: dict[_PlaceOfSentence, Mapping[int, Dependencies]] = {}
        number = word = node = 0
        for place in _places(document) if sentences is None else sorted(sentences):
            if by_sentence:
                number, word, node = number + 1, 0, 0
            sentence = document.parts[place[0]].sentences[place[1]]
            empty = frozenset() if zeros_are_words else frozenset(sentence.empty)
            self._roots[place] = number, word, -1
            positions = self._positions[place] = []
            for token in range(len(sentence.forms)):
                word, node = (word, node + 1) if token in empty else (word + 1, 0)
                positions.append((number, word, node))

    def comparable(self, mention: Mention, *, needs_head: bool) -> Comparable:
        """The mention in comparable form.

        Raises :class:`~merger.errors.AnnotationError` if it needs a head and has none.
        """
        positions = self._positions[mention[:2]]
        sentence = self._document.sentence(mention)
        head = self._head(sentence, mention, needed=needs_head)
        position = positions[head]
        tokens = tuple([positions[token] for token in mention.tokens])
        if position[2] == 0:
            return Comparable(tokens, position)
        return Comparable(tokens, position, self._dependencies(mention[:2]).get(head, frozenset()))

    def _head(self, sentence: Sentence, mention: Mention, *, needed: bool) -> int:
        if mention.first == mention.last:
            return mention.first
        stated = stated_head(sentence, mention)
        if stated is not None:
            return stated
        document = self._document
        if needed:
            line = token_line(sentence, mention.first)
            place = Location(document.file, line, document.id, mention.part, mention.sentence, mention.first)
            words = shorten(" ".join(document.forms(mention)))
            if sentence.source is None or sentence.source.format != ConlluFormat.name:
                raise AnnotationError(
                    f"mention {words!r} has no head",
                    place,
                    expected="for match=partial and match=head CorefUD entities with heads",
                    hint="match=exact needs no heads",
                )
            message = f"Entity has no head for mention {words!r}: its first token is taken, as in corefud-scorer"
            self._notices.add("mention without a head", message, place)
            self.took_first_token = True
        return mention.first

    def _dependencies(self, place: _PlaceOfSentence) -> Mapping[int, Dependencies]:
        """The dependencies of the empty nodes of a sentence, by token index."""
        known = self._dependencies_of.get(place)
        if known is None:
            parents = {"0": self._roots[place]}
            word = node = 0
            for position in self._positions[place]:
                word, node = (word, node + 1) if position[2] > 0 else (word + 1, 0)
                parents[f"{word}.{node}" if node else str(word)] = position
            found = enhanced_dependencies(self._document.parts[place[0]].sentences[place[1]])
            known = self._dependencies_of[place] = {
                node: frozenset((parents[parent], relation) for parent, relation in pairs if parent in parents)
                for node, pairs in found.items()
            }
        return known


def without_zeros(mentions: Sequence[Comparable]) -> list[Comparable]:
    """The mentions without their empty nodes, for comparison with a format that cannot have any.

    A mention of nothing but empty nodes stays as it is, and so does one that would become equal to another one: the
    other side has neither.
    """
    taken = {mention.tokens for mention in mentions if all(node == 0 for _, _, node in mention.tokens)}
    reduced = []
    for mention in mentions:
        words = tuple([token for token in mention.tokens if token[2] == 0])
        if words and len(words) < len(mention.tokens) and words not in taken:
            taken.add(words)
            reduced.append(Comparable(words, mention.head if mention.head[2] == 0 else words[0]))
        else:
            reduced.append(mention)
    return reduced


class Sides:
    """Key and response of one document with the same words, for matching their mentions."""

    def __init__(
        self,
        documents: tuple[Document, Document],
        matching: Matching,
        notices: Notices,
        *,
        by_sentence: bool,
        zeros_are_words: bool,
        has_zeros: tuple[bool, bool],
    ) -> None:
        # In the other sentences mentions match by position alone.
        self._sentences = _with_empty_nodes(documents) if by_sentence and not matching.needs_heads else None
        self._positions = [
            Positions(
                document,
                notices,
                by_sentence=by_sentence,
                zeros_are_words=zeros_are_words,
                sentences=self._sentences,
            )
            for document in documents
        ]
        self._matching = matching
        self._has_zeros = not zeros_are_words and any(has_zeros)
        can_have_zeros = (
            has or format_of(document) == ConlluFormat.name for has, document in zip(has_zeros, documents, strict=True)
        )
        self._words_only = self._has_zeros and not all(can_have_zeros)

    @property
    def took_first_tokens(self) -> bool:
        """Whether the first token was taken as the head of a mention that states none."""
        return any(each.took_first_token for each in self._positions)

    def match(self, key: Chains, response: Chains) -> tuple[Clustering, Clustering, str | None]:
        """The chains of both sides with ids for mentions, equal if two match, and how zeros were paired."""
        key_names, response_names = ([list[Hashable](chain) for chain in chains] for chains in (key, response))
        key_places, response_places = self._compared_in(key), self._compared_in(response)
        ours = self._comparable(0, key, key_places, needs_head=self._matching.needs_heads)
        # A partial match needs the heads of the key only.
        theirs = self._comparable(1, response, response_places, needs_head=self._matching.mentions == "head")
        for index, (chain, mention) in enumerate(key_places):
            key_names[chain][mention] = index
        partner_of = {other: one for one, other in match_mentions(ours, theirs, self._matching)}
        for index, (chain, mention) in enumerate(response_places):
            response_names[chain][mention] = partner_of.get(index, len(ours) + index)
        return key_names, response_names, self._pairing(ours, theirs)

    def _compared_in(self, chains: Chains) -> list[tuple[int, int]]:
        """The mentions to compare: the index of the chain, the index there."""
        compared = self._sentences
        return [
            (number, index)
            for number, chain in enumerate(chains)
            for index, mention in enumerate(chain)
            if compared is None or mention[:2] in compared
        ]

    def _comparable(
        self, side: int, chains: Chains, places: Iterable[tuple[int, int]], *, needs_head: bool
    ) -> list[Comparable]:
        comparable = self._positions[side].comparable
        mentions = [comparable(chains[chain][index], needs_head=needs_head) for chain, index in places]
        return without_zeros(mentions) if self._words_only else mentions

    def _pairing(self, *sides: Sequence[Comparable]) -> str | None:
        if not self._has_zeros:
            return None
        zeros = [[mention for mention in mentions if mention.is_zero] for mentions in sides]
        lacks = any(mentions and not any(mention.dependencies for mention in mentions) for mentions in zeros)
        return "linear" if lacks else self._matching.zeros


def _places(document: Document) -> Iterator[_PlaceOfSentence]:
    for part, each in enumerate(document.parts):
        for index in range(len(each.sentences)):
            yield part, index


def _with_empty_nodes(documents: Iterable[Document]) -> set[_PlaceOfSentence]:
    """The sentences that have empty nodes in one of the documents."""
    return {
        (part, index)
        for document in documents
        for part, each in enumerate(document.parts)
        for index, sentence in enumerate(each.sentences)
        if sentence.empty
    }
