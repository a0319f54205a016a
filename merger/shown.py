"""How names and texts from a file appear in messages, which are always one line."""

from __future__ import annotations


def shown(name: str) -> str:
    """The id as it stands, or quoted and escaped if it would not be seen or would break the message's line."""
    return name if name and name.isprintable() else repr(name)


def one_line(text: str) -> str:
    """The text with what would break its line, or not be seen, escaped."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def shorten(text: str, length: int = 40) -> str:
    """A text for a message: its beginning."""
    text = text.strip()
    return text if len(text) <= length else text[: length - 3] + "..."
