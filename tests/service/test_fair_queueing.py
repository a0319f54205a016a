"""What becomes of small and large documents under overload, with workers that work on a clock of the test's own."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from service.errors import OverloadedError
from service.work import queue as documents
from service.work.fair_queueing import HORIZON_SECONDS, FairQueue
from service.work.ipc import Kind, Result
from service.work.pool import WorkerPool
from service.work.queue import DocumentQueue
from service.work.worker import Running, Task

_LARGE_BYTES = 2**20
_SECONDS_PER_BYTE = 0.6 / 2**20
_OFTEN = {10_000: 20, 170_000: 80, 2_800_000: 2}
"""Bytes of documents, and how often such documents come. A large one takes 1.6 s."""
_DOCUMENTS = {size: b"x" * size for size in _OFTEN}
_DEADLINE = 3.0
_SECONDS = 120.0


class _Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


@dataclass
class _World:
    """What happens when, in the order of time."""

    clock: _Clock
    events: list[tuple[float, int, int, Running | None]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def add(self, when: float, size: int, running: Running | None = None) -> None:
        heapq.heappush(self.events, (when, next(self.numbers), size, running))


class _Worker:
    """Takes as long for a document as its bytes say."""

    slots = 1
    usable = True

    def __init__(self, world: _World) -> None:
        self.world = world
        self.in_progress = 0
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def start(self) -> None:
        pass

    def submit(self, task: Task) -> Running:
        self.in_progress += 1
        running = Running(lambda: None)
        running.done.add_done_callback(self._free)
        size = len(task.data)
        self.world.add(self.world.clock.now + size * _SECONDS_PER_BYTE, size, running)
        return running

    def _free(self, _: asyncio.Future[Result]) -> None:
        self.in_progress -= 1

    def drop(self, stream: int) -> None:
        pass

    async def close(self) -> None:
        pass


async def _settle() -> None:
    for _ in range(6):
        await asyncio.sleep(0)


class _Load:
    """Callers of a queue before two workers."""

    def __init__(self, clock: _Clock, seed: int) -> None:
        self.world = _World(clock)
        self.queue = DocumentQueue(WorkerPool(lambda: _Worker(self.world), 2), 256, _LARGE_BYTES)
        self.random = random.Random(seed)
        self.done: Counter[int] = Counter()
        self.late = 0

    def draw(self) -> int:
        return self.random.choices(list(_OFTEN), list(_OFTEN.values()))[0]

    async def call(self, size: int, seconds: float) -> None:
        begun = self.world.clock.now
        try:
            self.queue.check_time(seconds)
            await self.queue.work(_DOCUMENTS[size], seconds)
        except OverloadedError:
            return
        if self.world.clock.now <= begun + seconds:
            self.done[size] += 1
        else:
            self.late += 1

    async def run(self, *, rate: float = 0.0, callers: int = 0) -> Counter[int]:
        """What was done in time, by bytes: of calls at that rate, or of callers that send one after the other."""
        await self.queue.pool.start()
        world = self.world
        end = world.clock.now + _SECONDS
        tasks = [asyncio.create_task(self._caller(end)) for _ in range(callers)]
        when = world.clock.now
        while rate and when < end:
            when += self.random.expovariate(rate)
            world.add(when, self.draw())
        await _settle()
        while world.events:
            world.clock.now, _, size, running = heapq.heappop(world.events)
            if running is None:
                tasks.append(asyncio.create_task(self.call(size, _DEADLINE)))
            else:
                running.done.set_result(Result(Kind.DONE))
            await _settle()
        await asyncio.gather(*tasks)
        await self.queue.pool.close()
        return self.done

    async def _caller(self, end: float) -> None:
        while self.world.clock.now < end:
            await self.call(self.draw(), 60.0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> _Clock:
    clock = _Clock()
    monkeypatch.setattr(documents, "time", clock)
    return clock


def test_at_twice_the_capacity_each_size_class_gets_as_much_done_as_at_capacity(clock: _Clock) -> None:
    async def test() -> None:
        before = await _Load(clock, 1).run(callers=6)
        load = _Load(clock, 2)
        after = await load.run(rate=2 * before.total() / _SECONDS)
        assert min(after[size] / before[size] for size in _OFTEN) > 0.85
        # Hardly any was started in vain.
        assert load.late < 0.01 * after.total()

    asyncio.run(test())


@dataclass
class _Job:
    arrived: float
    expected: float


def _queue() -> FairQueue[_Job]:
    """Two classes that were offered 10 s of work each, of which 8 and 2 were started, and that have 1 s waiting."""
    queue: FairQueue[_Job] = FairQueue(2)
    for number, (each, started) in enumerate(zip(queue.classes, (8.0, 2.0), strict=True)):
        queue.offer(each, 10.0, 0.0)
        each.started = started
        each.waiting.append(_Job(float(number), 1.0))
    return queue


def test_first_come_is_first_served_without_overload() -> None:
    queue = _queue()
    first, second = queue.classes
    assert queue.order(2.0) == [first, second]
    assert queue.ahead(second, 2.0) == 1.0 + 1.0


def test_the_class_with_the_smallest_share_is_first_under_overload_and_for_a_while_after() -> None:
    queue = _queue()
    first, second = queue.classes
    queue.note_refusal(2.0)
    assert queue.order(3.0) == [second, first]
    # Once the second class has had (2 + 1) / 10 of its work, the first has still had 8 / 10.
    assert queue.ahead(second, 3.0) == 1.0
    assert queue.ahead(first, 3.0) == 1.0 + 1.0
    assert queue.order(2.0 + HORIZON_SECONDS) == [first, second]


def test_what_was_offered_long_ago_counts_little() -> None:
    queue = _queue()
    queue.offer(queue.classes[0], 0.0, HORIZON_SECONDS)
    assert [each.offered for each in queue.classes] == [pytest.approx(10 / math.e)] * 2
    assert [each.share for each in queue.classes] == [pytest.approx(0.8), pytest.approx(0.2)]
