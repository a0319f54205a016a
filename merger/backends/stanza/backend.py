"""Stanza's neural coreference, run in this process.

Source: Stanza's word-level model, after Dobrovolskii (2021) and D'Oosterlinck et al. (2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from merger.backends.base import Backend
from merger.backends.mention_matching import Cluster
from merger.backends.stanza.library import SharedModel, guarded, missing_packages, stanza_version
from merger.backends.stanza.model import ModelSource, StanzaModel, load_model
from merger.backends.stanza.text import LONGEST_PIECE, Piece, clusters_of, cut_pieces
from merger.backends.windows import cut_windows, stitch
from merger.document import Document
from merger.errors import OptionError
from merger.options import Option, OptionValue
from merger.progress import WorkContext

_MEMORY_HINT = "a smaller max-tokens needs less memory"


class StanzaBackend(Backend):
    """Runs a Stanza coreference model over documents.

    Without ``model`` it is Stanza's official one for the language, which Stanza downloads on first use and keeps in its
    own folder (``STANZA_RESOURCES_DIR``; the encoder in Hugging Face's cache). With ``model``, or ``offline``, no hub
    is ever contacted: loading the model sets ``HF_HUB_OFFLINE`` for the process.

    The model is loaded once and serves all threads, one window at a time. A window is computed in one go, which nothing
    interrupts: deadlines and cancellation are checked before each one. On two CPU threads a window of 4,000 tokens
    takes about 5 seconds with a small encoder and 2.5 GB of memory; memory grows with the square of the window, so
    ``max-tokens`` limits both. Clusters of neighbouring windows are joined where they share a mention.

    Sentences are never crossed: a span over two sentences is dropped. Singletons and zero pronouns are left out, and
    the model does not see empty nodes. It sees tokens without visible characters as ``_``, sentences of more than 250
    subwords in pieces: see :mod:`merger.backends.stanza.text`.
    """

    name = "stanza"
    summary = "Stanza's neural coreference model, or a local one"
    options = (
        Option("model", "", "path of a Stanza coreference model (.pt); the official one of the language by default"),
        Option("encoder", "", "folder of the model's encoder, if it is not where the model file says"),
        Option("language", "en", "language of the official model"),
        Option("device", "cpu", "where the model runs", choices=("cpu", "cuda")),
        Option("offline", False, "never download: use what Stanza has downloaded before"),
        Option("max-tokens", 4000, "longer documents are cut into windows of this size", low=50, high=100_000),
        Option("overlap", 400, "how many tokens windows share", low=0, high=100_000),
    )
    operator_options = frozenset(option.name for option in options)

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Loads nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        super().__init__(options)
        if self._overlap >= self._limit:
            raise OptionError(f"option overlap: {self._overlap} is not below max-tokens, {self._limit}")
        self._model = SharedModel(self._load, self._text("model"), self._text("language"))

    @classmethod
    def unavailable(cls) -> str | None:
        """Which package is missing. Loading shows whether a model is available."""
        return missing_packages()

    def warm(self, watch: WorkContext) -> None:
        """Load the model: 4 seconds for a small one, minutes where it must be downloaded first.

        Raises :class:`~merger.errors.UnavailableError` if a package, the model or its encoder is missing or broken, the
        device is absent, or the download fails.
        """
        self._model.get(watch)

    def predict(self, document: Document, watch: WorkContext) -> tuple[Cluster, ...]:
        """Clusters of two or more mentions.

        Raises as :meth:`warm`, and :class:`~merger.errors.BackendError` if the model fails; the error names the
        document and no text of it.
        """
        if document.token_count == 0:
            return ()
        model = self._model.get(watch)
        with guarded(document, _MEMORY_HINT):
            pieces = cut_pieces(document, model.measure, min(LONGEST_PIECE, model.window))
        windows = cut_windows([len(piece) for piece in pieces], self._limit, self._overlap)
        found: list[list[Cluster]] = []
        for done, window in enumerate(windows):
            watch.check()
            watch.progress("windows", done, len(windows))
            with self._model.running(watch, document, _MEMORY_HINT):
                found.append(_run(model, [pieces[index] for index in window]))
        watch.progress("windows", len(windows), len(windows))
        return tuple(cluster for cluster in stitch(found) if len(cluster) > 1)

    def close(self) -> None:
        """Release the model; a later call loads it again."""
        self._model.close()

    @property
    def signature(self) -> str:
        """Model file with the first digits of its SHA-256, window sizes, and Stanza's version."""
        sizes = f"max-tokens={self._limit},overlap={self._overlap}"
        return f"{self.name}[model={self._model.name},{sizes},stanza={stanza_version()}]"

    def _text(self, option: str) -> str:
        return str(self.values[option])

    @property
    def _limit(self) -> int:
        return int(self.values["max-tokens"])

    @property
    def _overlap(self) -> int:
        return int(self.values["overlap"])

    def _load(self) -> StanzaModel:
        return load_model(
            ModelSource(
                self._text("model"),
                self._text("encoder"),
                self._text("language"),
                self._text("device"),
                bool(self.values["offline"]),
            )
        )


def _run(model: StanzaModel, pieces: Sequence[Piece]) -> list[Cluster]:
    spans = model.predict([piece.words for piece in pieces], [piece.speakers for piece in pieces])
    return clusters_of(pieces, spans)
