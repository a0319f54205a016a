"""Tables in plain text."""

from __future__ import annotations

import os
from collections.abc import Sequence

_WIDEST = 100
"""The largest number of characters in a line: longer lines are hard to read."""
_NARROWEST = 40
_GAP = "  "


def text_width() -> int:
    """The width of the terminal (or ``COLUMNS``) in characters, from 40 to 100; 100 without a terminal."""
    if "COLUMNS" not in os.environ and not os.isatty(1):
        return _WIDEST
    # Its import takes a millisecond or two.
    import shutil

    return min(max(shutil.get_terminal_size((_WIDEST, 1)).columns, _NARROWEST), _WIDEST)


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines in columns; the first column is aligned to the left, the others to the right.

    A first cell that does not fit :func:`text_width` gets a line of its own.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[0] = min(widths[0], max(text_width() - sum(widths[1:]) - len(_GAP) * (len(widths) - 1), 0))
    lines = []
    for name, *cells in rows:
        fits = len(name) <= widths[0]
        if not fits:
            lines.append(name)
        first = (name if fits else "").ljust(widths[0])
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append(_GAP.join([first, *padded]).rstrip())
    return lines
