"""Errors on the wire: merger's exceptions to google.rpc.Status and back, so that both ends raise the same.

A status carries a google.rpc.ErrorInfo (``reason`` names the exception's class, ``metadata`` its parts) and, for a
malformed request, a google.rpc.BadRequest. Texts are cut so that the headers they travel in stay under 8 KiB.
"""

from __future__ import annotations

from typing import NamedTuple

from google.protobuf.any_pb2 import Any
from google.rpc import code_pb2, error_details_pb2, status_pb2

from merger.errors import (
    AlignmentError,
    AnnotationError,
    BackendDownError,
    BackendError,
    DecisionError,
    FormatError,
    InputError,
    Location,
    MergeBaselineError,
    MissingTagsError,
    OptionError,
    TaggerUnavailableError,
    UnavailableError,
    UnsupportedError,
    WorkLimitError,
)
from protos.convert.errors import InvalidRequestError, Violation
from protos.limits import shorten

DOMAIN = "merge-baseline"

INTERNAL_REASON = "INTERNAL"
OVERLOADED_REASON = "OVERLOADED"
WORKER_LOST_REASON = "WORKER_LOST"
BACKEND_DOWN_REASON = "BACKEND_DOWN"
DEADLINE_REASON = "DEADLINE_PASSED"
TIME_LIMIT_REASON = "TIME_LIMIT"
CALLER_LIMIT_REASON = "CALLER_LIMIT"
TOKEN_REASON = "TOKEN_UNKNOWN"  # noqa: S105  # the name of a reason
ERROR_ID = "error_id"
"""Key in an ErrorInfo's metadata: the id of a crash in the server's log."""

_MESSAGE_BYTES = 600
_FIELD_BYTES = 100
_VIOLATION_BYTES = 2600


class _Kind(NamedTuple):
    error: type[MergeBaselineError]
    code: int
    reason: str


# The first matching row counts, so subclasses come before their bases.
_KINDS = (
    _Kind(InvalidRequestError, code_pb2.INVALID_ARGUMENT, "REQUEST_INVALID"),
    _Kind(FormatError, code_pb2.INVALID_ARGUMENT, "FORMAT_INVALID"),
    _Kind(AnnotationError, code_pb2.INVALID_ARGUMENT, "ANNOTATION_INVALID"),
    _Kind(AlignmentError, code_pb2.INVALID_ARGUMENT, "ALIGNMENT_INVALID"),
    _Kind(DecisionError, code_pb2.INVALID_ARGUMENT, "DECISIONS_INVALID"),
    _Kind(MissingTagsError, code_pb2.FAILED_PRECONDITION, "TAGS_MISSING"),
    _Kind(BackendError, code_pb2.ABORTED, "BACKEND_FAILED"),
    _Kind(WorkLimitError, code_pb2.FAILED_PRECONDITION, "WORK_LIMIT"),
    _Kind(UnsupportedError, code_pb2.FAILED_PRECONDITION, "UNSUPPORTED"),
    _Kind(InputError, code_pb2.INVALID_ARGUMENT, "INPUT_INVALID"),
    _Kind(OptionError, code_pb2.INVALID_ARGUMENT, "OPTION_INVALID"),
    _Kind(TaggerUnavailableError, code_pb2.FAILED_PRECONDITION, "TAGGER_UNAVAILABLE"),
    _Kind(UnavailableError, code_pb2.FAILED_PRECONDITION, "STRATEGY_UNAVAILABLE"),
    _Kind(MergeBaselineError, code_pb2.FAILED_PRECONDITION, "FAILED"),
)
_BY_REASON = {kind.reason: kind.error for kind in _KINDS}


def status_of(error: MergeBaselineError) -> status_pb2.Status:
    """The status for an error; :func:`error_of` converts it back."""
    if isinstance(error, BackendDownError):
        return _retryable(code_pb2.UNAVAILABLE, BACKEND_DOWN_REASON, str(error), error.retry_seconds)
    kind = next(kind for kind in _KINDS if isinstance(error, kind.error))
    metadata = _input_metadata(error) if isinstance(error, InputError) else {}
    details = [_packed(error_details_pb2.ErrorInfo(reason=kind.reason, domain=DOMAIN, metadata=metadata))]
    violations = error.violations if isinstance(error, InvalidRequestError) else ()
    if isinstance(error, OptionError):
        violations = (Violation(error.field or "strategy", str(error)),)
    if violations:
        details.append(_packed(_bad_request(violations)))
    return status_pb2.Status(code=kind.code, message=shorten(str(error), _MESSAGE_BYTES), details=details)


def internal_status(error_id: str) -> status_pb2.Status:
    """The status for a crash: only the id under which the server's log has it."""
    info = error_details_pb2.ErrorInfo(reason=INTERNAL_REASON, domain=DOMAIN, metadata={ERROR_ID: error_id})
    message = f"internal error {error_id}; the server's log tells more under this name"
    return status_pb2.Status(code=code_pb2.INTERNAL, message=message, details=[_packed(info)])


def overloaded_status(message: str, retry_seconds: float) -> status_pb2.Status:
    """The status of an overloaded server, which will probably have room after ``retry_seconds``."""
    return _retryable(code_pb2.RESOURCE_EXHAUSTED, OVERLOADED_REASON, f"too much to do: {message}", retry_seconds)


