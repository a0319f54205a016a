"""Stanza's neural part-of-speech tagger, run in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from merger.backends.stanza.library import SharedModel, missing_packages, stanza_version
from merger.backends.stanza.pos import TaggerModel, TaggerSource, load_tagger
from merger.backends.stanza.text import cut_pieces
from merger.backends.windows import cut_windows
from merger.document import Document
from merger.options import Option, OptionValue
from merger.progress import WorkContext
from merger.syntax import WordTags
from merger.taggers.base import Tagger, tagged_sentence, untagged, with_sentences

_LONGEST_SENTENCE = 4000
"""Characters of a sentence; a longer one is tagged in pieces. Memory grows with the longest sentence of a window."""
_WINDOW = 500
"""Tokens tagged in one step, without interruption. A sentence's tags depend on no other, so this only affects time."""


class StanzaTagger(Tagger):
    """Runs a Stanza tagger over documents; tokens and sentences stay as given.

    Without ``model`` it is Stanza's official one for the language, which Stanza downloads on first use and keeps in its
    own folder (``STANZA_RESOURCES_DIR``). With ``model``, or ``offline``, no hub is ever contacted.

    The model is loaded once and serves all threads, one window at a time. The model sees tokens without visible
    characters as ``_``, and only the first 50 characters of longer tokens: see :mod:`merger.backends.stanza.text`.
    """

    name: ClassVar[str] = "stanza"
    summary: ClassVar[str] = "Stanza's tagger, the language's own tags (Penn for English) and universal ones"
    options: ClassVar[tuple[Option, ...]] = (
        Option("model", "", "path of a Stanza tagger (.pt); the official one of the language by default"),
        Option("pretrain", "", "path of the word vectors (.pt) that the model was trained with, if it was with any"),
        Option("language", "en", "language of the official model"),
        Option("device", "cpu", "where the model runs", choices=("cpu", "cuda")),
        Option("offline", False, "never download: use what Stanza has downloaded before"),
    )
    operator_options: ClassVar[frozenset[str]] = frozenset(
        {"model", "pretrain", "language", "device", "offline"}  # each decides what is loaded, and from where
    )

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Loads nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        super().__init__(options)
        self._model = SharedModel(self._load, self._text("model"), self._text("language"))

    @classmethod
    def unavailable(cls) -> str | None:
        """Which package is missing. Loading shows whether a model is available."""
        return missing_packages()

    def warm(self, watch: WorkContext) -> None:
        """Load the model: seconds for a local one, minutes where it must be downloaded first.

        Raises :class:`~merger.errors.UnavailableError` if a package, the model or what it needs is missing or broken,
        the device is absent, or the download fails.
        """
        self._model.get(watch)

    def tag(self, document: Document, watch: WorkContext) -> Document:
        """The document with ``xpos`` and ``upos`` in the sentences that had neither; empty nodes get none.

        Raises as :meth:`warm`, and :class:`~merger.errors.BackendError` if the model fails; the error names the
        document and no text of it.
        """
        without_tags = {(part, index): sentence for part, index, sentence in untagged(document)}
        if not without_tags:
            return document
        model = self._model.get(watch)
        pieces = [
            piece
            for piece in cut_pieces(document, _characters, _LONGEST_SENTENCE)
            if (piece.part, piece.sentence) in without_tags
        ]
        found: dict[tuple[int, int], dict[int, WordTags]] = {place: {} for place in without_tags}
        windows = cut_windows([len(piece) for piece in pieces], _WINDOW, 0)
        for done, window in enumerate(windows):
            watch.check()
            watch.progress("tagging", done, len(windows))
            shown = [pieces[index] for index in window]
            with self._model.running(watch, document):
                predicted = model.predict([piece.words for piece in shown])
            for piece, tags in zip(shown, predicted, strict=True):
                found[piece.part, piece.sentence].update(zip(piece.tokens, tags, strict=True))
        watch.progress("tagging", len(windows), len(windows))
        return with_sentences(
            document, {place: tagged_sentence(without_tags[place], tags) for place, tags in found.items()}
        )

    def close(self) -> None:
        """Release the model; a later call loads it again."""
        self._model.close()

    @property
    def signature(self) -> str:
        """Stanza's version, and the model file with the first digits of its SHA-256.

        ``stanza-1.15.0:tagger.pt#0123abcd``. The official model's file is known once it is loaded; until then it is
        ``official-en``.
        """
        return f"{self.name}-{stanza_version()}:{self._model.name}"

    def _text(self, option: str) -> str:
        return str(self.values[option])

    def _load(self) -> TaggerModel:
        return load_tagger(
            TaggerSource(
                self._text("model"),
                self._text("pretrain"),
                self._text("language"),
                self._text("device"),
                bool(self.values["offline"]),
            )
        )


def _characters(words: Sequence[str]) -> list[int]:
    """The number of characters of each word; 0 if none is visible."""
    return [len(word) if any(c.isprintable() and not c.isspace() for c in word) else 0 for word in words]
