"""Whole documents: a bounded queue before a crew."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Final

from protos.serving.crew import Crew
from protos.serving.errors import OverloadedError
from protos.serving.forecast import Forecast, too_late_by
from protos.serving.frames import Kind, Result
from protos.serving.workers import Running, Task, Worker

_SHORTEST_RETRY_SECONDS: Final = 0.1
_LONGEST_RETRY_SECONDS: Final = 30.0


@dataclass(slots=True, eq=False)
class _Job:
    task: Task
    large: bool
    arrived: float
    expected: float
    """Seconds that the work will take."""
    forecast: Forecast
    started: float = 0.0
    waits: bool = False
    begun: asyncio.Future[Running] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class DocumentQueue:
    """First come, first served, but for large documents, so that small ones do not wait for them.

    ``length`` documents may wait, of which half may be large. Of two or more slots that the crew has, large documents
    hold all but one at most. Large is what has more than ``large_bytes``.

    What would be done too late for its caller is refused on arrival, and when its turn comes: begun, it would only take
    the time of others. How long things take is learnt from those that were done, for each ``kind`` apart.
    """

    def __init__(self, crew: Crew, length: int, large_bytes: int) -> None:
        self.crew = crew
        self.length = length
        self._large_bytes = large_bytes
        self._small: deque[_Job] = deque()
        self._large: deque[_Job] = deque()
        self._begun: dict[_Job, None] = {}
        self._forecasts: defaultdict[str, Forecast] = defaultdict(Forecast)
        crew.listen(self._dispatch)

    @property
    def waiting(self) -> int:
        """How many documents wait."""
        return len(self._small) + len(self._large)

    @property
    def in_work(self) -> int:
        """How many documents are in work."""
        return len(self._begun)

    @property
    def room(self) -> int:
        """How many more documents may come."""
        return self.length + max(0, self.crew.slots - self.in_work) - self.waiting

    @property
    def retry_seconds(self) -> float:
        """When those that are here will probably be done."""
        return _retry(self.wait_seconds(large=False))

    def wait_seconds(self, *, large: bool) -> float:
        """How long a document that comes now will wait for a worker."""
        if self._free_worker() is not None and not self.waiting:
            return 0.0
        now = time.monotonic()
        slots = max(1, self.crew.slots)
        left = {job: max(0.0, job.started + job.expected - now) for job in self._begun}
        small_seconds = sum(job.expected for job in self._small)
        large_seconds = sum(job.expected for job in self._large)
        wait = (sum(left.values()) + small_seconds + large_seconds) / slots
        if large:
            large_left = sum(seconds for job, seconds in left.items() if job.large)
            wait = max(wait, (large_left + large_seconds) / max(1, slots - 1))
        return wait

    def check_time(self, seconds: float | None, size: int = 0, kind: str = "") -> None:
        """Raises :class:`~protos.serving.errors.OverloadedError` if a document that comes now will be done too late.

        ``seconds`` are left until its deadline, ``None`` without one.
        """
        if seconds is None:
            return
        large = size > self._large_bytes
        wait = self.wait_seconds(large=large)
        late = too_late_by(wait, self._forecasts[kind].of(size), seconds, large=large)
        if wait and late > 0:
            reason = f"it would wait {wait:.1f} s, too long for a deadline in {seconds:.1f} s"
            raise OverloadedError(reason, _retry(late))

    def refuse(self) -> OverloadedError:
        """The error for a document that there is no room for."""
        return OverloadedError(f"{self.waiting} documents wait, as many as may", self.retry_seconds)

    async def work(self, data: bytes, seconds: float | None, kind: str = "") -> tuple[Result, float]:
        """Have a MergeDocumentRequest worked on; the result, and how long it waited for a worker, in seconds.

        Raises :class:`~protos.serving.errors.OverloadedError`. If the call is cancelled while it waits, nothing is
        ever begun.
        """
        large = len(data) > self._large_bytes
        if self.room <= 0 or (large and len(self._large) >= max(1, self.length // 2)):
            raise self.refuse()
        self.check_time(seconds, len(data), kind)
        arrived = time.monotonic()
        forecast = self._forecasts[kind]
        job = _Job(Task(Kind.DOCUMENT, data, seconds=seconds), large, arrived, forecast.of(len(data)), forecast)
        waiting = self._large if large else self._small
        waiting.append(job)
        self._dispatch()
        job.waits = not job.begun.done()
        try:
            running = await job.begun
        except asyncio.CancelledError:
            if job in waiting:
                waiting.remove(job)
            elif not job.begun.cancelled() and job.begun.exception() is None:
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
        while (job := self._first()) is not None:
            left = None if job.task.seconds is None else job.arrived + job.task.seconds - time.monotonic()
            # What need not wait may be done sooner than expected.
            if left is None or left >= job.expected or not job.waits:
                return job
            reason = f"it waited so long that it would be done after its deadline, in {max(0.0, left):.1f} s"
            job.begun.set_exception(OverloadedError(reason, self.retry_seconds))
        return None

    def _first(self) -> _Job | None:
        # A call that is over takes its job out of the queue, but perhaps not before this runs.
        for waiting in (self._small, self._large):
            while waiting and waiting[0].begun.cancelled():
                waiting.popleft()
        may_be_large = self._large and sum(job.large for job in self._begun) < max(1, self.crew.slots - 1)
        if may_be_large and (not self._small or self._large[0].arrived <= self._small[0].arrived):
            return self._large.popleft()
        return self._small.popleft() if self._small else None

    def _begin(self, worker: Worker, job: _Job) -> None:
        task = job.task
        if task.seconds is not None:
            task = Task(task.kind, task.data, seconds=task.seconds - (time.monotonic() - job.arrived))
        running = worker.begin(task)
        job.started = time.monotonic()
        self._begun[job] = None

        def finish(future: asyncio.Future[Result]) -> None:
            del self._begun[job]
            result = future.result()
            if result.kind is Kind.DONE:
                job.forecast.learn(len(job.task.data), time.monotonic() - job.started)
            self._dispatch()

        running.done.add_done_callback(finish)
        job.begun.set_result(running)


def _retry(seconds: float) -> float:
    return min(_LONGEST_RETRY_SECONDS, max(_SHORTEST_RETRY_SECONDS, seconds))
