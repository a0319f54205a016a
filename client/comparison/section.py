"""A table of a comparison, before it is shown."""

from __future__ import annotations

from dataclasses import dataclass

Rows = list[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its title, and lines of explanation below it; the first row has the names of the columns.

    ``kind`` tells sections apart, in whatever words their titles are. Sections in ``detail`` are left out where there
    is little room. ``breaks`` are the rows, counted without the first one, before which another kind of thing begins.
    """

    kind: str
    title: str
    rows: Rows
    notes: tuple[str, ...] = ()
    detail: bool = False
    breaks: tuple[int, ...] = ()
