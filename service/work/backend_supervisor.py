"""Supervises enabled backends: finds one that has failed, refuses calls for its strategy, and restarts it.

The next check finds a backend that has ended. A backend that does not answer counts as failed after ``hung_seconds`` if
it uses no processor time, and after ``slow_seconds`` if it does: a Java process can be silent for some seconds while it
collects garbage. The first restart comes at once, later ones after delays that double. The delay is reset once a
backend has been up for ``stable_seconds``.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from merger.backends.base import Backend
from merger.backends.health import Health, HealthState
from merger.errors import MergeBaselineError
from merger.progress import WorkContext
from service.strategies import ServedStrategies

_log = logging.getLogger("merge_baseline.server")

_T = TypeVar("_T")

_FIRST_GUESS_SECONDS: Final = 15.0


@dataclass(frozen=True, slots=True)
class Pace:
    """Times of the supervision, in seconds: interval of checks, limits for an answer, delays of restarts."""

    interval: float = 1.0
    answer_seconds: float = 2.0
    hung_seconds: float = 4.0
    slow_seconds: float = 30.0
    first_delay: float = 1.0
    longest_delay: float = 60.0
    stable_seconds: float = 60.0


class _StoppingError(Exception):
    """The server is stopping, so a backend need not start."""


class Guard:
    """Supervises one backend. With ``keep_warm`` it is started whenever it is not running."""

    def __init__(
        self,
        strategies: ServedStrategies,
        name: str,
        backend: Backend,
        *,
        keep_warm: bool,
        pace: Pace,
        clock: Callable[[], float],
    ) -> None:
        self.name = name
        self.backend = backend
        self.state = HealthState.IDLE
        """The state at the last check."""
        self.down = False
        """Whether calls for the backend are refused."""
        self.restarts = 0
        """How often it was restarted."""
        self.on_change: Callable[[], None] = lambda: None
        self._strategies = strategies
        self._keep_warm = keep_warm
        self._pace = pace
        self._clock = clock
        self._silent_since: float | None = None
        self._up_since = self._clock()
        self._delay = 0.0
        self._start_seconds = _FIRST_GUESS_SECONDS
        self._stopping = threading.Event()
        self._threads = ThreadPoolExecutor(1, thread_name_prefix=f"supervise-{name}")

    async def run(self) -> None:
        """Supervise it until cancelled."""
        was_well = False
        while True:
            health = await self._look()
            well = health.state is HealthState.WELL
            if self._has_failed(health):
                if self._clock() - self._up_since >= self._pace.stable_seconds:
                    self._delay = 0.0
                await self._start_again(f"{self.backend.name} {health.reason}")
            elif self._keep_warm and health.state is HealthState.IDLE:
                # CoreNLP is ended when the last caller of its work has left, since it would compute on.
                self._delay = 0.0
                await self._start_again(f"{self.backend.name} was ended with a call that was given up")
            elif self._keep_warm and was_well and health.state is HealthState.STARTING and not self.down:
                # A call came before this check, and the backend is starting for it.
                self._set_down(f"{self.backend.name} is starting", self._start_seconds)
            elif well and self.down:
                self._set_up()
            was_well = was_well or well
            await asyncio.sleep(self._pace.interval)

    def stop(self) -> None:
        """Cancel a restart in progress, and wait until it has ended."""
        self._stopping.set()
        self._threads.shutdown(wait=True, cancel_futures=True)

    async def _look(self) -> Health:
        try:
            health = await self._in_thread(lambda: self.backend.check(self._pace.answer_seconds))
        except Exception as error:  # noqa: BLE001  # a bug in a backend must not end its supervision
            health = Health(HealthState.GONE, f"cannot be looked at: {type(error).__qualname__}")
        self.state = health.state
        if health.state not in {HealthState.HUNG, HealthState.SLOW}:
            self._silent_since = None
        elif self._silent_since is None:
            # The check began that long ago.
            self._silent_since = self._clock() - self._pace.answer_seconds
        return health

    def _has_failed(self, health: Health) -> bool:
        if health.state is HealthState.GONE:
            return True
        if self._silent_since is None:
            return False
        limit = self._pace.hung_seconds if health.state is HealthState.HUNG else self._pace.slow_seconds
        return self._clock() - self._silent_since >= limit

    async def _start_again(self, reason: str) -> None:
        while True:
            self._set_down(reason, self._delay + self._start_seconds)
            _log.error("backend %s: %s; starting it again in %g s", self.name, reason, self._delay)
            await asyncio.sleep(self._delay)
            self._delay = min(self._pace.longest_delay, max(self._pace.first_delay, 2 * self._delay))
            started = self._clock()
            try:
                await self._in_thread(lambda: self.backend.restart(self._watch()))
            except MergeBaselineError as error:
                reason = str(error)
            except _StoppingError:
                return
            except Exception as error:  # noqa: BLE001  # a bug in a backend must not end its supervision
                reason = f"{self.backend.name} failed to start: {type(error).__qualname__}"
            else:
                self._start_seconds = self._clock() - started
                self._set_up()
                return

    def _set_down(self, reason: str, seconds: float) -> None:
        self._strategies.set_down(self.backend, reason, seconds)
        self.down = True
        self.on_change()

    def _set_up(self) -> None:
        self.state = HealthState.WELL
        self._silent_since = None
        self._up_since = self._clock()
        self.restarts += 1
        self._strategies.set_up(self.backend)
        self.down = False
        self.on_change()
        _log.warning("backend %s: it is back", self.name)

    def _watch(self) -> WorkContext:
        def check() -> None:
            if self._stopping.is_set():
                raise _StoppingError

        return WorkContext(check=check)

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class Supervisor:
    """Supervises all enabled backends, each by itself.

    ``on_ready`` gets the name of a strategy and whether all of its backends can be used: at the start, and after every
    change.
    """

    def __init__(
        self,
        strategies: ServedStrategies,
        on_ready: Callable[[str, bool], None],
        *,
        keep_warm: bool,
        pace: Pace | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.guards = [
            Guard(strategies, name, backend, keep_warm=keep_warm, pace=pace or Pace(), clock=clock)
            for name, backends in strategies.backends.items()
            for backend in backends
        ]
        self._on_ready = on_ready
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Start the supervision, after backends have been warmed."""
        for guard in self.guards:
            guard.on_change = partial(self._report, guard.name)
            self._report(guard.name)
            self._tasks.append(asyncio.create_task(guard.run(), name=f"supervise {guard.name}"))

    async def stop(self) -> None:
        """End the supervision; the backends stay as they are."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(asyncio.to_thread(guard.stop) for guard in self.guards))

    def _report(self, name: str) -> None:
        self._on_ready(name, not any(guard.down for guard in self.guards if guard.name == name))
