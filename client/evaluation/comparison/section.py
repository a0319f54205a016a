"""A table of a comparison, before it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

Rows = list[tuple[str, ...]]


class Mark(Enum):
    """What sets a row or a cell apart from the others; the values are classes of the report's style sheet."""

    BOUND = "bound"
    """The floor or the ceiling."""
    BEST = "best"
    FEW = "few"
    """Too few documents to tell much: greyed."""
    PARTIAL = "partial"
    """Over fewer documents than the others, and so not comparable with them."""


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its title, and lines of explanation below it; the first row has the names of the columns.

    ``kind`` tells sections apart, in whatever words their titles are. Sections in ``detail`` are left out where there
    is little room; those of ``prose`` have text in their cells, no numbers. Rows are counted from 0 without the first
    one, columns from 0 with that of the rows' names:

    - ``breaks`` are the rows before which another kind of thing begins;
    - ``marks`` are those of a cell, by row and column, or of a whole row, by row and column 0;
    - ``asides`` are what is said beside the name of a row;
    - ``columns`` are full names of columns whose names in the first row are short;
    - ``targets`` say which documents and decisions a row is about, in fields of the report's document browser:
      ``strategy``, ``document``, ``group`` (kind and name with a colon between), ``pos`` and ``distance``.
    """

    kind: str
    title: str
    rows: Rows
    notes: tuple[str, ...] = ()
    detail: bool = False
    prose: bool = False
    breaks: tuple[int, ...] = ()
    marks: Mapping[tuple[int, int], Mark] = field(default_factory=dict)
    asides: Mapping[int, str] = field(default_factory=dict)
    columns: Mapping[int, str] = field(default_factory=dict)
    targets: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
