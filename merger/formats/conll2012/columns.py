"""Finds out which columns a CoNLL-2012 file has, from its first lines."""

from __future__ import annotations

from merger.formats.base import Lines, ReadOptions
from merger.formats.column_layout import (
    ColumnLayout,
    LayoutError,
    alike_cells,
    conll2012_layout,
    find_layout,
    lemmas_for_words,
)
from merger.formats.conll2012.block import unknown_layout
from merger.formats.conll2012.rows import is_row, split_line
from merger.formats.paragraphs import split_lines

_MOST_ROWS = 200
"""Rows by which the layout of a file is recognised, if a sample of them does not settle it."""
_SAMPLE = 24


def recognise_columns(head: str, source: Lines, options: ReadOptions) -> ColumnLayout | None:
    """The columns of a file by its first lines; ``None`` for those of CoNLL-2012.

    Raises :class:`~merger.errors.FormatError` for rows of no known layout.
    """
    if not options.columns and _is_surely_conll2012(head):
        return None
    sentences, first = _first_sentences(head)
    place = source.place(first)
    try:
        layout = find_layout(sentences, options.named_columns())
    except LayoutError as error:
        raise unknown_layout(str(error), place) from None
    rows = [row for sentence in sentences for row in sentence]
    width = min(map(len, rows), default=0)
    word = (layout or conll2012_layout(width)).word
    if word < width - 1 and len(set(map(len, rows))) == 1:
        other = lemmas_for_words(list(zip(*rows, strict=True)), word)
        if other is not None:
            message = f"column {word + 1}, read as words, seems to have the lemmas of those in column {other + 1}"
            options.notices.warn("lemmas for words", unknown_layout(message, place))
    return layout


def _is_surely_conll2012(head: str) -> bool:
    """Whether a sample of the first rows has no number in the first column, and no second column of words.

    The block reader reports a sentence between the sampled rows that counts its words.
    """
    lines = head.split("\n", _MOST_ROWS)[:-1]
    sample = [split_line(line) for line in lines[:: len(lines) // _SAMPLE or 1] if is_row(line) and line[0] != "#"]
    if not sample or any(row[0][:1].isdecimal() and not row[0].strip("0123456789.-") for row in sample):
        return False
    width = min(map(len, sample))
    at = conll2012_layout(width).word
    words, *others = [[row[index] for row in sample] for index in (at, *range(at), *range(at + 1, width - 1))]
    # With lemmas, three rows in four would be alike.
    return all(4 * alike_cells(words, other) < len(sample) for other in others)


def _first_sentences(head: str) -> tuple[list[list[list[str]]], int | None]:
    """The rows of the first sentences of a file, and the line of the first row."""
    sentences: list[list[list[str]]] = [[]]
    found = 0
    first = None
    for number, line in enumerate(split_lines(head), 1):
        if is_row(line) and not line.startswith("#"):
            first = first or number
            sentences[-1].append(split_line(line))
            found += 1
        elif sentences[-1]:
            if found >= _MOST_ROWS:
                break
            sentences.append([])
    return [sentence for sentence in sentences if sentence], first
