"""Errors that end a call besides those of ``merger``. None of them quotes the document."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING

from merger.errors import MergeBaselineError

if TYPE_CHECKING:
    from google.rpc import status_pb2


class ServerStartError(MergeBaselineError):
    """The server can't start; the message says why."""


class OverloadedError(Exception):
    """The server is full. It will probably have room in ``retry_seconds``."""

    def __init__(self, message: str, retry_seconds: float) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)


class CallerLimitError(Exception):
    """The caller has reached its limit. It can try again in ``retry_seconds``."""

    def __init__(self, message: str, retry_seconds: float) -> None:
        self.retry_seconds = retry_seconds
        super().__init__(message)


class WorkerLostError(Exception):
    """The process that worked on the request, or held the state of the stream, has died."""


class CallEndedError(Exception):
    """The caller has left, or its deadline has passed."""


class TimeLimitError(Exception):
    """Work, or a caller, took longer than the server allows."""


class RefusedError(Exception):
    """A worker refused the request; ``status`` is the answer."""

    def __init__(self, status: status_pb2.Status) -> None:
        self.status = status
        super().__init__(status.message)


class CrashedError(Exception):
    """Work failed because of a bug. ``kind`` is the exception's class, ``where`` its frames; neither has any text."""

    def __init__(self, kind: str, where: str) -> None:
        self.kind = kind
        self.where = where
        super().__init__(kind)


def where(error: BaseException) -> str:
    """The place in the code where an exception was raised, innermost frame first.

    Without the exception's text and without source lines, since these can quote the document.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))
