"""Errors in a request: the fields that are wrong, and the exception that carries them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from merger.errors import AnnotationError, Location


@dataclass(frozen=True, slots=True)
class Violation:
    """A field of the request, as a path from its root, and what was found and expected there."""

    field: str
    description: str

    def __str__(self) -> str:
        return f"{self.field}: {self.description}"


class InvalidRequestError(AnnotationError):
    """A request, and with it the document in it, contradicts itself. ``violations`` has all that is reported."""

    def __init__(self, message: str, location: Location | None = None, *, violations: Sequence[Violation] = ()) -> None:
        super().__init__(message, location)
        self.violations = tuple(violations)


def request_error(violations: Sequence[Violation], location: Location | None = None) -> InvalidRequestError:
    """The error that reports these one or more violations."""
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    return InvalidRequestError(f"{violations[0]}{more}", location, violations=violations)
