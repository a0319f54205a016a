"""The inside of a worker process: reads tasks from standard input and writes results to standard output, as frames.

The main thread reads, and other threads work. When standard input ends, the server is gone or has closed the worker,
and the process exits at once, even in the middle of a task.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, Final

from merger.progress import WorkContext
from protos.limits import Limits
from service.strategies import ServedStrategies
from service.work.executor import Call, Executor
from service.work.ipc import HEADER_BYTES, Frame, Kind, Result, pack_header, unpack_header
from service.work.malloc_trim import trim

_LARGE_BYTES: Final = 1024 * 1024

_Send = Callable[[Iterable[bytes]], None]
"""Sends frames, given as headers and bodies in turn."""


def main() -> None:
    """Work until standard input ends.

    The arguments: how many tasks can be in progress at a time, the Limits as JSON, and the taggers as JSON with their
    ``specs`` and whether to load them at once (``warm``).
    """
    # Ctrl-C and a service manager's SIGTERM can reach the whole group; the server alone decides when workers end.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # Nothing that prints must write between the frames.
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    target = os.fdopen(os.dup(1), "wb", buffering=1 << 16)
    os.dup2(2, 1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    # If memory runs out, the system should kill a worker rather than the server.
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500", encoding="ascii")
    taggers = json.loads(sys.argv[3])
    strategies = ServedStrategies(taggers=taggers["specs"])
    if taggers["warm"]:
        strategies.taggers.warm(WorkContext())
    # Imported objects live for ever, so garbage collections can skip them.
    gc.collect()
    gc.freeze()
    executor = Executor(strategies, Limits(**json.loads(sys.argv[2])))
    _work(source, _sender(target), int(sys.argv[1]), executor)


def _sender(target: BinaryIO) -> _Send:
    lock = threading.Lock()

    def send(frames: Iterable[bytes]) -> None:
        try:
            with lock:
                target.writelines(frames)
                target.flush()
        except OSError:
            os._exit(0)

    return send


def _work(source: BinaryIO, send: _Send, slots: int, executor: Executor) -> None:
    calls: dict[int, Call] = {}
    threads = ThreadPoolExecutor(slots, thread_name_prefix="merge")

    def do(frame: Frame, data: bytes, call: Call) -> None:
        result = executor.work(frame.kind, frame.stream, data, call)
        calls.pop(frame.task, None)
        # In one write, so that the server wakes up once.
        send(_frames(frame.task, result))
        if frame.length > _LARGE_BYTES:
            del result
            trim()

    def report(task: int) -> Callable[[bytes], None]:
        return lambda body: send((pack_header(Kind.PROGRESS, task, length=len(body)), body))

    send((pack_header(Kind.READY),))
    while len(header := source.read(HEADER_BYTES)) == HEADER_BYTES:
        frame = unpack_header(header)
        data = source.read(frame.length)
        if len(data) < frame.length:
            break
        if frame.kind is Kind.CANCEL:
            call = calls.get(frame.task)
            if call is not None:
                call.cancel()
        elif frame.kind is Kind.DROP:
            executor.drop(frame.stream)
        else:
            seconds = None if frame.seconds < 0 else frame.seconds
            call = calls[frame.task] = Call(seconds, report(frame.task) if frame.stream else None)
            threads.submit(do, frame, data, call)
        # Otherwise it would stay in memory until the next frame.
        del data
    os._exit(0)


def _frames(task: int, result: Result) -> Iterator[bytes]:
    for answer in result.answers:
        yield pack_header(Kind.ANSWER, task, length=len(answer))
        yield answer
    yield pack_header(result.kind, task, 0, result.seconds, len(result.body))
    yield result.body


if __name__ == "__main__":
    main()
