"""Loads and runs a part-of-speech tagger of Stanza, with clear errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from merger.backends.stanza.library import (
    Use,
    import_torch,
    missing_packages,
    not_a_model,
    official_pipeline,
    pipeline,
    read_model_file,
    reason,
    resources,
)
from merger.errors import UnavailableError
from merger.syntax import WordTags

_USE = Use("tagger stanza", "pos", "tagger", "model=PATH")
_NO_TAGS = frozenset({"_", "<PAD>", "<UNK>", "<EMPTY>", "<ROOT>"})
"""Stanza's predictions where a model has no tag."""


@dataclass(frozen=True, slots=True)
class TaggerSource:
    """Which tagger to load.

    ``model`` is the path of a model file, empty for Stanza's official one of ``language``. ``pretrain`` is the path of
    the word vectors that the model was trained with, empty if it has none. ``offline`` forbids downloads; with
    ``model`` there are none anyway. ``device`` is ``cpu`` or ``cuda``.
    """

    model: str = ""
    pretrain: str = ""
    language: str = "en"
    device: str = "cpu"
    offline: bool = False


class TaggerModel:
    """A loaded tagger. Not safe for several threads at once."""

    def __init__(self, processor: Any, path: str) -> None:  # noqa: ANN401  # stanza's POSProcessor
        self._processor = processor
        self.path = path
        """The model's file."""

    def predict(self, sentences: Sequence[Sequence[str]]) -> list[list[WordTags]]:
        """Tags of the words of sentences. No sentence and no word is empty. Raises whatever the model raises."""
        from stanza.models.common.doc import Document

        given = [[{"id": (index,), "text": word} for index, word in enumerate(words, 1)] for words in sentences]
        done = self._processor.process(Document(given))
        return [[WordTags(_tag(word.xpos), _tag(word.upos)) for word in sentence.words] for sentence in done.sentences]


def _tag(predicted: str | None) -> str:
    return "" if predicted is None or predicted in _NO_TAGS else predicted


def load_tagger(source: TaggerSource) -> TaggerModel:
    """Load a tagger; seconds for a local one, minutes for a first download.

    With a local model, or ``offline``, no hub is contacted: Hugging Face libraries stay offline in the whole process.
    Raises :class:`~merger.errors.UnavailableError` with what to do.
    """
    missing = missing_packages()
    if missing is not None:
        raise UnavailableError(f"{_USE.user}: {missing}")
    _check_paths(source)
    import_torch(_USE, source.device, hub=not (source.model or source.offline))
    if source.model:
        return _load_local(source)
    official = official_pipeline(_USE, source.language, source.device, offline=source.offline)
    return TaggerModel(official.processors["pos"], str(official.config["pos_model_path"]))


def _check_paths(source: TaggerSource) -> None:
    if source.model and not Path(source.model).is_file():
        raise UnavailableError(f"{_USE.user}: no model file {source.model}")
    if source.pretrain and not source.model:
        raise UnavailableError(f"{_USE.user}: word vectors go with a model file: set model too")
    if source.pretrain and not Path(source.pretrain).is_file():
        raise UnavailableError(f"{_USE.user}: no file of word vectors {source.pretrain}")


def _load_local(source: TaggerSource) -> TaggerModel:
    _check_needs(source)
    vectors = {"pos_pretrain_path": str(Path(source.pretrain).resolve())} if source.pretrain else {}
    with resources(source.language) as folder:
        try:
            loaded = pipeline(
                _USE,
                source.language,
                source.device,
                dir=folder,
                download_method=None,
                pos_model_path=str(Path(source.model).resolve()),
                **vectors,
            )
        except Exception as error:
            named = f"{source.model} with the word vectors {source.pretrain}" if source.pretrain else source.model
            raise UnavailableError(f"{_USE.user}: {named} cannot be loaded: {reason(error)}") from error
    return TaggerModel(loaded.processors["pos"], source.model)


def _check_needs(source: TaggerSource) -> None:
    """Raise an error that names what the model lacks: Stanza's own errors name an attribute of ``None``."""
    state = read_model_file(_USE, source.model)
    try:
        config, _ = state["config"], state["vocab"]["xpos"]
    except (KeyError, TypeError) as error:
        raise not_a_model(_USE, source.model, error) from error
    if config.get("charlm"):
        raise UnavailableError(
            f"{_USE.user}: {source.model} needs character language models, which only an official model brings along; "
            "take one that was trained without (nocharlm)"
        )
    if config.get("pretrain") and not source.pretrain:
        raise UnavailableError(f"{_USE.user}: {source.model} needs its word vectors: name them with pretrain=PATH")
