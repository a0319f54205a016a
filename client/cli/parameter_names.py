"""What the command line calls the parameters of the Python interface."""

from __future__ import annotations

from dataclasses import fields
from typing import Final

from protos.limits import Limits

_OTHERS: Final = {
    **{each.name: f"--max-{each.name}" for each in fields(Limits)},
    "enable_taggers": "--enable-tagger",
    "grace_seconds": "--grace",
    "max_connection_age_seconds": "--max-connection-age",
}


def option_of(parameter: str) -> str:
    """The option that sets a parameter."""
    return _OTHERS.get(parameter) or f"--{parameter.replace('_', '-')}"
