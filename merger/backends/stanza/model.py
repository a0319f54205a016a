"""Loads and runs a coreference model of Stanza, with clear errors.

Written against Stanza 1.15. The pipeline loads the model, but this module calls the model itself: the
pipeline's processor fails on a whole document because of one span over two sentences, and does not report subwords.
"""

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
from merger.backends.stanza.text import WordSpan
from merger.errors import UnavailableError

_USE = Use("backend stanza", "coref", "coreference model", "model=PATH and encoder=PATH")


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Which model to load.

    ``model`` is the path of a model file, empty for Stanza's official model of ``language``. ``encoder`` is the folder
    of the model's encoder (Hugging Face layout), empty for the one that the file names. ``offline`` forbids downloads;
    with ``model`` there are none anyway. ``device`` is ``cpu`` or ``cuda``.
    """

    model: str = ""
    encoder: str = ""
    language: str = "en"
    device: str = "cpu"
    offline: bool = False


class StanzaModel:
    """A loaded coreference model. Not safe for several threads at once."""

    def __init__(self, pipeline: Any, path: str) -> None:  # noqa: ANN401  # stanza.Pipeline
        self._model = pipeline.processors["coref"]._model  # noqa: SLF001  # no public way; see the module's docstring
        tokenizer = self._model.tokenizer
        # The encoder's output for these is left out, at any position.
        self._marks = {tokenizer.cls_token, tokenizer.sep_token, tokenizer.pad_token, tokenizer.eos_token}
        self.path = path
        """The model's file."""

    def name_encoder(self, name: str) -> None:
        """Tell the model its encoder's name where it was loaded from a folder: some encoders' tokens go by names."""
        self._model.config.bert_model = name

    @property
    def window(self) -> int:
        """Most subwords that the encoder sees at once."""
        # Two of its places are for the marks at both ends.
        return int(self._model.config.bert_window_size) - 2

    def measure(self, words: Sequence[str]) -> list[int]:
        """The number of subwords of each word; 0 if the model cannot take it."""
        built = self._model.build_doc({"cased_words": list(words)})
        subwords: list[str] = built["subwords"]
        return [0 if self._unreadable(subwords[start:end]) else end - start for start, end in built["word2subword"]]

    def _unreadable(self, subwords: Sequence[str]) -> bool:
        unknown = self._model.tokenizer.unk_token
        return any(subword in self._marks and subword != unknown for subword in subwords)

    def predict(self, sentences: Sequence[Sequence[str]], speakers: Sequence[Sequence[str]]) -> list[list[WordSpan]]:
        """Clusters of spans over the words of all sentences, zero pronouns left out. Raises whatever the model does."""
        import torch

        given = {
            "document_id": "wb_doc_1",
            "cased_words": [word for sentence in sentences for word in sentence],
            "sent_id": [index for index, sentence in enumerate(sentences) for _ in sentence],
            "speaker": [name for names in speakers for name in names],
        }
        with torch.no_grad():
            result = self._model.run(self._model.build_doc(given))
        # The model predicts a zero pronoun as the word after it.
        zeros = iter((result.zero_scores.flatten() > 0).tolist())
        clusters = [
            [span for span, word in zip(spans, words, strict=True) if not next(zeros)]
            for spans, words in zip(result.span_clusters, result.word_clusters, strict=True)
        ]
        return [[(int(first), int(end)) for first, end in spans] for spans in clusters]


def load_model(source: ModelSource) -> StanzaModel:
    """Load a model; seconds for a local one, minutes for a first download.

    With a local model, or ``offline``, Hugging Face libraries are set to stay offline in the whole process: they read
    that once, when they are imported. Raises :class:`~merger.errors.UnavailableError` with what to do.
    """
    missing = missing_packages()
    if missing is not None:
        raise UnavailableError(f"{_USE.user}: {missing}")
    _check_paths(source)
    import_torch(_USE, source.device, hub=not (source.model or source.offline))
    if source.model:
        return _load_local(source)
    official = official_pipeline(_USE, source.language, source.device, offline=source.offline)
    return StanzaModel(official, str(official.config["coref_model_path"]))


def _check_paths(source: ModelSource) -> None:
    if source.model and not Path(source.model).is_file():
        raise UnavailableError(f"backend stanza: no model file {source.model}")
    if source.encoder and not source.model:
        raise UnavailableError("backend stanza: an encoder goes with a model file: set model too")
    if source.encoder and not (Path(source.encoder) / "config.json").is_file():
        raise UnavailableError(
            f"backend stanza: {source.encoder} is no encoder: a folder with config.json, weights and tokenizer"
        )


def _load_local(source: ModelSource) -> StanzaModel:
    import torch

    state = read_model_file(_USE, source.model)
    try:
        named = str(state["config"]["bert_model"])
    except KeyError as error:
        raise not_a_model(_USE, source.model, error) from error
    with resources(source.language) as folder:
        path = Path(source.model).resolve()
        if source.encoder:
            path = Path(folder, "model.pt")
            _name_encoder(state["config"], str(Path(source.encoder).resolve()))
            torch.save(state, path)
        del state
        try:
            loaded = pipeline(
                _USE, source.language, source.device, dir=folder, download_method=None, coref_model_path=str(path)
            )
        except Exception as error:
            encoder = source.encoder or named
            hint = "" if source.encoder else "; name the folder of its encoder with encoder=PATH"
            message = (
                f"backend stanza: {source.model} with the encoder {encoder} cannot be loaded: {reason(error)}{hint}"
            )
            raise UnavailableError(message) from error
    model = StanzaModel(loaded, source.model)
    model.name_encoder(named)
    return model


def _name_encoder(config: dict[str, Any], folder: str) -> None:
    """Let the encoder be a folder; options of its tokenizer are kept under the last part of its name."""
    options: dict[str, Any] = config.get("tokenizer_kwargs") or {}
    old, new = (name.split("/")[-1] for name in (config["bert_model"], folder))
    config["tokenizer_kwargs"] = {new: options[old]} if old in options else {}
    config["bert_model"] = folder
