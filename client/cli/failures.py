"""Documents that are left out, as reported on standard error and in JSON: each error once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from client.cli.messages import print_error
from client.cli.option_names import with_flags
from client.evaluation.failures import by_reason, shared_text
from merger.errors import InputError, Location


class NothingLeftError(InputError):
    """All documents failed. Raised while outputs are open, so that no empty output is left."""

    def __init__(self, failures: Sequence[InputError]) -> None:
        self.failures = tuple(failures)
        super().__init__("no document is left")


def show_failures(failures: Iterable[InputError]) -> None:
    """Print errors on standard error. Documents with the same error share a line."""
    for group in _groups(failures):
        print_error(shared_text(group[0], len(group)), group[0].location)


def failures_data(failures: Iterable[InputError]) -> list[dict[str, Any]]:
    """Errors as JSON data. Documents with the same error share an object: the first location and the ``others``."""
    return [
        {
            "message": with_flags(group[0].reason),
            "text": with_flags(shared_text(group[0], len(group))),
            "count": len(group),
            **_place(group[0].location),
            "others": [_place(error.location) for error in group[1:]],
        }
        for group in _groups(failures)
    ]


def _groups(failures: Iterable[InputError]) -> list[list[InputError]]:
    return by_reason(failures, lambda error: (type(error), error.reason))


def _place(place: Location) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "document": place.document, "part": place.part}
