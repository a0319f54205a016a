"""Converts a document to the input of Stanza's coreference model, and the model's spans to mentions.

The model (Stanza 1.15) fails or never ends on some tokens and sentences:

- a token that its encoder's tokenizer makes nothing of (empty, spaces, control characters), or whose text is one of
  the tokenizer's own marks (``[SEP]``, ``</s>``), stops it;
- it cuts a sentence that is longer than the encoder's window wrongly, and endlessly from twice the window on;
- its span scores take memory by the length of the longest sentence.

So such tokens are replaced and such sentences given in pieces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from merger.backends.mention_matching import Cluster
from merger.backends.windows import cut_runs
from merger.document import Document, Mention

PLACEHOLDER = "_"
NO_SPEAKER = "_"
LONGEST_PIECE = 250
"""The most subwords in one input sentence of the model; its encoder can allow fewer."""
LONGEST_WORD = 50
"""The most subwords of a token; the model does not see the rest of the token."""

Measure = Callable[[Sequence[str]], Sequence[int]]
"""The number of subwords that a model has for each token; 0 for a token it cannot take."""

WordSpan = tuple[int, int]
"""First word and the word after the last one, 0-based, in the words of a window."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One input sentence of the model: a sentence of the document, or a stretch of a very long one.

    ``words`` and ``speakers`` have an entry for each of ``tokens``, which are indexes in the sentence.
    """

    part: int
    sentence: int
    tokens: tuple[int, ...]
    words: tuple[str, ...]
    speakers: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)


def cut_pieces(document: Document, measure: Measure, limit: int = LONGEST_PIECE) -> list[Piece]:
    """All tokens of a document but the empty nodes, in pieces of at most ``limit`` subwords (or one longer token)."""
    forms = {form for part in document.parts for sentence in part.sentences for form in sentence.forms}
    words = _readable(sorted(forms), measure)
    pieces: list[Piece] = []
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            empty = set(sentence.empty)
            tokens = [token for token in range(len(sentence.forms)) if token not in empty]
            sizes = [words[sentence.forms[token]][1] for token in tokens]
            for run in cut_runs(sizes, limit):
                kept = tuple(tokens[run.start : run.stop])
                shown = tuple(words[sentence.forms[token]][0] for token in kept)
                speakers = tuple(
                    (sentence.speakers[token] if sentence.speakers else "") or NO_SPEAKER for token in kept
                )
                pieces.append(Piece(part, index, kept, shown, speakers))
    return pieces


def _readable(forms: Sequence[str], measure: Measure) -> dict[str, tuple[str, int]]:
    """The text that the model sees for each form, and its number of subwords."""
    shown = dict(zip(forms, map(_encodable, forms), strict=True))
    sizes: dict[str, int] = {}
    pending = sorted({*shown.values(), PLACEHOLDER})
    while pending:
        sizes.update(zip(pending, measure(pending), strict=True))
        for form, word in shown.items():
            if sizes[word] == 0:
                shown[form] = PLACEHOLDER
            elif sizes[word] > LONGEST_WORD and len(word) > 1:
                shown[form] = word[: min(LONGEST_WORD, len(word) // 2)]
        pending = sorted(set(shown.values()) - sizes.keys())
    return {form: (word, sizes[word]) for form, word in shown.items()}


def _encodable(form: str) -> str:
    """Without lone surrogates, which no tokenizer takes."""
    return form.encode("utf-8", "ignore").decode("utf-8")


def clusters_of(pieces: Sequence[Piece], spans: Iterable[Iterable[WordSpan]]) -> list[Cluster]:
    """The model's clusters over a window of pieces as mentions of the document.

    A mention takes in the empty nodes between its tokens. Spans over two pieces are dropped, and so are clusters of
    fewer than two mentions, which link nothing.
    """
    owner = [(index, place) for index, piece in enumerate(pieces) for place in range(len(piece))]
    clusters = []
    for cluster in spans:
        mentions: dict[Mention, None] = {}
        for first, end in cluster:
            (index, start), (last_index, last) = owner[first], owner[end - 1]
            if index == last_index:
                piece = pieces[index]
                mentions[Mention(piece.part, piece.sentence, piece.tokens[start], piece.tokens[last])] = None
        if len(mentions) > 1:
            clusters.append(tuple(mentions))
    return clusters
