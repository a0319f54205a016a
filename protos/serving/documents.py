"""Whole documents: a bounded queue before a crew."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from protos.serving.crew import Crew
from protos.serving.errors import OverloadedError
from protos.serving.frames import Kind, Result
from protos.serving.workers import Running, Task, Worker

_FIRST_GUESS_SECONDS: Final = 0.1
_WEIGHT_OF_LAST: Final = 0.05
_SHORTEST_RETRY_SECONDS: Final = 0.1
_LONGEST_RETRY_SECONDS: Final = 30.0


@dataclass(slots=True, eq=False)
class _Job:
    task: Task
    large: bool
    arrived: float
    begun: asyncio.Future[Running] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class DocumentQueue:
    """First come, first served, but for large documents, so that small ones do not wait for them.

    ``length`` documents may wait, of which half may be large. Of two or more slots that the crew has, large documents
    hold all but one at most. Large is what has more than ``large_bytes``.
    """

    def __init__(self, crew: Crew, length: int, large_bytes: int) -> None:
        self.crew = crew
        self.length = length
        self._large_bytes = large_bytes
        self._small: deque[_Job] = deque()
        self._large: deque[_Job] = deque()
        self._in_work = 0
        self._large_in_work = 0
        self._mean_seconds = _FIRST_GUESS_SECONDS
        crew.listen(self._dispatch)

    @property
    def waiting(self) -> int:
        """How many documents wait."""
        return len(self._small) + len(self._large)

    @property
    def in_work(self) -> int:
        """How many documents are in work."""
        return self._in_work

    @property
    def room(self) -> int:
        """How many more documents may come."""
        return self.length + max(0, self.crew.slots - self._in_work) - self.waiting

    @property
    def retry_seconds(self) -> float:
        """When those that are here will probably be done."""
        seconds = self._mean_seconds * (self.waiting + self._in_work) / max(1, self.crew.slots)
        return min(_LONGEST_RETRY_SECONDS, max(_SHORTEST_RETRY_SECONDS, seconds))

    def refuse(self) -> OverloadedError:
        """The error for a document that there is no room for."""
        return OverloadedError(f"{self.waiting} documents wait, as many as may", self.retry_seconds)

    async def work(self, data: bytes, seconds: float | None) -> tuple[Result, float]:
        """Have a MergeDocumentRequest worked on; the result, and how long it waited for a worker, in seconds.

        Raises :class:`~protos.serving.errors.OverloadedError`. If the call is cancelled while it waits, nothing is
        ever begun.
        """
        large = len(data) > self._large_bytes
        if self.room <= 0 or (large and len(self._large) >= max(1, self.length // 2)):
            raise self.refuse()
        arrived = time.monotonic()
        job = _Job(Task(Kind.DOCUMENT, data, seconds=seconds), large, arrived)
        waiting = self._large if large else self._small
        waiting.append(job)
        self._dispatch()
        try:
            running = await job.begun
        except asyncio.CancelledError:
            if job in waiting:
                waiting.remove(job)
            elif not job.begun.cancelled():
                job.begun.result().cancel()
            raise
        waited = time.monotonic() - arrived
        return await running.result(), waited

    def _dispatch(self) -> None:
        while (worker := self._free_worker()) is not None and (job := self._next()) is not None:
            self._begin(worker, job)

    def _free_worker(self) -> Worker | None:
        free = [worker for worker in self.crew.workers if worker.usable and worker.in_work < worker.slots]
        return min(free, key=lambda worker: worker.in_work, default=None)

    def _next(self) -> _Job | None:
        # A call that is over takes its job out of the queue, but perhaps not before this runs.
        for waiting in (self._small, self._large):
            while waiting and waiting[0].begun.cancelled():
                waiting.popleft()
        may_be_large = self._large and self._large_in_work < max(1, self.crew.slots - 1)
        if may_be_large and (not self._small or self._large[0].arrived <= self._small[0].arrived):
            return self._large.popleft()
        return self._small.popleft() if self._small else None

    def _begin(self, worker: Worker, job: _Job) -> None:
        task = job.task
        if task.seconds is not None:
            task = Task(task.kind, task.data, seconds=task.seconds - (time.monotonic() - job.arrived))
        running = worker.begin(task)
        self._in_work += 1
        self._large_in_work += job.large

        def finish(future: asyncio.Future[Result]) -> None:
            self._in_work -= 1
            self._large_in_work -= job.large
            seconds = future.result().seconds
            if seconds:
                self._mean_seconds += _WEIGHT_OF_LAST * (seconds - self._mean_seconds)
            self._dispatch()

        running.done.add_done_callback(finish)
        job.begun.set_result(running)
