"""What can go wrong between a client and a server.

::

    MergeBaselineError (merger.errors)
    └── RemoteError               the server at ``address`` could not be used; ``retryable``: trying again may help
        ├── UnreachableError      nothing answers there, or the connection broke
        ├── DeadlineError         no answer within the time set
        ├── CancelledError        the call was cancelled
        ├── MessageTooLargeError  a document or its answer is larger than one message may be
        ├── BusyError             the server has too much to do; ``retry_after``: when it wants to be asked again
        ├── WorkLostError         the process that worked on the request died
        ├── NotAllowedError       the server wants another token or certificate than the client has
        ├── ServerFailedError     the server crashed on the request; ``error_id`` finds it in the server's log
        └── IncompatibleError     what answers is no merge-baseline server, one of another version, or wants (no) TLS

What is wrong with a request is raised as it is without a server: ``OptionError``, ``MissingTagsError``,
``DecisionError``, ``AnnotationError``, ``UnavailableError`` of :mod:`merger.errors`.
"""

from __future__ import annotations

from merger.errors import MergeBaselineError


class RemoteError(MergeBaselineError):
    """A server could not be used. ``address`` is ``HOST:PORT``."""

    def __init__(self, message: str, address: str, *, retry_after: float | None = None) -> None:
        """``retry_after`` is when the server wants to be asked again, in seconds; ``None`` if it did not say."""
        super().__init__(message)
        self.address = address
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later."""
        return False


class UnreachableError(RemoteError):
    """Nothing answers at the address, or the connection broke."""

    @property
    def retryable(self) -> bool:
        """Always: servers start again, and connections come back."""
        return True


class DeadlineError(RemoteError):
    """No answer came within the time set."""


class CancelledError(RemoteError):
    """The call was cancelled."""


class MessageTooLargeError(RemoteError):
    """A message is larger than the client or the server takes."""


class BusyError(RemoteError):
    """The server has too much to do, the caller's share of it is used up, or a backend is being started again."""

    @property
    def retryable(self) -> bool:
        """Whether the server said when; without that more calls would only add to its load."""
        return self.retry_after is not None


class WorkLostError(RemoteError):
    """The process of the server that worked on the request died."""

    @property
    def retryable(self) -> bool:
        """Always: another process does it then."""
        return True


class NotAllowedError(RemoteError):
    """The server does not take the caller's token or certificate, or wants one and got none."""


class ServerFailedError(RemoteError):
    """The server crashed on the request. ``error_id`` is what its log calls the crash, where the server told."""

    def __init__(self, message: str, address: str, error_id: str | None = None) -> None:
        super().__init__(message, address)
        self.error_id = error_id


class IncompatibleError(RemoteError):
    """What answers is no merge-baseline server or one of another version, or one side alone speaks TLS."""
