"""Open streams: one worker holds the state of each, and its messages are kept to rebuild the state."""

from __future__ import annotations

import asyncio
import itertools
import time
from typing import Final, NamedTuple

from service.errors import WorkerLostError
from service.work.ipc import Kind, Result
from service.work.pool import WorkerPool
from service.work.worker import Report, Running, Task, Worker

_ATTEMPTS: Final = 3
"""How often a message is tried. There is a limit because the message can be what kills the workers."""
_LOST: Final = "the process that held the stream's state died"


class Worked(NamedTuple):
    """A result, and the seconds that the message waited for a worker."""

    result: Result
    waited: float


class _Lane:
    """The way to one worker: it has a slot for each message in progress, one of them not for large messages."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.streams = 0
        self._slots = asyncio.Semaphore(worker.slots)
        self._large = asyncio.Semaphore(max(1, worker.slots - 1))
        self._in_progress: dict[int, Running] = {}

    def drop(self, stream: int) -> None:
        """Make the worker forget a stream, after its task in progress."""
        running = self._in_progress.get(stream)
        if running is None:
            self.worker.drop(stream)
        else:
            running.done.add_done_callback(lambda _: self.worker.drop(stream))

    async def work(self, task: Task, *, large: bool) -> Worked:
        started = time.monotonic()
        if large:
            await self._large.acquire()
        try:
            await self._slots.acquire()
        except asyncio.CancelledError:
            if large:
                self._large.release()
            raise
        waited = time.monotonic() - started
        if task.seconds is not None:
            task = Task(task.kind, task.data, task.stream, task.seconds - waited, task.report)
        running = self._in_progress[task.stream] = self.worker.submit(task)

        def finish(_: asyncio.Future[Result]) -> None:
            del self._in_progress[task.stream]
            self._slots.release()
            if large:
                self._large.release()

        # Cancelled work holds its slot until it has ended.
        running.done.add_done_callback(finish)
        return Worked(await running.result(), waited)


class StreamSessions:
    """Streams over the workers of a pool. They keep up to ``replay_bytes`` of messages together.

    A message of more than ``large_bytes`` is large: one slot of each worker is not for large messages.
    """

    def __init__(self, pool: WorkerPool, replay_bytes: int, large_bytes: int) -> None:
        self.pool = pool
        self.large_bytes = large_bytes
        self.replay_bytes = replay_bytes
        self.kept_bytes = 0
        self._numbers = itertools.count(1)
        self._lanes: dict[Worker, _Lane] = {}
        self._changed = asyncio.Event()
        pool.listen(self._on_change)

    def open(self) -> StreamSession:
        """Open a stream, which must be closed."""
        return StreamSession(self, next(self._numbers))

    async def lane(self) -> _Lane:
        """The lane of the worker with the fewest streams; waits until there is a worker."""
        while not (workers := [worker for worker in self.pool.workers if worker.usable]):
            self._changed.clear()
            await self._changed.wait()
        lanes = [self._lanes.setdefault(worker, _Lane(worker)) for worker in workers]
        return min(lanes, key=lambda lane: lane.streams)

    def _on_change(self) -> None:
        self._lanes = {worker: lane for worker, lane in self._lanes.items() if worker in self.pool.workers}
        self._changed.set()


class StreamSession:
    """One stream. Its messages are worked on one after the other."""

    def __init__(self, sessions: StreamSessions, number: int) -> None:
        self._sessions = sessions
        self._number = number
        self._lane: _Lane | None = None
        self._sent: list[bytes] | None = []
        self._closed = False

    async def take(self, data: bytes, seconds: float | None, report: Report | None) -> Worked:
        """Work on a MergeStreamRequest.

        Raises :class:`~service.errors.WorkerLostError` if a worker dies and the stream's state can't be rebuilt.
        """
        worked = await self._work(Task(Kind.TAKE, data, self._number, seconds, report))
        self._keep(data)
        return worked

    async def finish(self, seconds: float | None) -> Worked:
        """Get the summary. Raises the errors of :meth:`take`."""
        return await self._work(Task(Kind.FINISH, b"", self._number, seconds))

    def close(self) -> None:
        """Release the stream's state."""
        if self._closed:
            return
        self._closed = True
        self._discard_sent()
        if self._lane is not None:
            self._lane.streams -= 1
            self._lane.drop(self._number)
            self._lane = None

    async def _work(self, task: Task) -> Worked:
        deadline = None if task.seconds is None else time.monotonic() + task.seconds
        waited = 0.0
        for _ in range(_ATTEMPTS):
            left = None if deadline is None else deadline - time.monotonic()
            worked = await self._attempt(Task(task.kind, task.data, task.stream, left, task.report))
            if worked is not None:
                return worked._replace(waited=waited + worked.waited)
        raise WorkerLostError(_LOST)

    async def _attempt(self, task: Task) -> Worked | None:
        """The result; ``None`` if the worker died."""
        if self._lane is not None and not self._lane.worker.usable:
            self._leave()
        if self._lane is None and not await self._join(task.seconds):
            return None
        assert self._lane is not None  # noqa: S101  # joined
        large = len(task.data) > self._sessions.large_bytes
        worked = await self._lane.work(task, large=large)
        if worked.result.kind is Kind.LOST:
            self._leave()
            return None
        return worked

    async def _join(self, seconds: float | None) -> bool:
        """Choose a worker and rebuild the state there. Returns ``False`` if the worker died."""
        if self._sent is None:
            raise WorkerLostError(_LOST)
        self._lane = await self._sessions.lane()
        self._lane.streams += 1
        for data in self._sent:
            worked = await self._lane.work(
                Task(Kind.TAKE, data, self._number, seconds), large=len(data) > self._sessions.large_bytes
            )
            if worked.result.kind is Kind.LOST:
                self._leave()
                return False
        return True

    def _leave(self) -> None:
        if self._lane is not None:
            self._lane.streams -= 1
            self._lane = None

    def _keep(self, data: bytes) -> None:
        if self._sent is None or self._closed:
            return
        sessions = self._sessions
        if sessions.kept_bytes + len(data) > sessions.replay_bytes:
            self._discard_sent()
            self._sent = None
            return
        self._sent.append(data)
        sessions.kept_bytes += len(data)

    def _discard_sent(self) -> None:
        if self._sent:
            self._sessions.kept_bytes -= sum(map(len, self._sent))
            self._sent = []
