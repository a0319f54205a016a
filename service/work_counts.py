"""Counts of finished work, for metrics and logs."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Self

_NUMBERS: Final = struct.Struct("<5I")
_MOST: Final = 2**32 - 1


@dataclass(slots=True)
class WorkCounts:
    """Counts for a document, or for some of its parts.

    ``strategy`` is the name of its strategy. ``linked`` counts decisions for an antecedent, ``new`` those for a new
    chain. ``chains`` counts merged chains; they are added when the document is done.
    """

    strategy: str = ""
    documents: int = 0
    parts: int = 0
    linked: int = 0
    new: int = 0
    chains: int = 0

    def pack(self) -> bytes:
        """Encode as bytes, for another process."""
        numbers = (self.documents, self.parts, self.linked, self.new, self.chains)
        return _NUMBERS.pack(*(min(number, _MOST) for number in numbers)) + self.strategy.encode()

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """Decode the bytes of :meth:`pack`; no bytes give zero counts."""
        if not data:
            return cls()
        return cls(data[_NUMBERS.size :].decode(), *_NUMBERS.unpack_from(data))
