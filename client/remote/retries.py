"""When to retry a failed call."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from client.remote.errors import RemoteError
from merger.errors import BackendError, MergeBaselineError, OptionError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to retry a call that failed for a temporary reason.

    A call is retried if the connection broke or the server went away (``UnreachableError``), if the server refused it
    for now and named a time (``BusyError`` with ``retry_after``), and once if the backend of a strategy failed
    (``BackendError``). Merging changes nothing on the server, so a retry is always safe.

    The n-th wait is a random time between 0 and ``first_delay * factor ** (n - 1)`` seconds, at most ``max_delay``, so
    that callers do not all return at the same moment ("full jitter": Brooker, Exponential Backoff And Jitter, AWS
    Architecture Blog, 2015). If the server names a time, the random time is added to it.

    ``attempts`` limits the calls, including the first; ``for_seconds`` limits the time since the first failure;
    ``None`` is no limit. The ``timeout`` of the call covers all attempts together. The wait for a server that was never
    reached is at most ``connect_timeout``.
    """

    attempts: int | None = 6
    first_delay: float = 0.1
    factor: float = 2.0
    max_delay: float = 10.0
    for_seconds: float | None = 60.0

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for values that make no sense."""
        if self.attempts is not None and self.attempts < 1:
            raise OptionError(f"retry policy: {self.attempts} attempts; expected at least 1")
        lowest = (("first_delay", 0.0), ("factor", 1.0), ("max_delay", 0.0), ("for_seconds", 0.0))
        for name, low in lowest:
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise OptionError(f"retry policy: {name} is {value}; expected at least {low:g}")


NO_RETRIES = RetryPolicy(attempts=1)
"""No retries: every failure is raised at once."""

OnRetry = Callable[[MergeBaselineError, float], None]
"""Called before every wait for another attempt, with the error and the seconds to wait."""


class Retries:
    """The attempts of one call."""

    def __init__(
        self,
        policy: RetryPolicy,
        timeout: float | None = None,
        on_retry: OnRetry | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``timeout`` is the time for all attempts together, in seconds."""
        self._policy = policy
        self._on_retry = on_retry
        self._clock = clock
        self._deadline = None if timeout is None else clock() + timeout
        self._reset()

    def _reset(self) -> None:
        self._failures = 0
        self._first_failure: float | None = None
        self._backend_failed = False
        self._longest = min(self._policy.max_delay, self._policy.first_delay)

    def succeeded(self) -> None:
        """Start counting again, as for a new call."""
        self._reset()

    def remaining(self) -> float | None:
        """Seconds until the deadline, not below 0; ``None`` if there is no deadline."""
        return None if self._deadline is None else max(0.0, self._deadline - self._clock())

    def delay(self, error: MergeBaselineError) -> float:
        """Seconds to wait before the next attempt. Raises ``error`` if there is none."""
        policy = self._policy
        now = self._clock()
        self._failures += 1
        self._first_failure = now if self._first_failure is None else self._first_failure
        if not self._is_temporary(error) or (policy.attempts is not None and self._failures >= policy.attempts):
            raise error
        # Random to spread load; not a secret.
        wait = random.uniform(0.0, self._longest)  # noqa: S311
        self._longest = min(policy.max_delay, self._longest * policy.factor)
        if isinstance(error, RemoteError) and error.retry_after is not None:
            wait += error.retry_after
        ends = [self._deadline, None if policy.for_seconds is None else self._first_failure + policy.for_seconds]
        if any(end is not None and now + wait >= end for end in ends):
            raise error
        if self._on_retry is not None:
            self._on_retry(error, wait)
        return wait

    def _is_temporary(self, error: MergeBaselineError) -> bool:
        if isinstance(error, BackendError):
            # A document that crashes a backend once usually does so every time.
            again, self._backend_failed = not self._backend_failed, True
            return again
        return isinstance(error, RemoteError) and error.retryable
