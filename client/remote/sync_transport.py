"""How the client for threads waits: its channel, streams and the documents that it reads. Importing it imports grpc.

:mod:`client.remote.aio_transport` has the same for asyncio.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from typing import Generic, ParamSpec, Self, TypeVar

import grpc
from grpc_health.v1 import health_pb2

from client.remote.channel import CLOSE_SECONDS, HEALTH_METHOD, channel_options, credentials, metadata
from client.remote.document_window import DocumentWindow
from client.remote.error_mapping import ended_early, translate
from client.remote.target import Target
from merger.document import Document
from merger.errors import MergeBaselineError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Request = TypeVar("_Request")
_Response = TypeVar("_Response")

Attempt = Callable[[float | None], _T]
"""One attempt of a call, which takes the seconds that are left."""
Documents = Iterable[Document]
UnaryMethod = grpc.UnaryUnaryMultiCallable


class Channel:
    """A gRPC channel to a server."""

    def __init__(self, target: Target) -> None:
        self._address = target.address
        self._metadata = metadata(target)
        self._closed = threading.Event()
        self._channel = open_channel(target)
        self.stub = ChainMergeServiceStub(self._channel)
        self.check_health = health_check(self._channel)

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed.is_set()

    def close(self) -> None:
        """Cancel running calls and :meth:`sleep`, and disconnect."""
        self._closed.set()
        self._channel.close()

    def sleep(self, seconds: float) -> None:
        """Wait for this time, or until the channel is closed."""
        self._closed.wait(seconds)

    @staticmethod
    def in_thread(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function that blocks."""
        return function(*args, **kwargs)

    def answer(
        self,
        method: UnaryMethod[_Request, _Response],
        request: _Request,
        seconds: float | None,
        *,
        wait_for_ready: bool | None = None,
    ) -> _Response:
        """Make a call with one answer. Raises ``grpc.RpcError``."""
        return method(request, timeout=seconds, metadata=self._metadata, wait_for_ready=wait_for_ready)

    def stream(
        self,
        method: grpc.StreamStreamMultiCallable[_Request, _Response],
        seconds: float | None,
        explain: Callable[[grpc.RpcError], MergeBaselineError],
    ) -> StreamCall[_Request, _Response]:
        """Start a call with messages both ways; ``explain`` makes the exception to raise when it fails."""
        return StreamCall(method, seconds, self._metadata, explain, self._address)


def open_channel(target: Target) -> grpc.Channel:
    """A channel to a server, which does not connect yet. Raises ``OSError`` for a file for TLS that can't be read."""
    options = channel_options(target)
    if target.tls is None:
        return grpc.insecure_channel(target.address, options)
    return grpc.secure_channel(target.address, credentials(target.tls), options)


def health_check(channel: grpc.Channel) -> UnaryMethod[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]:
    """The health check. The type stubs of grpc lack the methods of the health service's own stub."""
    return channel.unary_unary(
        HEALTH_METHOD,
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )


class StreamCall(Generic[_Request, _Response]):
    """One running call with messages both ways."""

    def __init__(
        self,
        method: grpc.StreamStreamMultiCallable[_Request, _Response],
        seconds: float | None,
        metadata: tuple[tuple[str, str], ...],
        explain: Callable[[grpc.RpcError], MergeBaselineError],
        address: str,
    ) -> None:
        self._address = address
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[_Response | MergeBaselineError] = queue.SimpleQueue()
        self._explain = explain
        self._cancelled = False
        self._call = method(iter(self._requests.get, None), timeout=seconds, metadata=metadata)
        # A thread, as grpc cannot wait for an answer with a time limit.
        self._reader = threading.Thread(target=self._take_answers, name="merge-answers", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            # So that the server does not count the call as cancelled.
            self.half_close()
            self._reader.join(CLOSE_SECONDS)
        self.cancel()

    def send(self, request: _Request) -> None:
        """Send without waiting for an answer."""
        self._requests.put(request)

    def half_close(self) -> None:
        """Tell the server that there are no more requests."""
        self._requests.put(None)

    def receive(self, seconds: float | None = None) -> _Response | None:
        """Wait for the next answer; ``None`` if none came in time. Raises the error that the call failed with."""
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(answer, MergeBaselineError):
            # It is the last one, so that every later call raises it too.
            self._answers.put(answer)
            raise answer
        return answer

    def cancel(self) -> None:
        """Cancel the call, if it still runs, and free its resources."""
        self._cancelled = True
        self._call.cancel()
        # Ends the thread in which grpc waits for requests. Before the cancel it would finish the stream.
        self._requests.put(None)

    def _take_answers(self) -> None:
        try:
            for answer in self._call:
                self._answers.put(answer)
            self._answers.put(ended_early(self._address))
        except grpc.RpcError as error:
            self._answers.put(translate(error, self._address) if self._cancelled else self._explain(error))


class DocumentSource:
    """Reads documents and their keys, one before each wait for an answer while there is room for it."""

    def __init__(self, documents: Documents, key_of: Callable[[Document], Document | None] | None) -> None:
        self._documents = iter(documents)
        self._key_of = key_of

    def close(self) -> None:
        """Read no further."""

    def step(
        self, window: DocumentWindow, call: StreamCall[v1.MergeDocumentsRequest, v1.MergeDocumentsResponse]
    ) -> None:
        """Read a document if there is room for one, send what is due, and take an answer."""
        if window.has_room:
            self._read(window)
        for request in window.requests():
            call.send(request)
        if window.has_pending:
            answer = call.receive(0 if window.has_room else window.wait_seconds())
            if answer is not None:
                window.take(answer)
            window.check_timeout()

    def _read(self, window: DocumentWindow) -> None:
        try:
            document = next(self._documents)
            key = None if self._key_of is None else self._key_of(document)
        except StopIteration:
            window.end()
        except Exception as error:  # noqa: BLE001  # raised again once the documents before it are done
            window.end(error)
        else:
            window.add(document, key)
