"""The engine for merging on a server: threads that wait for answers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from client.engines.jobs import Job, JobSource, Outcome
from client.engines.worker import Work

_AHEAD = 2
"""Documents that are held per thread: in progress, or done and waiting for an earlier one."""
_WAKE_SECONDS = 0.5


class ServerEngine:
    """Runs ``size`` jobs at a time on threads of this process. ``work`` must be thread-safe."""

    def __init__(self, work: Work, size: int) -> None:
        self._work = work
        self._size = size

    def run(self, source: JobSource) -> Iterator[Outcome]:
        """Yield the outcomes in order. At most two documents per thread are in memory."""
        running: deque[Future[Outcome]] = deque()
        end: BaseException | None = None
        jobs = source.jobs()
        threads = ThreadPoolExecutor(self._size, thread_name_prefix="server-engine")
        try:
            while True:
                while end is None and len(running) < self._size * _AHEAD:
                    job, end = _next(jobs)
                    if job is not None:
                        running.append(threads.submit(self._work.do, job))
                if not running:
                    break
                yield _outcome(running.popleft())
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
        if end is not None and not isinstance(end, StopIteration):
            raise end


def _outcome(job: Future[Outcome]) -> Outcome:
    # A wait without a time limit can miss an interrupt that arrives just before it, or that the system delivers to
    # another thread. Python handles interrupts when this thread wakes up.
    while not job.done():
        wait([job], _WAKE_SECONDS)
    return job.result()


def _next(jobs: Iterator[Job]) -> tuple[Job | None, BaseException | None]:
    try:
        return next(jobs), None
    except Exception as error:  # noqa: BLE001  # raised when the jobs before it are done
        return None, error
