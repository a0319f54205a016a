"""A worker in its own process: spawned, fed by pipes, and killed if it does not end a cancelled task."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from protos.limits import DEFAULT_LIMITS, Limits
from service.errors import WorkerLostError
from service.work.ipc import HEADER_BYTES, LOST, Kind, Result, pack_header, unpack_header
from service.work.worker import Report, Running, Task

_log = logging.getLogger("merge_baseline.server")

_CHUNK: Final = 256 * 1024
# A start takes a third of a second of processor time, so minutes on a machine with hundreds of busy programs. A process
# that fails to start ends, which is noticed at once.
_START_SECONDS: Final = 600.0
_EXIT_SECONDS: Final = 2.0


@dataclass(slots=True)
class _RunningTask:
    running: Running
    report: Report | None
    answers: list[bytes] = field(default_factory=list)


class ProcessWorker:
    """A worker whose process is killed if a task still runs ``kill_seconds`` after it was cancelled.

    The process has its own ``taggers``; with ``warm`` it loads them before it takes tasks.
    """

    def __init__(
        self,
        slots: int,
        kill_seconds: float,
        limits: Limits = DEFAULT_LIMITS,
        *,
        taggers: Sequence[str] = (),
        warm: bool = False,
    ) -> None:
        self.slots = slots
        self.in_progress = 0
        self.usable = False
        self.gone: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._kill_seconds = kill_seconds
        self._limits = limits
        self._taggers = {"specs": list(taggers), "warm": warm}
        self._numbers = itertools.count(1)
        self._running: dict[int, _RunningTask] = {}
        self._to_send: deque[tuple[bytes, bytes]] = deque()
        self._sending: asyncio.Task[None] | None = None
        self._receiving: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process; ``None`` before the start."""
        return None if self._process is None else self._process.pid

    async def start(self) -> None:
        """Spawn the process and wait until it takes tasks."""
        # Not by multiprocessing: its children import the server's main module again. That loads the whole command line,
        # or starts a second server if the module has no guard.
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",
            "-m",
            "service.work.worker_process",
            str(self.slots),
            json.dumps(asdict(self._limits)),
            json.dumps(self._taggers),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 20,
            # Ctrl-C in a terminal must reach the server alone, which lets workers finish.
            start_new_session=True,
            # The same module search path as in this process.
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)},
        )
        ready = asyncio.get_running_loop().create_future()
        self._receiving = asyncio.create_task(self._receive(self._process, ready))
        try:
            async with asyncio.timeout(_START_SECONDS):
                await asyncio.wait({ready, self.gone}, return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            await self.close()
            raise WorkerLostError(f"not ready after {_START_SECONDS:g} s") from None
        except asyncio.CancelledError:
            await self.close()
            raise
        if not ready.done():
            raise WorkerLostError(self.gone.result())

    def submit(self, task: Task) -> Running:
        """Start a task; it is lost if the worker is not usable."""
        number = next(self._numbers)
        running = Running(lambda: self._cancel(number))
        if not self.usable:
            running.done.set_result(LOST)
            return running
        self.in_progress += 1
        self._running[number] = _RunningTask(running, task.report)
        seconds = -1.0 if task.seconds is None else max(0.0, task.seconds)
        self._send(pack_header(task.kind, number, task.stream, seconds, len(task.data)), task.data)
        return running

    def drop(self, stream: int) -> None:
        """Make the worker forget a stream."""
        if self.usable:
            self._send(pack_header(Kind.DROP, stream=stream))

    def kill(self) -> None:
        """Kill the process."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def close(self) -> None:
        """Close the process's input, which makes it exit."""
        if self._process is None or self._receiving is None:
            return
        if self._sending is not None:
            self._sending.cancel()
        if self._process.stdin is not None:
            self._process.stdin.close()
        done, _ = await asyncio.wait({self._receiving}, timeout=_EXIT_SECONDS)
        if not done:
            self.kill()
            await asyncio.wait({self._receiving})

    def _cancel(self, number: int) -> None:
        if number not in self._running:
            return
        self._send(pack_header(Kind.CANCEL, number))
        asyncio.get_running_loop().call_later(self._kill_seconds, self._kill_if_still_running, number)

    def _kill_if_still_running(self, number: int) -> None:
        if number in self._running:
            _log.warning("worker %s does not end the work of a call that is over: killed", self.pid)
            self.kill()

    def _send(self, header: bytes, body: bytes = b"") -> None:
        if self._process is None or self._process.stdin is None:
            return
        if len(body) <= _CHUNK and not self._to_send:
            self._process.stdin.write(header + body)
            return
        self._to_send.append((header, body))
        if self._sending is None or self._sending.done():
            self._sending = asyncio.create_task(self._send_waiting(self._process.stdin))

    async def _send_waiting(self, target: asyncio.StreamWriter) -> None:
        # In pieces: asyncio copies the bytes that a pipe does not take at once.
        with contextlib.suppress(ConnectionError):
            while self._to_send:
                header, body = self._to_send[0]
                target.write(header)
                view = memoryview(body)
                for start in range(0, len(body), _CHUNK):
                    target.write(view[start : start + _CHUNK])
                    await target.drain()
                self._to_send.popleft()

    async def _receive(self, process: asyncio.subprocess.Process, ready: asyncio.Future[None]) -> None:
        source = process.stdout
        try:
            while source is not None:
                frame = unpack_header(await source.readexactly(HEADER_BYTES))
                body = await source.readexactly(frame.length) if frame.length else b""
                if frame.kind is Kind.READY:
                    self.usable = True
                    ready.set_result(None)
                elif frame.kind is Kind.ANSWER:
                    self._running[frame.task].answers.append(body)
                elif frame.kind is Kind.PROGRESS:
                    report = self._running[frame.task].report
                    if report is not None:
                        report(body)
                else:
                    self._finish(frame.task, Result(frame.kind, body, frame.seconds))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, KeyError):
            pass
        finally:
            self.usable = False
            code = await _end(process)
            self.gone.set_result(f"{_exit_words(code)}, {len(self._running)} tasks in progress")
            for number in list(self._running):
                self._finish(number, LOST)

    def _finish(self, number: int, result: Result) -> None:
        in_progress = self._running.pop(number)
        self.in_progress -= 1
        in_progress.running.done.set_result(result._replace(answers=tuple(in_progress.answers)))


async def _end(process: asyncio.subprocess.Process) -> int:
    """End a process that closed its output or sent nonsense, and return its exit code."""
    # Most have exited by themselves. Killing first would collect the exit code, and asyncio would miss it.
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_EXIT_SECONDS):
            return await process.wait()
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    return await process.wait()


def _exit_words(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"
