"""What can go wrong between a client and a server.

::

    MergeBaselineError (merger.errors)
    └── RemoteError               the server at ``address`` could not be used; ``retryable``: trying again may help
        ├── UnreachableError      nothing answers there, or the connection broke
        ├── DeadlineError         no answer within the time set
        ├── CancelledError        the call was cancelled
        ├── MessageTooLargeError  a document or its answer is larger than one message may be
        ├── BusyError             the server has too much to do
        ├── ServerFailedError     the server crashed on the request; ``error_id`` finds it in the server's log
        └── IncompatibleError     what answers is no merge-baseline server, or one of another version

What is wrong with a request is raised as it is without a server: ``OptionError``, ``MissingTagsError``,
``DecisionError``, ``AnnotationError``, ``UnavailableError`` of :mod:`merger.errors`.
"""

from __future__ import annotations

from typing import ClassVar

from merger.errors import MergeBaselineError


class RemoteError(MergeBaselineError):
    """A server could not be used. ``address`` is ``HOST:PORT``."""

    retryable: ClassVar[bool] = False
    """Whether the same call may succeed later."""

    def __init__(self, message: str, address: str) -> None:
        super().__init__(message)
        self.address = address


class UnreachableError(RemoteError):
    """Nothing answers at the address, or the connection broke."""

    retryable: ClassVar[bool] = True


class DeadlineError(RemoteError):
    """No answer came within the time set."""


class CancelledError(RemoteError):
    """The call was cancelled."""


class MessageTooLargeError(RemoteError):
    """A message is larger than the client or the server takes."""


class BusyError(RemoteError):
    """The server has too much to do."""

    retryable: ClassVar[bool] = True


class ServerFailedError(RemoteError):
    """The server crashed on the request. ``error_id`` is what its log calls the crash, where the server told."""

    def __init__(self, message: str, address: str, error_id: str | None = None) -> None:
        super().__init__(message, address)
        self.error_id = error_id


class IncompatibleError(RemoteError):
    """What answers is no merge-baseline server, or one of another version."""
