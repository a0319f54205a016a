"""Calls over a gRPC channel, with errors as exceptions of this project. Importing it imports grpc."""

from __future__ import annotations

import contextlib
import ipaddress
import queue
from collections.abc import Iterator
from typing import Final, cast

import grpc
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from client.errors import (
    BusyError,
    CancelledError,
    DeadlineError,
    IncompatibleError,
    MessageTooLargeError,
    RemoteError,
    ServerFailedError,
    UnreachableError,
)
from merger.errors import MergeBaselineError
from protos.merge_baseline import v1
from protos.merge_baseline.v1 import chain_merge_service_pb2
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from protos.status import ERROR_ID, error_info, error_of

SERVICE: Final = chain_merge_service_pb2.DESCRIPTOR.services_by_name["ChainMergeService"].full_name


_REASON_SECONDS: Final = 0.5


class Connection:
    """A channel to one server. It connects at the first call, and by itself again after the server was away."""

    def __init__(self, address: str, *, connect_timeout: float, max_message_bytes: int) -> None:
        self.address = address
        self._connect_timeout = connect_timeout
        self._connected = False
        options: list[tuple[str, int]] = [
            ("grpc.max_receive_message_length", max_message_bytes),
            ("grpc.max_send_message_length", max_message_bytes),
        ]
        if _is_loopback(address):
            # A proxy of the environment can't reach this machine's loopback.
            options.append(("grpc.enable_http_proxy", 0))
        self._channel = grpc.insecure_channel(address, options)
        self._stub = ChainMergeServiceStub(self._channel)
        # The stub packages don't know the methods of the health service's own stub.
        self._check_health: grpc.UnaryUnaryMultiCallable[
            health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse
        ] = self._channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )

    def close(self) -> None:
        """Cancel what runs and disconnect."""
        self._channel.close()

    def merge_document(self, request: v1.MergeDocumentRequest, timeout: float | None) -> v1.MergeDocumentResponse:
        """Raises what :func:`translate` makes of errors."""
        self._connect()
        with self._translated():
            return self._stub.MergeDocument(request, timeout=timeout)

    def list_strategies(self, timeout: float | None) -> v1.ListStrategiesResponse:
        """Raises what :func:`translate` makes of errors."""
        self._connect()
        with self._translated():
            return self._stub.ListStrategies(v1.ListStrategiesRequest(), timeout=timeout)

    def is_serving(self, timeout: float | None) -> bool:
        """What the health check says. Raises what :func:`translate` makes of errors."""
        self._connect()
        with self._translated():
            response = self._check_health(health_pb2.HealthCheckRequest(service=SERVICE), timeout=timeout)
        return bool(response.status == health_pb2.HealthCheckResponse.SERVING)

    def merge_stream(self, timeout: float | None) -> StreamCall:
        """Begin a stream."""
        self._connect()
        return StreamCall(self._stub, self.address, timeout)

    def _connect(self) -> None:
        if self._connected:
            return
        # A call that waits for the connection; grpc's own future for it leaves a thread that outlives the channel.
        request = health_pb2.HealthCheckRequest(service=SERVICE)
        try:
            self._check_health(request, timeout=self._connect_timeout, wait_for_ready=True)
        except grpc.RpcError as error:
            reason = translate(error, self.address)
            if not isinstance(reason, DeadlineError):
                raise reason from None
            if self._is_unresolved():
                message = f"the host name of {self.address} is not known here: no address was found for it"
            else:
                message = (
                    f"no server answers at {self.address} within {self._connect_timeout:g} s; is one running there "
                    "(`merge-baseline serve`), and are host and port right?"
                )
            raise UnreachableError(message, self.address) from None
        self._connected = True

    def _is_unresolved(self) -> bool:
        """Whether the host's name was not found: only a call that does not wait for the connection is told."""
        try:
            self._check_health(health_pb2.HealthCheckRequest(), timeout=_REASON_SECONDS)
        except grpc.RpcError as error:
            details = (error.details() or "").lower()
            return any(words in details for words in ("errors resolving", "resolution failed", "lookup failed"))
        return False

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except grpc.RpcError as error:
            reason = translate(error, self.address)
            self._connected = not isinstance(reason, UnreachableError)
            raise reason from None


class StreamCall:
    """One running MergeStream call."""

    def __init__(self, stub: ChainMergeServiceStub, address: str, timeout: float | None) -> None:
        self._address = address
        self._requests: queue.SimpleQueue[v1.MergeStreamRequest | None] = queue.SimpleQueue()
        self._call = stub.MergeStream(iter(self._requests.get, None), timeout=timeout)

    def send(self, request: v1.MergeStreamRequest) -> None:
        """Send without waiting for an answer."""
        self._requests.put(request)

    def half_close(self) -> None:
        """Tell the server that nothing more comes."""
        self._requests.put(None)

    def receive(self) -> v1.MergeStreamResponse:
        """Wait for the next answer. Raises what :func:`translate` makes of errors."""
        try:
            return next(self._call)
        except StopIteration:
            raise IncompatibleError(
                f"the server at {self._address} ended the stream too early", self._address
            ) from None
        except grpc.RpcError as error:
            raise translate(error, self._address) from None

    def cancel(self) -> None:
        """Give the call up, if it still runs, and free its resources."""
        # The None ends the thread in which grpc waits for requests.
        self._requests.put(None)
        self._call.cancel()


def translate(error: grpc.RpcError, address: str) -> MergeBaselineError:
    """What to raise for a failed call: what the server raised, if it is an error of merger, else a RemoteError."""
    error_id: str | None = None
    # A status that contradicts the call's own code comes from something in between; the code counts then.
    with contextlib.suppress(ValueError):
        status = rpc_status.from_call(cast("grpc.Call", error))
        if status is not None:
            known = error_of(status)
            if known is not None:
                return known
            info = error_info(status)
            error_id = info.metadata.get(ERROR_ID) if info is not None else None
    return _remote_error(error.code(), error.details() or "", address, error_id)


_TEXTS: Final[dict[grpc.StatusCode, tuple[type[RemoteError], str]]] = {
    grpc.StatusCode.UNAVAILABLE: (
        UnreachableError,
        "the connection to {address} broke, or the server there is stopping",
    ),
    grpc.StatusCode.DEADLINE_EXCEEDED: (DeadlineError, "no answer from {address} within the time set (timeout)"),
    grpc.StatusCode.CANCELLED: (CancelledError, "the call to {address} was cancelled"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (BusyError, "the server at {address} has too much to do: {details}"),
    grpc.StatusCode.UNIMPLEMENTED: (
        IncompatibleError,
        "what answers at {address} is no merge-baseline server, or one of another version",
    ),
    grpc.StatusCode.INTERNAL: (ServerFailedError, "the server at {address} failed: {details}"),
    grpc.StatusCode.UNKNOWN: (ServerFailedError, "the server at {address} failed: {details}"),
}
_OTHER: Final = (RemoteError, "the server at {address} refused the call: {code}: {details}")
_TOO_LARGE: Final = (
    MessageTooLargeError,
    (
        "the document or its answer is too large for one message to or from {address} ({details}); send it as a stream "
        "of parts (merge_in_parts), or raise the limit on both sides"
    ),
)


def _remote_error(code: grpc.StatusCode, details: str, address: str, error_id: str | None) -> RemoteError:
    kind, text = _TEXTS.get(code, _OTHER)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in details:
        kind, text = _TOO_LARGE
    message = text.format(address=address, code=code.name, details=details)
    return ServerFailedError(message, address, error_id) if kind is ServerFailedError else kind(message, address)


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
