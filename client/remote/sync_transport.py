"""Calls over a gRPC channel, with errors as exceptions of this project. Importing it imports grpc."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Generic, Self, TypeVar

import grpc
from grpc_health.v1 import health_pb2

from client.remote.channel import (
    GOODBYE_SECONDS,
    HEALTH_METHOD,
    HEALTH_REQUEST,
    REASON_SECONDS,
    SERVING,
    channel_options,
    credentials,
    metadata,
)
from client.remote.error_mapping import ended_early, not_connected, translate
from client.remote.errors import CancelledError, DeadlineError, UnreachableError
from client.remote.target import Target
from merger.errors import MergeBaselineError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class Connection:
    """A channel to one server. It connects at the first call, and by itself again after the server was away.

    All methods raise what :func:`~client.remote.error_mapping.translate` makes of errors.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._metadata = metadata(target)
        self._connected = False
        self._closed = False
        options = channel_options(target)
        self._channel = (
            grpc.insecure_channel(target.address, options)
            if target.tls is None
            else grpc.secure_channel(target.address, credentials(target.tls), options)
        )
        self._stub = ChainMergeServiceStub(self._channel)
        # The stub packages don't know the methods of the health service's own stub.
        self._check_health: grpc.UnaryUnaryMultiCallable[
            health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse
        ] = self._channel.unary_unary(
            HEALTH_METHOD,
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        self.reached = False
        """Whether there ever was a connection."""

    def close(self) -> None:
        """Cancel what runs and disconnect."""
        self._closed = True
        self._channel.close()

    def merge_document(self, request: v1.MergeDocumentRequest, timeout: float | None) -> v1.MergeDocumentResponse:
        """Merge a document that is sent as a whole."""
        return self._answer(self._stub.MergeDocument, request, timeout)

    def list_strategies(self, timeout: float | None) -> v1.ListStrategiesResponse:
        """Ask for the server's strategies."""
        return self._answer(self._stub.ListStrategies, v1.ListStrategiesRequest(), timeout)

    def is_serving(self, timeout: float | None) -> bool:
        """What the health check says."""
        return bool(self._answer(self._check_health, HEALTH_REQUEST, timeout).status == SERVING)

    def merge_stream(self, timeout: float | None) -> StreamCall[v1.MergeStreamRequest, v1.MergeStreamResponse]:
        """Begin a stream of parts."""
        self.connect(timeout)
        return StreamCall(self._stub.MergeStream, timeout, self._metadata, self.explain, self._target.address)

    def merge_documents(self) -> StreamCall[v1.MergeDocumentsRequest, v1.MergeDocumentsResponse]:
        """Begin a stream of documents."""
        self.connect(None)
        return StreamCall(self._stub.MergeDocuments, None, self._metadata, self.explain, self._target.address)

    def connect(self, timeout: float | None) -> None:
        """See that there is a connection, within ``timeout`` if that is less than the time to connect."""
        if self._closed:
            raise CancelledError(f"the client of {self._target.address} was closed", self._target.address)
        if self._connected:
            return
        limit = self._target.connect_timeout
        # A call that waits for the connection; grpc's own future for it leaves a thread that outlives the channel.
        try:
            self._check_health(
                HEALTH_REQUEST, timeout=limit if timeout is None else min(limit, timeout), wait_for_ready=True
            )
        except grpc.RpcError as error:
            reason = self.explain(error)
            if isinstance(reason, DeadlineError):
                raise not_connected(self._target, self._why_not()) from None
            if isinstance(reason, UnreachableError | CancelledError):
                raise reason from None
            # Whatever else it says of its health, it answers.
        self._connected = self.reached = True

    def explain(self, error: grpc.RpcError) -> MergeBaselineError:
        """What to raise for a failed call."""
        reason = translate(error, self._target.address)
        if isinstance(reason, CancelledError) and not self._closed:
            # Not by us: a server that stops cancels what runs at the end of its grace.
            reason = UnreachableError(f"the server at {self._target.address} gave the call up", self._target.address)
        if isinstance(reason, UnreachableError):
            self._connected = False
        return reason

    def _why_not(self) -> str:
        """Why there is no connection: only a call that does not wait for it is told."""
        try:
            self._check_health(HEALTH_REQUEST, timeout=REASON_SECONDS)
        except grpc.RpcError as error:
            return error.details() or ""
        return ""

    def _answer(
        self,
        method: grpc.UnaryUnaryMultiCallable[_Request, _Response],
        request: _Request,
        timeout: float | None,
    ) -> _Response:
        self.connect(timeout)
        try:
            return method(request, timeout=timeout, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self.explain(error) from None


class StreamCall(Generic[_Request, _Response]):
    """One running call with messages both ways."""

    def __init__(
        self,
        method: grpc.StreamStreamMultiCallable[_Request, _Response],
        timeout: float | None,
        metadata: tuple[tuple[str, str], ...],
        explain: Callable[[grpc.RpcError], MergeBaselineError],
        address: str,
    ) -> None:
        self._address = address
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[_Response | MergeBaselineError] = queue.SimpleQueue()
        self._explain = explain
        self._cancelled = False
        self._call = method(iter(self._requests.get, None), timeout=timeout, metadata=metadata)
        # grpc's own wait for an answer has no time limit.
        self._reader = threading.Thread(target=self._take_answers, name="merge-answers", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            # So that the server does not take it for given up.
            self.half_close()
            self._reader.join(GOODBYE_SECONDS)
        self.cancel()

    def send(self, request: _Request) -> None:
        """Send without waiting for an answer."""
        self._requests.put(request)

    def half_close(self) -> None:
        """Tell the server that nothing more comes."""
        self._requests.put(None)

    def receive(self, seconds: float | None = None) -> _Response | None:
        """Wait for the next answer; ``None`` if none came within the time. Raises what the call failed with."""
        try:
            answer = self._answers.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(answer, MergeBaselineError):
            # Nothing will come after it: whoever asks again is told the same.
            self._answers.put(answer)
            raise answer
        return answer

    def cancel(self) -> None:
        """Give the call up, if it still runs, and free its resources."""
        self._cancelled = True
        self._call.cancel()
        # This ends the thread in which grpc waits for requests. Before, it would finish the stream.
        self._requests.put(None)

    def _take_answers(self) -> None:
        try:
            for answer in self._call:
                self._answers.put(answer)
            self._answers.put(ended_early(self._address))
        except grpc.RpcError as error:
            self._answers.put(translate(error, self._address) if self._cancelled else self._explain(error))
