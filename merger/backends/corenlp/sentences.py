"""A document's sentences in a form that CoreNLP accepts: without empty nodes and without invisible tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from merger.document import Document, Sentence
from merger.tag_sets import PENN_TAGS

_TREETAGGER = frozenset({"IN/that", "NP", "NPS", "PP", "PP$", "SENT"})
_TREETAGGER_VERBS = ("VH", "VV")
CORENLP_TAGS = frozenset(tag for tag in PENN_TAGS if tag not in _TREETAGGER and not tag.startswith(_TREETAGGER_VERBS))
"""Penn tags that CoreNLP's English parsers were trained on."""

_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}
PLACEHOLDER = "_"
"""Replaces a token in which CoreNLP would see nothing."""


class SentencePlace(NamedTuple):
    """A sentence of a document."""

    part: int
    sentence: int


@dataclass(frozen=True, slots=True)
class SentSentence:
    """A sentence as CoreNLP gets it: never empty; ``indexes`` maps its tokens to those of the document."""

    place: SentencePlace
    words: tuple[str, ...]
    indexes: tuple[int, ...]
    tags: tuple[str, ...] | None
    speakers: tuple[str, ...] | None


def sent_sentences(document: Document) -> tuple[SentSentence, ...]:
    """All sentences but those without tokens; empty nodes are left out.

    Tags are sent if every token of the document has one that CoreNLP knows: half-tagged text would be worse than the
    tags that CoreNLP finds itself.
    """
    places = [
        (SentencePlace(part, index), sentence)
        for part, each in enumerate(document.parts)
        for index, sentence in enumerate(each.sentences)
    ]
    sent = [_sent(place, sentence) for place, sentence in places if len(sentence.forms) > len(set(sentence.empty))]
    if all(sentence.tags is not None for sentence in sent):
        return tuple(sent)
    return tuple(SentSentence(each.place, each.words, each.indexes, None, each.speakers) for each in sent)


def _sent(place: SentencePlace, sentence: Sentence) -> SentSentence:
    empty = set(sentence.empty)
    indexes = tuple(index for index in range(len(sentence.forms)) if index not in empty)
    tags = _known_tags(sentence.xpos, indexes)
    speakers = None
    if sentence.speakers is not None:
        speakers = tuple(_visible(sentence.speakers[index]) for index in indexes)
    words = tuple(_visible(sentence.forms[index]) or PLACEHOLDER for index in indexes)
    return SentSentence(place, words, indexes, tags, speakers)


def _known_tags(xpos: tuple[str, ...] | None, indexes: Iterable[int]) -> tuple[str, ...] | None:
    if xpos is None:
        return None
    tags = tuple(_BRACKETS.get(xpos[index], xpos[index]) for index in indexes)
    return tags if CORENLP_TAGS.issuperset(tags) else None


def _visible(form: str) -> str:
    """The form without line breaks, control characters and lone surrogates, inner spaces kept; "" if none is left."""
    if form.isascii() and form.isalnum():
        return form
    kept = "".join(" " if char.isspace() or unicodedata.category(char) in _UNSAFE else char for char in form).strip()
    return kept if any(not char.isspace() and unicodedata.category(char) != "Cf" for char in kept) else ""


_UNSAFE = frozenset({"Cc", "Cs", "Zl", "Zp"})
