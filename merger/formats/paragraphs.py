"""Text in pieces: readers take whole sentences where they can, and single lines where they must."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

_END = re.compile(r"\n\n(?=\S)")
_COMMENTS = re.compile(r"(?:#[^\n]*\n?)+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def split_lines(text: str) -> list[str]:
    """The lines of a text with their ends. Only LF ends a line."""
    return _LINE.findall(text)


def paragraphs(texts: Iterable[str]) -> Iterator[str]:
    r"""Cut texts, each of whole lines, after their empty lines.

    A piece ends in ``\n\n`` only if no blank line follows: its sentence is complete. At the end of a text, where
    the next text is not known, the last piece ends before its empty lines, which are a separate piece.
    """
    for text in texts:
        start = 0
        for match in _END.finditer(text):
            yield text[start : match.end()]
            start = match.end()
        rest = text[start:]
        cut = len(rest.rstrip("\n")) + 1
        if rest[:cut]:
            yield rest[:cut]
        if rest[cut:]:
            yield rest[cut:]


def comments_first(text: str) -> Sequence[str]:
    """A text cut after the lines with ``#`` at its start."""
    comments = _COMMENTS.match(text)
    if comments is None:
        return (text,)
    return (comments[0], text[comments.end() :]) if comments.end() < len(text) else (text,)
