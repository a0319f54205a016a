"""What a server is at now, in numbers: for metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from merger.backends.health import HealthState
from service.work.backend_pools import Place
from service.work.backend_supervisor import Supervisor
from service.work.budget import Budget, Slots
from service.work.pool import Crew


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue for whole documents: how many wait, are in work, and may wait."""

    place: str
    waiting: int
    in_work: int
    length: int


@dataclass(frozen=True, slots=True)
class CrewState:
    """Workers of a kind (``documents``, ``streams``): how many there are, and how many died and were replaced."""

    place: str
    kind: str
    workers: int
    restarts: int


@dataclass(frozen=True, slots=True)
class BackendState:
    """An enabled backend. ``up`` is whether calls for it are let in."""

    strategy: str
    backend: str
    state: HealthState
    up: bool
    restarts: int


@dataclass(frozen=True, slots=True)
class ServerState:
    """``bytes_held`` are those of messages that wait, are in work, or are on their way out."""

    queues: tuple[QueueState, ...] = ()
    crews: tuple[CrewState, ...] = ()
    streams_open: int = 0
    streams_limit: int = 0
    bytes_held: int = 0
    bytes_limit: int = 0
    backends: tuple[BackendState, ...] = ()


def server_state(
    places: Mapping[str, Place], budget: Budget, streams: Slots, supervisor: Supervisor | None
) -> ServerState:
    """The state of these. ``places`` have names. Only reads, so that another thread than the loop's may ask."""
    return ServerState(
        tuple(
            QueueState(name, place.documents.waiting, place.documents.in_work, place.documents.length)
            for name, place in places.items()
        ),
        tuple(
            state
            for name, place in places.items()
            for state in (_crew(name, "documents", place.documents.crew), _crew(name, "streams", place.streams.crew))
        ),
        streams.open,
        streams.limit,
        budget.held,
        budget.limit,
        tuple(
            BackendState(guard.name, guard.backend.signature, guard.state, not guard.down, guard.restarts)
            for guard in (() if supervisor is None else supervisor.guards)
        ),
    )


def _crew(place: str, kind: str, crew: Crew) -> CrewState:
    return CrewState(place, kind, len(crew.workers), crew.restarts)
