"""Runs the installed command line as users do: in a process of its own."""

from __future__ import annotations

import contextlib
import os
import random
import re
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PROGRAM = str(Path(sys.executable).parent / "merge-baseline")
NAMES = ("allotment", "clock", "ferry", "wells")
NOWHERE = "127.0.0.1:1"
"""An address where nothing listens."""
WITHOUT_CORENLP = {"CORENLP_HOME": "nowhere"}
"""For `demo`, which otherwise spends half a minute on CoreNLP where it is installed."""
PATIENCE = 60.0
"""Seconds within which what is waited for must have happened, on a machine that has much else to do too."""


@dataclass(frozen=True)
class Done:
    """What a command did. Output is exact: line ends are not translated."""

    code: int
    out: str
    err: str


def run(*arguments: str | Path, stdin: str = "", cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Done:
    """Run the command to its end."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)],
        input=stdin.encode(),
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        check=False,
        timeout=5 * PATIENCE,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def output_of(*arguments: str | Path, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
    """What a command prints on standard output. It must succeed."""
    return the_output(run(*arguments, stdin=stdin, env=env))


def error_of(*arguments: str | Path, code: int, stdin: str = "", cwd: Path | None = None) -> str:
    """The one line that a command fails with, without the program's name in front."""
    return the_error(run(*arguments, stdin=stdin, cwd=cwd), code)


def the_output(done: Done) -> str:
    assert done.code == 0, done.err
    return done.out


def the_error(done: Done, code: int) -> str:
    assert done.code == code, done.err
    assert "Traceback" not in done.err
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("merge-baseline: error: ")
    return lines[0].removeprefix("merge-baseline: error: ")


@contextlib.contextmanager
def serving(
    *arguments: str, group: bool = False, cwd: Path | None = None
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server process on a free port, and its address; with ``group`` in a process group of its own."""
    port = () if "--port" in arguments else ("--port", "0")
    command = [PROGRAM, "serve", *port, *arguments]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0 if group else None,
        cwd=cwd,
    ) as process:
        try:
            assert process.stdout is not None
            found = re.fullmatch(r"serving on (\S+)\n", process.stdout.readline())
            assert found is not None
            yield process, found[1]
        finally:
            if process.poll() is None:
                process.kill()


def free_port() -> int:
    """A free port that nobody gets by chance: systems give those from 32768 on to whoever wants any."""
    while True:
        port = random.randrange(20_000, 32_768)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("", port))
            return port
