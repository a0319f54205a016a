"""A snapshot of the server in numbers, for metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from merger.backends.health import HealthState
from service.work.backend_pools import PoolPair
from service.work.backend_supervisor import Supervisor
from service.work.budget import Budget, Slots
from service.work.pool import WorkerPool


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue for whole documents: how many wait, are in progress, and can wait."""

    name: str
    waiting: int
    in_progress: int
    length: int


@dataclass(frozen=True, slots=True)
class WorkerPoolState:
    """A worker pool for ``documents`` or ``streams``: live workers, and how many died and were replaced."""

    name: str
    kind: str
    workers: int
    restarts: int


@dataclass(frozen=True, slots=True)
class BackendState:
    """An enabled backend. ``up`` is whether calls for it are accepted."""

    strategy: str
    backend: str
    state: HealthState
    up: bool
    restarts: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``bytes_held`` counts messages that wait, are in progress, or are on their way out."""

    queues: tuple[QueueState, ...] = ()
    pools: tuple[WorkerPoolState, ...] = ()
    streams_open: int = 0
    streams_limit: int = 0
    bytes_held: int = 0
    bytes_limit: int = 0
    backends: tuple[BackendState, ...] = ()


def take_snapshot(
    pools: Mapping[str, PoolPair], budget: Budget, streams: Slots, supervisor: Supervisor | None
) -> Snapshot:
    """Take a snapshot. ``pools`` go by their names. Only reads, so that any thread can call it."""
    return Snapshot(
        tuple(
            QueueState(name, pair.documents.waiting, pair.documents.in_progress, pair.documents.length)
            for name, pair in pools.items()
        ),
        tuple(
            state
            for name, pair in pools.items()
            for state in (_pool(name, "documents", pair.documents.pool), _pool(name, "streams", pair.streams.pool))
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


def _pool(name: str, kind: str, pool: WorkerPool) -> WorkerPoolState:
    return WorkerPoolState(name, kind, len(pool.workers), pool.restarts)
