"""Notices for the user that do not stop the work: repairs, losses, odd input.

Readers, writers and mergers report to a :class:`Notices` object. Each kind of notice is kept once, with its first place
and a count, so that 3,000 repaired lines make one message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from merger.errors import InputError, Location
from merger.message_text import one_line


class Policy(Enum):
    """How to treat faulty input.

    ``STRICT`` turns every repair into an error. ``NORMAL`` repairs what has one obvious meaning, with a notice, and
    stops at what contradicts itself. ``LENIENT`` also repairs the latter, by the documented rule of each case.
    """

    STRICT = "strict"
    NORMAL = "normal"
    LENIENT = "lenient"


@dataclass(frozen=True, slots=True)
class Notice:
    """One kind of notice: its first message and place, and its count."""

    kind: str
    message: str
    location: Location
    count: int

    def __str__(self) -> str:
        place = str(self.location)
        text = one_line(f"{place}: {self.message}" if place else self.message)
        if self.count == 1:
            return text
        return f"{text} [{self.count} times, this is the first]" if place else f"{text} [{self.count} times]"


@dataclass(slots=True)
class Notices:
    """Collects notices under a policy."""

    policy: Policy = Policy.NORMAL
    _seen: dict[str, Notice] = field(default_factory=dict)

    def add(self, kind: str, message: str, location: Location | None = None, count: int = 1) -> None:
        """Record something that no policy treats as an error, such as annotation that a format cannot carry."""
        first = self._seen.get(kind)
        if first is None:
            self._seen[kind] = Notice(kind, message, location or Location(), count)
        else:
            self._seen[kind] = Notice(kind, first.message, first.location, first.count + count)

    def extend(self, notices: Iterable[Notice]) -> None:
        """Add the notices of another collector."""
        for notice in notices:
            self.add(notice.kind, notice.message, notice.location, notice.count)

    def warn(self, kind: str, error: InputError) -> None:
        """Record a repair that has one obvious meaning; under ``STRICT`` raise ``error`` instead."""
        if self.policy is Policy.STRICT:
            raise error
        self.add(kind, _with_expectation(error), error.location)

    def repair(self, kind: str, error: InputError, repair: str) -> None:
        """Raise ``error``, unless the policy is ``LENIENT``: then record that ``repair`` was done instead."""
        if self.policy is not Policy.LENIENT:
            if error.hint is None:
                error.hint = f"with policy lenient: {repair}"
            raise error
        self.add(kind, f"{_with_expectation(error)}: {repair}", error.location)

    def __iter__(self) -> Iterator[Notice]:
        return iter(self._seen.values())

    def __len__(self) -> int:
        return len(self._seen)


def _with_expectation(error: InputError) -> str:
    return f"{error.message}; expected {error.expected}" if error.expected else error.message
