"""Deadline, cancellation and progress of one piece of work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


def _nothing() -> None:
    return None


def _silent(_stage: str, _done: int, _total: int) -> None:
    return None


@dataclass(slots=True)
class WorkContext:
    """The context of one piece of long work.

    ``deadline`` is a time of ``time.monotonic()``, ``None`` for no limit. ``check`` raises whatever exception should
    end the work; long work calls it at least every half second. ``progress`` takes a stage, how much of it is done, and
    how much there is.
    """

    deadline: float | None = None
    check: Callable[[], None] = field(default=_nothing)
    progress: Callable[[str, int, int], None] = field(default=_silent)

    def remaining(self) -> float | None:
        """Seconds until the deadline, not below 0; ``None`` if there is no deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
