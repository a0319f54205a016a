"""Limits that client and server share, and the default limits of a server."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from merger.errors import ParameterError

DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""The largest message that a server or client sends or takes unless told otherwise, in bytes of the encoded message.

A document of 1,000,000 tokens with tags and 300,000 mentions is about 22 MiB. gRPC's own limit is 4 MiB, on receipt.
"""

MAX_VIOLATIONS = 20
"""How many violations of a request are reported at most."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest document that a server merges, counted before any work on it.

    For a stream the numbers hold for all of its parts together, and ``stream_bytes`` for all of its messages. The gold
    merges of a request can have as many chains and mentions as its document, counted separately. The defaults have room
    for ten novels in one document; a worker of 2 GiB can hold it.
    """

    parts: int = 10_000
    sentences: int = 500_000
    tokens: int = 2_000_000
    chains: int = 500_000
    mentions: int = 1_000_000
    stream_bytes: int = 512 * 1024 * 1024

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for a limit below 1."""
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if value < 1:
                raise ParameterError(f"{{{name}}}: {value} is not a whole number from 1")


DEFAULT_LIMITS: Final = Limits()


class Longest:
    """The longest texts that a server accepts, in characters (code points), and the most entries of short lists.

    They are far above the values of annotated corpora, so operators can't change them.
    """

    TEXT: Final = 1_000
    """Of an id, a genre, a speaker, a tag; of a strategy's and an option's name and an option's value."""
    FORM: Final = 10_000
    """Of a token."""
    OPTIONS: Final = 100
    """Options set in a request."""
    PIECES: Final = 100
    """Stretches of a discontinuous mention."""


def shorten(text: str, max_bytes: int) -> str:
    """The text, cut with an ellipsis so that it has at most ``max_bytes`` bytes in UTF-8.

    What servers send with an error travels in HTTP headers, of which most gRPC clients take 8 KiB in all.
    """
    data = text.encode("utf-8", "replace")
    if len(data) <= max_bytes:
        return text
    return data[: max_bytes - 3].decode("utf-8", "ignore") + "…"
