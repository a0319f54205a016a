"""Failures by reason, each with the number of documents that share it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Failure = TypeVar("Failure")


def by_reason(failures: Iterable[Failure], reason: Callable[[Failure], Hashable]) -> list[list[Failure]]:
    """Groups of failures with the same reason, in the order of their first failures."""
    groups: dict[Hashable, list[Failure]] = {}
    for failure in failures:
        groups.setdefault(reason(failure), []).append(failure)
    return list(groups.values())


def shared_text(first: object, documents: int) -> str:
    """The text of the first failure of a group, and how many documents share its reason."""
    return f"{first} [{documents:,} documents, this is the first]" if documents > 1 else str(first)
