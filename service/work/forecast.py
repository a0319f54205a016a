"""Forecasts of how long work takes and waits, learnt from earlier work of its size."""

from __future__ import annotations

from typing import Final

_SMALL_BYTES: Final = 64 * 1024
"""For smaller messages, most of the time does not depend on the size."""
_FIRST_SECONDS: Final = 0.002
_FIRST_SECONDS_PER_BYTE: Final = 0.35 / 2**20
_WEIGHT_OF_LAST: Final = 0.1

_WAIT_SHARE: Final = 0.25
"""A small document that would wait longer than this share of its remaining time is refused. The rest of the time is
for work that takes longer than expected, and for large documents, which small ones would otherwise crowd out."""
_SHORT_DONE_SHARE: Final = 0.28
"""A small document that would be done within this share of its remaining time is exempt from the limit above. So the
shortest documents are refused last: they hardly delay others."""
_DONE_SHARE: Final = 0.8
"""Work is refused unless it will probably be done within this share of its remaining time."""


class Forecast:
    """Expected seconds for a message: a constant, and a rate per byte."""

    def __init__(self) -> None:
        self._seconds = _FIRST_SECONDS
        self._per_byte = _FIRST_SECONDS_PER_BYTE

    def of(self, size: int) -> float:
        """Expected seconds of work for a message of ``size`` bytes."""
        return self._seconds + self._per_byte * size

    def learn(self, size: int, seconds: float) -> None:
        """Learn from a message of ``size`` bytes that took ``seconds``."""
        if size <= _SMALL_BYTES:
            self._seconds += _WEIGHT_OF_LAST * (max(0.0, seconds - self._per_byte * size) - self._seconds)
        else:
            self._per_byte += _WEIGHT_OF_LAST * (max(0.0, seconds - self._seconds) / size - self._per_byte)


def too_late_by(wait: float, work: float, left: float, *, large: bool = False) -> float:
    """By how many seconds work would start too late; 0 or less if it starts in time.

    ``wait`` are the seconds before it starts, ``work`` those that it takes, and ``left`` those until its deadline.
    """
    may_wait = _DONE_SHARE * left - work
    if not large:
        may_wait = min(may_wait, max(_WAIT_SHARE * left, _SHORT_DONE_SHARE * left - work))
    return wait - may_wait
