"""Runs the command line in this process, for tests of what it prints and writes: ten times as fast as a program."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from unittest.mock import patch

import pytest
from click.testing import CliRunner, Result

from client.cli.app import cli
from client.cli.main import main
from tests.support.command_line import Done, the_error, the_output


def run(*arguments: str | Path, stdin: str = "", cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Done:
    """Run the command to its end, as :func:`tests.support.command_line.run` does."""
    given = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin.encode())), "utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with (
        process_as_before(),
        patch.dict(os.environ, env or {}),
        contextlib.chdir(cwd or Path.cwd()),
        patch.multiple(sys, stdin=given, stdout=out, stderr=err),
        pytest.raises(SystemExit) as left,
    ):
        main([str(each) for each in arguments])
    assert isinstance(left.value.code, int)
    printed, errors = (stream.buffer for stream in (out, err))
    assert isinstance(printed, io.BytesIO)
    assert isinstance(errors, io.BytesIO)
    return Done(left.value.code, printed.getvalue().decode(), errors.getvalue().decode())


def invoke(*arguments: str | Path) -> Result:
    """Run the command in this process; what it raises, usage errors too, is the result's ``exception``."""
    return CliRunner().invoke(cli, list(map(str, arguments)), standalone_mode=False)


def output_of(*arguments: str | Path, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
    """What a command prints on standard output. It must succeed."""
    return the_output(run(*arguments, stdin=stdin, env=env))


def error_of(*arguments: str | Path, code: int, stdin: str = "", cwd: Path | None = None) -> str:
    """The one line that a command fails with, without the program's name in front."""
    return the_error(run(*arguments, stdin=stdin, cwd=cwd), code)


@contextlib.contextmanager
def process_as_before() -> Iterator[None]:
    """Put back what a command changes, since it sets up its process for itself alone."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    threshold = gc.get_threshold()
    try:
        yield
    finally:
        gc.enable()
        gc.set_threshold(*threshold)
        for number, handler in handlers.items():
            signal.signal(number, handler)
