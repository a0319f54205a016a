"""Runs of the program whose processes are limited or killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

from tests.support.command_line import PATIENCE, PROGRAM, Done

CPU_SECONDS = 2
"""More than a run needs besides the long document, and less than that takes."""


def run_limited(*arguments: str | Path) -> Done:
    """Run the program where the system ends each process that uses more than :data:`CPU_SECONDS`."""
    return run_below(f"-S -t {CPU_SECONDS}", *arguments)


def run_below(limit: str, *arguments: str | Path) -> Done:
    """Run the program below a limit of bash's ``ulimit``."""
    command = f'ulimit {limit} && exec "$@"'
    done = subprocess.run(
        ["/bin/bash", "-c", command, "bash", PROGRAM, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * PATIENCE,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@contextlib.contextmanager
def started(
    *arguments: str | Path, stdin: IO[str] | int = subprocess.DEVNULL, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """The running program."""
    with subprocess.Popen(
        [PROGRAM, *map(str, arguments)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(env or {})},
        text=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def ended(process: subprocess.Popen[str]) -> Done:
    """Wait for the program's end."""
    out, err = process.communicate(timeout=5 * PATIENCE)
    return Done(process.returncode, out, err)


def workers_of(process: subprocess.Popen[str], least_cpu: float = 0.0) -> list[int]:
    """The worker processes that have used at least that many seconds of CPU."""
    return [pid for pid in descendants(process.pid, "spawn_main") if cpu_of(pid) >= least_cpu]


def descendants(root: int, title: str) -> list[int]:
    """The processes below one that have this in their command lines."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in brackets, may hold blanks.
            parents[int(stat.parent.name)] = int(stat.read_text("utf-8", "replace").rpartition(")")[2].split()[1])
        except OSError:
            continue
    return [pid for pid in parents if _is_below(pid, root, parents) and title in _command_line(pid)]


def _is_below(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid in parents and parents[pid] != root:
        pid = parents[pid]
    return pid in parents


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has used so far; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for(found: Callable[[], list[int]], process: subprocess.Popen[str]) -> list[int]:
    """Ask until there is something; the process must not end before."""
    limit = time.monotonic() + 3 * PATIENCE
    while not (seen := found()):
        assert process.poll() is None, ended(process)
        assert time.monotonic() < limit
        time.sleep(0.02)
    return seen


def kill(pids: list[int]) -> None:
    """Kill processes as the system does when memory is short."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
