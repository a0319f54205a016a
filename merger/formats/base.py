"""The interface of formats: a name, a way to recognise the format, a reader and a writer.

To add a format, add a package with one :class:`Format` and name it in :mod:`merger.formats`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from merger.document import Document
from merger.errors import InputError, Location
from merger.formats.column_layout import parse_columns
from merger.formats.paragraphs import split_lines
from merger.notices import Notices


@dataclass(slots=True)
class ReadOptions:
    """How to read.

    ``part_pattern`` splits a document id into the groups ``document`` and ``part`` for files that give every part a
    different id (e2e-coref's ``bc/cctv/00/cctv_0000_3``).

    A jsonlines line may have gold ``clusters`` and ``predicted_clusters``: the gold ones are read, or with
    ``predicted`` the predicted ones. ``clusters_field`` names the key to read instead; a line without it is an error.

    ``columns`` names the columns of CoNLL-like files whose layout is recognised wrongly, counted from 1, ``-`` for
    none: ``word=2,tag=5,speaker=-``. Their names are ``word``, ``tag``, ``upos``, ``lemma``, ``speaker``, ``part`` and
    ``head``.

    ``failures``: with a list, a document that cannot be read is left out and its error goes there, and reading goes on
    with the next document. With ``None`` the first one is raised. An error without a ``location.document`` stands for
    text (sometimes a whole file) whose document is unknown.
    """

    notices: Notices = field(default_factory=Notices)
    part_pattern: re.Pattern[str] | None = None
    predicted: bool = False
    clusters_field: str | None = None
    failures: list[InputError] | None = None
    columns: str = ""

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for invalid columns."""
        self.named_columns()

    def named_columns(self) -> dict[str, int | None]:
        """The named columns, counted from 0."""
        return parse_columns(self.columns) if self.columns else {}

    def unreadable(self, error: InputError, document: str | None = None, *, may_be_part: bool = True) -> Unreadable:
        """A placeholder for an unreadable document or part. Raises ``error`` instead if failures are not collected."""
        if self.failures is None:
            raise error
        if error.location.document is None and document is not None:
            error.location = replace(error.location, document=document)
        return Unreadable(error, document, may_be_part)


class Unreadable(NamedTuple):
    """A placeholder in a stream of documents for one that cannot be read, or for a part of one.

    ``document`` is its id. With ``None`` it is unknown: the text can be a part of the document before or after it
    if ``may_be_part``.
    """

    error: InputError
    document: str | None = None
    may_be_part: bool = True


@dataclass(slots=True)
class Lines:
    """The text of one input, in pieces of one or more whole lines, and its name.

    ``faults`` are the errors in lines that could not be decoded, in order; ``texts`` has replacement characters there;
    readers leave out the documents that have such lines.
    """

    name: str
    texts: Iterable[str]
    faults: list[InputError] = field(default_factory=list)

    @property
    def lines(self) -> Iterator[str]:
        """The lines, each with its line end."""
        return chain.from_iterable(map(split_lines, self.texts))

    def fault(self, first: int, last: int | None = None) -> InputError | None:
        """The first fault in the lines from ``first`` to ``last``, or to the end."""
        for error in self.faults:
            line = error.location.line or 0
            if line >= first and (last is None or line <= last):
                return error
        return None

    def place(self, line: int | None, document: str | None = None, part: int | None = None) -> Location:
        """A location in this input."""
        return Location(self.name, line, document, part)


class Format(ABC):
    """One annotation format.

    ``read`` yields documents as the file has them, one at a time: a format that keeps parts in blocks of their own
    yields one document per block, with one part and its number; :func:`merger.formats.group_parts` puts consecutive
    blocks of one document together. If ``options`` collect failures, it yields an :class:`Unreadable` for each block
    that it cannot read. ``write`` yields text; a document that was read from the same format keeps every byte that its
    chains don't change.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    other_annotation: str
    """Annotation beyond words, tags, speakers and chains. Conversion to another format drops it."""

    def lost_in(self, target: str) -> str:  # noqa: ARG002  # most formats lose the same in every other format
        """The annotation that conversion to the format ``target`` drops."""
        return self.other_annotation

    @abstractmethod
    def recognises(self, head: str) -> bool:
        """Whether the first lines of a file (up to some KiB, the last one sometimes cut) look like this format."""

    @abstractmethod
    def read(self, source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
        """Yield the documents (or the blocks of documents) of one input.

        Raises :class:`~merger.errors.FormatError` or :class:`~merger.errors.AnnotationError` with file, line,
        document and part; repairs go through ``options.notices``.
        """

    @abstractmethod
    def write(self, document: Document, notices: Notices) -> Iterator[str]:
        """Yield the document's text in pieces.

        What the format cannot carry is recorded in ``notices`` once per kind. Raises
        :class:`~merger.errors.UnsupportedError` if the chains themselves cannot be written.
        """


def genre_of(document_id: str) -> str | None:
    """The genre at the start of OntoNotes ids (``bc/cctv/00/cctv_0000``), or ``None``."""
    genre, slash, _ = document_id.partition("/")
    return genre if slash and genre else None
