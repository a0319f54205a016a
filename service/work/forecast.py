"""How long work will take and wait, by how long work of its size took before."""

from __future__ import annotations

from typing import Final

_SMALL_BYTES: Final = 64 * 1024
"""Of smaller messages most of the time does not go by their size."""
_FIRST_SECONDS: Final = 0.002
_FIRST_SECONDS_PER_BYTE: Final = 0.35 / 2**20
_WEIGHT_OF_LAST: Final = 0.1

_WAIT_SHARE: Final = 0.25
"""Small documents that would wait longer than this share of the time that is left are refused. The rest is for work
that takes longer than expected, and for large documents, which would find the time used up by small ones."""
_SHORT_DONE_SHARE: Final = 0.28
"""Small documents that would be done by this share of the time that is left need not keep to the wait above. So the
shortest are the last to be refused: they hardly delay the others."""
_DONE_SHARE: Final = 0.8
"""By this share of the time that is left, work must be expected to be done."""


class Forecast:
    """Seconds for a message: some for any, and some for each of its bytes."""

    def __init__(self) -> None:
        self._seconds = _FIRST_SECONDS
        self._per_byte = _FIRST_SECONDS_PER_BYTE

    def of(self, size: int) -> float:
        """How long a message of so many bytes will take, in seconds."""
        return self._seconds + self._per_byte * size

    def learn(self, size: int, seconds: float) -> None:
        """Take note of how long one took."""
        if size <= _SMALL_BYTES:
            self._seconds += _WEIGHT_OF_LAST * (max(0.0, seconds - self._per_byte * size) - self._seconds)
        else:
            self._per_byte += _WEIGHT_OF_LAST * (max(0.0, seconds - self._seconds) / size - self._per_byte)


def too_late_by(wait: float, work: float, left: float, *, large: bool = False) -> float:
    """How many seconds too late work would begin that is to wait and to take so long; 0 or less if it would not.

    ``left`` are the seconds until its deadline.
    """
    may_wait = _DONE_SHARE * left - work
    if not large:
        may_wait = min(may_wait, max(_WAIT_SHARE * left, _SHORT_DONE_SHARE * left - work))
    return wait - may_wait
