"""What an operator wants to be shown of a server."""

from __future__ import annotations

from dataclasses import dataclass

from merger.errors import ParameterError
from service.listen_address import check_host

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
