"""How ids from a file appear in messages."""

from __future__ import annotations


def shown(name: str) -> str:
    """The id as it stands, or quoted and escaped if it would not be seen or would break the message's line."""
    return name if name and name.isprintable() else repr(name)
