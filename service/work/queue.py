"""Whole documents: a bounded queue before a pool."""

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
from service.work.pool import WorkerPool
from service.work.worker import Running, Task, Worker

_SHORTEST_RETRY_SECONDS: Final = 0.1
_LONGEST_RETRY_SECONDS: Final = 30.0


@dataclass(slots=True, eq=False)
class _Job:
    task: Task
    large: bool
    arrived: float
    expected: float
    """Expected seconds of work."""
    forecast: Forecast
    started: float = 0.0
    waits: bool = False
    running: asyncio.Future[Running] = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class DocumentQueue:
    """First come, first served; fair between large and small documents under overload.

    A document is large if it has more than ``large_bytes``. ``length`` documents can wait, of which half can be large.
    Large documents hold at most all slots of the pool but one, so that small ones do not wait for them. Under overload,
    the same fraction of both classes gets done (:mod:`service.work.fair_queueing`).

    A document that would be done too late for its caller is refused, on arrival and again when its turn comes, since it
    would only take time from others. Expected times are learnt from finished documents, separately for each ``kind``.
    """

    def __init__(self, pool: WorkerPool, length: int, large_bytes: int) -> None:
        self.pool = pool
        self.length = length
        self._large_bytes = large_bytes
        self._queue: FairQueue[_Job] = FairQueue(2)
        self._small, self._large = self._queue.classes
        self._running: dict[_Job, None] = {}
        self._forecasts: defaultdict[str, Forecast] = defaultdict(Forecast)
        pool.listen(self._dispatch)

    @property
    def waiting(self) -> int:
        """How many documents wait."""
        return len(self._queue)

    @property
    def in_progress(self) -> int:
        """How many documents are in progress."""
        return len(self._running)

    @property
    def room(self) -> int:
        """How many more documents are accepted."""
        return self.length + max(0, self.pool.slots - self.in_progress) - self.waiting

    @property
    def retry_seconds(self) -> float:
        """In how many seconds the documents here will probably be done."""
        return _retry(self.wait_seconds(large=False))

    def wait_seconds(self, *, large: bool) -> float:
        """Expected seconds that a document arriving now waits for a worker."""
        if self._free_worker() is not None and not self.waiting:
            return 0.0
        now = time.monotonic()
        slots = max(1, self.pool.slots)
        left = {job: max(0.0, job.started + job.expected - now) for job in self._running}
        wait = (sum(left.values()) + self._queue.ahead(self._class(large=large), now)) / slots
        if large:
            large_left = sum(seconds for job, seconds in left.items() if job.large)
            wait = max(wait, (large_left + self._large.backlog) / max(1, slots - 1))
        return wait

    def check_time(self, seconds: float | None) -> None:
        """Raises :class:`~service.errors.OverloadedError` if a document of any size would be done too late.

        ``seconds`` are left until its deadline, ``None`` without one.
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
        """The error for a document for which there is no room."""
        return OverloadedError(f"{self.waiting} documents wait, which is the limit", self.retry_seconds)

    async def work(self, data: bytes, seconds: float | None, kind: str = "") -> tuple[Result, float]:
        """Work on a MergeDocumentRequest. Returns the result, and the seconds that it waited for a worker.

        Raises :class:`~service.errors.OverloadedError`. If this is cancelled while the document waits, no work starts.
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
        job.waits = not job.running.done()
        try:
            running = await job.running
        except asyncio.CancelledError:
            if job in waiting:
                waiting.remove(job)
            elif not job.running.cancelled() and job.running.exception() is None:
                job.running.result().cancel()
            raise
        waited = time.monotonic() - arrived
        return await running.result(), waited

    def _dispatch(self) -> None:
        while (worker := self._free_worker()) is not None and (job := self._next()) is not None:
            self._start(worker, job)

    def _free_worker(self) -> Worker | None:
        free = [worker for worker in self.pool.workers if worker.usable and worker.in_progress < worker.slots]
        return min(free, key=lambda worker: worker.in_progress, default=None)

    def _next(self) -> _Job | None:
        while (job := self._first()) is not None:
            left = None if job.task.seconds is None else job.arrived + job.task.seconds - time.monotonic()
            # A document that need not wait is tried even so: it can be done sooner than expected.
            if left is None or left >= job.expected or not job.waits:
                return job
            reason = f"it waited so long that it would be done after its deadline, in {max(0.0, left):.1f} s"
            job.running.set_exception(OverloadedError(reason, self.retry_seconds))
        return None

    def _first(self) -> _Job | None:
        # A call that is over removes its job from the queue, but perhaps only after this runs.
        for each in self._queue.classes:
            while each.waiting and each.waiting[0].running.cancelled():
                each.waiting.popleft()
        may_be_large = sum(job.large for job in self._running) < max(1, self.pool.slots - 1)
        for each in self._queue.order(time.monotonic()):
            if each is self._small or may_be_large:
                return each.waiting.popleft()
        return None

    def _start(self, worker: Worker, job: _Job) -> None:
        task = job.task
        if task.seconds is not None:
            task = Task(task.kind, task.data, seconds=task.seconds - (time.monotonic() - job.arrived))
        running = worker.submit(task)
        job.started = time.monotonic()
        self._class(large=job.large).started += job.expected
        self._running[job] = None

        def finish(future: asyncio.Future[Result]) -> None:
            del self._running[job]
            result = future.result()
            if result.kind is Kind.DONE:
                job.forecast.learn(len(job.task.data), time.monotonic() - job.started)
            self._dispatch()

        running.done.add_done_callback(finish)
        job.running.set_result(running)


def _retry(seconds: float) -> float:
    return min(_LONGEST_RETRY_SECONDS, max(_SHORTEST_RETRY_SECONDS, seconds))
