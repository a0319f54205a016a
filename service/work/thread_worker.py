"""A worker on threads of the server: for backends, which all calls share, and in place of processes in tests."""

from __future__ import annotations

import asyncio
import contextlib
from concurrent.futures import ThreadPoolExecutor

from service.work.executor import Call, Desk
from service.work.ipc import Kind, Result
from service.work.worker import Running, Task


class ThreadWorker:
    """Work that ignores its call's end keeps its thread: nothing can end a thread from outside."""

    def __init__(self, desk: Desk, slots: int, name: str) -> None:
        self.slots = slots
        self.in_work = 0
        self.usable = True
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._desk = desk
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix=name)
        self._calls: set[Call] = set()

    async def start(self) -> None:
        """There is nothing to wait for."""

    def begin(self, task: Task) -> Running:
        """Give it a task."""
        loop = asyncio.get_running_loop()
        tell = task.tell

        def tell_on_loop(body: bytes) -> None:
            # A closed loop means that the server has stopped and nobody listens.
            if tell is not None:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(tell, body)

        call = Call(task.seconds, tell_on_loop)
        running = Running(call.cancel)
        self.in_work += 1
        self._calls.add(call)

        def finish(future: asyncio.Future[Result]) -> None:
            self.in_work -= 1
            self._calls.discard(call)
            running.done.set_result(Result(Kind.ENDED) if future.cancelled() else future.result())

        work = loop.run_in_executor(self._threads, self._desk.work, task.kind, task.stream, task.data, call)
        work.add_done_callback(finish)
        return running

    def drop(self, stream: int) -> None:
        """Forget a stream."""
        self._desk.drop(stream)

    async def close(self) -> None:
        """Cancel what is in work, without waiting for it."""
        self.usable = False
        for call in self._calls:
            call.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)
        if not self.gone.done():
            self.gone.set_result("closed")
