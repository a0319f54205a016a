"""What is done about documents that would be done too late, with workers that work on a clock of the test's own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from service.errors import OverloadedError
from service.work import queue as documents
from service.work.forecast import Forecast, too_late_by
from service.work.ipc import Kind, Result
from service.work.pool import WorkerPool
from service.work.queue import DocumentQueue
from service.work.worker import Running, Task

_SMALL, _LARGE = b"x", b"x" * 2**20
_LARGE_BYTES = 2**19


class _Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class _Worker:
    """Works until it is told that it is done."""

    slots = 1

    def __init__(self) -> None:
        self.in_progress = 0
        self.usable = True
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.running: Running | None = None

    async def start(self) -> None:
        pass

    def submit(self, task: Task) -> Running:  # noqa: ARG002  # all tasks are alike
        self.in_progress += 1
        self.running = Running(lambda: None)
        return self.running

    def drop(self, stream: int) -> None:
        pass

    async def close(self) -> None:
        pass

    def finish(self) -> None:
        assert self.running is not None
        self.in_progress -= 1
        self.running.done.set_result(Result(Kind.DONE))


class _Server:
    """A queue before two workers, and what becomes of documents in it."""

    def __init__(self, clock: _Clock) -> None:
        self.clock = clock
        self.workers: list[_Worker] = []
        self.working: list[asyncio.Task[Any]] = []
        self.queue = DocumentQueue(WorkerPool(self._worker, 2), 1_000, _LARGE_BYTES)

    def _worker(self) -> _Worker:
        self.workers.append(_Worker())
        return self.workers[-1]

    async def send(self, data: bytes, seconds: float) -> asyncio.Task[Any]:
        task = asyncio.create_task(self.queue.work(data, seconds))
        await _settle()
        return task

    async def pass_time(self, seconds: float, *finished: int) -> None:
        self.clock.now += seconds
        for worker in finished:
            self.workers[worker].finish()
            await _settle()


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(documents, "time", clock)
    return clock


def _run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


async def _taught(clock: _Clock, seconds: float) -> _Server:
    """A server that knows that small documents take so long, and has two of them in work."""
    server = _Server(clock)
    await server.queue.pool.start()
    for _ in range(200):
        task = await server.send(_SMALL, 1e6)
        await server.pass_time(seconds, 0)
        await task
    server.working = [await server.send(_SMALL, 1e6) for _ in range(2)]
    return server


def test_what_would_wait_too_long_is_refused_on_arrival_and_told_when_to_come_back(clock: _Clock) -> None:
    async def test() -> None:
        server = await _taught(clock, 1.0)
        # Two seconds in work for two workers: the next one waits a second, of which four are a fourth.
        waiting = await server.send(_SMALL, 4.1)
        assert not waiting.done()
        refused = await server.send(_SMALL, 4.1)
        with pytest.raises(OverloadedError, match=r"would wait 1.5 s, too long for a deadline in 4.1 s") as error:
            await refused
        # It may wait 4.1 / 4 s, and would have to wait 3 / 2.
        assert error.value.retry_seconds == pytest.approx(1.5 - 4.1 / 4, abs=0.01)
        assert not (await server.send(_SMALL, 60)).done()
        await server.queue.pool.close()

    _run(test())


def test_with_a_free_worker_nothing_is_refused(clock: _Clock) -> None:
    async def test() -> None:
        server = await _taught(clock, 1.0)
        await server.pass_time(1.0, 0)
        assert not (await server.send(_SMALL, 0.01)).done()
        assert server.queue.in_progress == 2
        await server.queue.pool.close()

    _run(test())


def test_what_can_no_longer_be_done_in_time_is_dropped_when_its_turn_comes(clock: _Clock) -> None:
    async def test() -> None:
        server = await _taught(clock, 1.0)
        late, patient = await server.send(_SMALL, 8.0), await server.send(_SMALL, 60)
        # The two in work take much longer than they used to.
        await server.pass_time(7.5, 0)
        with pytest.raises(OverloadedError, match="done after its deadline"):
            await late
        assert not patient.done()
        assert server.queue.in_progress == 2
        assert server.queue.waiting == 0
        await server.queue.pool.close()

    _run(test())


def test_small_documents_leave_large_ones_time(clock: _Clock) -> None:
    async def test() -> None:
        server = await _taught(clock, 0.1)
        # As many small ones as are let in wait a fourth of their callers' time; a large one takes a third of a second
        # at first, and has 4 s less that wait.
        tasks = [await server.send(_SMALL, 4.0) for _ in range(100)]
        assert sum(task.done() for task in tasks) > 50
        assert server.queue.wait_seconds(large=False) == pytest.approx(1.0, abs=0.1)
        large = await server.send(_LARGE, 4.0)
        assert not large.done()
        for task in tasks:
            assert not task.done() or isinstance(task.exception(), OverloadedError)
        await server.queue.pool.close()

    _run(test())


def test_a_forecast_learns_what_any_document_takes_and_what_its_bytes_do() -> None:
    forecast = Forecast()
    for _ in range(200):
        forecast.learn(1_000, 0.02 + 1_000 * 1e-6)
        forecast.learn(1_000_000, 0.02 + 1_000_000 * 1e-6)
    assert forecast.of(1_000) == pytest.approx(0.021, rel=0.01)
    assert forecast.of(500_000) == pytest.approx(0.52, rel=0.01)


@pytest.mark.parametrize(
    ("wait", "work", "left", "late"),
    [
        (1.0, 0.1, 4.0, 0.0),
        (0.5, 3.0, 4.0, 0.3),
        (0.2, 3.0, 4.0, 0.0),
        (2.0, 0.5, 4.0, 1.0),
        # Short work may wait until 0.28 of 4 s, less the work itself.
        (2.0, 0.02, 4.0, 0.9),
        (1.1, 0.02, 4.0, 0.0),
    ],
)
def test_how_much_too_late_work_would_begin(wait: float, work: float, left: float, late: float) -> None:
    assert max(0.0, too_late_by(wait, work, left)) == pytest.approx(late)
