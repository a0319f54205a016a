"""Metrics, traces and a log line per call, as the options say."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from service.options import ObservabilityOptions
from service.telemetry.call_record import Observer, Observers
from service.telemetry.logs import CallLog
from service.telemetry.snapshot import Snapshot

if TYPE_CHECKING:
    import grpc.aio

_log = logging.getLogger("merge_baseline.server")


class Observability:
    """The observers and servers that the options ask for."""

    def __init__(self, options: ObservabilityOptions, read: Callable[[], Snapshot], others: Observer) -> None:
        """``read`` takes a snapshot of the server; ``others`` gets the calls too.

        Raises :class:`~merger.errors.UnavailableError` if an extra is missing and
        :class:`~service.errors.ServerStartError` if the metrics port can't be opened.
        """
        observers: list[Observer] = []
        self.interceptors: list[grpc.aio.ServerInterceptor] = []
        self._tracing = None
        self._metrics = None
        if options.otel:
            from service.telemetry.tracing import Tracing

            self._tracing = Tracing()
            self.interceptors.append(self._tracing.interceptor())
            # First, so that the others get the trace's id.
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
        """Send pending traces, and stop serving metrics."""
        for each in (self._tracing, self._metrics):
            if each is not None:
                await asyncio.to_thread(each.stop)
