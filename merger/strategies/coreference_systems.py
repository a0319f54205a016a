"""The coreference pass with each of the systems that can make it."""

from __future__ import annotations

from typing import ClassVar

from merger.backends.base import Backend
from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.precomputed import PrecomputedBackend
from merger.backends.stanza.backend import StanzaBackend
from merger.options import Option
from merger.strategies.coreference import MAPPING_OPTIONS, CoreferenceStrategy


class CoreNLPStrategy(CoreferenceStrategy):
    """Stanford CoreNLP; its deterministic system is the paper's second baseline."""

    name: ClassVar[str] = "corenlp"
    summary: ClassVar[str] = "a coreference pass by Stanford CoreNLP; deterministic is the paper's rule-based system"
    backend_class: ClassVar[type[Backend]] = CoreNLPBackend
    options: ClassVar[tuple[Option, ...]] = (*MAPPING_OPTIONS, *CoreNLPBackend.options)


class StanzaStrategy(CoreferenceStrategy):
    """Stanza's neural model."""

    name: ClassVar[str] = "stanza"
    summary: ClassVar[str] = "a coreference pass by Stanza's neural model, or a local one"
    backend_class: ClassVar[type[Backend]] = StanzaBackend
    options: ClassVar[tuple[Option, ...]] = (*MAPPING_OPTIONS, *StanzaBackend.options)


class PrecomputedStrategy(CoreferenceStrategy):
    """Any other system's output."""

    name: ClassVar[str] = "precomputed"
    summary: ClassVar[str] = "a coreference pass by any other system, whose clusters are in a file"
    backend_class: ClassVar[type[Backend]] = PrecomputedBackend
    options: ClassVar[tuple[Option, ...]] = (*MAPPING_OPTIONS, *PrecomputedBackend.options)
