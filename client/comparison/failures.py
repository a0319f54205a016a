"""Documents that strategies failed on, each reason once with all that share it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from client.comparison.data import StrategySummary


@dataclass(frozen=True, slots=True)
class SharedFailure:
    """What the ``strategies`` say of the ``documents``; ``first`` is the error of the first one, with its place."""

    strategies: tuple[str, ...]
    documents: tuple[str, ...]
    first: str

    def __str__(self) -> str:
        """One line: who failed, why, and on how many documents."""
        count = len(self.documents)
        shared = f" [{count:,} documents, this is the first]" if count > 1 else ""
        return f"{', '.join(self.strategies)}: {self.first}{shared}"


def shared_failures(strategies: Sequence[StrategySummary]) -> list[SharedFailure]:
    """The failures by reason: one entry for all documents, and for strategies that failed on the same ones."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for strategy in strategies:
        for each in strategy.failures:
            reason = each.reason or each.failure or ""
            found.setdefault((strategy.name, reason), []).append((each.document, each.failure or ""))
    merged: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for (name, reason), documents in found.items():
        merged.setdefault((reason, tuple(documents)), []).append(name)
    return [
        SharedFailure(tuple(names), tuple(document for document, _ in documents), documents[0][1])
        for (_, documents), names in merged.items()
    ]
