"""What a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARN = "warn"
    """Something is missing or tight that not everybody needs."""
    FAIL = "fail"
    """Something that is set up, or was asked for, does not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``found`` is what is there, ``advice`` what to do about it; empty where there is nothing to do."""

    check: str
    level: Level
    found: str
    advice: str = ""


FEATURES = ("serve", "corenlp", "stanza", "spacy", "report", "metrics", "otel", "ray")
"""What somebody may want to use: then what it needs must be there."""
