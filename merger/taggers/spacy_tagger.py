"""The part-of-speech tagger of a spaCy pipeline, run in this process."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

from merger.backends.stanza.library import held, reason
from merger.backends.windows import cut_runs
from merger.document import Document, Sentence
from merger.errors import BackendError, Location, UnavailableError
from merger.options import Option, OptionValue
from merger.progress import WorkContext
from merger.syntax import WordTags
from merger.taggers.base import Tagger, tagged_sentence, untagged, with_sentences

INSTALL = "pip install 'merge-baseline[spacy]'"
DOWNLOAD = "python -m spacy download"
_DEFAULT = "en_core_web_sm"
_PREFERRED = (_DEFAULT, "en_core_web_md", "en_core_web_lg", "en_core_web_trf")

_USED = frozenset({"tok2vec", "transformer", "curated_transformer", "tagger", "morphologizer", "attribute_ruler"})
"""Kinds of components (spaCy's factories) that tags depend on."""
_TAGGING = frozenset({"tagger", "morphologizer"})
_UNUSED = ("parser", "senter", "ner", "lemmatizer", "entity_linker", "entity_ruler", "spancat", "textcat")
"""The usual names of components that are not loaded."""

_WINDOW = 2000
"""Tokens between two checks of deadlines; a second of work on a slow machine."""
_LONGEST_PIECE = 1000
"""Tokens tagged as one sentence: memory grows with the longest."""
_LONGEST_WORD = 100
"""The most characters of a token that the model sees."""
_PLACEHOLDER = "_"


class SpacyTagger(Tagger):
    """Runs the tagger of an installed spaCy pipeline, or one in a folder; tokens and sentences stay as given.

    Each sentence is tagged by itself, so that its tags do not depend on how a document is cut. The pipeline is loaded
    once and serves all threads, one window of sentences at a time. What spaCy learns of new words is dropped after
    every document, so that its memory does not grow.
    """

    name: ClassVar[str] = "spacy"
    summary: ClassVar[str] = "spaCy's tagger, the pipeline's own tags (Penn for English) and universal ones"
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "model",
            "",
            f"name of an installed spaCy pipeline, or its folder; by default {_DEFAULT}, else another English one",
        ),
    )
    operator_options: ClassVar[frozenset[str]] = frozenset({"model"})
    served: ClassVar[bool] = True

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Loads nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        super().__init__(options)
        self._loading = Lock()
        self._running = Lock()
        self._pipeline: Any = None

    @classmethod
    def unavailable(cls) -> str | None:
        """The packages that must be installed, or ``None``. Imports nothing."""
        return _missing("")

    def missing(self) -> str | None:
        """As :meth:`unavailable`, for the ``model`` of this tagger."""
        return _missing(str(self.values["model"]))

    def warm(self, watch: WorkContext) -> None:
        """Load the pipeline: a second or so for a small one.

        Raises :class:`~merger.errors.UnavailableError` if spaCy or the pipeline is missing, broken or has no tagger.
        """
        self._get(watch)

    def tag(self, document: Document, watch: WorkContext) -> Document:
        """The document with ``xpos`` and ``upos`` in the sentences that had neither; empty nodes get none.

        Raises as :meth:`warm`, and :class:`~merger.errors.BackendError` if the model fails; the error names the
        document and no text of it.
        """
        places = [(part, index) for part, index, _ in untagged(document)]
        if not places:
            return document
        pipeline = self._get(watch)
        pieces: list[tuple[tuple[int, int], list[int], list[str]]] = []
        for place in places:
            sentence = document.parts[place[0]].sentences[place[1]]
            empty = set(sentence.empty)
            tokens = [index for index in range(len(sentence.forms)) if index not in empty]
            for start in range(0, len(tokens), _LONGEST_PIECE):
                run = tokens[start : start + _LONGEST_PIECE]
                pieces.append((place, run, [_shown(sentence.forms[index]) for index in run]))
        found: dict[tuple[int, int], dict[int, WordTags]] = {place: {} for place in places}
        windows = list(cut_runs([len(words) for _, _, words in pieces], _WINDOW))
        for done, window in enumerate(windows):
            watch.check()
            watch.progress("tagging", done, len(windows))
            with held(self._running, watch):
                predicted = _predict(pipeline, [pieces[index][2] for index in window], document)
            for index, tags in zip(window, predicted, strict=True):
                place, run, _ = pieces[index]
                found[place].update(zip(run, tags, strict=True))
        watch.progress("tagging", len(windows), len(windows))
        changed: dict[tuple[int, int], Sentence] = {
            (part, index): tagged_sentence(document.parts[part].sentences[index], tags)
            for (part, index), tags in found.items()
        }
        return with_sentences(document, changed)

    def close(self) -> None:
        """Release the pipeline; a later call loads it again."""
        self._pipeline = None

    @property
    def signature(self) -> str:
        """Versions of spaCy and of the pipeline: ``spacy-3.8.7:en_core_web_sm-3.8.0``."""
        return f"{self.name}-{_version('spacy') or 'none'}:{_model_signature(str(self.values['model']))}"

    def _get(self, watch: WorkContext) -> Any:  # noqa: ANN401  # spacy.Language
        with held(self._loading, watch):
            if self._pipeline is None:
                watch.progress("loading", 0, 1)
                self._pipeline = _load(str(self.values["model"]))
                watch.progress("loading", 1, 1)
            return self._pipeline


