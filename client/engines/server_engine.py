"""An engine for work that is done elsewhere: threads that wait for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from client.engines.jobs import Job, Outcome, Source
from client.engines.worker import Work

_AHEAD = 2
"""Documents that are held for each thread: being merged, or done and waiting for an earlier one."""
_LOOK_SECONDS = 0.5


class Elsewhere:
    """Does ``size`` jobs at a time on threads of this process. ``work`` must be safe to be used by all of them."""

    def __init__(self, work: Work, size: int) -> None:
        self._work = work
        self._size = size

    def run(self, source: Source) -> Iterator[Outcome]:
        """The outcomes in order. At most two documents a thread are in memory."""
        running: deque[Future[Outcome]] = deque()
        end: BaseException | None = None
        jobs = source.jobs()
        threads = ThreadPoolExecutor(self._size, thread_name_prefix="elsewhere")
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
    # What waits without end may miss an interrupt that comes as it begins to, or that the system hands to another
    # thread: Python sees to it when this thread goes on.
    while not job.done():
        wait([job], _LOOK_SECONDS)
    return job.result()


def _next(jobs: Iterator[Job]) -> tuple[Job | None, BaseException | None]:
    try:
        return next(jobs), None
    except Exception as error:  # noqa: BLE001  # raised when the jobs before it are done
        return None, error
