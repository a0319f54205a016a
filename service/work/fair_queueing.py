"""Weighted fair queueing between size classes.

Demers, Keshav and Shenker (1989), "Analysis and Simulation of a Fair Queueing Algorithm". A flow is a size class here,
its cost the expected seconds of work, and its weight the work that callers offered lately. So, under overload, the same
fraction of each class gets done, whatever the sizes. Work is not interrupted, so the order depends on started work.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Final, Generic, Protocol, TypeVar

HORIZON_SECONDS: Final = 30.0
"""Work this many seconds ago counts 1/e of work now. The server counts as overloaded this long after a refusal."""


class Queued(Protocol):
    """A document that waits."""

    @property
    def arrived(self) -> float:
        """Time of arrival, in seconds."""

    @property
    def expected(self) -> float:
        """Expected seconds of work."""


Job = TypeVar("Job", bound=Queued)


@dataclass(eq=False)
class SizeClass(Generic[Job]):
    """The documents of one size class. Within the class, first come is first served."""

    waiting: deque[Job] = field(default_factory=deque)
    offered: float = 0.0
    """Seconds of work offered lately, refused work included."""
    started: float = 0.0
    """Seconds of work that were started lately."""

    @property
    def backlog(self) -> float:
        """Seconds of work that wait."""
        return sum(job.expected for job in self.waiting)

    @property
    def share(self) -> float:
        """The fraction of its offered work that was started: its virtual time."""
        return self.started / self.offered if self.offered else 0.0


class FairQueue(Generic[Job]):
    """First come, first served; under overload, the class with the smallest share comes first."""

    def __init__(self, classes: int) -> None:
        self.classes: list[SizeClass[Job]] = [SizeClass() for _ in range(classes)]
        self._now = 0.0
        self._overloaded_until = -math.inf

    def __len__(self) -> int:
        return sum(len(each.waiting) for each in self.classes)

    def offer(self, size_class: SizeClass[Job], seconds: float, now: float) -> None:
        """Count work that a caller asks for, even if it is refused."""
        fade = math.exp(min(0.0, self._now - now) / HORIZON_SECONDS)
        for each in self.classes:
            each.offered *= fade
            each.started *= fade
        self._now = now
        size_class.offered += seconds

    def note_refusal(self, now: float) -> None:
        """Note that a document was refused: for a while, classes are served by their shares."""
        self._overloaded_until = now + HORIZON_SECONDS

    def order(self, now: float) -> list[SizeClass[Job]]:
        """The classes with waiting documents, in the order in which to serve them."""
        waiting = [each for each in self.classes if each.waiting]
        if now < self._overloaded_until:
            return sorted(waiting, key=lambda each: (each.share, each.waiting[0].arrived))
        return sorted(waiting, key=lambda each: each.waiting[0].arrived)

    def ahead(self, size_class: SizeClass[Job], now: float) -> float:
        """Seconds of waiting work that will start before a document of this class that arrives now."""
        own = size_class.backlog
        others = [each for each in self.classes if each is not size_class]
        if now >= self._overloaded_until or not size_class.offered:
            return own + sum(each.backlog for each in others)
        turn = (size_class.started + own) / size_class.offered
        return own + sum(min(each.backlog, max(0.0, turn * each.offered - each.started)) for each in others)
