"""How what a backend has started is, as seen from outside."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class HealthState(StrEnum):
    """What a look at a backend finds."""

    IDLE = "idle"
    """Nothing is started: the next document starts it."""
    STARTING = "starting"
    """It loads what it needs; documents wait for it."""
    WELL = "well"
    """It answers, or there is nothing that could fail to."""
    SLOW = "slow"
    """It does not answer, but computes: perhaps it will."""
    HUNG = "hung"
    """It does not answer and does nothing."""
    GONE = "gone"
    """It has ended, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Health:
    """What was found. ``reason`` says it in words that fit after the backend's name, for states that are not well."""

    state: HealthState
    reason: str = ""
