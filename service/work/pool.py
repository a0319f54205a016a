"""The server's worker pool: keeps a number of workers alive.

``merge --jobs`` has another pool, :mod:`client.engines.process_engine`. This one lives on an event loop, passes raw
messages, cancels single tasks, and lets a stream stay with its worker; that one has no event loop, passes documents and
keeps the order of the input. ``docs/adr/0001-own-worker-processes.md`` has what was tried instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Final

from service.errors import ServerStartError, WorkerLostError
from service.work.worker import Worker

_log = logging.getLogger("merge_baseline.server")

_FIRST_DELAY: Final = 0.5
_LONGEST_DELAY: Final = 30.0


class WorkerPool:
    """``size`` workers of one kind. A worker that dies is replaced at once, or after a delay if none can start."""

    def __init__(self, make: Callable[[], Worker], size: int) -> None:
        self.size = size
        self.workers: list[Worker] = []
        self.failed_starts = 0
        """How many replacements in a row could not start."""
        self.restarts = 0
        """How many workers were replaced."""
        self._make = make
        self._keepers: list[asyncio.Task[None]] = []
        self._listeners: list[Callable[[], None]] = []

    @property
    def slots(self) -> int:
        """How many tasks can be in progress at a time, over all live workers."""
        return sum(worker.slots for worker in self.workers)

    @property
    def can_work(self) -> bool:
        """Whether a worker is alive, or is being replaced and no replacement has failed."""
        return bool(self.workers) or not self.failed_starts

    def listen(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` whenever a worker starts, dies or fails to start."""
        self._listeners.append(listener)

    async def start(self) -> None:
        """Start all workers. Raises :class:`~service.errors.ServerStartError` if one does not start."""
        workers = [self._make() for _ in range(self.size)]
        results = await asyncio.gather(*(worker.start() for worker in workers), return_exceptions=True)
        failure = next((result for result in results if isinstance(result, BaseException)), None)
        if failure is not None:
            await asyncio.gather(*(worker.close() for worker in workers))
            if isinstance(failure, (WorkerLostError, OSError)):
                raise ServerStartError(f"a worker process does not start: {failure}") from failure
            raise failure
        self._keepers = [asyncio.create_task(self._keep(worker)) for worker in workers]
        self.workers.extend(workers)

    async def close(self) -> None:
        """End all workers and their work in progress."""
        keepers, self._keepers = self._keepers, []
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        workers, self.workers = self.workers, []
        await asyncio.gather(*(worker.close() for worker in workers))

    async def _keep(self, worker: Worker) -> None:
        while True:
            reason = await asyncio.shield(worker.gone)
            _log.warning("a worker is gone (%s): it is replaced", reason)
            self.workers.remove(worker)
            self._notify()
            worker = await self._replacement()
            self.workers.append(worker)
            self.restarts += 1
            self.failed_starts = 0
            self._notify()

    def _notify(self) -> None:
        for listener in self._listeners:
            listener()

    async def _replacement(self) -> Worker:
        delay = _FIRST_DELAY
        while True:
            worker = self._make()
            try:
                await worker.start()
            except (WorkerLostError, OSError) as error:
                self.failed_starts += 1
                _log.error("a worker does not start (%s); next attempt in %g s", error, delay)
                self._notify()
                with contextlib.suppress(Exception):
                    await worker.close()
                await asyncio.sleep(delay)
                delay = min(_LONGEST_DELAY, delay * 2)
            else:
                return worker
