"""Reports text whose words are not words: placeholders, word pieces, numbers or tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

from merger.document import Document
from merger.errors import FormatError, Location
from merger.message_text import printable
from merger.notices import Notices

_SAMPLE = 100
"""The number of words at the start of a text that are checked."""
_LEAST = 3
# Compiled on first use, as few texts need it and every reader imports this.
_PLACEHOLDER = r"(?i:[_*\-.x?]+|\[[^\[\]]+\]|<[^<>]+>|\{[^{}]+\})"
_SAME = 10
"""The number of words from which a text of one repeated word is not a text."""
_WORDPIECE = r"##\w"
_CORNERS = frozenset({"[CLS]", "[SEP]"})
_WORD_STARTS = ("\N{LOWER ONE EIGHTH BLOCK}", "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}")
"""The marks of a word start in SentencePiece and in the byte-pair encoding of GPT-2."""
_TAGS = 4
_DIFFERENT_TAGS = 3
_WORDS = "the words of the text"
_COLUMNS = "in files like CoNLL-2012, name the column of the words with the option columns, such as word=2"


def check_words(document: Document, notices: Notices) -> None:
    """Report tokens that are not words. Under a strict policy raises :class:`~merger.errors.FormatError`."""
    words = list(islice(_words(document), _SAMPLE))
    if document.extra and '"subtoken_map"' in document.extra and _has_pieces(document.extra):
        what = "the tokens are word pieces: subtoken_map puts several into one word"
        _warn(document, notices, "word pieces", what, "join the pieces by subtoken_map, and count clusters in words")
        return
    # Rows of two columns, as in the official scorer's test files, have the document's id and coreference, and no words.
    if len(words) < _LEAST or words.count(document.id) == len(words):
        return
    if found := _as_placeholders(words):
        hint = f"what goes by words means nothing here; {_COLUMNS}"
        _warn(document, notices, "placeholders for words", found, hint)
    elif found := _as_pieces(words):
        _warn(document, notices, "word pieces", found, "join the pieces, and count clusters in words")
    elif all(map(str.isdecimal, words)):
        _warn(document, notices, "numbers for words", f"all words are numbers, such as {printable(words[0])}", _COLUMNS)
    elif found := _as_tags(words):
        _warn(document, notices, "tags for words", found, _COLUMNS)


def _words(document: Document) -> Iterator[str]:
    for part in document.parts:
        for sentence in part.sentences:
            if not sentence.empty:
                yield from sentence.forms
            else:
                yield from (form for index, form in enumerate(sentence.forms) if index not in sentence.empty)


def _warn(document: Document, notices: Notices, kind: str, message: str, hint: str) -> None:
    place = Location(document.file, document=document.id)
    notices.warn(kind, FormatError(message, place, expected=_WORDS, hint=hint))


def _as_placeholders(words: Sequence[str]) -> str | None:
    if 5 * len(set(words)) > len(words) + 5:
        # Then no word can make up four in five.
        return None
    ((most, count),) = Counter(words).most_common(1)
    if count == len(words) >= _SAME or (5 * count >= 4 * len(words) and re.fullmatch(_PLACEHOLDER, most)):
        share = "all words" if count == len(words) else "most words"
        return f"{share} are {printable(most)}, as where a corpus is given out without its text"
    return None


def _as_pieces(words: Sequence[str]) -> str | None:
    text = " ".join(words)
    if text.isascii() and "##" not in text and "[CLS]" not in text:
        return None
    pieces = [word for word in words if re.match(_WORDPIECE, word)]
    if len(pieces) > 1:
        return f"the tokens are word pieces, such as {printable(pieces[0])}"
    if set(words) >= _CORNERS:
        return "the tokens are word pieces, with [CLS] and [SEP] among them"
    for start in _WORD_STARTS:
        marked = [word for word in words if word.startswith(start)]
        if 5 * len(marked) >= len(words):
            return f"the tokens are word pieces, such as {printable(marked[0])}"
    return None


def _has_pieces(line: str) -> bool:
    import json

    words = json.loads(line).get("subtoken_map")
    hashable = isinstance(words, list) and all(isinstance(word, int) for word in words)
    return hashable and len(set(words)) < len(words)


def _as_tags(words: Sequence[str]) -> str | None:
    if any(map(str.islower, words)):
        # These sets have no lower-case tags, and importing their tables takes longer than all checks.
        return None
    from merger.tag_sets import CTB, PENN, STTS, UNIVERSAL

    for each in (PENN, UNIVERSAL, STTS, CTB):
        if len(words) >= _TAGS and all(map(each.has, words)):
            tags = {word for word in words if word.isalpha() and word.isascii() and word.isupper()}
            if len(tags) < _DIFFERENT_TAGS:
                return None
            return f"all words are {each.name} tags, such as {' '.join(sorted(tags)[:_DIFFERENT_TAGS])}"
    return None
