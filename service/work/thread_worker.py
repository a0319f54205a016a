"""A worker on threads of the server: for shared backends, and in place of processes in demos and tests."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor

from service.work.executor import Call, Executor
from service.work.ipc import Kind, Result
from service.work.worker import Running, Task


class ThreadWorker:
    """A worker on threads. Work that ignores its cancellation keeps its thread, since nothing can kill a thread."""

    def __init__(self, executor: Executor, slots: int, name: str) -> None:
        self.slots = slots
        self.in_progress = 0
        self.usable = True
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._executor = executor
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix=name)
        self._calls: set[Call] = set()

    async def start(self) -> None:
        """Threads start with their first task."""

    def submit(self, task: Task) -> Running:
        """Start a task."""
        loop = asyncio.get_running_loop()
        report = task.report

        def report_on_loop(body: bytes) -> None:
            # If the loop is closed, the server has stopped.
            if report is not None:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(report, body)

        call = Call(task.seconds, report_on_loop)
        running = Running(call.cancel)
        self.in_progress += 1
        self._calls.add(call)

        def finish(future: asyncio.Future[Result]) -> None:
            self.in_progress -= 1
            self._calls.discard(call)
            running.done.set_result(Result(Kind.ENDED) if future.cancelled() else future.result())

        work = loop.run_in_executor(self._threads, self._executor.work, task.kind, task.stream, task.data, call)
        work.add_done_callback(finish)
        return running

    def drop(self, stream: int) -> None:
        """Forget a stream."""
        self._executor.drop(stream)

    async def close(self) -> None:
        """Cancel the tasks in progress, without waiting for them."""
        self.usable = False
        for call in self._calls:
            call.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if not self.gone.done():
            self.gone.set_result("closed")
