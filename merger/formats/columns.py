"""Rows of cells as columns, for the sentences that are regular: every row has the same number of cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_LONGEST = 64
_MOST = 1 << 16
# The other ASCII characters at which `str.split` splits, beside spaces and line ends.
_ODD = ("\t", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f")

Columns = Sequence[tuple[str, ...]]


def columns_at_tabs(rows: str) -> Columns | None:
    """The columns of rows (without the last line end) with tabs between cells; ``None`` if their widths differ."""
    return _columns([row.split("\t") for row in rows.split("\n")])


def columns_at_spaces(rows: str) -> Columns | None:
    """The columns of rows (without the last line end) with spaces between cells and optionally around them.

    ``None`` if the widths of rows differ, and if there are tabs or other blanks of ASCII.
    """
    for odd in _ODD:
        if odd in rows:
            return None
    if rows.isascii():
        return _columns([row.split() for row in rows.split("\n")])
    # Outside ASCII there are blanks that separate nothing, such as the no-break space.
    split = [row.split() if row.isascii() else [cell for cell in row.split(" ") if cell] for row in rows.split("\n")]
    return _columns(split)


def _columns(rows: Sequence[Sequence[str]]) -> Columns | None:
    try:
        return list(zip(*rows, strict=True))
    except ValueError:
        return None


class _SharedText(dict[str, str]):
    def __missing__(self, text: str) -> str:
        if len(text) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[text] = text
        return text


# Twice as fast as `sys.intern`, which drops unused strings and has to add them again every time.
_get_shared = _SharedText().__getitem__


def share(cells: Iterable[str]) -> tuple[str, ...]:
    """The cells, equal ones as the same object, so that a text takes only the memory of its vocabulary."""
    return tuple(map(_get_shared, cells))
