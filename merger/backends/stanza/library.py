"""Shared by all users of Stanza: required packages, loading without a hub, errors that quote no text.

Written against Stanza 1.15. Stanza has no type hints that a checker can use: this module and those that load one kind
of model each (:mod:`merger.backends.stanza.model`, :mod:`merger.backends.stanza.pos`) contain all untyped code.
"""

from __future__ import annotations

import json
import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from merger.backends.fingerprint import fingerprint
from merger.document import Document
from merger.errors import BackendError, Location, UnavailableError
from merger.progress import WorkContext

INSTALL = "pip install 'merge-baseline[stanza]'"
_PACKAGES = ("stanza", "torch", "transformers", "peft")
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Use:
    """The names that Stanza and users have for a kind of model.

    ``user`` starts its error messages (``backend stanza``), ``processor`` is Stanza's name for it (``coref``), ``kind``
    the name in messages (``coreference model``), and ``local`` the options that name a local one.
    """

    user: str
    processor: str
    kind: str
    local: str


def missing_packages() -> str | None:
    """The packages that must be installed, or ``None``. Imports nothing."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    return f"{', '.join(missing)} not installed: {INSTALL}" if missing else None


def stanza_version() -> str:
    """The installed version; ``none`` without one."""
    try:
        return version("stanza")
    except PackageNotFoundError:
        return "none"


def import_torch(use: Use, device: str, *, hub: bool) -> None:
    """Make sure that models can be loaded and run on ``device``, ``cpu`` or ``cuda``.

    Without ``hub`` Hugging Face libraries are set to stay offline in the whole process: they read that once, when
    they are imported. Raises :class:`~merger.errors.UnavailableError` with what to do.
    """
    if not hub:
        os.environ.update(dict.fromkeys(_OFFLINE, "1"))
    try:
        with quiet():
            import torch
    except (ImportError, OSError) as error:
        raise UnavailableError(f"{use.user}: torch cannot be loaded: {reason(error)}") from error
    if device == "cuda" and not torch.cuda.is_available():
        raise UnavailableError(f"{use.user}: torch finds no CUDA device here; use device=cpu")


def read_model_file(use: Use, path: str) -> dict[str, Any]:
    """The content of a model file, with its ``config``. Raises :class:`~merger.errors.UnavailableError`."""
    from zipfile import is_zipfile

    import torch

    try:
        # Only the newer of torch's two layouts, a zip archive, can be mapped.
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True, mmap=is_zipfile(path))
        state["config"].keys()
    except Exception as error:
        # The exception depends on where the file is broken.
        raise not_a_model(use, path, error) from error
    return state


def not_a_model(use: Use, path: str, error: BaseException) -> UnavailableError:
    """The error for a file that is not a model."""
    return UnavailableError(f"{use.user}: {path} is no Stanza {use.kind}: {reason(error)}")


@contextmanager
def resources(language: str) -> Iterator[str]:
    """An empty private folder of Stanza models, with which a pipeline contacts no hub. It is removed at the end."""
    with TemporaryDirectory(prefix="merge-baseline-") as folder:
        Path(folder, "resources.json").write_text(json.dumps({language: {}}), encoding="utf-8")
        yield folder


def official_pipeline(use: Use, language: str, device: str, *, offline: bool) -> Any:  # noqa: ANN401  # stanza.Pipeline
    """Stanza's own model of a language, downloaded if need be. Raises :class:`~merger.errors.UnavailableError`."""
    try:
        return pipeline(use, language, device, download_method=None if offline else "reuse_resources")
    except Exception as error:
        todo = (
            f"offline: load it once with a network connection, or name a local one with {use.local}"
            if offline
            else f"check the network (proxy: HTTPS_PROXY), or name a local one with {use.local}"
        )
        name = f"Stanza's {use.kind} for {language!r}"
        raise UnavailableError(f"{use.user}: {name} cannot be fetched: {reason(error)}; {todo}") from error


def pipeline(use: Use, language: str, device: str, **options: object) -> Any:  # noqa: ANN401  # stanza.Pipeline
    """A pipeline over tokens and sentences as given. Raises whatever Stanza does."""
    with quiet():
        import stanza

        return stanza.Pipeline(
            language,
            processors=f"tokenize,{use.processor}",
            tokenize_pretokenized=True,
            device=device,
            verbose=False,
            **options,
        )


@contextmanager
def quiet() -> Iterator[None]:
    """Without the deprecation warnings and loading bars of the libraries below Stanza."""
    from transformers.utils import logging

    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        if bars:
            logging.enable_progress_bar()


def reason(error: BaseException) -> str:
    """An error of a library in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


@contextmanager
def held(lock: Lock, watch: WorkContext) -> Iterator[None]:
    """Hold a lock; check deadlines while another thread holds it."""
    while not lock.acquire(timeout=_POLL_SECONDS):
        watch.check()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def guarded(document: Document, memory_hint: str | None = None) -> Iterator[None]:
    """Turn whatever a model raises into one :class:`~merger.errors.BackendError` without any text of the document."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  # raised again, as what it is to the user
        # Messages and chained tracebacks of libraries may quote tokens; the place in the code does not.
        frame = traceback.extract_tb(error.__traceback__)[-1]
        message = (
            f"Stanza {stanza_version()} failed: {type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"
        )
        memory = isinstance(error, MemoryError) or "memory" in str(error)
        hint = memory_hint if memory else None
        raise BackendError(message, Location(document.file, document=document.id), hint=hint) from None


class LoadedModel(Protocol):
    """A loaded model that knows the file it came from."""

    path: str


Model = TypeVar("Model", bound=LoadedModel)


class SharedModel(Generic[Model]):
    """A model that is loaded on first use, once, and serves all threads, one at a time."""

    def __init__(self, load: Callable[[], Model], local: str, language: str) -> None:
        """``local`` is the path of a local model, or empty for the official one of the language."""
        self._load = load
        self._local = local
        self._language = language
        self._loading = Lock()
        self._running = Lock()
        self._model: Model | None = None

    def get(self, watch: WorkContext) -> Model:
        """The model, loaded if need be. Raises what loading raises, and what ``watch.check`` does while waiting."""
        model = self._model
        if model is not None:
            return model
        with held(self._loading, watch):
            if self._model is None:
                watch.progress("loading", 0, 1)
                self._model = self._load()
                watch.progress("loading", 1, 1)
            return self._model

    @contextmanager
    def running(self, watch: WorkContext, document: Document, memory_hint: str | None = None) -> Iterator[None]:
        """Use the model exclusively; errors are converted by :func:`guarded`."""
        with held(self._running, watch), guarded(document, memory_hint):
            yield

    def close(self) -> None:
        """Release the model; a later :meth:`get` loads it again."""
        self._model = None

    @property
    def name(self) -> str:
        """The model file with the first digits of its SHA-256; the official one's is known once it is loaded."""
        if self._local:
            return self._local_name
        model = self._model
        return f"official-{self._language}" if model is None else fingerprint(model.path)

    @cached_property
    def _local_name(self) -> str:
        return fingerprint(self._local)
