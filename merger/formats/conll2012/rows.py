"""Rows of a CoNLL-2012 sentence: the columns of the word, the tags and the coreference cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from merger.document import SentenceSource
from merger.formats.column_layout import ColumnLayout, conll2012_layout, counts, parse_columns
from merger.formats.columns import Columns, columns_at_spaces, columns_at_tabs, share
from merger.formats.conll2012.cells import EMPTY_CELLS, parse_cell
from merger.formats.conll2012.lines import part_number

PART_COLUMN_FROM = 5
"""With this many columns or more the second is the part number."""

PADDED = "padded"
"""Layout of a sentence whose rows may have a tab after the coreference cell."""
RUNS = "runs"
"""Layout of a sentence whose rows have one or more tabs between columns, as the official scorer reads them."""
_SECOND_OF_FIVE = re.compile(r" *[^ ]+ +([^ ]+) +[^ ]+ +[^ ]+ +[^ ]")
_COLUMNS_END = ";"
"""Follows the columns of a layout other than CoNLL-2012's: ``word=2,tag=5;padded``."""


@dataclass(slots=True)
class Rows:
    """The tokens of a sentence as parallel lists.

    ``lines`` are offsets from the sentence's first line. ``xpos`` and ``speakers`` are ``None`` if no token has one.
    ``part`` is the first row's second column if there are five columns or more. ``short`` is the offset of the first
    line that has too few columns; then the lists are not filled. ``counted``: the first column counts the words, as in
    all files of the other recognised layouts, and in no file of CoNLL-2012.
    """

    lines: Sequence[int]
    words: tuple[str, ...]
    cells: Sequence[str]
    xpos: tuple[str, ...] | None = None
    speakers: tuple[str, ...] | None = None
    part: str | None = None
    layout: str = ""
    short: int | None = None
    upos: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    counted: bool = False


