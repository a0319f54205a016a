"""Documents that are left out: what is told of them on standard error and in JSON, each error once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from client.cli.messages import say_error
from client.cli.parameter_names import with_flags
from merger.errors import InputError, Location


class NothingLeftError(InputError):
    """No document could be read, or worked on. Raised where outputs are open, so that none is left empty."""

    def __init__(self, failures: Sequence[InputError]) -> None:
        self.failures = tuple(failures)
        super().__init__("no document is left")


def show_failures(failures: Iterable[InputError]) -> None:
    """Print errors on standard error, a line for all documents that share one."""
    for group in _groups(failures):
        say_error(_text(group), group[0].location)


def failures_data(failures: Iterable[InputError]) -> list[dict[str, Any]]:
    """Errors as JSON data: what all documents that share one have in common, the first place, and the ``others``."""
    return [
        {
            "message": with_flags(group[0].reason),
            "text": with_flags(_text(group)),
            "count": len(group),
            **_place(group[0].location),
            "others": [_place(error.location) for error in group[1:]],
        }
        for group in _groups(failures)
    ]


def _groups(failures: Iterable[InputError]) -> list[list[InputError]]:
    groups: dict[tuple[type[InputError], str], list[InputError]] = {}
    for error in failures:
        groups.setdefault((type(error), error.reason), []).append(error)
    return list(groups.values())


def _text(group: Sequence[InputError]) -> str:
    """An error with its place, and how many documents share it."""
    return f"{group[0]} [{len(group)} documents, this is the first]" if len(group) > 1 else str(group[0])


def _place(place: Location) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "document": place.document, "part": place.part}
