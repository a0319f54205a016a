"""The worker pools: one pair for the strategies without a backend, and one for each strategy with a backend.

A pair has a pool for whole documents and a pool for streams. So a stream, whose state is in one worker, never waits
behind a document, and a worker that is killed in the middle of a document takes no stream with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.options import ServerOptions
from service.strategies import ServedStrategies
from service.work.executor import Executor
from service.work.pool import WorkerPool
from service.work.process_worker import ProcessWorker
from service.work.queue import DocumentQueue
from service.work.sessions import StreamSessions
from service.work.thread_worker import ThreadWorker

USUAL: Final = "usual"
"""The name of the pair for strategies without a backend; other pairs have the name of their strategy."""

LARGE_BYTES: Final = 1024 * 1024
"""A document is large if its message is larger than this: 75,000 tokens with tags, a third of a second of work."""

BACKEND_LARGE_BYTES: Final = 64 * 1024
"""Like :data:`LARGE_BYTES`, for strategies with a backend, which take much longer for the same text."""

_STREAM_SLOTS: Final = 4
_KILL_SECONDS: Final = 2.0
_KILL_STREAM_SECONDS: Final = 10.0
"""Longer than for documents: other streams have their state in the same process, and it would have to be rebuilt."""


@dataclass(frozen=True, slots=True)
class PoolPair:
    """A queue before a pool for whole documents, and a pool for streams."""

    documents: DocumentQueue
    streams: StreamSessions

    async def start(self) -> None:
        """Start the pools. Raises :class:`~service.errors.ServerStartError`."""
        # Wait for both, so that neither is left half started and unclosed.
        results = await asyncio.gather(self.documents.pool.start(), self.streams.pool.start(), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    @property
    def can_work(self) -> bool:
        """Whether there are workers for documents and for streams."""
        return self.documents.pool.can_work and self.streams.pool.can_work

    def listen(self, listener: Callable[[bool], None]) -> None:
        """Call ``listener`` with :attr:`can_work` whenever it can have changed."""
        for pool in (self.documents.pool, self.streams.pool):
            pool.listen(lambda: listener(self.can_work))

    async def close(self) -> None:
        """End the pools and their work in progress."""
        await asyncio.gather(self.documents.pool.close(), self.streams.pool.close())


def process_pools(options: ServerOptions) -> PoolPair:
    """``workers`` processes for documents, and as many for streams."""

    def worker(slots: int, kill_seconds: float) -> ProcessWorker:
        return ProcessWorker(slots, kill_seconds, options.limits, taggers=options.enable_taggers, warm=options.warm)

    documents = WorkerPool(lambda: worker(1, _KILL_SECONDS), options.workers)
    streams = WorkerPool(lambda: worker(_STREAM_SLOTS, _KILL_STREAM_SECONDS), options.workers)
    return _pool_pair(options, documents, streams, LARGE_BYTES)


def thread_pools(options: ServerOptions, strategies: ServedStrategies) -> PoolPair:
    """One thread of this process for documents, and one for streams."""
    documents = WorkerPool(lambda: ThreadWorker(Executor(strategies, options.limits), 1, "documents"), 1)
    streams = WorkerPool(lambda: ThreadWorker(Executor(strategies, options.limits), 1, "streams"), 1)
    return _pool_pair(options, documents, streams, LARGE_BYTES)


def backend_pools(options: ServerOptions, strategies: ServedStrategies) -> PoolPair:
    """Threads of this process that wait for shared backends."""
    slots = options.backend_threads
    documents = WorkerPool(lambda: ThreadWorker(Executor(strategies, options.limits), slots, "backend-documents"), 1)
    streams = WorkerPool(lambda: ThreadWorker(Executor(strategies, options.limits), slots, "backend-streams"), 1)
    return _pool_pair(options, documents, streams, BACKEND_LARGE_BYTES)


def _pool_pair(options: ServerOptions, documents: WorkerPool, streams: WorkerPool, large_bytes: int) -> PoolPair:
    return PoolPair(
        DocumentQueue(documents, options.queue, large_bytes), StreamSessions(streams, options.replay_bytes, large_bytes)
    )
