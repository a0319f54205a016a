"""Sentences to CoreNLP's serialized document, and its answer back to clusters and tags.

Sent this way, tokens and sentences stay as given: CoreNLP's own tokenizer never runs. Field numbers: ``CoreNLP.proto``
of CoreNLP 4.5.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from merger.backends.corenlp_wire import (
    WireError,
    bytes_field,
    delimited,
    fields,
    message_of,
    number_field,
    number_of,
    text_field,
    text_of,
    undelimited,
)
from merger.backends.matching import Cluster
from merger.document import Document, Mention, Sentence, text_order
from merger.tags import PENN_TAGS

_TREETAGGER = frozenset({"IN/that", "NP", "NPS", "PP", "PP$", "SENT"})
_TREETAGGER_VERBS = ("VH", "VV")
CORENLP_TAGS = frozenset(tag for tag in PENN_TAGS if tag not in _TREETAGGER and not tag.startswith(_TREETAGGER_VERBS))
"""Penn tags that CoreNLP's English parsers were trained on."""

_BRACKETS = {"(": "-LRB-", ")": "-RRB-"}
PLACEHOLDER = "_"
"""Stands for a token in which CoreNLP would see nothing."""
NOBODY = "PER0"
"""CoreNLP's own name for the speaker of what nobody says."""


class Place(NamedTuple):
    """A sentence of a document."""

    part: int
    sentence: int


@dataclass(frozen=True, slots=True)
class SentSentence:
    """A sentence as CoreNLP gets it: never empty; ``indexes`` maps its tokens to those of the document."""

    place: Place
    words: tuple[str, ...]
    indexes: tuple[int, ...]
    tags: tuple[str, ...] | None
    speakers: tuple[str, ...] | None


class AnswerError(ValueError):
    """CoreNLP's answer is no document, or one with other tokens. The message holds no text."""


def sent_sentences(document: Document) -> tuple[SentSentence, ...]:
    """All sentences but those without tokens; empty nodes are left out.

    Tags are sent if every token of the document has one that CoreNLP knows: half-tagged text would be worse than the
    tags that CoreNLP finds itself.
    """
    places = [
        (Place(part, index), sentence)
        for part, each in enumerate(document.parts)
        for index, sentence in enumerate(each.sentences)
    ]
    sent = [_sent(place, sentence) for place, sentence in places if len(sentence.forms) > len(set(sentence.empty))]
    if all(sentence.tags is not None for sentence in sent):
        return tuple(sent)
    return tuple(SentSentence(each.place, each.words, each.indexes, None, each.speakers) for each in sent)


def _sent(place: Place, sentence: Sentence) -> SentSentence:
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


def encode_document(sentences: Sequence[SentSentence]) -> bytes:
    """The request for these sentences: a delimited ``Document``.

    Its text is the words with spaces between, a line a sentence; all offsets count UTF-16 units, as Java does.
    """
    lines = [" ".join(sentence.words) for sentence in sentences]
    out = [text_field(1, "\n".join(lines))]
    speech = _Speech(any(any(sentence.speakers or ()) for sentence in sentences))
    char = token = 0
    for index, (sentence, line) in enumerate(zip(sentences, lines, strict=True)):
        begin = char
        message = bytearray()
        for position, word in enumerate(sentence.words):
            end = char + _utf16(word)
            tokens = text_field(1, word) + text_field(3, word) + text_field(7, word)
            tokens += text_field(5, " " if position else "\n") + text_field(6, " ")
            tokens += number_field(11, char) + number_field(12, end) + number_field(79, position + 1)
            if sentence.tags is not None:
                tokens += text_field(2, sentence.tags[position])
            message += bytes_field(1, tokens + speech.fields(sentence, position))
            char = end + 1
        message += number_field(2, token) + number_field(3, token + len(sentence.words)) + number_field(4, index)
        message += number_field(5, begin) + number_field(6, char - 1) + text_field(12, line)
        token += len(sentence.words)
        out.append(bytes_field(2, bytes(message)))
    return delimited(b"".join(out))


