"""Rows of a CoNLL-2012 sentence: where the word, the tags and the coreference cell stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from merger.formats.conll2012_cells import EMPTY_CELLS, parse_cell
from merger.formats.conll2012_lines import part_number
from merger.formats.table import Columns, columns_at_spaces, columns_at_tabs, share

PART_COLUMN_FROM = 5
"""With this many columns or more the second is the part number."""

PADDED = "padded"
"""Layout of a sentence whose rows may have a tab after the coreference cell."""


_SECOND_OF_FIVE = re.compile(r" *[^ ]+ +([^ ]+) +[^ ]+ +[^ ]+ +[^ ]")


@dataclass(slots=True)
class Rows:
    """The tokens of a sentence as parallel lists.

    ``lines`` are offsets from the sentence's first line. ``xpos`` and ``speakers`` are ``None`` if no token has one.
    ``part`` is the first row's second column if there are five columns or more. ``short`` is the offset of the first
    line that has only one column; then the lists are not filled.
    """

    lines: Sequence[int]
    words: tuple[str, ...]
    cells: Sequence[str]
    xpos: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    part: str | None = None
    layout: str = ""
    short: int | None = None


def part_starts(columns: Sequence[str | None], number: int) -> list[int]:
    """The first sentence of each part in a block, from the second columns of its sentences.

    They say where parts begin if they count up from the block's own part number; otherwise the block is one part.
    """
    if len(set(columns)) < 2:
        return [0]
    found = map(part_number, columns)
    numbers = [-1 if each is None else each for each in found]
    if not numbers or numbers[0] != number or any(before > after for before, after in pairwise(numbers)):
        return [0]
    return [index for index, each in enumerate(numbers) if index == 0 or each != numbers[index - 1]]


def is_row(line: str) -> bool:
    """Whether a line of a sentence is a token, not a comment or blank."""
    return bool(line) and not line.isspace() and (line[0] != "#" or "\t" in line)


def has_blanks_between(line: str) -> bool:
    """Whether the columns of a row stand between blanks: it has no tab, or only some behind all of them."""
    if "\t" not in line:
        return True
    text = line.rstrip("\t \r\n")
    return "\t" not in text and " " in text


def second_column(row: str) -> str | None:
    """The second column of a row of :data:`PART_COLUMN_FROM` or more, ``None`` if it has fewer."""
    if has_blanks_between(row):
        match = _SECOND_OF_FIVE.match(row.rstrip("\t \r\n"))
        return match[1] if match is not None else None
    columns = row.rstrip(" \r\n").split("\t", PART_COLUMN_FROM - 1)
    return columns[1] if len(columns) >= PART_COLUMN_FROM else None


def split_line(line: str) -> list[str]:
    """The columns of a row: by tabs if it has any between its columns, else by runs of blanks."""
    if has_blanks_between(line):
        return [column for column in line.rstrip("\t \r\n").split(" ") if column]
    return line.rstrip(" \r\n").split("\t")


def split_plain_rows(text: str) -> Rows | None:
    """The rows of a sentence that has nothing else before the empty lines at its end, and cells of the usual kinds.

    ``None`` for all others: :func:`split_rows` reads those too, and the same from these.
    """
    rows = text.rstrip("\n")
    columns = _plain_columns_at_tabs(rows) if "\t" in rows else columns_at_spaces(rows)
    if columns is None or len(columns) < 2:
        return None
    width, firsts, cells = len(columns), set(columns[0]), columns[-1]
    if any(not first.strip() or first[0] == "#" for first in firsts):
        return None
    if width >= 4 and not any(cells) and not EMPTY_CELLS.issuperset(columns[-2]):
        # Perhaps a tab after the coreference cells.
        return None
    return Rows(
        range(len(cells)),
        share(columns[3 if width >= 6 else -2]),
        cells,
        _plain_column(columns[4]) if width >= 6 else None,
        _plain_column(columns[9]) if width >= 11 else None,
        columns[1][0] if width >= PART_COLUMN_FROM else None,
    )


def _plain_columns_at_tabs(rows: str) -> Columns | None:
    """The columns of rows that :func:`split_line` would split at tabs only, and take nothing from."""
    columns = columns_at_tabs(rows)
    if "\r" in rows or columns is None or len(columns) < 2:
        return None
    # Blanks at the end of a row don't count, and rows with nothing but tabs behind a blank are split at blanks.
    if " " in rows and (any(cell[-1:] == " " for cell in columns[-1]) or not all(map(str.strip, set(columns[1])))):
        return None
    return columns


def _plain_column(cells: tuple[str, ...]) -> tuple[str, ...] | None:
    if cells.count(cells[0]) == len(cells):
        return None if cells[0] in EMPTY_CELLS else share(cells[:1]) * len(cells)
    if EMPTY_CELLS.isdisjoint(cells):
        return share(cells)
    values = share(["" if cell in EMPTY_CELLS else cell for cell in cells])
    return values if any(values) else None


def split_rows(lines: Sequence[str]) -> Rows:
    """Split the lines of a sentence, comments and blank lines among them."""
    offsets = [offset for offset, line in enumerate(lines) if is_row(line)]
    columns = [split_line(lines[offset]) for offset in offsets]
    rows = Rows(offsets, (), [])
    if any(not row[-1] for row in columns) and all(len(row) > 1 for row in columns):
        rows.layout = _layout(columns)
        if rows.layout == PADDED:
            columns = [row[:-1] if not row[-1] else row for row in columns]
    for offset, row in zip(offsets, columns, strict=True):
        if len(row) < 2:
            rows.short = offset
            return rows
    rows.cells = [row[-1] for row in columns]
    rows.part = columns[0][1] if len(columns[0]) >= PART_COLUMN_FROM else None
    rows.words = share([row[3] if len(row) >= 6 else row[-2] for row in columns])
    rows.xpos = _column(columns, 4, 6)
    rows.speakers = _column(columns, 9, 11)
    return rows


def _column(columns: Sequence[list[str]], index: int, at_least: int) -> tuple[str, ...] | None:
    values = share([row[index] if len(row) >= at_least and row[index] not in EMPTY_CELLS else "" for row in columns])
    return values if any(values) else None


def _layout(columns: Sequence[list[str]]) -> str:
    """Tell an empty coreference cell (LitBank) from a tab after the cell (the official scorer's test files)."""
    widths = {len(row) for row in columns if row[-1]}
    padded = {len(row) for row in columns if not row[-1]}
    if widths & padded or min(padded) < 4:
        return ""
    if {width - 1 for width in padded} & widths:
        return PADDED
    cells = [row[-2] for row in columns]
    says_something = any(cell not in EMPTY_CELLS for cell in cells)
    is_coreference = all(cell in EMPTY_CELLS or not isinstance(parse_cell(cell), str) for cell in cells)
    return PADDED if says_something and is_coreference else ""
