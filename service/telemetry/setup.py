"""What a server shows of itself, as its operator wants it: metrics, traces, a log line a call."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from service.options import ObservabilityOptions
from service.telemetry.call_record import Observer, Observers
from service.telemetry.logs import CallLog
from service.telemetry.snapshot import ServerState

if TYPE_CHECKING:
    import grpc.aio

_log = logging.getLogger("merge_baseline.server")


class Observability:
    """The options at work."""

    def __init__(self, options: ObservabilityOptions, read: Callable[[], ServerState], others: Observer) -> None:
        """``read`` tells what the server is at, ``others`` is told of calls too.

        Raises :class:`~merger.errors.UnavailableError` if an extra is missing and
        :class:`~service.errors.ServerStartError` if metrics can't be shown there.
        """
        observers: list[Observer] = []
        self.interceptors: list[grpc.aio.ServerInterceptor] = []
        self._tracing = None
        self._metrics = None
        if options.otel:
            from service.telemetry.tracing import Tracing

            self._tracing = Tracing()
            self.interceptors.append(self._tracing.interceptor())
            # First, so that the others see the trace's id.
            observers.append(self._tracing)
        observers.extend((others, CallLog()))
        if options.metrics_port is not None:
            from service.telemetry.metrics import Metrics, MetricsServer

            metrics = Metrics(read)
            observers.append(metrics)
            self._metrics = MetricsServer(metrics.registry, options.metrics_host, options.metrics_port)
            _log.info("metrics at http://%s/metrics", self._metrics.address)
        self.observer: Observer = Observers(observers)

    async def stop(self) -> None:
        """Send what is not sent yet, and show nothing more."""
        for each in (self._tracing, self._metrics):
            if each is not None:
                await asyncio.to_thread(each.stop)
