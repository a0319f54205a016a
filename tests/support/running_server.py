"""The real server as a process of its own, and what the system says about it and its workers."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from merger.document import Chain, Document, Mention, Part, Sentence
from protos.convert.documents import document_to_message
from protos.merge_baseline import v1
from tests.support.command_line import PATIENCE

if TYPE_CHECKING:
    import grpc

ROOT = Path(__file__).parents[2]

needs_proc = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks at processes by /proc (Linux)")


def workers_of(pid: int, kind: str = "") -> list[int]:
    """The worker processes of a server; ``kind`` is ``documents`` or ``streams``, or empty for both."""
    found = []
    for child, arguments in children_of(pid).items():
        if "service.work.worker_process" in arguments:
            slots = arguments[arguments.index("service.work.worker_process") + 1]
            found.append((child, "documents" if slots == "1" else "streams"))
    return [child for child, its_kind in found if kind in {"", its_kind}]


def next_worker(server: int) -> int:
    """The worker process that gets the next document, while all are free: the one that was started first."""
    return workers_of(server, "documents")[0]


def children_of(pid: int) -> dict[int, list[str]]:
    """The commands of a process's children, by their numbers."""
    found = {}
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        # The thread, or the child, may have ended since it was listed.
        with suppress(OSError):
            for child in children.read_text(encoding="ascii").split():
                with suppress(OSError):
                    found[int(child)] = Path(f"/proc/{child}/cmdline").read_bytes().decode().split("\0")
    return found


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_working(pid: int) -> bool:
    """Whether a process uses the processor now; it may get little of it."""
    with suppress(FileNotFoundError, ProcessLookupError):
        before = cpu_seconds(pid)
        time.sleep(0.1)
        return cpu_seconds(pid) > before
    return False


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Hold a process: what it has in work stays there until this ends, however fast or busy the machine is."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mib(pid: int) -> float:
    """The memory of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether the condition comes true within this time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def soon(action: Callable[[], object], seconds: float) -> bool:
    """Whether this takes less than so many seconds; tried again, in case that the machine had other things to do."""

    def once() -> bool:
        begun = time.monotonic()
        action()
        return time.monotonic() - begun < seconds

    return until(once)


def huge_document() -> Document:
    """Tenths of a second of work, in 2 MiB, within the usual limits: 5,000 parts that all name York twenty times."""
    sentence = Sentence(("York", "sleeps"), ("NNP", "VBZ"))
    chains = [Chain("0", tuple(Mention(part, index, 0, 0) for index in range(20))) for part in range(5_000)]
    return Document("huge", tuple(Part((sentence,) * 20, part) for part in range(5_000)), tuple(chains))


def request(document: Document, strategy: str = "greedy") -> v1.MergeDocumentRequest:
    return v1.MergeDocumentRequest(document=document_to_message(document), strategy=v1.StrategySpec(name=strategy))


def told(error: grpc.RpcError) -> tuple[grpc.StatusCode, str, float | None]:
    """Code, reason and the seconds after which to try again of a failed call."""
    call = cast("Any", error)
    status = rpc_status.from_call(call)
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    seconds = None
    for detail in () if status is None else status.details:
        if detail.Unpack(retry):
            seconds = retry.retry_delay.ToNanoseconds() / 1e9
        else:
            detail.Unpack(info)
    return call.code(), info.reason, seconds
