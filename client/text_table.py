"""Tables in plain text."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 100
"""Columns of a terminal that output fits in."""
_GAP = "  "


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows as lines in columns, the first to the left and the others to the right.

    A first cell for which there is no room in 100 characters gets a line of its own.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths[0] = min(widths[0], max(WIDTH - sum(widths[1:]) - len(_GAP) * (len(widths) - 1), 0))
    lines = []
    for name, *cells in rows:
        fits = len(name) <= widths[0]
        if not fits:
            lines.append(name)
        first = (name if fits else "").ljust(widths[0])
        padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append(_GAP.join([first, *padded]).rstrip())
    return lines
