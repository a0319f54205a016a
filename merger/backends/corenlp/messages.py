"""Sentences to CoreNLP's serialized document, and its answer back to clusters and tags.

Sent this way, tokens and sentences stay as given: CoreNLP's own tokenizer never runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from google.protobuf import proto
from google.protobuf.message import DecodeError

from merger.backends.corenlp.sentences import SentSentence
from merger.backends.corenlp_proto import document_pb2 as pb
from merger.backends.mention_matching import Cluster
from merger.document import Mention, text_order

NOBODY = "PER0"
"""CoreNLP's own name for the speaker of narration."""


class InvalidAnnotationError(ValueError):
    """CoreNLP's answer is not a document, or its tokens differ from those sent. The message quotes no text."""


def encode_document(sentences: Sequence[SentSentence]) -> bytes:
    """The request for these sentences: a ``Document`` with its size before it.

    Its text is the words with spaces between, one sentence per line; all offsets count UTF-16 units, as in Java.
    """
    lines = [" ".join(sentence.words) for sentence in sentences]
    document = pb.Document(text="\n".join(lines))
    speech = _Speech(any(any(sentence.speakers or ()) for sentence in sentences))
    char = token = 0
    for index, (sentence, line) in enumerate(zip(sentences, lines, strict=True)):
        made = document.sentences.add(
            first_token=token, end_token=token + len(sentence.words), index=index, begin_char=char, text=line
        )
        for position, word in enumerate(sentence.words):
            end = char + _utf16(word)
            before = " " if position else "\n"
            added = made.tokens.add(word=word, value=word, original_text=word, before=before, after=" ")
            added.begin_char, added.end_char, added.number = char, end, position + 1
            if sentence.tags is not None:
                added.tag = sentence.tags[position]
            speech.mark(added, sentence, position)
            char = end + 1
        made.end_char = char - 1
        token += len(sentence.words)
    out = BytesIO()
    proto.serialize_length_prefixed(document, out)
    return out.getvalue()


def _utf16(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


class _Speech:
    """Speakers and utterances: CoreNLP takes the speaker of an utterance, so each change of speaker begins one."""

    def __init__(self, known: bool) -> None:  # noqa: FBT001  # one use, a few lines above
        self._known = known
        self._speaker: str | None = None
        self._utterance = -1

    def mark(self, token: pb.Token, sentence: SentSentence, position: int) -> None:
        if not self._known:
            return
        speaker = (sentence.speakers[position] if sentence.speakers is not None else "") or NOBODY
        if speaker != self._speaker:
            self._speaker, self._utterance = speaker, self._utterance + 1
        token.speaker, token.utterance = speaker, self._utterance


@dataclass(frozen=True, slots=True)
class Annotation:
    """The tags of each sentence ("" for a token without one) and the clusters in an answer."""

    tags: tuple[tuple[str, ...], ...]
    clusters: tuple[Cluster, ...]


def decode_annotation(data: bytes, sentences: Sequence[SentSentence]) -> Annotation:
    """The answer to :func:`encode_document` of the same sentences, in the document's own coordinates.

    Raises :class:`InvalidAnnotationError` if the bytes are not a document or its tokens differ from those sent.
    """
    document = _parse(data)
    if len(document.sentences) != len(sentences):
        raise InvalidAnnotationError(f"{len(document.sentences)} sentences instead of {len(sentences)}")
    tags = tuple(
        _tags(found, sentence, index)
        for index, (found, sentence) in enumerate(zip(document.sentences, sentences, strict=True))
    )
    clusters = [_cluster(chain, sentences) for chain in document.chains]
    return Annotation(tags, tuple(sorted(clusters, key=lambda cluster: [text_order(each) for each in cluster])))


def _parse(data: bytes) -> pb.Document:
    """The one message after its size."""
    stream = BytesIO(data)
    try:
        document = proto.parse_length_prefixed(pb.Document, stream)
    # The last three concern the size: truncated, different from the data, or too large for an index.
    except (DecodeError, EOFError, ValueError, OverflowError):
        document = None
    if document is None or stream.tell() != len(data):
        raise InvalidAnnotationError("not a CoreNLP document")
    return document


def _tags(found: pb.Sentence, sentence: SentSentence, index: int) -> tuple[str, ...]:
    if len(found.tokens) != len(sentence.words):
        raise InvalidAnnotationError(f"{len(found.tokens)} tokens instead of {len(sentence.words)} in sentence {index}")
    for position, (token, word) in enumerate(zip(found.tokens, sentence.words, strict=True)):
        if token.word != word:
            raise InvalidAnnotationError(f"another word as token {position} of sentence {index}")
    return tuple(token.tag for token in found.tokens)


def _cluster(chain: pb.Chain, sentences: Sequence[SentSentence]) -> Cluster:
    return tuple(sorted({_mention(mention, sentences) for mention in chain.mentions}, key=text_order))


def _mention(mention: pb.ChainMention, sentences: Sequence[SentSentence]) -> Mention:
    if mention.sentence >= len(sentences) or not (
        mention.begin < mention.end <= len(sentences[mention.sentence].indexes)
    ):
        raise InvalidAnnotationError("a mention lies outside the text that was sent")
    sentence = sentences[mention.sentence]
    return Mention(*sentence.place, sentence.indexes[mention.begin], sentence.indexes[mention.end - 1])
