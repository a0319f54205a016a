"""What can go wrong between a client and a server.

::

    MergeBaselineError (merger.errors)
    └── RemoteError               the server at ``address`` could not be used; ``retryable``: trying again may help
        ├── UnreachableError      nothing answers there, or the connection broke
        ├── DeadlineError         no answer within the time set
        ├── CancelledError        the call was cancelled
        ├── MessageTooLargeError  a document or its answer is larger than one message may be
        ├── BusyError             the server is busy; ``retry_after``: seconds until a retry is welcome
        ├── WorkLostError         the process that worked on the request died
        ├── NotAllowedError       the server wants another token or certificate than the client has
        ├── ServerFailedError     the server crashed on the request; ``error_id`` finds it in the server's log
        └── IncompatibleError     another kind of server, another version, or only one side speaks TLS

Bad requests raise the same errors as without a server: ``OptionError``, ``MissingTagsError``, ``DecisionError``,
``AnnotationError``, ``UnavailableError`` of :mod:`merger.errors`.
"""

from __future__ import annotations

from merger.errors import MergeBaselineError


class RemoteError(MergeBaselineError):
    """A server could not be used. ``address`` is ``HOST:PORT``."""

    def __init__(self, message: str, address: str, *, retry_after: float | None = None) -> None:
        """``retry_after`` is the time after which the server allows a retry, in seconds; ``None`` if it named none."""
        super().__init__(message)
        self.address = address
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        """Whether the same call can succeed later."""
        return False


class UnreachableError(RemoteError):
    """Nothing answers at the address, or the connection broke."""

    @property
    def retryable(self) -> bool:
        """Always: servers restart, and connections come back."""
        return True


class DeadlineError(RemoteError):
    """No answer came within the time set."""


class CancelledError(RemoteError):
    """The call was cancelled."""


class MessageTooLargeError(RemoteError):
    """A message is larger than the client or the server takes."""


class BusyError(RemoteError):
    """The server is busy, the caller's share of it is used up, or a backend is being restarted."""

    @property
    def retryable(self) -> bool:
        """Whether the server named a time; without one, retries would only add to its load."""
        return self.retry_after is not None


class WorkLostError(RemoteError):
    """The server's process that worked on the request died."""

    @property
    def retryable(self) -> bool:
        """Always: another process can do the work."""
        return True


class NotAllowedError(RemoteError):
    """The server does not accept the caller's token or certificate, or got none and needs one."""


class ServerFailedError(RemoteError):
    """The server crashed on the request. ``error_id`` names the crash in its log; ``None`` if the server sent no id."""

    def __init__(self, message: str, address: str, error_id: str | None = None) -> None:
        super().__init__(message, address)
        self.error_id = error_id


class IncompatibleError(RemoteError):
    """It is another kind of server or another version, or only one side speaks TLS."""
