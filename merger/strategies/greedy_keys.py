"""What the greedy rule compares: the strings a chain looks for, and the strings it can be found by."""

from __future__ import annotations

from collections.abc import Iterator

from merger.document import Chain, Mention, Part
from merger.heads import head_token
from merger.tags import noun_flags

Key = tuple[str, Mention]
"""A string to compare and the mention that it stands in."""


class KeyReader:
    """Reads comparison strings off the chains of one part at a time.

    ``match`` is one of ``noun``, ``token``, ``mention``, ``head``, ``fuzzy``; ``ignore_case`` folds case.
    """

    def __init__(self, match: str, *, ignore_case: bool) -> None:
        self._ignore_case = ignore_case
        self._sought = {
            "noun": self._nouns,
            "token": self._nouns,
            "mention": self._strings_with_noun,
            "head": self._head_nouns,
            "fuzzy": self._strings_with_noun,
        }[match]
        self._offered = {
            "noun": self._nouns,
            "token": self._tokens,
            "mention": self._strings_with_noun,
            "head": self._head_nouns,
            "fuzzy": self._strings_with_noun,
        }[match]
        self._part = Part(())
        self._nouns_of: dict[int, tuple[bool, ...]] = {}

    def enter(self, part: Part) -> None:
        """Turn to another part."""
        self._part = part
        self._nouns_of = {}

    def sought(self, chain: Chain) -> Iterator[Key]:
        """The strings that the chain looks for, in text order."""
        return self._folded(self._sought(chain))

    def offered(self, chain: Chain) -> Iterator[Key]:
        """The strings by which the chain can be found, each once per mention."""
        return self._folded(self._offered(chain))

    def _folded(self, keys: Iterator[Key]) -> Iterator[Key]:
        if not self._ignore_case:
            return keys
        return ((text.casefold(), mention) for text, mention in keys)

    def _flags(self, mention: Mention) -> tuple[bool, ...]:
        flags = self._nouns_of.get(mention.sentence)
        if flags is None:
            flags = self._nouns_of[mention.sentence] = noun_flags(self._part.sentences[mention.sentence])
        return flags

    def _nouns(self, chain: Chain) -> Iterator[Key]:
        for mention in chain.mentions:
            forms = self._part.sentences[mention.sentence].forms
            flags = self._flags(mention)
            for index in mention.tokens:
                if flags[index]:
                    yield forms[index], mention

    def _tokens(self, chain: Chain) -> Iterator[Key]:
        for mention in chain.mentions:
            forms = self._part.sentences[mention.sentence].forms
            for index in mention.tokens:
                yield forms[index], mention

    def _strings_with_noun(self, chain: Chain) -> Iterator[Key]:
        for mention in chain.mentions:
            flags = self._flags(mention)
            tokens = mention.tokens
            if any(flags[index] for index in tokens):
                forms = self._part.sentences[mention.sentence].forms
                yield " ".join([forms[index] for index in tokens]), mention

    def _head_nouns(self, chain: Chain) -> Iterator[Key]:
        for mention in chain.mentions:
            sentence = self._part.sentences[mention.sentence]
            flags = self._flags(mention)
            head = head_token(sentence, mention, flags)
            if flags[head]:
                yield sentence.forms[head], mention
