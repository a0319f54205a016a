"""Whether CoreNLP can run on this machine, and documents for it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from merger.backends.corenlp.install import find_installation
from merger.backends.corenlp.options import why_unavailable
from merger.backends.corenlp.process import JvmProcess
from merger.backends.corenlp.server import CoreNLPServer
from merger.document import Document, Part, Sentence
from merger.errors import UnavailableError
from tests.support.command_line import PATIENCE

MEMORY = "4G"
"""The heap of the server that tests share."""
WHY_NOT = why_unavailable()
needs_corenlp = pytest.mark.java(WHY_NOT)


def _shift_reduce() -> bool:
    try:
        return "shift-reduce" in find_installation().parsers
    except UnavailableError:
        return False


needs_shift_reduce = pytest.mark.java(
    WHY_NOT or (None if _shift_reduce() else "CoreNLP lacks its shift-reduce parser; run `make corenlp`")
)


def document_of(*sentences: str | Sentence, name: str = "d") -> Document:
    """A document of one part; texts are cut at spaces."""
    made = tuple(Sentence(tuple(each.split())) if isinstance(each, str) else each for each in sentences)
    return Document(name, (Part(made),))


def process_of(server: CoreNLPServer) -> JvmProcess:
    """The running process of a server, to do it harm."""
    peer = server._peer
    assert peer is not None
    assert peer.process is not None
    return peer.process


def exists(pid: int) -> bool:
    """Whether a process runs, zombies not counted."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until_used(server: CoreNLPServer) -> None:
    """Wait until a request is under way."""
    end = time.monotonic() + PATIENCE
    while server._peer is None or server._peer.users == 0:
        assert time.monotonic() < end
        time.sleep(0.01)


def kill_twice(server: Callable[[], CoreNLPServer], killed: list[int] | None = None) -> None:
    """Kill the server under a request, and the one after it, since a document is tried once more; tell which."""
    killed = [] if killed is None else killed
    end = time.monotonic() + 3 * PATIENCE
    while len(killed) < 2:
        assert time.monotonic() < end
        peer = server()._peer
        process = None if peer is None else peer.process
        if peer is not None and process is not None and peer.users and peer.ready and process.pid not in killed:
            killed.append(process.pid)
            os.kill(process.pid, signal.SIGKILL)
        time.sleep(0.01)


def wait_until_gone(pid: int) -> bool:
    """Whether the process ends in time."""
    end = time.monotonic() + PATIENCE
    while exists(pid):
        if time.monotonic() > end:
            os.kill(pid, signal.SIGKILL)
            return False
        time.sleep(0.05)
    return True
