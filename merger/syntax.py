"""Part-of-speech tags and head tokens: which tokens are nouns, the class of each, and the head of a mention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from merger.document import Document, Mention, Sentence
from merger.errors import Location, OptionError
from merger.notices import Notices
from merger.tag_sets import PENN, PENN_TAGS, UNIVERSAL, SeenTags, TagSet, WordClass

_MOST_PATTERNS = 64
_LONGEST_PATTERN = 64
_PENN_OR_NONE = PENN_TAGS | {""}


class WordTags(NamedTuple):
    """Tags of a word, each ``""`` if it has none: of the language's own tag set (Penn for English), and UPOS."""

    xpos: str
    upos: str


def has_tags(sentence: Sentence) -> bool:
    """Whether any token has a part-of-speech tag."""
    return any(sentence.xpos or ()) or any(sentence.upos or ())


class TagReader:
    """Reads the tags of one text, whose sentences come part by part.

    The tag set is recognised from the sentences so far (see :mod:`merger.tag_sets`). Universal tags decide where a
    sentence has them and its other tags are not all Penn tags.

    ``nouns`` names the tags of nouns, for tag sets that are not known: see :func:`noun_patterns`. These are looked for
    among the tags of the text, and among the universal ones where a sentence has no others.
    """

    def __init__(self, nouns: str = "") -> None:
        """Raises :class:`~merger.errors.OptionError` if ``nouns`` are invalid patterns."""
        self._is_named = noun_patterns(nouns) if nouns else None
        self._seen = SeenTags()
        self._universal = SeenTags()
        self._beside_universal = SeenTags()

    @classmethod
    def of(cls, document: Document) -> TagReader:
        """A reader for a whole document."""
        reader = cls()
        for part in document.parts:
            reader.add(part.sentences)
        return reader

    def add(self, sentences: Iterable[Sentence]) -> None:
        """Take the sentences of another part."""
        alone: list[Sequence[str]] = []
        universal: list[Sequence[str]] = []
        beside_universal: list[Sequence[str]] = []
        for sentence in sentences:
            xpos, upos = sentence.xpos, sentence.upos
            if xpos is not None:
                (alone if upos is None else beside_universal).append(xpos)
            if upos is not None:
                universal.append(upos)
        self._seen.add(*alone)
        self._universal.add(*universal)
        self._beside_universal.add(*beside_universal)

    @property
    def tag_set(self) -> TagSet:
        """The tag set of the sentences that have no universal tags."""
        return self._seen.tag_set

    def noun_flags(self, sentence: Sentence) -> tuple[bool, ...]:
        """For each token whether it is a noun. Without tags nothing is."""
        xpos, upos = sentence.xpos, sentence.upos
        if self._is_named is not None:
            return tuple(map(self._is_named, (xpos if any(xpos or ()) else upos) or ("",) * len(sentence.forms)))
        if xpos is not None and any(xpos):
            if upos is None:
                return self.tag_set.noun_flags(xpos)
            if _PENN_OR_NONE.issuperset(xpos):
                return PENN.noun_flags(xpos)
        if upos is not None:
            return UNIVERSAL.noun_flags(upos)
        return (False,) * len(sentence.forms)

    def word_class(self, sentence: Sentence, token: int) -> WordClass:
        """The class of a token, by its universal tag where it has one, else by its other tag."""
        universal = sentence.upos[token] if sentence.upos is not None else ""
        if universal:
            return UNIVERSAL.word_class(universal)
        return self.tag_set.word_class(sentence.xpos[token]) if sentence.xpos is not None else WordClass.UNTAGGED

    def report(self, notices: Notices, place: Location) -> None:
        """Record the recognised tag set unless it is Penn, and whether no tag is a noun."""
        seen = (self._seen, self._universal, self._beside_universal)
        examples = [tag for each in seen for tag in each.examples()]
        if not examples:
            return
        readers: Sequence[Callable[[Iterable[str]], Sequence[bool]]]
        if self._is_named is not None:
            named = self._is_named
            readers = [lambda tags: [named(tag) for tag in tags]] * len(seen)
            title = "named by the option nouns"
        else:
            readers = (self.tag_set.noun_flags, UNIVERSAL.noun_flags, PENN.noun_flags)
            title = f"of {self.tag_set.nouns} ({self.tag_set.name} tags)"
            if self.tag_set is not PENN:
                message = f"the tags are {self.tag_set.name}: nouns are {self.tag_set.nouns}"
                notices.add(f"{self.tag_set.name} tags", message, place)
        if not any(each.any_noun(reader) for each, reader in zip(seen, readers, strict=True)):
            message = (
                f"no tag is a noun {title}, so that nothing is found by nouns; the tags are {', '.join(examples)}"
                " (name the tags of nouns with the option nouns, as in nouns=N*|SUBST)"
            )
            notices.add("no noun among the tags", message, place)


def noun_patterns(text: str) -> Callable[[str], bool]:
    """Whether a tag is one of those that a text names: ``N*|SUBST`` are all tags that begin with N, and SUBST.

    Raises :class:`~merger.errors.OptionError` for more than 64 names, names of more than 64 characters, blanks and
    control characters, and a star that does not follow at least one other character.
    """
    names = text.split("|")
    if len(names) > _MOST_PATTERNS:
        raise OptionError(f"option nouns: {len(names)} tags; expected at most {_MOST_PATTERNS}")
    for name in names:
        start = name.removesuffix("*")
        if not start or "*" in start or len(name) > _LONGEST_PATTERN or not name.isprintable() or " " in name:
            raise OptionError(
                f"option nouns: {name[:_LONGEST_PATTERN]!r} is not a tag or the beginning of tags;"
                " expected names such as N*|SUBST"
            )
    whole = frozenset(name for name in names if not name.endswith("*"))
    starts = tuple(name[:-1] for name in names if name.endswith("*"))
    return lambda tag: tag in whole or (bool(starts) and tag.startswith(starts))


def head_token(sentence: Sentence, mention: Mention, nouns: Sequence[bool], tag_set: TagSet = PENN) -> int:
    """The index of the mention's head token in its sentence. ``tag_set`` is that of the text.

    With dependency heads: the first token whose head lies outside the mention. Without: the last noun before the
    first postmodifier (a preposition, relative word, participle or comma after a noun), as in *the mayor of York*;
    without any noun, the last token.
    """
    tokens = mention.tokens
    if sentence.heads is not None:
        inside = set(tokens)
        for index in tokens:
            if sentence.heads[index] not in inside:
                return index
    tags = sentence.xpos or sentence.upos or ("",) * len(sentence.forms)
    head: int | None = None
    for index in tokens:
        if nouns[index]:
            head = index
        elif head is not None and tag_set.is_postmodifier(tags[index]):
            break
    return tokens[-1] if head is None else head
