"""Documents that strategies failed on, grouped by reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from client.evaluation.comparison.data import StrategySummary
from client.evaluation.failures import by_reason, shared_text


@dataclass(frozen=True, slots=True)
class SharedFailure:
    """A failure that ``strategies`` share; ``failed`` has each document's id and error, with its location."""

    strategies: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """One line: the strategies, the reason, and the number of documents."""
        _, first = self.failed[0]
        return f"{', '.join(self.strategies)}: {shared_text(first, len(self.failed))}"


def shared_failures(strategies: Sequence[StrategySummary]) -> list[SharedFailure]:
    """The failures by reason; strategies that failed on the same documents share an entry."""
    names: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for strategy in strategies:
        for group in by_reason(strategy.failures, lambda outcome: outcome.reason or outcome.failure):
            failed = tuple((outcome.document, outcome.failure or "") for outcome in group)
            names.setdefault(failed, []).append(strategy.name)
    return [SharedFailure(tuple(found), failed) for failed, found in names.items()]
