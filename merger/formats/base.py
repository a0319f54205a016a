"""What a format is: a name, a way to recognise it, a reader and a writer.

Adding a format is adding a module with one :class:`Format` and naming it in :mod:`merger.formats`.
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

    ``part_pattern`` splits a document id into the groups ``document`` and ``part`` for files that give every part an id
    of its own (e2e-coref's ``bc/cctv/00/cctv_0000_3``).

    A jsonlines line may have gold ``clusters`` and ``predicted_clusters``: the gold ones are read, or with
    ``predicted`` the predicted ones. ``clusters_field`` names the key to read instead; a line without it is an error.

    ``columns`` names the columns of CoNLL-like files that are not as they are recognised, counted from 1, ``-`` for
    none: ``word=2,tag=5,speaker=-``. Their names are ``word``, ``tag``, ``upos``, ``lemma``, ``speaker``, ``part`` and
    ``head``.

    ``failures``: with a list, a document that cannot be read is left out and its error goes there, and reading goes on
    with the next document. With ``None`` the first one is raised. An error without a ``location.document`` stands for
    text, perhaps a whole file, that does not say whose it is.
    """

    notices: Notices = field(default_factory=Notices)
    part_pattern: re.Pattern[str] | None = None
    predicted: bool = False
    clusters_field: str | None = None
    failures: list[InputError] | None = None
    columns: str = ""

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for columns that are none."""
        self.named_columns()

    def named_columns(self) -> dict[str, int | None]:
        """The named columns, counted from 0."""
        return parse_columns(self.columns) if self.columns else {}

    def unreadable(self, error: InputError, document: str | None = None, *, may_be_part: bool = True) -> Unreadable:
        """What stands for a document, or a part of one, that cannot be read. Raises ``error`` without ``failures``."""
        if self.failures is None:
            raise error
        if error.location.document is None and document is not None:
            error.location = replace(error.location, document=document)
        return Unreadable(error, document, may_be_part)


class Unreadable(NamedTuple):
    """Stands in a stream of documents for one that cannot be read, or for a part of one.

    ``document`` is its id. ``None``: the text does not say; then it may be a part of the document before or behind it,
    if it ``may_be_part``.
    """

    error: InputError
    document: str | None = None
    may_be_part: bool = True


@dataclass(slots=True)
class Lines:
    """The text of one input in pieces of whole lines, perhaps one each, and where it comes from.

    ``faults`` are the errors in lines that could not be decoded, in order, where those are in ``texts`` with other
    characters; readers leave out the documents that have such lines.
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
    blocks of one document together. What it cannot read it yields as :class:`Unreadable`, if ``options`` collect
    failures. ``write`` yields text; a document that was read from the same format keeps every
    byte that its chains don't change.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    besides: str
    """What the format carries besides words, tags, speakers and chains; converting to another one leaves it out."""

    def lost_in(self, target: str) -> str:  # noqa: ARG002  # most formats lose the same in all others
        """What the format of that name gets nothing of."""
        return self.besides

    @abstractmethod
    def recognises(self, head: str) -> bool:
        """Whether the first lines of a file (up to some KiB, perhaps cut inside a line) look like this format."""

    @abstractmethod
    def read(self, source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
        """Yield the documents (or the blocks of documents) of one input.

        Raises :class:`~merger.errors.FormatError` or :class:`~merger.errors.AnnotationError` with file, line,
        document and part; what may be repaired goes through ``options.notices``.
        """

    @abstractmethod
    def write(self, document: Document, notices: Notices) -> Iterator[str]:
        """Yield the document's text in pieces.

        What the format cannot carry is recorded in ``notices`` once per kind. Raises
        :class:`~merger.errors.UnsupportedError` if the chains themselves cannot be written.
        """


def genre_of(document_id: str) -> str | None:
    """The genre that OntoNotes ids carry in front (``bc/cctv/00/cctv_0000``), or ``None``."""
    genre, slash, _ = document_id.partition("/")
    return genre if slash and genre else None
