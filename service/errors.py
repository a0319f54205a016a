"""What ends a call besides merger's own errors. None of these says anything about the document."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from merger.errors import MergeBaselineError

if TYPE_CHECKING:
    from google.rpc import status_pb2


class ServerStartError(MergeBaselineError):
    """The server can't start; the message says why."""


class OverloadedError(Exception):
    """More than the server may take on. ``retry_seconds`` is when it will probably have room."""

    def __init__(self, message: str, retry_seconds: float) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)


class CallerLimitError(Exception):
    """More than the caller may take of the server. ``retry_seconds`` is when to try again."""

    def __init__(self, message: str, retry_seconds: float) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)


class WorkerLostError(Exception):
    """The process that worked on the request, or held the state of the stream, is gone."""


class CallEndedError(Exception):
    """The caller is gone or has stopped waiting."""


class TimeLimitError(Exception):
    """Longer than the server works, or waits for a caller."""


class RefusedError(Exception):
    """What a worker found wrong with a request, as the status to answer with."""

    def __init__(self, status: status_pb2.Status) -> None:
        self.status = status
        super().__init__(status.message)


class CrashedError(Exception):
    """Work failed by a bug. ``kind`` is the exception's class, ``where`` the frames: no text of documents."""

    def __init__(self, kind: str, where: str) -> None:
        self.kind = kind
        self.where = where
        super().__init__(kind)


def where(error: BaseException) -> str:
    """Where in the code an exception happened, innermost first.

    Neither the exception's text nor a usual traceback: both may quote the document.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))
