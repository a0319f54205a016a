"""Limits that both ends of the wire know."""

from __future__ import annotations

DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""The largest message that a server or client sends or takes unless told otherwise, in bytes of the encoded message.

A document of 1,000,000 tokens with tags and 300,000 mentions is about 22 MiB. gRPC's own limit is 4 MiB, on receipt.
"""

MAX_VIOLATIONS = 20
"""How many violations of a request are reported at most."""


def shorten(text: str, max_bytes: int) -> str:
    """The text, cut with an ellipsis so that it has at most ``max_bytes`` bytes in UTF-8.

    What servers send with an error travels in HTTP headers, of which most gRPC clients take 8 KiB in all.
    """
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return text
    return data[: max_bytes - 3].decode("utf-8", "ignore") + "…"
