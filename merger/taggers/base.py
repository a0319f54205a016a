"""The interface of taggers: they give part-of-speech tags to text that has none."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from merger.document import Document, Sentence
from merger.options import Option, OptionValue, parse_options
from merger.progress import WorkContext
from merger.syntax import WordTags, has_tags


class Tagger(ABC):
    """A configured tagger. It serves many documents, one after the other or from several threads."""

    name: ClassVar[str]
    summary: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    operator_options: ClassVar[frozenset[str]] = frozenset()
    """Options that concern the file system or processes: on a server only the operator sets them."""
    served: ClassVar[bool] = False
    """Whether each worker process of a server can have one of its own."""

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Starts nothing. Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        self.values = parse_options(f"tagger {self.name}", self.options, options or {})

    @classmethod
    def unavailable(cls) -> str | None:
        """Why it cannot run on this machine, and what to do; ``None`` if it can. Quick: starts nothing."""
        return None

    def missing(self) -> str | None:
        """As :meth:`unavailable`, for the options of this tagger."""
        return self.unavailable()

    def warm(self, watch: WorkContext) -> None:  # noqa: B027  # a tagger may have nothing to start
        """Start servers and load models. Raises :class:`~merger.errors.UnavailableError` if it cannot."""

    @abstractmethod
    def tag(self, document: Document, watch: WorkContext) -> Document:
        """The document with tags in the sentences that had none; tokens and sentences stay.

        Raises :class:`~merger.errors.UnavailableError` if the tagger cannot be started,
        :class:`~merger.errors.BackendError` if it fails on this document, and what ``watch.check`` raises.
        """

    def close(self) -> None:  # noqa: B027  # a tagger may have nothing to stop
        """Stop servers and release models. Safe to call again; a later :meth:`tag` starts them again."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    @abstractmethod
    def signature(self) -> str:
        """Name and version for signatures, ``corenlp-4.5.10``."""


def untagged(document: Document) -> Iterator[tuple[int, int, Sentence]]:
    """The sentences without tags, with the indexes of their parts and their own."""
    for part_index, part in enumerate(document.parts):
        for index, sentence in enumerate(part.sentences):
            if len(sentence.forms) > len(set(sentence.empty)) and not has_tags(sentence):
                yield part_index, index, sentence


def without_tags(document: Document) -> Document:
    """The document without any part-of-speech tags, for a tagger that tags all of it."""
    changed = {
        (part_index, index): replace(sentence, xpos=None, upos=None)
        for part_index, part in enumerate(document.parts)
        for index, sentence in enumerate(part.sentences)
        if sentence.xpos is not None or sentence.upos is not None
    }
    return with_sentences(document, changed)


def tagged_sentence(sentence: Sentence, tags: Mapping[int, WordTags]) -> Sentence:
    """The sentence with the tags of its tokens by their indexes; the others have none."""
    none = WordTags("", "")
    columns = [tags.get(index, none) for index in range(len(sentence.forms))]
    xpos = tuple(each.xpos for each in columns)
    upos = tuple(each.upos for each in columns)
    return replace(sentence, xpos=xpos if any(xpos) else None, upos=upos if any(upos) else None)


def with_sentences(document: Document, changed: Mapping[tuple[int, int], Sentence]) -> Document:
    """The document with other sentences at these places (part and sentence)."""
    if not changed:
        return document
    parts = tuple(
        replace(
            part,
            sentences=tuple(
                changed.get((part_index, index), sentence) for index, sentence in enumerate(part.sentences)
            ),
        )
        for part_index, part in enumerate(document.parts)
    )
    return replace(document, parts=parts)


@dataclass(frozen=True, slots=True)
class TaggerInfo:
    """A tagger as users see it in a list. ``signature`` names versions and model, as in the signatures of merges."""

    name: str
    summary: str
    signature: str