def _utf16(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


class _Speech:
    """Speakers and utterances: CoreNLP takes the speaker of an utterance, so each change of speaker begins one."""

    def __init__(self, known: bool) -> None:  # noqa: FBT001  # one use, three lines above
        self._known = known
        self._speaker: str | None = None
        self._utterance = -1

    def fields(self, sentence: SentSentence, position: int) -> bytes:
        if not self._known:
            return b""
        speaker = (sentence.speakers[position] if sentence.speakers is not None else "") or NOBODY
        if speaker != self._speaker:
            self._speaker, self._utterance = speaker, self._utterance + 1
        return text_field(14, speaker) + number_field(13, self._utterance)


@dataclass(frozen=True, slots=True)
class Answer:
    """What is read of an answer: the tags of each sentence ("" where there are none), and the clusters."""

    tags: tuple[tuple[str, ...], ...]
    clusters: tuple[Cluster, ...]


def decode_answer(data: bytes, sentences: Sequence[SentSentence]) -> Answer:
    """The answer to :func:`encode_document` of the same sentences, in the document's own coordinates.

    Raises :class:`AnswerError` if the bytes are not a document or its tokens are not the ones that were sent.
    """
    try:
        return _decode(undelimited(data), sentences)
    except WireError as error:
        raise AnswerError(f"not a CoreNLP document: {error}") from None


def _decode(message: memoryview, sentences: Sequence[SentSentence]) -> Answer:
    tags: list[tuple[str, ...]] = []
    chains = []
    for field, value in fields(message):
        if field == 2:  # noqa: PLR2004  # Document.sentence
            if len(tags) == len(sentences):
                raise AnswerError(f"more than the {len(sentences)} sentences that were sent")
            tags.append(_tags(message_of(value), sentences[len(tags)], len(tags)))
        elif field == 3:  # noqa: PLR2004  # Document.corefChain
            chains.append(message_of(value))
    if len(tags) != len(sentences):
        raise AnswerError(f"{len(tags)} sentences instead of {len(sentences)}")
    clusters = [_cluster(chain, sentences) for chain in chains]
    return Answer(tuple(tags), tuple(sorted(clusters, key=lambda cluster: [text_order(each) for each in cluster])))


def _tags(message: memoryview, sentence: SentSentence, index: int) -> tuple[str, ...]:
    tokens = [message_of(value) for field, value in fields(message) if field == 1]
    if len(tokens) != len(sentence.words):
        raise AnswerError(f"{len(tokens)} tokens instead of {len(sentence.words)} in sentence {index}")
    tags = []
    for position, (token, word) in enumerate(zip(tokens, sentence.words, strict=True)):
        found = {field: value for field, value in fields(token) if field in {1, 2}}
        if text_of(found.get(1, memoryview(b""))) != word:
            raise AnswerError(f"another word as token {position} of sentence {index}")
        tags.append(text_of(found.get(2, memoryview(b""))))
    return tuple(tags)


def _cluster(message: memoryview, sentences: Sequence[SentSentence]) -> Cluster:
    mentions = {_mention(message_of(value), sentences) for field, value in fields(message) if field == 2}  # noqa: PLR2004  # CorefChain.mention
    return tuple(sorted(mentions, key=text_order))


def _mention(message: memoryview, sentences: Sequence[SentSentence]) -> Mention:
    """``beginIndex`` (6), ``endIndex`` (7, exclusive) and ``sentenceIndex`` (10), all from 0."""
    found = {field: value for field, value in fields(message) if field in {6, 7, 10}}
    begin, end, index = (number_of(found.get(field, 0)) for field in (6, 7, 10))
    if index >= len(sentences) or not begin < end <= len(sentences[index].indexes):
        raise AnswerError("a mention lies outside the text that was sent")
    sentence = sentences[index]
    return Mention(*sentence.place, sentence.indexes[begin], sentence.indexes[end - 1])
