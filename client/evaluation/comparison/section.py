"""A table of a comparison, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

Rows = list[tuple[str, ...]]


class Mark(Enum):
    """The mark of a row or a cell; the values are classes of the report's style sheet."""

    BOUND = "bound"
    """The floor or the ceiling."""
    BEST = "best"
    FEW = "few"
    """Too few documents for a conclusion: greyed."""
    PARTIAL = "partial"
    """Over fewer documents than the others, so not comparable with them."""


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its title and its notes; the first row has the names of the columns.

    ``kind`` identifies the section, whatever its title. Sections in ``detail`` are left out of the terminal's text.
    Cells of ``prose`` have text, not numbers. Rows are counted from 0 without the first one, columns from 0 with the
    column of row names:

    - ``breaks`` are the rows before which another kind of rows starts;
    - ``marks`` are by row and column; column 0 is for the whole row;
    - ``asides`` are remarks beside the name of a row;
    - ``columns`` are full names of columns whose names in the first row are short;
    - ``targets`` are the documents and decisions of a row, in fields of the report's document browser: ``strategy``,
      ``document``, ``group`` (kind and name with a colon between), ``pos`` and ``distance``.
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
