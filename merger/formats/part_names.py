"""Recognises document ids that look like ids of parts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from merger.message_text import printable

_NUMBERED = re.compile(r"(?P<document>.+?)(?P<mark>[._:-](?:part|p)?[._:-]?)(?P<part>\d{1,4})")


def document_of_part(name: str) -> str | None:
    """The document that an id would be a part of, if it ends in a number."""
    found = _NUMBERED.fullmatch(name)
    return None if found is None else found["document"]


def look_like_parts(names: Iterable[str]) -> str | None:
    """A note about two ids that differ only in a number at the end, with the pattern that joins them as parts."""
    first: dict[tuple[str, str], str] = {}
    for name in names:
        found = _NUMBERED.fullmatch(name)
        if found is None:
            continue
        before = first.setdefault((found["document"], found["mark"]), name)
        if before != name:
            pattern = rf"(?P<document>.*){re.escape(found['mark'])}(?P<part>\d+)"
            names = f"{printable(before)} and {printable(name)}"
            return f"{names} look like parts: option part_pattern '{pattern}' joins such ids"
    return None
