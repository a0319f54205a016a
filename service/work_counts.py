"""What work came to, in numbers: for metrics and logs."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final, Self

_NUMBERS: Final = struct.Struct("<5I")
_MOST: Final = 2**32 - 1


@dataclass(slots=True)
class Tally:
    """Of a document, or of what was done of it.

    ``strategy`` is the name of the one that was used. ``linked`` are decisions for an antecedent, ``new`` those for a
    new chain, ``chains`` are merged chains, counted when the document is done.
    """

    strategy: str = ""
    documents: int = 0
    parts: int = 0
    linked: int = 0
    new: int = 0
    chains: int = 0

    def pack(self) -> bytes:
        """As bytes, for another process."""
        numbers = (self.documents, self.parts, self.linked, self.new, self.chains)
        return _NUMBERS.pack(*(min(number, _MOST) for number in numbers)) + self.strategy.encode()

    @classmethod
    def unpack(cls, data: bytes) -> Self:
        """What :meth:`pack` made the bytes of; no bytes are an empty tally."""
        if not data:
            return cls()
        return cls(data[_NUMBERS.size :].decode(), *_NUMBERS.unpack_from(data))
