"""What the greedy rule compares: the strings a chain looks for, and the strings it can be found by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from merger.document import Chain, Mention, Part
from merger.heads import head_token
from merger.tags import noun_flags

Key = tuple[str, Mention]
"""A string to compare and the mention that it stands in."""

_Found = tuple[int, str, Mention]
"""The token that a string was found at, and its key."""


class KeyReader:
    """Reads comparison strings off the chains of one part at a time.

    ``match`` is one of ``noun``, ``token``, ``mention``, ``head``, ``fuzzy``; ``ignore_case`` folds case.
    """

    def __init__(self, match: str, *, ignore_case: bool) -> None:
        self._ignore_case = ignore_case
        self._nouns_sought = {
            "noun": self._nouns,
            "token": self._nouns,
            "mention": self._strings_of_nouns,
            "head": self._head_nouns,
            "fuzzy": self._strings_of_nouns,
        }[match]
        self._offered = {
            "noun": self._nouns,
            "token": self._tokens,
            "mention": self._strings,
            "head": self._head_nouns,
            "fuzzy": self._strings,
        }[match]
        self._part = Part(())
        self._nouns_of: dict[int, tuple[bool, ...]] = {}

    def enter(self, part: Part) -> None:
        """Turn to another part."""
        self._part = part
        self._nouns_of = {}

    def sought(self, chain: Chain) -> Iterator[Key]:
        """The strings that the chain looks for, in the text order of the nouns that they come from."""
        # Mentions of one chain may nest or cross, so that their order is not yet that of the nouns.
        return self._folded(sorted(self._nouns_sought(chain), key=_position))

    def offered(self, chain: Chain) -> Iterator[Key]:
        """The strings by which the chain can be found, with the mentions that they stand in."""
        return self._folded(self._offered(chain))

    def _folded(self, found: Iterable[_Found]) -> Iterator[Key]:
        if self._ignore_case:
            return ((text.casefold(), mention) for _, text, mention in found)
        return ((text, mention) for _, text, mention in found)

    def _flags(self, mention: Mention) -> tuple[bool, ...]:
        flags = self._nouns_of.get(mention.sentence)
        if flags is None:
            flags = self._nouns_of[mention.sentence] = noun_flags(self._part.sentences[mention.sentence])
        return flags

    def _nouns(self, chain: Chain) -> Iterator[_Found]:
        for mention in chain.mentions:
            forms = self._part.sentences[mention.sentence].forms
            flags = self._flags(mention)
            for index in mention.tokens:
                if flags[index]:
                    yield index, forms[index], mention

    def _tokens(self, chain: Chain) -> Iterator[_Found]:
        for mention in chain.mentions:
            forms = self._part.sentences[mention.sentence].forms
            for index in mention.tokens:
                yield index, forms[index], mention

    def _strings(self, chain: Chain) -> Iterator[_Found]:
        for mention in chain.mentions:
            forms = self._part.sentences[mention.sentence].forms
            yield mention.first, " ".join([forms[index] for index in mention.tokens]), mention

    def _strings_of_nouns(self, chain: Chain) -> Iterator[_Found]:
        for mention, (_, text, _) in zip(chain.mentions, self._strings(chain), strict=True):
            flags = self._flags(mention)
            # Its other nouns would only look for the same string again.
            noun = next((index for index in mention.tokens if flags[index]), None)
            if noun is not None:
                yield noun, text, mention

    def _head_nouns(self, chain: Chain) -> Iterator[_Found]:
        for mention in chain.mentions:
            sentence = self._part.sentences[mention.sentence]
            flags = self._flags(mention)
            head = head_token(sentence, mention, flags)
            if flags[head]:
                yield head, sentence.forms[head], mention


def _position(found: _Found) -> tuple[int, int]:
    token, _, mention = found
    return mention.sentence, token
