"""Whole documents: a bounded queue before a crew."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from service.errors import OverloadedError
from service.work.fair_queueing import FairQueue, SizeClass
from service.work.forecast import Forecast, too_late_by
from service.work.ipc import Kind, Result
from service.work.pool import Crew
from service.work.worker import Running, Task, Worker

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
    """First come, first served; fair between large and small documents when there are more than can be done.

    ``length`` documents may wait, of which half may be large. Of two or more slots that the crew has, large documents
    hold all but one at most, so that small ones do not wait for them. Large is what has more than ``large_bytes``.
    Under overload both get done in equal parts (:mod:`service.work.fair_queueing`).

    What would be done too late for its caller is refused on arrival, and when its turn comes: begun, it would only take
    the time of others. How long things take is learnt from those that were done, for each ``kind`` apart.
    """

    def __init__(self, crew: Crew, length: int, large_bytes: int) -> None:
        self.crew = crew
        self.length = length
        self._large_bytes = large_bytes
        self._queue: FairQueue[_Job] = FairQueue(2)
        self._small, self._large = self._queue.classes
        self._begun: dict[_Job, None] = {}
        self._forecasts: defaultdict[str, Forecast] = defaultdict(Forecast)
        crew.listen(self._dispatch)

    @property
    def waiting(self) -> int:
        """How many documents wait."""
        return len(self._queue)

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
        wait = (sum(left.values()) + self._queue.ahead(self._class(large=large), now)) / slots
        if large:
            large_left = sum(seconds for job, seconds in left.items() if job.large)
            wait = max(wait, (large_left + self._large.backlog) / max(1, slots - 1))
        return wait

    def check_time(self, seconds: float | None) -> None:
        """Raises :class:`~service.errors.OverloadedError` if any document that comes now will be done too late.

        ``seconds`` are left until its deadline, ``None`` without one. Its size need not be known.
        """
        if seconds is None:
            return
        forecast = Forecast()
        errors = [self._lateness(seconds, forecast.of(size), large=size > 0) for size in (0, self._large_bytes)]
        found = [error for error in errors if error is not None]
        if len(found) == len(errors):
            self._queue.note_refusal(time.monotonic())
            raise min(found, key=lambda error: error.retry_seconds)

    def _lateness(self, seconds: float, work: float, *, large: bool) -> OverloadedError | None:
        wait = self.wait_seconds(large=large)
        late = too_late_by(wait, work, seconds, large=large)
        if not wait or late <= 0:
            return None
        reason = f"it would wait {wait:.1f} s, too long for a deadline in {seconds:.1f} s"
        return OverloadedError(reason, _retry(late))

    def _class(self, *, large: bool) -> SizeClass[_Job]:
        return self._large if large else self._small

    def refuse(self) -> OverloadedError:
        """The error for a document that there is no room for."""
        return OverloadedError(f"{self.waiting} documents wait, as many as may", self.retry_seconds)

    async def work(self, data: bytes, seconds: float | None, kind: str = "") -> tuple[Result, float]:
        """Have a MergeDocumentRequest worked on; the result, and how long it waited for a worker, in seconds.

        Raises :class:`~service.errors.OverloadedError`. If the call is cancelled while it waits, nothing is
        ever begun.
        """
        large = len(data) > self._large_bytes
        size_class = self._class(large=large)
        waiting = size_class.waiting
        arrived = time.monotonic()
        forecast = self._forecasts[kind]
        expected = forecast.of(len(data))
        error = None
        if self.room <= 0 or (large and len(waiting) >= max(1, self.length // 2)):
            error = self.refuse()
        elif seconds is not None:
            error = self._lateness(seconds, expected, large=large)
        self._queue.offer(size_class, expected, arrived)
        if error is not None:
            self._queue.note_refusal(arrived)
            raise error
        job = _Job(Task(Kind.DOCUMENT, data, seconds=seconds), large, arrived, expected, forecast)
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
        for each in self._queue.classes:
            while each.waiting and each.waiting[0].begun.cancelled():
                each.waiting.popleft()
        may_be_large = sum(job.large for job in self._begun) < max(1, self.crew.slots - 1)
        for each in self._queue.order(time.monotonic()):
            if each is self._small or may_be_large:
                return each.waiting.popleft()
        return None

    def _begin(self, worker: Worker, job: _Job) -> None:
        task = job.task
        if task.seconds is not None:
            task = Task(task.kind, task.data, seconds=task.seconds - (time.monotonic() - job.arrived))
        running = worker.begin(task)
        job.started = time.monotonic()
        self._class(large=job.large).started += job.expected
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
