"""A connection to a merge server. Importing it imports grpc.

``sync_connection.py`` is generated from ``aio_connection.py`` (``make sync-client``).
"""

from __future__ import annotations

from typing import TypeVar

import grpc

from client.remote.channel import HEALTH_REQUEST, REASON_SECONDS, SERVING
from client.remote.error_mapping import not_connected, translate
from client.remote.errors import CancelledError, DeadlineError, UnreachableError
from client.remote.sync_transport import Channel, StreamCall, UnaryMethod
from client.remote.target import Target
from merger.errors import MergeBaselineError
from protos.merge_baseline import v1

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class Connection:
    """A channel to one server. It connects at the first call, and reconnects by itself after the server was away.

    All methods raise what :func:`~client.remote.error_mapping.translate` makes of errors.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._channel = Channel(target)
        self._connected = False
        self.reached = False
        """Whether there ever was a connection."""

    def close(self) -> None:
        """Cancel running calls and :meth:`sleep`, and disconnect."""
        self._channel.close()

    def sleep(self, seconds: float) -> None:
        """Wait for this time, or until the connection is closed."""
        self._channel.sleep(seconds)

    def merge_document(self, request: v1.MergeDocumentRequest, seconds: float | None) -> v1.MergeDocumentResponse:
        """Merge a document that is sent as a whole."""
        return self._answer(self._channel.stub.MergeDocument, request, seconds)

    def list_strategies(self, seconds: float | None) -> v1.ListStrategiesResponse:
        """Ask for the server's strategies."""
        return self._answer(self._channel.stub.ListStrategies, v1.ListStrategiesRequest(), seconds)

    def is_serving(self, seconds: float | None) -> bool:
        """Whether the health check answers ``SERVING``."""
        return bool((self._answer(self._channel.check_health, HEALTH_REQUEST, seconds)).status == SERVING)

    def merge_stream(self, seconds: float | None) -> StreamCall[v1.MergeStreamRequest, v1.MergeStreamResponse]:
        """Start a stream of parts."""
        self.connect(seconds)
        return self._channel.stream(self._channel.stub.MergeStream, seconds, self._explain)

    def merge_documents(self) -> StreamCall[v1.MergeDocumentsRequest, v1.MergeDocumentsResponse]:
        """Start a stream of documents."""
        self.connect(None)
        return self._channel.stream(self._channel.stub.MergeDocuments, None, self._explain)

    def connect(self, seconds: float | None) -> None:
        """Make sure that there is a connection, within ``seconds`` or the time to connect, whichever is less."""
        if self._channel.closed:
            raise CancelledError(f"the client of {self._target.address} was closed", self._target.address)
        if self._connected:
            return
        limit = self._target.connect_timeout if seconds is None else min(self._target.connect_timeout, seconds)
        # A call that waits for the connection: the future that grpc has for this leaves a thread behind.
        try:
            self._channel.answer(self._channel.check_health, HEALTH_REQUEST, limit, wait_for_ready=True)
        except grpc.RpcError as error:
            reason = self._explain(error)
            if isinstance(reason, DeadlineError):
                raise self._channel.in_thread(not_connected, self._target, self._connect_failure()) from None
            if isinstance(reason, UnreachableError | CancelledError):
                raise reason from None
            # Any other answer, whatever it says of the server's health, shows that there is a connection.
        self._connected = self.reached = True

    def _explain(self, error: grpc.RpcError) -> MergeBaselineError:
        """The exception to raise for a failed call."""
        reason = translate(error, self._target.address)
        if isinstance(reason, CancelledError) and not self._channel.closed:
            # This client did not cancel it. A server that stops cancels running calls at the end of its grace period.
            reason = UnreachableError(f"the server at {self._target.address} gave the call up", self._target.address)
        if isinstance(reason, UnreachableError):
            self._connected = False
        return reason

    def _connect_failure(self) -> str:
        """Why there is no connection. gRPC reports it only to calls that do not wait for the connection."""
        try:
            self._channel.answer(self._channel.check_health, HEALTH_REQUEST, REASON_SECONDS)
        except grpc.RpcError as error:
            return error.details() or ""
        return ""

    def _answer(self, method: UnaryMethod[_Request, _Response], request: _Request, seconds: float | None) -> _Response:
        self.connect(seconds)
        try:
            return self._channel.answer(method, request, seconds)
        except grpc.RpcError as error:
            raise self._explain(error) from None
