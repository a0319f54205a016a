"""The server's options."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Final, Self

from merger.errors import ParameterError
from protos.limits import DEFAULT_LIMITS, DEFAULT_MAX_MESSAGE_BYTES, Limits
from service.listen_address import check_host, plain_host

DEFAULT_PORT: Final = 50051

_IDLE_BYTES: Final = 50 * 1024 * 1024


def default_workers() -> int:
    """The number of cores that this process can use, but at least 2, so that a large document leaves one free."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(2, cores)


OTHER_BYTES: Final = 32 * 1024 * 1024
"""Memory for connections and anything else that grows with calls."""


@dataclass(frozen=True, slots=True)
class CallerLimits:
    """Limits of one caller.

    ``concurrency`` calls can run at a time. ``rate`` calls can start per second, and ``burst`` at once after a pause.
    ``None`` means no limit; for ``burst`` it means the calls of one second, at least 1.
    """

    concurrency: int | None = None
    rate: float | None = None
    burst: int | None = None

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for values out of range."""
        for name, value in (("concurrency", self.concurrency), ("rate", self.rate), ("burst", self.burst)):
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ParameterError(f"{{caller_{name}}}: {value} is not a number above 0")
        if self.burst is not None and self.rate is None:
            raise ParameterError("{caller_burst} is of no use without {caller_rate}")

    @property
    def allowance(self) -> float:
        """The most calls that can start at once."""
        return float(self.burst or max(1, math.ceil(self.rate or 1)))


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files: the certificate with its chain, its key, and the CA that must have signed callers' certificates."""

    certificate: str
    key: str
    client_ca: str | None = None

    @classmethod
    def of(cls, certificate: str | None, key: str | None, client_ca: str | None) -> Self | None:
        """``None`` if nothing is given. Raises :class:`~merger.errors.ParameterError` if something is missing."""
        if certificate is None and key is None and client_ca is None:
            return None
        if certificate is None or key is None:
            missing = "tls_cert" if certificate is None else "tls_key"
            given = "tls_client_ca" if client_ca is not None else "tls_key" if certificate is None else "tls_cert"
            raise ParameterError(f"{{{missing}}} is missing: {{{given}}} needs a certificate and its key")
        return cls(certificate, key, client_ca)


