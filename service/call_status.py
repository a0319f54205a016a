"""The status of a call: which status stands for which error, and how a call ends with it."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING, Any, Final, cast

from grpc_status import rpc_status

from merger.errors import MergeBaselineError
from protos.convert.status import (
    caller_limit_status,
    deadline_status,
    internal_status,
    overloaded_status,
    reason_of,
    status_of,
    time_limit_status,
    worker_lost_status,
)
from service.errors import (
    CallEndedError,
    CallerLimitError,
    CrashedError,
    OverloadedError,
    RefusedError,
    TimeLimitError,
    WorkerLostError,
    where,
)
from service.telemetry.request_id import REQUEST_ID

if TYPE_CHECKING:
    import grpc.aio
    from google.rpc import status_pb2

_log = logging.getLogger("merge_baseline.server")

_WORKER_RETRY_SECONDS: Final = 0.5


def end_with(
    status: status_pb2.Status, context: grpc.aio.ServicerContext[Any, Any], request_id: str
) -> tuple[str, str]:
    """Make a call end with this status once its handler returns. Returns the names of code and reason.

    ``context.abort`` is not used: gRPC keeps its exception in a cycle with the frames that it passed, and these hold
    the request. The request would stay in memory until a garbage collection, and Python starts those by the number of
    objects, not by their size.
    """
    sent = rpc_status.to_status(status)
    # The stubs have a type of their own for metadata.
    context.set_trailing_metadata(cast("Any", (*sent.trailing_metadata, (REQUEST_ID, request_id))))
    context.set_details(sent.details)
    context.set_code(sent.code)
    return sent.code.name, reason_of(status)


def status_for(error: Exception, method: str) -> status_pb2.Status:
    """The status for an error: with its details for errors of this project, without any text for bugs."""
    match error:
        case RefusedError():
            status = error.status
        case OverloadedError():
            status = overloaded_status(str(error), error.retry_seconds)
        case CallerLimitError():
            status = caller_limit_status(str(error), error.retry_seconds)
        case WorkerLostError():
            status = worker_lost_status(str(error), _WORKER_RETRY_SECONDS)
        case CallEndedError():
            status = deadline_status("given up: the deadline passed")
        case TimeLimitError():
            status = time_limit_status(str(error))
        case TimeoutError():
            status = deadline_status(str(error))
        case MergeBaselineError():
            status = status_of(error)
        case CrashedError():
            status = _crash_status(error.kind, method, error.where)
        case _:
            status = _crash_status(type(error).__qualname__, method, where(error))
    return status


def _crash_status(kind: str, method: str, place: str) -> status_pb2.Status:
    error_id = uuid.uuid4().hex[:12]
    _log.error("error %s: %s in %s at %s", error_id, kind, method, place)
    return internal_status(error_id)
