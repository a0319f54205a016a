"""Formats names and texts from files for messages, which are always one line."""

from __future__ import annotations

from collections.abc import Iterable


def printable(name: str) -> str:
    """The id unchanged, or quoted and escaped if it is empty or has invisible characters or line breaks."""
    return name if name and name.isprintable() else repr(name)


def one_line(text: str) -> str:
    """The text with line breaks and invisible characters escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def plain_number(value: float) -> str:
    """A number without rounding noise in its last digits, and without an exponent unless it is very large or small."""
    return f"{value:.15g}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question about the known name that is nearest to a name that is not known, if one is near."""
    # Imported here because few messages need it.
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]}?)" if near else ""


def shorten(text: str, length: int = 40) -> str:
    """A text for a message: its beginning."""
    text = text.strip()
    return text if len(text) <= length else text[: length - 3] + "..."
