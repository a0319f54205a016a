"""The lines around a CoNLL-2012 block: where it begins and ends, and its part number."""

from __future__ import annotations

import re

MOST_DIGITS = 9
"""Digits of the greatest part number. More would not fit into the messages of the service."""

_END = re.compile(r"#\s?end document\b")
_BEGIN = re.compile(r"#\s?begin document\b\s*(?:\((?P<id>.*)\)|(?P<bare>[^;]*?))\s*;?\s*(?:part\s+(?P<part>\S+))?\s*$")


def is_end(line: str) -> bool:
    """Whether a line is an ``#end document``."""
    return line.startswith("#") and _END.match(line) is not None


def parse_begin(line: str) -> tuple[str, str | None] | None:
    """The document id (can be empty) and the part, as written, in a ``#begin document`` line; ``None`` for others."""
    match = _BEGIN.match(line)
    if match is None:
        return None
    return (match["id"] if match["id"] is not None else match["bare"] or "").strip(), match["part"]


def part_number(text: str | None) -> int | None:
    """A part number as text; ``None`` if it is not a number or has too many digits."""
    if text is None or not text.isdecimal() or len(text.lstrip("0")) > MOST_DIGITS:
        return None
    return int(text[-MOST_DIGITS:])
