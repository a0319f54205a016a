"""The strings that the greedy rule compares: those a chain looks for, and those by which it can be found."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from merger.document import Chain, Mention, Part, Sentence
from merger.function_words import content_flags
from merger.syntax import TagReader, has_tags, head_token

Key = tuple[str, Mention, int, int]
"""A string to compare, the mention that it stands in, the sentence and the token that it was found at."""

_PLACE = itemgetter(2, 3)

UNTAGGED_MATCHES = ("token", "mention", "fuzzy")
"""The tokens to compare in a sentence without tags: see :mod:`merger.function_words`."""


class KeyReader:
    """Reads comparison strings off the chains of one part at a time.

    ``match`` is one of ``noun``, ``token``, ``mention``, ``head``, ``fuzzy``; ``ignore_case`` folds case; ``nouns``
    names the tags of nouns, or is empty.

    In a sentence without tags nothing is a noun. For those of :data:`UNTAGGED_MATCHES` a word counts as one there if it
    is no pronoun or function word of the ``language``.
    """

    def __init__(self, match: str, *, ignore_case: bool, nouns: str = "", language: str = "en") -> None:
        self.tags = TagReader(nouns)
        self._ignore_case = ignore_case
        self._language = language if match in UNTAGGED_MATCHES else None
        self.tagged = 0
        """Sentences with mentions that have tags, over all parts."""
        self.untagged = 0
        """Sentences with mentions that have none."""
        self._read_sought = {
            "noun": self._nouns,
            "token": self._nouns,
            "mention": self._strings_of_nouns,
            "head": self._head_nouns,
            "fuzzy": self._strings_of_nouns,
        }[match]
        self._read_offered = {
            "noun": None,
            "token": self._tokens,
            "mention": self._strings,
            "head": None,
            "fuzzy": self._strings,
        }[match]
        self._part = Part(())
        self._columns: dict[int, tuple[Sequence[str], Sequence[bool]]] = {}

    def enter(self, part: Part) -> None:
        """Turn to another part."""
        self._part = part
        self._columns = {}
        self.tags.add(part.sentences)

    def read(self, chain: Chain) -> tuple[dict[str, Mention], Sequence[Key]]:
        """The strings that the chain looks for, and those by which it can be found.

        The former come in the text order of the nouns that they stem from, each once, with its first mention: looking
        for a string again would not find it either. The latter come mention by mention.
        """
        sought = self._read_sought(chain)
        # Mostly the same, so read only once.
        offered = sought if self._read_offered is None else self._read_offered(chain)
        first: dict[str, Mention] = {}
        # Mentions of one chain may nest or cross, so that their order is not yet that of the nouns.
        for text, mention, _, _ in sorted(sought, key=_PLACE):
            first.setdefault(text, mention)
        return first, offered

    def _columns_of(self, sentence: int) -> tuple[Sequence[str], Sequence[bool]]:
        """The words to compare, and which of them are nouns."""
        columns = self._columns.get(sentence)
        if columns is None:
            made = self._part.sentences[sentence]
            forms: Sequence[str] = [form.casefold() for form in made.forms] if self._ignore_case else made.forms
            columns = self._columns[sentence] = (forms, self._flags(made))
        return columns

    def is_untagged(self, sentence: int) -> bool:
        """Whether the part's sentence has no tags."""
        return self.untagged > 0 and not has_tags(self._part.sentences[sentence])

    def _flags(self, sentence: Sentence) -> Sequence[bool]:
        if has_tags(sentence):
            self.tagged += 1
        elif len(sentence.forms) > len(sentence.empty):
            self.untagged += 1
            if self._language is not None:
                return content_flags(sentence, self._language)
        return self.tags.noun_flags(sentence)

    def _nouns(self, chain: Chain) -> list[Key]:
        keys = []
        for mention in chain.mentions:
            sentence = mention.sentence
            forms, nouns = self._columns_of(sentence)
            keys.extend([(forms[index], mention, sentence, index) for index in mention.tokens if nouns[index]])
        return keys

    def _tokens(self, chain: Chain) -> list[Key]:
        keys = []
        for mention in chain.mentions:
            sentence = mention.sentence
            forms, _ = self._columns_of(sentence)
            keys.extend([(forms[index], mention, sentence, index) for index in mention.tokens])
        return keys

    def _strings(self, chain: Chain) -> list[Key]:
        return [(self._string(mention), mention, mention.sentence, mention.first) for mention in chain.mentions]

    def _strings_of_nouns(self, chain: Chain) -> list[Key]:
        keys = []
        for mention in chain.mentions:
            _, nouns = self._columns_of(mention.sentence)
            # Its other nouns would only look for the same string again.
            noun = next((index for index in mention.tokens if nouns[index]), None)
            if noun is not None:
                keys.append((self._string(mention), mention, mention.sentence, noun))
        return keys

    def _head_nouns(self, chain: Chain) -> list[Key]:
        keys = []
        for mention in chain.mentions:
            forms, nouns = self._columns_of(mention.sentence)
            head = head_token(self._part.sentences[mention.sentence], mention, nouns, self.tags.tag_set)
            if nouns[head]:
                keys.append((forms[head], mention, mention.sentence, head))
        return keys

    def _string(self, mention: Mention) -> str:
        forms, _ = self._columns_of(mention.sentence)
        return " ".join([forms[index] for index in mention.tokens])
