"""The groups of documents in breakdowns, with the bounds of the paper."""

from __future__ import annotations

from collections.abc import Sequence

LONG = 2000
"""The largest number of tokens of a short document (LongtoNotes 4.2, Table 4)."""
MANY = 40
"""The largest number of merged chains of a document with few chains (LongtoNotes 4.2, Table 6)."""
LENGTH_BINS = (500, 1000, 2000, 4000, 8000)
"""Upper ends of the finer bins of document length, in tokens."""


def genre_group(genre: str | None) -> tuple[int, str]:
    """The order and the name of a genre's group."""
    return (0, genre) if genre else (1, "unknown")


def bin_group(value: int, ends: Sequence[int], unit: str) -> tuple[int, str]:
    """The order and the name of the bin that a value is in; ``ends`` are inclusive upper ends."""
    for index, end in enumerate(ends):
        if value <= end:
            first = f"{ends[index - 1] + 1:,} to" if index else "up to"
            return index, f"{first} {end:,} {unit}"
    return len(ends), f"over {ends[-1]:,} {unit}"