@dataclass(frozen=True, slots=True)
class SecurityOptions:
    """TLS, tokens and limits of callers.

    ``tls_cert``, ``tls_key`` and ``tls_client_ca`` are PEM files; with the last, callers need a certificate that this
    CA has signed. ``token_file`` lists the accepted tokens. ``callers`` limits each token's name or, without tokens,
    each address. ``insecure_listen_anywhere`` lets a server without TLS listen beyond this machine.
    """

    tls_cert: str | None = None
    tls_key: str | None = None
    tls_client_ca: str | None = None
    token_file: str | None = None
    callers: CallerLimits = field(default_factory=CallerLimits)
    insecure_listen_anywhere: bool = False

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for an incomplete set of TLS files."""
        TlsFiles.of(self.tls_cert, self.tls_key, self.tls_client_ca)


_MOST_PORTS = 65535


@dataclass(frozen=True, slots=True)
class ObservabilityOptions:
    """Metrics and traces.

    Metrics are at ``http://metrics_host:metrics_port/metrics``; port 0 takes any free port, ``None`` turns them off.
    ``otel`` sends traces, by OpenTelemetry's environment variables.
    """

    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    otel: bool = False

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for an impossible host or port."""
        check_host("metrics_host", self.metrics_host)
        if self.metrics_port is not None and not 0 <= self.metrics_port <= _MOST_PORTS:
            raise ParameterError(f"{{metrics_port}}: {self.metrics_port} is not a number from 0 to {_MOST_PORTS}")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """The server's options.

    ``port`` 0 takes any free port. ``max_message_bytes`` bounds a message in either direction. After a signal to stop,
    running calls have ``grace_seconds`` to end.

    ``max_call_seconds`` is the limit for a document, or a message of a stream, with its time in the queue; the caller's
    deadline can be sooner. A stream is ended if its caller neither sends nor reads for ``idle_stream_seconds`` while no
    work is in progress.

    A connection older than ``max_connection_age_seconds`` is closed once its calls are over. Callers then connect
    again, and a load balancer can send them to another server; ``None`` means no limit.

    ``workers`` processes work on whole documents, each on one at a time, and as many others on the parts of streams.
    With 0, one thread works on documents and one on streams. That is for demos and tests: work that ignores its
    cancellation can't be killed there. ``queue`` requests can wait for a worker. ``queue_bytes`` of messages can be
    waiting, in progress or on their way out. ``streams`` can be open at a time. The server keeps ``replay_bytes`` of
    messages of open streams, so that the streams go on when their worker dies.

    ``enable`` lists the strategies with a backend to offer, each with its options
    (``corenlp:algorithm=statistical,memory=6G``). With ``warm``, their backends start before the server takes calls,
    otherwise on first use. Each such strategy has a queue of its own, also of length ``queue``, and works on
    ``backend_threads`` documents and as many messages of streams at a time.

    ``enable_taggers`` lists the taggers that requests can name, each with its options
    (``spacy:model=en_core_web_sm``). Each worker process loads its own, before it takes calls if ``warm`` is set.

    ``security`` controls who can call, ``limits`` the size of documents, and ``observability`` metrics and traces.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES
    workers: int = field(default_factory=default_workers)
    queue: int = 64
    queue_bytes: int = 256 * 1024 * 1024
    streams: int = 256
    replay_bytes: int = 64 * 1024 * 1024
    backend_threads: int = 4
    max_call_seconds: float = 3600.0
    idle_stream_seconds: float = 1800.0
    grace_seconds: float = 10.0
    max_connection_age_seconds: float | None = None
    enable: tuple[str, ...] = ()
    enable_taggers: tuple[str, ...] = ()
    warm: bool = True
    security: SecurityOptions = field(default_factory=SecurityOptions)
    limits: Limits = DEFAULT_LIMITS
    observability: ObservabilityOptions = field(default_factory=ObservabilityOptions)

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for values out of range or of no use."""
        ranges = (
            ("port", self.port, 0, 65535),
            ("max_message_bytes", self.max_message_bytes, 1024, 2**31 - 1),
            ("workers", self.workers, 0, 1024),
            ("queue", self.queue, 0, 100_000),
            ("queue_bytes", self.queue_bytes, 1024, 2**40),
            ("streams", self.streams, 0, 100_000),
            ("replay_bytes", self.replay_bytes, 0, 2**40),
            ("backend_threads", self.backend_threads, 1, 1024),
            ("max_call_seconds", self.max_call_seconds, 0.1, 10**6),
            ("idle_stream_seconds", self.idle_stream_seconds, 0.1, 10**6),
            ("grace_seconds", self.grace_seconds, 0, 86400),
            ("max_connection_age_seconds", self.max_connection_age_seconds, 1, 10**6),
        )
        for name, value, low, high in ranges:
            if value is not None and not low <= value <= high:
                raise ParameterError(f"{{{name}}}: {value} is not a number from {low} to {high}")
        check_host("host", self.host)
        object.__setattr__(self, "host", plain_host(self.host))
        if self.port and self.port == self.observability.metrics_port:
            text = f"{{port}} and {{metrics_port}} are both {self.port}: metrics need a port of their own"
            raise ParameterError(text)

    @property
    def most_memory_bytes(self) -> int:
        """The memory at which the server's own process stops receiving messages; workers need more."""
        messages = max(self.queue_bytes, self.max_message_bytes) + 2 * self.max_message_bytes
        return _IDLE_BYTES + OTHER_BYTES + messages + self.replay_bytes
