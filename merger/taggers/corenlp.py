"""CoreNLP's part-of-speech tagger (Penn tags)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar

from merger.backends.corenlp.options import (
    OPERATOR_OPTIONS,
    SERVER_OPTIONS,
    server_handle,
    server_version,
    why_unavailable,
)
from merger.backends.corenlp.sentences import sent_sentences
from merger.backends.windows import cut_windows
from merger.document import Document, Sentence
from merger.errors import Location
from merger.options import Option, OptionValue
from merger.progress import WorkContext
from merger.taggers.base import Tagger, untagged, with_sentences

_PROPERTIES = {"annotators": "pos"}
_WINDOW = 20_000
"""Tokens of a request: a sentence's tags depend on no other sentence, so this only bounds memory."""


class CoreNLPTagger(Tagger):
    """Penn tags by CoreNLP. English only. Shares its server with backends that have the same server options."""

    name: ClassVar[str] = "corenlp"
    summary: ClassVar[str] = "Stanford CoreNLP's tagger, Penn tags"
    options: ClassVar[tuple[Option, ...]] = SERVER_OPTIONS
    operator_options: ClassVar[frozenset[str]] = OPERATOR_OPTIONS

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Starts nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        super().__init__(options)
        self._handle = server_handle(self.values)

    @classmethod
    def unavailable(cls) -> str | None:
        """Why no server can be started with default options (``url`` would need neither Java nor jars)."""
        return why_unavailable()

    def warm(self, watch: WorkContext) -> None:
        """Start the server and load the tagger."""
        self._handle.get().prepare(_PROPERTIES, watch)

    def tag(self, document: Document, watch: WorkContext) -> Document:
        """The document with Penn tags (``xpos``) in the sentences that had none; empty nodes get none."""
        from merger.backends.corenlp.server import Job

        without_tags = {(part, index): sentence for part, index, sentence in untagged(document)}
        sentences = [sentence for sentence in sent_sentences(document) if sentence.place in without_tags]
        if not sentences:
            return document
        server = self._handle.get()
        server.prepare(_PROPERTIES, watch)
        location = Location(document.file, document=document.id)
        end = time.monotonic() + float(self.values["timeout"])
        changed: dict[tuple[int, int], Sentence] = {}
        for window in cut_windows([len(sentence.words) for sentence in sentences], _WINDOW, 0):
            sent = tuple(replace(sentences[index], tags=None) for index in window)
            answer = server.annotate(Job(_PROPERTIES, sent, location), end - time.monotonic(), watch)
            for sentence, tags in zip(sent, answer.tags, strict=True):
                given = without_tags[sentence.place]
                column = [""] * len(given.forms)
                for index, tag in zip(sentence.indexes, tags, strict=True):
                    column[index] = tag
                changed[sentence.place] = replace(given, xpos=tuple(column))
            watch.progress("tagging", window.stop, len(sentences))
        return with_sentences(document, changed)

    def close(self) -> None:
        """Stop the server, if nobody else shares it."""
        self._handle.close()

    @property
    def signature(self) -> str:
        """``corenlp-4.5.10``."""
        return f"{self.name}{server_version(self._handle.config)}"
