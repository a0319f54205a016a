"""The token rows of a CoNLL-U sentence as columns. Source: the CoNLL-U format of Universal Dependencies, version 2."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

from merger.formats.columns import Columns, share
from merger.formats.conllu.misc import COLUMNS
from merger.message_text import shorten

_FORM, _UPOS, _XPOS, _HEAD, _DEPS, _MISC = 1, 3, 4, 6, 8, 9
_WORD = re.compile(r"[1-9][0-9]*", re.ASCII)
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})", re.ASCII)
_EMPTY = re.compile(r"(0|[1-9][0-9]{0,8})\.([1-9][0-9]{0,8})", re.ASCII)


class RowError(Exception):
    """A row is wrong: its index among the rows given, what was found, what was expected."""

    def __init__(self, row: int, message: str, expected: str, hint: str | None = None) -> None:
        self.row = row
        self.message = message
        self.expected = expected
        self.hint = hint
        super().__init__(message)


class Rows(NamedTuple):
    """Columns of words and empty nodes in file order.

    ``misc`` may end in the line end. ``ranges`` are the indexes, in all rows, of those of multiword tokens, with
    their MISC.
    """

    forms: tuple[str, ...]
    xpos: tuple[str, ...] | None
    upos: tuple[str, ...] | None
    heads: tuple[int, ...] | None
    empty: tuple[int, ...]
    misc: tuple[str, ...]
    ranges: tuple[tuple[int, str], ...]


class _HeadIndexes(dict[str, int]):
    """From a HEAD cell to a token index, for sentences of words only. Raises ``ValueError`` for anything else."""

    def __missing__(self, cell: str) -> int:
        if not cell.isascii() or not cell.isdecimal():
            raise ValueError(cell)
        return int(cell) - 1


_HEAD_INDEXES = _HeadIndexes({"_": -1} | {str(number): number - 1 for number in range(256)})
_IDS: dict[int, tuple[str, ...]] = {}


def _plain_ids(count: int) -> tuple[str, ...]:
    ids = _IDS.get(count)
    if ids is None:
        ids = _IDS[count] = tuple(map(str, range(1, count + 1)))
    return ids


def read_rows(lines: Sequence[str]) -> Rows:
    """Turn the rows of one sentence (not its comments) into columns; rows of multiword tokens are left out.

    Raises :class:`RowError`.
    """
    columns = _columns([line.split("\t") for line in lines])
    empty: tuple[int, ...] = ()
    ranges: tuple[tuple[int, str], ...] = ()
    count = len(columns[0])
    if columns[0] == _plain_ids(count):
        heads = _plain_heads(columns[_HEAD])
    else:
        kept, positions, empty = _number_tokens(columns[0])
        if len(kept) < count:
            misc, left = columns[_MISC], set(range(count)).difference(kept)
            ranges = tuple([(row, misc[row]) for row in sorted(left)])
            is_kept = [row not in left for row in range(count)]
            columns = [tuple(compress(column, is_kept)) for column in columns]
        heads = _heads(columns, positions, empty, kept)
    return Rows(
        share(columns[_FORM]),
        _tags(columns[_XPOS]),
        _tags(columns[_UPOS]),
        heads,
        empty,
        columns[_MISC],
        ranges,
    )


def _columns(rows: list[list[str]]) -> Columns:
    try:
        columns = list(zip(*rows, strict=True))
    except ValueError:
        columns = []
    if len(columns) == COLUMNS:
        return columns
    for index, cells in enumerate(rows):
        while len(cells) > COLUMNS and not cells[-1].strip():
            cells.pop()
        if len(cells) == 1:
            raise RowError(index, f"no tab in {shorten(cells[0])!r}", f"{COLUMNS} columns separated by tabs")
        if len(cells) != COLUMNS:
            raise RowError(index, f"{len(cells)} columns", f"{COLUMNS}, separated by tabs")
    return list(zip(*rows, strict=True))


def _tags(column: tuple[str, ...]) -> tuple[str, ...] | None:
    blanks = column.count("_")
    if blanks == len(column):
        return None
    if blanks:
        return share([cell if cell != "_" else "" for cell in column])
    return share(column)


def _number_tokens(ids: Sequence[str]) -> tuple[list[int], dict[str, int], tuple[int, ...]]:
    """The rows that are tokens, from their ids to token indexes, and the indexes of empty nodes."""
    kept: list[int] = []
    positions: dict[str, int] = {}
    empty: list[int] = []
    word = node = covered = 0
    last_range = 0
    for row, cell in enumerate(ids):
        if cell == str(word + 1):
            word, node = word + 1, 0
        elif _WORD.fullmatch(cell):
            hint = "a blank line is missing" if cell == "1" else None
            raise RowError(row, f"id {shorten(cell)} after {word or 'the start'}", f"id {word + 1}", hint)
        elif match := _RANGE.fullmatch(cell):
            first, last = int(match[1]), int(match[2])
            if first != word + 1 or first <= covered or last < first:
                raise RowError(row, f"multiword token {cell} after id {word}", "ranges that begin at the next word")
            covered, last_range = last, row
            continue
        elif match := _EMPTY.fullmatch(cell):
            if int(match[1]) != word or int(match[2]) != node + 1:
                raise RowError(row, f"empty node {cell}", f"id {word}.{node + 1}")
            node += 1
            empty.append(len(kept))
        else:
            raise RowError(row, f"id {shorten(cell)!r}", "a word (8), a range (8-9) or an empty node (8.1)")
        positions[cell] = len(kept)
        kept.append(row)
    if covered > word:
        raise RowError(last_range, f"multiword token {ids[last_range]}", f"a last word up to {word}")
    return kept, positions, tuple(empty)


def _plain_heads(column: tuple[str, ...]) -> tuple[int, ...] | None:
    try:
        heads = tuple(map(_HEAD_INDEXES.__getitem__, column))
    except ValueError:
        heads = (len(column),)
    if max(heads) >= len(column):
        known = {"_", "0", *_plain_ids(len(column))}
        row = next(row for row, cell in enumerate(column) if cell not in known)
        raise RowError(row, f"HEAD {shorten(column[row])!r}", "0 or the id of a word of the sentence")
    return None if max(heads) < 0 and column.count("_") == len(column) else heads


def _heads(
    columns: Sequence[tuple[str, ...]], positions: dict[str, int], empty: Sequence[int], kept: Sequence[int]
) -> tuple[int, ...] | None:
    heads = []
    for index, cell in enumerate(columns[_HEAD]):
        if cell in positions:
            heads.append(positions[cell])
        elif cell in {"_", "0"}:
            heads.append(-1)
        else:
            raise RowError(kept[index], f"HEAD {shorten(cell)!r}", "0 or the id of a word of the sentence")
    if max(heads) < 0 and columns[_HEAD].count("_") == len(heads):
        return None
    for index in empty:
        heads[index] = positions.get(columns[_DEPS][index].partition(":")[0], -1)
    return tuple(heads)
