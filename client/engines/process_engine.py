"""The engine on this machine: a pool of processes.

The server has another pool, ``service.work.pool``. It needs an event loop, passes raw messages and keeps streams with
their worker. This one has no event loop, passes documents, and keeps the order of the input.
``docs/adr/0001-own-worker-processes.md`` has what was tried instead.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import FrameType

from client.engines.jobs import Job, JobSource, Outcome
from client.engines.worker import IsolatedWork, Plan
from merger.errors import BackendError, Location, UnavailableError
from merger.formats.open_inputs import display_name

MAX_WORKER_DEATHS = 3
"""Workers that can die on a document before it is left out."""
_AHEAD = 4
"""Documents in flight for each worker: being read, merged, or done and waiting for an earlier one."""
_STOP_SECONDS = 5.0
"""Seconds that a worker has to stop what it started."""


class ProcessEngine:
    """Runs the jobs in ``size`` spawned processes, each with a strategy of its own.

    A process that dies is replaced, and its document is tried again, until it has cost :data:`MAX_WORKER_DEATHS`
    processes.
    """

    def __init__(self, plan: Plan, size: int) -> None:
        self._plan = plan
        self._size = size

    def run(self, source: JobSource) -> Iterator[Outcome]:
        """Yield the outcomes in order. At most four documents per process are in memory."""
        pool = _Pool(self._plan, self._size)
        try:
            yield from pool.run(source.jobs())
        finally:
            pool.close()


class _Pool:
    def __init__(self, plan: Plan, size: int) -> None:
        self._plan = plan
        self._most = size * _AHEAD
        self._workers: list[_Worker] = []
        self._size = size
        self._ready: deque[Job] = deque()
        self._done: dict[int, Outcome] = {}
        self._deaths: dict[int, int] = {}
        self._next = 0
        self._read = 0
        self._end: BaseException | None = None

    def run(self, jobs: Iterator[Job]) -> Iterator[Outcome]:
        more = True
        while more or self._read > self._next:
            self._hand_out()
            while self._next in self._done:
                yield self._done.pop(self._next)
                self._next += 1
            if more and len(self._ready) < self._size and self._read - self._next < self._most:
                more = self._take(jobs)
                self._receive(0)
            elif self._next not in self._done and self._read > self._next:
                self._receive(None)
        if self._end is not None:
            raise self._end

    def _take(self, jobs: Iterator[Job]) -> bool:
        """Read a job; whether there may be more."""
        try:
            job = next(jobs)
        except StopIteration:
            return False
        except Exception as error:  # noqa: BLE001  # raised when the jobs before it are done
            self._end = error
            return False
        self._read += 1
        if job.is_settled:
            self._done[job.index] = job.settled()
        else:
            self._ready.append(job)
        return True

    def _hand_out(self) -> None:
        # Processes are started when there is work for them: a short input needs few.
        while len(self._workers) < min(self._size, len(self._ready) + self._busy()):
            self._workers.append(_Worker(self._plan))
        for worker in self._workers:
            if self._ready and worker.idle:
                worker.give(self._ready.popleft())

    def _busy(self) -> int:
        return sum(worker.job is not None for worker in self._workers)

    def _receive(self, timeout: float | None) -> None:
        """Receive what workers have sent; wait for the first one if ``timeout`` is ``None``."""
        by_end = {worker.connection: worker for worker in self._workers}
        for end in wait(list(by_end), timeout):
            worker = by_end[end]  # type: ignore[index]  # only connections were given
            try:
                outcome = worker.receive()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if outcome is not None:
                self._deaths.pop(outcome.job.index, None)
                self._done[outcome.job.index] = outcome

    def _replace(self, dead: _Worker) -> None:
        how = dead.end()
        if not dead.started:
            raise UnavailableError(f"a worker process cannot be started: it {how}")
        fresh = _Worker(self._plan)
        self._workers[self._workers.index(dead)] = fresh
        job = dead.job
        if job is None:
            return
        deaths = self._deaths[job.index] = self._deaths.get(job.index, 0) + 1
        if deaths < MAX_WORKER_DEATHS:
            self._ready.appendleft(job)
        else:
            self._done[job.index] = killed(job, f"the last one {how}")

    def close(self) -> None:
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.end()


def killed(job: Job, how: str = "") -> Outcome:
    """The outcome of a job that too many workers have died on."""
    message = f"{MAX_WORKER_DEATHS} worker processes died on this document"
    place = Location(None if job.file is None else display_name(job.file), document=job.id)
    error = BackendError(f"{message}; {how}" if how else message, place)
    return Outcome(replace(job, document=None, key=None), failure=error, notices=job.notices)


class _Worker:
    """A process and the job that it has, seen from the parent."""

    def __init__(self, plan: Plan) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, there = context.Pipe()
        self.job: Job | None = None
        self.started = False
        self._process: BaseProcess = context.Process(target=_serve, args=(there, plan), daemon=True)
        with _interrupts_blocked():
            self._process.start()
        there.close()

    @property
    def idle(self) -> bool:
        return self.started and self.job is None

    def give(self, job: Job) -> None:
        self.job = job
        # If the worker is dead, the wait for its answer finds that out.
        with contextlib.suppress(OSError):
            self.connection.send(job)

    def receive(self) -> Outcome | None:
        """An outcome, or ``None`` for the message that the process has started. Raises ``EOFError`` if it is dead."""
        outcome: Outcome | None = self.connection.recv()
        if outcome is None:
            self.started = True
        else:
            self.job = None
        return outcome

    def stop(self) -> None:
        """Ask the process to end: by closing its input or, if it is working, by a signal."""
        self.connection.close()
        if self.job is not None or not self.started:
            self._process.terminate()

    def end(self) -> str:
        """Wait for the process to end, or kill it; returns how it ended."""
        self.connection.close()
        self._process.join(_STOP_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code = self._process.exitcode or 0
        if code >= 0:
            return f"ended with code {code}"
        with contextlib.suppress(ValueError):
            return f"was killed by {signal.Signals(-code).name}"
        return f"was killed by signal {-code}"


@contextlib.contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start processes that never see the terminal's interrupt, which reaches the whole process group.

    The parent decides what an interrupt means, also while a child is still importing.
    """
    if sys.platform == "win32":
        yield
        return
    # Starting a process starts the tracker if it does not run yet, and that would unblock signals.
    resource_tracker.ensure_running()
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def _serve(connection: Connection, plan: Plan) -> None:
    """Run jobs in a worker process until the parent closes its end or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    work = IsolatedWork(plan)
    try:
        connection.send(None)
        while True:
            connection.send(work.do(connection.recv()))
    except (EOFError, OSError):
        return
    finally:
        work.close()


def _leave(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  # the signature of signal handlers
    """End by an exception, so that what the strategy started is stopped."""
    sys.exit(0)