def _missing(model: str) -> str | None:
    if find_spec("spacy") is None:
        return f"spacy not installed: {INSTALL}, then {DOWNLOAD} {_DEFAULT}"
    if not model:
        return None if _installed_english() else f"no English spaCy pipeline is installed: {DOWNLOAD} {_DEFAULT}"
    if _folder(model) is None and _version(model) is None:
        return f"no spaCy pipeline {model} is installed, and no folder has that name: {DOWNLOAD} {model}"
    return None


def _folder(model: str) -> Path | None:
    """The pipeline's folder, if ``model`` is the path of one."""
    path = Path(model)
    return path if (path / "meta.json").is_file() else None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):
        return None


def _installed_english() -> str:
    """The installed English pipeline to take by default, ``""`` without any."""
    names = {each.name for each in entry_points(group="spacy_models") if each.name.startswith("en_")}
    return next((name for name in _PREFERRED if name in names), min(names, default=""))


def _model_signature(model: str) -> str:
    model = model or _installed_english()
    folder = _folder(model) if model else None
    if folder is None:
        return f"{model}-{_version(model)}" if model else "none"
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        return f"{meta['lang']}_{meta['name']}-{meta['version']}"
    except (OSError, ValueError, KeyError, TypeError):
        return folder.name


def _load(model: str) -> Any:  # noqa: ANN401  # spacy.Language
    missing = _missing(model)
    if missing is not None:
        raise UnavailableError(f"tagger spacy: {missing}")
    name = model or _installed_english()
    try:
        with warnings.catch_warnings():
            # A model of another minor version than spaCy's mostly works, and what was used is in the signature.
            warnings.simplefilter("ignore")
            import spacy

            pipeline = spacy.load(_folder(name) or name, exclude=list(_UNUSED))
    except Exception as error:
        raise UnavailableError(f"tagger spacy: {name} cannot be loaded: {reason(error)}") from error
    kinds = {each: pipeline.get_pipe_meta(each).factory for each in pipeline.pipe_names}
    if not _TAGGING & set(kinds.values()):
        raise UnavailableError(f"tagger spacy: {name} has no part-of-speech tagger; expected a pipeline with one")
    pipeline.select_pipes(enable=[each for each, kind in kinds.items() if kind in _USED])
    return pipeline


def _shown(form: str) -> str:
    """The token as the model sees it: visible, and of limited length."""
    if not any(character.isprintable() and not character.isspace() for character in form):
        return _PLACEHOLDER
    return form[:_LONGEST_WORD].encode("utf-8", "replace").decode("utf-8")


def _predict(pipeline: Any, sentences: Sequence[Sequence[str]], document: Document) -> list[list[WordTags]]:  # noqa: ANN401  # spacy.Language
    from spacy.tokens import Doc

    try:
        with pipeline.memory_zone():
            docs = pipeline.pipe((Doc(pipeline.vocab, words=list(words)) for words in sentences), batch_size=256)
            return [[WordTags(word.tag_, word.pos_) for word in doc] for doc in docs]
    except Exception as error:  # noqa: BLE001  # raised again, as what it is to the user
        # Messages of libraries may quote tokens.
        place = Location(document.file, document=document.id)
        raise BackendError(f"spaCy {_version('spacy')} failed: {type(error).__name__}", place) from None
