"""The exceptions for calls that fail and for answers that are errors. Importing it imports grpc."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, cast

import grpc
from grpc_status import rpc_status

from client.remote.errors import (
    BusyError,
    CancelledError,
    DeadlineError,
    IncompatibleError,
    MessageTooLargeError,
    NotAllowedError,
    RemoteError,
    ServerFailedError,
    UnreachableError,
    WorkLostError,
)
from client.remote.peer_probe import refused_certificate, speaks_tls
from client.remote.target import Target
from merger.errors import MergeBaselineError
from merger.message_text import plain_number
from protos.convert.status import (
    BACKEND_DOWN_REASON,
    ERROR_ID,
    TIME_LIMIT_REASON,
    WORKER_LOST_REASON,
    error_info,
    error_of,
    retry_seconds,
)

if TYPE_CHECKING:
    from google.rpc import status_pb2

_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


def translate(error: grpc.RpcError, address: str) -> MergeBaselineError:
    """The exception for a failed call: the server's, if it is one of :mod:`merger`, else a ``RemoteError``."""
    status = None
    # A status that contradicts the code of the call comes from a proxy. Then the code counts.
    with contextlib.suppress(ValueError):
        status = rpc_status.from_call(cast("grpc.Call", error))
    return _error(error.code(), error.details() or "", status, address)


def error_of_answer(status: status_pb2.Status, address: str) -> MergeBaselineError:
    """The exception for an answer that is an error."""
    return _error(_CODES.get(status.code, grpc.StatusCode.UNKNOWN), status.message, status, address)


def not_connected(target: Target, reason: str) -> RemoteError:
    """The exception if there is no connection; ``reason`` is gRPC's text, or empty.

    Probes what listens at the address, which takes a second or two if nothing answers.
    """
    address, said = target.address, reason.lower()
    if any(words in said for words in ("errors resolving", "resolution failed", "lookup failed")):
        return UnreachableError(f"the host name of {address} is unknown: no address was found for it", address)
    unlike = other_protocol(target)
    if unlike is not None:
        return unlike
    if target.tls is not None and (why := _why_no_tls(target)) is not None:
        # gRPC does not always report this: its own attempt may not have failed yet.
        message = f"no TLS connection to {address}: {why}"
    elif any(words in said for words in ("handshake", "verification", "certificate")):
        message = f"no TLS connection to {address}: {reason}"
    else:
        seconds = target.connect_timeout if target.timeout is None else min(target.connect_timeout, target.timeout)
        message = (
            f"no server answers at {address} within {plain_number(seconds)} s; is one running there "
            "(`merge-baseline serve`), and are host and port right?"
        )
    return UnreachableError(message, address)


def _why_no_tls(target: Target) -> str | None:
    if target.tls is None:
        return None
    ca, *_ = target.tls.read()
    why = refused_certificate(target.address, ca, target.tls.server_name)
    return None if why is None else f"the server's certificate is not trusted here ({why})"


def other_protocol(target: Target) -> IncompatibleError | None:
    """The exception if only one side speaks TLS; ``None`` if both or neither do, or if nothing answers."""
    tls = speaks_tls(target.address)
    if tls is None or tls == (target.tls is not None):
        return None
    if tls:
        message = "speaks TLS, and this client does not: set option tls"
    else:
        message = (
            "does not speak TLS, and this client does: leave out option tls, or serve with server option tls_cert and "
            "server option tls_key"
        )
    return IncompatibleError(f"what listens at {target.address} {message}", target.address)


def ended_early(address: str) -> IncompatibleError:
    """The exception if a stream ends before its last answer."""
    return IncompatibleError(f"the server at {address} ended the stream too early", address)


_TEXTS: Final[dict[grpc.StatusCode, tuple[type[RemoteError], str]]] = {
    grpc.StatusCode.UNAVAILABLE: (
        UnreachableError,
        "the connection to {address} broke, or the server there is stopping",
    ),
    grpc.StatusCode.DEADLINE_EXCEEDED: (DeadlineError, "no answer from {address} within the time set (timeout)"),
    grpc.StatusCode.CANCELLED: (CancelledError, "the call to {address} was cancelled"),
    grpc.StatusCode.RESOURCE_EXHAUSTED: (BusyError, "the server at {address} is busy: {details}"),
    grpc.StatusCode.UNAUTHENTICATED: (
        NotAllowedError,
        ("the server at {address} refused the call: {details} (set option token)"),
    ),
    grpc.StatusCode.PERMISSION_DENIED: (NotAllowedError, "the server at {address} refused the call: {details}"),
    grpc.StatusCode.UNIMPLEMENTED: (
        IncompatibleError,
        "the server at {address} is not a merge-baseline server, or has another version",
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
_TIME_LIMIT: Final = (DeadlineError, "the server at {address} gave up: {details}")
_BACKEND_DOWN: Final = (BusyError, "the server at {address} is waiting for a backend: {details}")
_BROKEN_WRITE: Final = "Internal error from Core"
"""gRPC's text, with code INTERNAL, when a connection breaks while asyncio sends a message."""
_WORK_LOST: Final = (WorkLostError, "the server at {address} lost the work on the request ({details})")


def _error(code: grpc.StatusCode, details: str, status: status_pb2.Status | None, address: str) -> MergeBaselineError:
    known = None if status is None else error_of(status)
    if known is not None:
        return known
    if status is None and details == _BROKEN_WRITE:
        code = grpc.StatusCode.UNAVAILABLE
    kind, text = _TEXTS.get(code, _OTHER)
    info = None if status is None else error_info(status)
    if code is grpc.StatusCode.RESOURCE_EXHAUSTED and "larger than max" in details:
        kind, text = _TOO_LARGE
    elif info is not None and info.reason == WORKER_LOST_REASON:
        kind, text = _WORK_LOST
    elif info is not None and info.reason == TIME_LIMIT_REASON:
        kind, text = _TIME_LIMIT
    elif info is not None and info.reason == BACKEND_DOWN_REASON:
        kind, text = _BACKEND_DOWN
    message = text.format(address=address, code=code.name, details=details)
    if kind is ServerFailedError:
        return ServerFailedError(message, address, None if info is None else info.metadata.get(ERROR_ID))
    return kind(message, address, retry_after=None if status is None else retry_seconds(status))
