"""Runs commands one at a time and tells what each took. Linux and macOS only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

_KIB = 1 if sys.platform != "darwin" else 1024


@dataclass(frozen=True)
class Run:
    """One run: wall seconds, processor seconds, peak memory in MiB, standard output; unfinished if it was stopped."""

    seconds: float
    processor: float
    memory: float
    output: str
    finished: bool


def environment() -> dict[str, str]:
    """This process's environment, in which Python caches bytecode: so do installed programs."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def run(command: Sequence[str], timeout: float | None = None, variables: Mapping[str, str] | None = None) -> Run:
    """Run a command to its end, or until ``timeout`` seconds are over.

    Raises ``RuntimeError`` with what it wrote to standard error if it fails by itself.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=errors, env={**environment(), **(variables or {})})
        stop = threading.Timer(timeout or threading.TIMEOUT_MAX, os.kill, (process.pid, signal.SIGKILL))
        stop.daemon = True
        stop.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        stop.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        finished = process.returncode >= 0
        output.seek(0)
        errors.seek(0)
        if process.returncode > 0:
            raise RuntimeError(f"{command[0]} failed: {errors.read().decode(errors='replace')}")
        processor = usage.ru_utime + usage.ru_stime
        return Run(seconds, processor, usage.ru_maxrss / _KIB / 1024, output.read().decode(errors="replace"), finished)


@dataclass(frozen=True)
class Side:
    """One side of a comparison: commands that count together, one after the other."""

    name: str
    commands: Sequence[Sequence[str]]
    variables: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Measured:
    """What a side took: median seconds (wall, processor), highest memory in MiB, and what it wrote the first time."""

    seconds: float
    processor: float
    memory: float
    outputs: Sequence[str]
    repeats: int
    finished: bool

    def shown(self) -> str:
        """The time in seconds, as a bound if it was stopped."""
        return f"{'' if self.finished else 'over '}{self.seconds:.{2 if self.seconds < 10 else 0}f}"  # noqa: PLR2004

    def ratio_to(self, ours: Measured) -> str:
        """How many times longer than ``ours`` this took, as a bound if it was stopped."""
        ratio = self.seconds / ours.seconds
        return f"{'' if self.finished else 'over '}{ratio:.{1 if ratio < 10 else 0}f}"  # noqa: PLR2004


def take_turns(sides: Sequence[Side], repeats: int, timeout: float, slow: float = 15) -> dict[str, Measured]:
    """Run all sides once before any runs again; one that takes more than ``slow`` seconds runs once."""
    runs: dict[str, list[list[Run]]] = {side.name: [] for side in sides}
    for _ in range(repeats):
        for side in sides:
            done = runs[side.name]
            if done and _seconds(done[0]) > slow:
                continue
            done.append([run(command, timeout, side.variables) for command in side.commands])
    return {name: _measured(done) for name, done in runs.items()}


def _seconds(runs: Sequence[Run]) -> float:
    return sum(each.seconds for each in runs)


def _measured(repeats: Sequence[Sequence[Run]]) -> Measured:
    return Measured(
        median(map(_seconds, repeats)),
        median(sum(run.processor for run in runs) for runs in repeats),
        max(run.memory for runs in repeats for run in runs),
        [run.output for run in repeats[0]],
        len(repeats),
        all(run.finished for runs in repeats for run in runs),
    )
