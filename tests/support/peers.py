"""Real gRPC servers that answer as a test tells them to, and server processes to kill and start again."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self, cast

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health, health_pb2_grpc
from grpc_status import rpc_status

from merger.errors import BackendError
from merger.progress import WorkContext
from protos.convert.status import status_of
from service.answers import merge_document_answer
from service.strategies import ServedStrategies
from tests.support.command_line import PATIENCE, free_port, serving

SERVICE = "merge_baseline.v1.ChainMergeService"


@dataclass
class Peer:
    """A server that ends each call of MergeDocument with the next status, and merges once they are used up.

    ``calls`` are the times at which calls came, ``tokens`` what they carried as authorization.
    """

    statuses: list[status_pb2.Status]
    address: str = ""
    calls: list[float] = field(default_factory=list)
    tokens: list[str | bytes | None] = field(default_factory=list)

    def answer(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        self.calls.append(time.monotonic())
        self.tokens.append(dict(context.invocation_metadata()).get("authorization"))
        if self.statuses:
            context.abort_with_status(cast("Any", rpc_status.to_status(self.statuses.pop(0))))
        return merge_document_answer(ServedStrategies(), request, WorkContext())


@contextmanager
def answering(*statuses: status_pb2.Status) -> Iterator[Peer]:
    peer = Peer(list(statuses))
    with ThreadPoolExecutor(4) as threads:
        server = grpc.server(threads)
        health_pb2_grpc.add_HealthServicer_to_server(health.HealthServicer(), server)
        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            "MergeDocument": grpc.unary_unary_rpc_method_handler(peer.answer)
        }
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, methods)])
        peer.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        try:
            yield peer
        finally:
            server.stop(None).wait()


def status(code: grpc.StatusCode, message: str = "no", retry_seconds: float | None = None) -> status_pb2.Status:
    details = []
    if retry_seconds is not None:
        info = error_details_pb2.RetryInfo()
        info.retry_delay.FromMilliseconds(round(retry_seconds * 1000))
        packed = AnyMessage()
        packed.Pack(info)
        details = [packed]
    return status_pb2.Status(code=code.value[0], message=message, details=details)


def busy(seconds: float | None = None) -> status_pb2.Status:
    return status(grpc.StatusCode.RESOURCE_EXHAUSTED, "full", seconds)


def gone() -> status_pb2.Status:
    return status(grpc.StatusCode.UNAVAILABLE, "gone")


def backend_failed() -> status_pb2.Status:
    return status_of(BackendError("the parser died"))


class Restarted:
    """A server process on a port of its own, which can be killed and started again."""

    def __init__(self, *arguments: str) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._arguments = ("--port", str(self.port), "--log-level", "error", *arguments)
        self._running = serving(*self._arguments)
        self._process, _ = self._running.__enter__()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.__exit__(None, None, None)

    @property
    def pid(self) -> int:
        """The process, as long as it is not started again."""
        return self._process.pid

    def kill(self) -> None:
        """Without a chance to say goodbye."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        self._running.__exit__(None, None, None)

    def stop(self) -> None:
        """Politely."""
        self._process.terminate()
        assert self._process.wait(PATIENCE) == 0
        self._running.__exit__(None, None, None)

    def start(self, *arguments: str) -> None:
        """Start it again, with more options, each with a value, in the place of those it had with the same names."""
        pairs = dict(zip(self._arguments[::2], self._arguments[1::2], strict=True))
        pairs |= zip(arguments[::2], arguments[1::2], strict=True)
        self._running = serving(*(word for pair in pairs.items() for word in pair))
        self._process, _ = self._running.__enter__()

    def start_later(self, seconds: float) -> threading.Thread:
        """Start it on a thread after a while."""

        def late() -> None:
            time.sleep(seconds)
            self.start()

        thread = threading.Thread(target=late)
        thread.start()
        return thread
