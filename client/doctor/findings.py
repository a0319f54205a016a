"""Findings of checks."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARN = "warn"
    """Something is missing or scarce that not everybody needs."""
    FAIL = "fail"
    """Something does not work that is set up or was asked for."""


@dataclass(frozen=True, slots=True)
class Finding:
    """``found`` is the state that was found, ``advice`` what to do about it, or empty."""

    check: str
    level: Level
    found: str
    advice: str = ""


FEATURES = ("serve", "corenlp", "stanza", "spacy", "report", "metrics", "otel", "ray")
"""The features that ``doctor --for`` takes."""
