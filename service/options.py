"""How to serve."""

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
    """As many as the cores that this process may use, and at least two, so that a large document leaves one free."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(2, cores)


OTHER_BYTES: Final = 32 * 1024 * 1024
"""For connections and what else grows with calls."""


@dataclass(frozen=True, slots=True)
class CallerLimits:
    """``concurrency`` calls may run at a time. ``rate`` calls may begin a second, ``burst`` at once after a pause.

    ``None`` is no limit; for ``burst`` it is what the rate allows in a second, and at least 1.
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
        """The most calls that may begin at once."""
        return float(self.burst or max(1, math.ceil(self.rate or 1)))


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files: the certificate and what leads from it to its CA, its key, and the CA that callers must have."""

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
    """What protects a server beyond its limits on documents.

    ``tls_cert``, ``tls_key`` and ``tls_client_ca`` are PEM files; with the last, callers must have a certificate that
    it signed. ``token_file`` has the tokens that callers may use. ``callers`` limits each token's name or, without
    tokens, each address. ``insecure_listen_anywhere`` lets a server without TLS listen beyond this machine.
    """

    tls_cert: str | None = None
    tls_key: str | None = None
    tls_client_ca: str | None = None
    token_file: str | None = None
    callers: CallerLimits = field(default_factory=CallerLimits)
    insecure_listen_anywhere: bool = False

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for TLS that is half set up."""
        TlsFiles.of(self.tls_cert, self.tls_key, self.tls_client_ca)


_MOST_PORTS = 65535


@dataclass(frozen=True, slots=True)
class ObservabilityOptions:
    """Metrics are shown at ``http://metrics_host:metrics_port/metrics``, port 0 taking any free one, ``None`` none.

    ``otel`` sends traces as OpenTelemetry's environment variables say.
    """

    metrics_host: str = "127.0.0.1"
    metrics_port: int | None = None
    otel: bool = False

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.ParameterError` for a port or a host that is none."""
        check_host("metrics_host", self.metrics_host)
        if self.metrics_port is not None and not 0 <= self.metrics_port <= _MOST_PORTS:
            raise ParameterError(f"{{metrics_port}}: {self.metrics_port} is not a number from 0 to {_MOST_PORTS}")


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to serve.

    ``port`` 0 takes any free one. ``max_message_bytes`` bounds a message in either direction. After a signal to stop,
    running calls have ``grace_seconds`` to end.

    A document, or a message of a stream, is given up when it is not done after ``max_call_seconds``, waiting included,
    if its caller's deadline is not sooner. A stream is ended when its caller neither sends nor reads for
    ``idle_stream_seconds`` while nothing is worked on.

    A connection older than ``max_connection_age_seconds`` is given up once its calls are over, so that callers connect
    anew and a load balancer can send them elsewhere; ``None`` is no limit.

    ``workers`` processes work on whole documents, each on one at a time, and as many others on the parts of streams;
    0 works on threads of the server's own process instead, one for documents and one for streams, which is for demos
    and tests: nothing can be ended there that does not end by itself. ``queue`` requests may wait for a worker, and
    ``queue_bytes`` of messages may be waiting, in work or on their way out, at a time. ``streams`` may be open at a
    time. ``replay_bytes`` of what open streams have sent are kept, so that the streams go on when their worker dies.

    ``enable`` names the strategies with a backend that are offered, each with its options
    (``corenlp:algorithm=statistical,memory=6G``); with ``warm`` their backends are started before the server takes
    calls, otherwise on first use. ``backend_threads`` requests to them are worked on at a time, and as many parts of
    streams; they have a queue of their own, of the same length.

    ``enable_taggers`` names the taggers that requests may ask for, each with its options
    (``spacy:model=en_core_web_sm``); each worker process has one of its own, with ``warm`` loaded before it takes
    calls.

    ``security`` says who may call, ``limits`` how large a document may be, and ``observability`` what is shown of the
    server.
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
        """The memory from which on the server's own process receives no more; its workers come on top."""
        messages = max(self.queue_bytes, self.max_message_bytes) + 2 * self.max_message_bytes
        return _IDLE_BYTES + OTHER_BYTES + messages + self.replay_bytes