def part_starts(columns: Sequence[str | None], number: int) -> list[int]:
    """The first sentence of each part in a block, from the second columns of its sentences.

    Parts start where the numbers change, if they count up from the block's own part number; otherwise there is one.
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
    """Whether blanks separate the columns of a row: it has no tabs, or only tabs at its end."""
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


def written_part(source: SentenceSource) -> str | None:
    """The part number as written in the first row of a sentence; ``None`` if there is no such column."""
    row = first_row(source.text)
    if _COLUMNS_END not in source.layout:
        return second_column(row)
    start, end = part_span(row, source)
    return row[start:end] or None


def part_span(row: str, source: SentenceSource) -> tuple[int, int]:
    """The start and end of the column of the part number in a row of a sentence; an empty span if it has none."""
    layout = columns_of(source)
    columns = split_line(row)
    at = 1 if layout is None else layout.part
    if at is None or len(columns) < (PART_COLUMN_FROM if layout is None else at + 2):
        return 0, 0
    start = 0
    for column in columns[:at]:
        start = row.index(column, start) + len(column)
    start = row.index(columns[at], start)
    return start, start + len(columns[at])


def first_row(text: str) -> str:
    """The first row of a sentence, empty if there is none."""
    first = text.partition("\n")[0]
    return first if is_row(first) else next(filter(is_row, text.split("\n")), "")


def columns_of(source: SentenceSource) -> ColumnLayout | None:
    """The columns of a sentence; ``None`` for those of CoNLL-2012."""
    named, found, _ = source.layout.rpartition(_COLUMNS_END)
    return ColumnLayout(**parse_columns(named)) if found else None  # type: ignore[arg-type]  # the word is always there


def layout_of(source: SentenceSource) -> ColumnLayout:
    """The columns of a sentence, those of CoNLL-2012 by the width of its first row."""
    return columns_of(source) or conll2012_layout(len(split_line(first_row(source.text))))


def cell_end(row: str, layout: str) -> int:
    """Where the coreference cell of a row with tabs between columns ends."""
    end = len(row.rstrip(" \r"))
    if layout.endswith(RUNS):
        return len(row.rstrip("\t \r"))
    return end - 1 if layout.endswith(PADDED) and row[end - 1] == "\t" else end


def lemmas(source: SentenceSource) -> tuple[str, ...]:
    """The lemmas of a sentence of CoNLL-2012, a lemma a token; ``""`` where there is none.

    The shared task's files have them for predicates only.
    """
    rows = [split_line(line) for line in source.text.split("\n") if is_row(line)]
    at = layout_of(source).lemma
    found = ["" if at is None or at >= len(row) - 1 else row[at] for row in rows]
    return tuple(["" if lemma in EMPTY_CELLS else lemma for lemma in found])


def split_line(line: str) -> list[str]:
    """The columns of a row: by tabs if it has any between its columns, else by runs of blanks."""
    if has_blanks_between(line):
        return [column for column in line.rstrip("\t \r\n").split(" ") if column]
    return line.rstrip(" \r\n").split("\t")


def split_plain_rows(text: str, layout: ColumnLayout | None = None) -> Rows | None:
    """The rows of a sentence that has only rows before its final empty lines, and cells of the usual kinds.

    ``layout`` are columns other than those of CoNLL-2012. ``None`` for all other sentences, which need
    :func:`split_rows`; that gives the same rows for these sentences.
    """
    rows = text.rstrip("\n")
    columns = _plain_columns_at_tabs(rows) if "\t" in rows else columns_at_spaces(rows)
    if columns is None or len(columns) < 2:
        return None
    width, firsts, cells = len(columns), set(columns[0]), columns[-1]
    if any(not first.strip() or first[0] == "#" for first in firsts):
        return None
    if width >= 4 and not any(cells) and not EMPTY_CELLS.issuperset(next(filter(any, reversed(columns)), ())):
        # There can be tabs after the coreference cells.
        return None
    if layout is not None:
        return _with_layout(columns, layout) if layout.word < width - 1 else None
    if len(firsts) > 1 and width >= 4 and counts(columns[0]):
        return None
    return Rows(
        range(len(cells)),
        share(columns[3 if width >= 6 else -2]),
        cells,
        _plain_column(columns[4]) if width >= 6 else None,
        _plain_column(columns[9]) if width >= 11 else None,
        columns[1][0] if width >= PART_COLUMN_FROM else None,
    )


def _with_layout(columns: Columns, layout: ColumnLayout) -> Rows:
    """The rows of a sentence by named columns, that of the word among them."""
    behind = len(columns) - 1

    def column(index: int | None) -> tuple[str, ...] | None:
        return _plain_column(columns[index]) if index is not None and index < behind else None

    return Rows(
        range(len(columns[-1])),
        share(columns[layout.word]),
        columns[-1],
        column(layout.tag),
        column(layout.speaker),
        columns[layout.part][0] if layout.part is not None and layout.part < behind else None,
        f"{layout}{_COLUMNS_END}",
        upos=column(layout.upos),
        heads=_heads(columns[layout.head]) if layout.head is not None and layout.head < behind else None,
        counted=columns[0][0] in {"0", "1"},
    )


def _heads(cells: Sequence[str]) -> tuple[int, ...] | None:
    """Heads as token indexes, -1 for the root and for other values; ``None`` if no cell is a number."""
    if not any(cell.isdecimal() for cell in cells):
        return None
    numbers = [int(cell) - 1 if cell.isdecimal() and len(cell) < 6 else -1 for cell in cells]
    return tuple([number if number < len(cells) else -1 for number in numbers])


def _plain_columns_at_tabs(rows: str) -> Columns | None:
    """The columns of rows that :func:`split_line` would split at tabs only, and take nothing from."""
    columns = columns_at_tabs(rows)
    if "\r" in rows or columns is None or len(columns) < 2:
        return None
    # Blanks at the end of a row don't count, and rows with only tabs after a blank are split at blanks.
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


def split_rows(lines: Sequence[str], layout: ColumnLayout | None = None) -> Rows:
    """Split the lines of a sentence, comments and blank lines among them; ``layout`` as in :func:`split_plain_rows`."""
    offsets = [offset for offset, line in enumerate(lines) if is_row(line)]
    columns = [split_line(lines[offset]) for offset in offsets]
    rows = Rows(offsets, (), [])
    if (runs := _at_runs(columns)) is not None:
        rows.layout, columns = RUNS, runs
    elif any(not row[-1] for row in columns) and all(len(row) > 1 for row in columns):
        rows.layout = _layout(columns)
        if rows.layout == PADDED:
            columns = [row[:-1] if not row[-1] else row for row in columns]
    least = 2 if layout is None else layout.word + 2
    for offset, row in zip(offsets, columns, strict=True):
        if len(row) < least:
            rows.short = offset
            return rows
    if layout is not None:
        found = _with_layout(_even(columns), layout)
        found.lines, found.layout = offsets, found.layout + rows.layout
        return found
    rows.cells = [row[-1] for row in columns]
    rows.counted = min(map(len, columns)) >= 4 and counts([row[0] for row in columns])
    rows.part = columns[0][1] if len(columns[0]) >= PART_COLUMN_FROM else None
    rows.words = share([row[3] if len(row) >= 6 else row[-2] for row in columns])
    rows.xpos = _column(columns, 4, 6)
    rows.speakers = _column(columns, 9, 11)
    return rows


def _at_runs(rows: Sequence[Sequence[str]]) -> list[list[str]] | None:
    """The columns of rows if runs of tabs separate them, as they do for the official scorer; ``None`` if not.

    They do if the rows have different numbers of cells, and one number without the empty cells; or if two or more empty
    cells end all rows, after coreference cells.
    """
    ragged = len(set(map(len, rows))) > 1
    if not ragged and any(len(row) < 3 or row[-1] or row[-2] for row in rows):
        return None
    columns = [[cell for cell in row if cell] for row in rows]
    if len(set(map(len, columns))) > 1 or len(columns[0]) < 2:
        return None
    return columns if ragged or _say_coreference([row[-1] for row in columns]) else None


def _even(columns: Sequence[Sequence[str]]) -> Columns:
    """Rows as columns; where rows differ in length, the longer ones lose the cells before their last one."""
    width = min(map(len, columns))
    return list(zip(*[[*row[: width - 1], row[-1]] for row in columns], strict=True))


def _column(columns: Sequence[list[str]], index: int, at_least: int) -> tuple[str, ...] | None:
    values = share([row[index] if len(row) >= at_least and row[index] not in EMPTY_CELLS else "" for row in columns])
    return values if any(values) else None


def _layout(columns: Sequence[Sequence[str]]) -> str:
    """Distinguish an empty coreference cell (LitBank) from tabs after the cell (the official scorer's test files)."""
    widths = {len(row) for row in columns if row[-1]}
    padded = {len(row) for row in columns if not row[-1]}
    if widths & padded or min(padded) < 4:
        return ""
    if {width - 1 for width in padded} & widths:
        return PADDED
    return PADDED if _say_coreference([row[-2] for row in columns]) else ""


def _say_coreference(cells: Sequence[str]) -> bool:
    """Whether all cells are coreference cells, and some are not empty."""
    says_something = any(cell not in EMPTY_CELLS for cell in cells)
    return says_something and all(cell in EMPTY_CELLS or not isinstance(parse_cell(cell), str) for cell in cells)
