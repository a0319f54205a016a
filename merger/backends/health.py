"""The health of a backend's server or model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class HealthState(StrEnum):
    """The states that a health check of a backend can find."""

    IDLE = "idle"
    """Nothing is started: the next document starts it."""
    STARTING = "starting"
    """It loads what it needs; documents wait for it."""
    WELL = "well"
    """It answers, or nothing is running that could fail."""
    SLOW = "slow"
    """It does not answer yet, but uses the processor."""
    HUNG = "hung"
    """It does not answer and uses no processor time."""
    GONE = "gone"
    """It has ended, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Health:
    """The result of a health check. For unhealthy states ``reason`` is a phrase to follow the backend's name."""

    state: HealthState
    reason: str = ""