def caller_limit_status(message: str, retry_seconds: float) -> status_pb2.Status:
    """The status for a caller that has reached its limit."""
    return _retryable(code_pb2.RESOURCE_EXHAUSTED, CALLER_LIMIT_REASON, message, retry_seconds)


def unauthenticated_status() -> status_pb2.Status:
    """The status for a call without a valid token."""
    info = error_details_pb2.ErrorInfo(reason=TOKEN_REASON, domain=DOMAIN)
    message = "this server wants a token that it knows: authorization: Bearer TOKEN"
    return status_pb2.Status(code=code_pb2.UNAUTHENTICATED, message=message, details=[_packed(info)])


def worker_lost_status(message: str, retry_seconds: float) -> status_pb2.Status:
    """The status if the process that worked on the request died."""
    return _retryable(code_pb2.UNAVAILABLE, WORKER_LOST_REASON, f"try again: {message}", retry_seconds)


def deadline_status(message: str) -> status_pb2.Status:
    """The status for work that ended at its deadline."""
    info = error_details_pb2.ErrorInfo(reason=DEADLINE_REASON, domain=DOMAIN)
    return status_pb2.Status(code=code_pb2.DEADLINE_EXCEEDED, message=message, details=[_packed(info)])


def time_limit_status(message: str) -> status_pb2.Status:
    """The status if the work or the caller took longer than the server allows."""
    info = error_details_pb2.ErrorInfo(reason=TIME_LIMIT_REASON, domain=DOMAIN)
    return status_pb2.Status(code=code_pb2.DEADLINE_EXCEEDED, message=message, details=[_packed(info)])


def retry_seconds(status: status_pb2.Status) -> float | None:
    """Seconds to wait before the call is tried again; ``None`` if the server gave no time."""
    retry = error_details_pb2.RetryInfo()
    for detail in status.details:
        if detail.Unpack(retry):
            return retry.retry_delay.ToNanoseconds() / 1e9
    return None


def parse_status(data: bytes) -> status_pb2.Status:
    """The status of these bytes."""
    return status_pb2.Status.FromString(data)


def error_of(status: status_pb2.Status) -> MergeBaselineError | None:
    """The exception behind a status of :func:`status_of`; ``None`` for other statuses."""
    info = error_info(status)
    kind = _BY_REASON.get(info.reason) if info is not None else None
    if info is None or kind is None:
        return None
    if not issubclass(kind, InputError):
        return kind(status.message)
    message = info.metadata.get("message", status.message)
    if issubclass(kind, InvalidRequestError):
        return kind(message, _location(info), violations=_violations(status))
    return kind(message, _location(info), expected=info.metadata.get("expected"), hint=info.metadata.get("hint"))


def error_info(status: status_pb2.Status) -> error_details_pb2.ErrorInfo | None:
    """The status's ErrorInfo, if it has one of ours."""
    info = error_details_pb2.ErrorInfo()
    for detail in status.details:
        if detail.Unpack(info) and info.domain == DOMAIN:
            return info
    return None


def _retryable(code: int, reason: str, message: str, seconds: float) -> status_pb2.Status:
    retry = error_details_pb2.RetryInfo()
    retry.retry_delay.FromMilliseconds(round(seconds * 1000))
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN)
    return status_pb2.Status(code=code, message=message, details=[_packed(info), _packed(retry)])


def _packed(message: error_details_pb2.ErrorInfo | error_details_pb2.BadRequest | error_details_pb2.RetryInfo) -> Any:
    packed = Any()
    packed.Pack(message)
    return packed


def _bad_request(violations: tuple[Violation, ...]) -> error_details_pb2.BadRequest:
    request = error_details_pb2.BadRequest()
    for violation in violations:
        entry = error_details_pb2.BadRequest.FieldViolation(
            field=shorten(violation.field, _FIELD_BYTES), description=shorten(violation.description, _MESSAGE_BYTES)
        )
        if request.field_violations and request.ByteSize() + entry.ByteSize() > _VIOLATION_BYTES:
            break
        request.field_violations.append(entry)
    return request


def _violations(status: status_pb2.Status) -> tuple[Violation, ...]:
    request = error_details_pb2.BadRequest()
    for detail in status.details:
        if detail.Unpack(request):
            return tuple(Violation(entry.field, entry.description) for entry in request.field_violations)
    return ()


def _input_metadata(error: InputError) -> dict[str, str]:
    place = error.location
    values = {
        "message": error.message,
        "expected": error.expected,
        "hint": error.hint,
        "file": place.file,
        "document": place.document,
        "line": place.line,
        "part": place.part,
        "sentence": place.sentence,
        "token": place.token,
    }
    return {key: shorten(str(value), _MESSAGE_BYTES // 2) for key, value in values.items() if value is not None}


def _location(info: error_details_pb2.ErrorInfo) -> Location:
    metadata = info.metadata
    numbers = {
        key: int(metadata[key]) for key in ("line", "part", "sentence", "token") if metadata.get(key, "").isdecimal()
    }
    return Location(
        metadata.get("file"),
        numbers.get("line"),
        metadata.get("document"),
        numbers.get("part"),
        numbers.get("sentence"),
        numbers.get("token"),
    )


def reason_of(status: status_pb2.Status) -> str:
    """The reason in the status's ErrorInfo; empty if it has none of ours."""
    info = error_info(status)
    return "" if info is None else info.reason
