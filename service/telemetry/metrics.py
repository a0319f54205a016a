"""Metrics for Prometheus: an observer that counts, and a small HTTP server for the counts.

Needs the extra ``metrics``. Label values come from fixed sets, never from callers: methods of the service, names of
strategies, codes, reasons of errors, and the operator's backends.

The HTTP handler is prometheus_client's. Its own server (``start_http_server``) is not used: it has no read timeout, so
that silent connections would pile up threads, it answers every path with the metrics, and it prints a traceback for
each connection that breaks.
"""

from __future__ import annotations

import http.server
import socket
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from merger.backends.health import HealthState
from merger.errors import UnavailableError
from merger.version import VERSION
from service.errors import ServerStartError
from service.telemetry.call_record import CallRecord
from service.telemetry.snapshot import BackendState, Snapshot
from service.work_counts import WorkCounts

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry, Metric

_PREFIX: Final = "merge_baseline"

# Seconds: from a small document, which takes milliseconds, to a long one with a slow backend.
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 150, 600)

_SCRAPE_SECONDS: Final = 5.0


class Metrics:
    """An observer that counts calls. ``read`` gives a snapshot of the server at each scrape."""

    def __init__(self, read: Callable[[], Snapshot]) -> None:
        """Raises :class:`~merger.errors.UnavailableError` without the extra."""
        try:
            from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
        except ImportError:
            raise UnavailableError(
                "metrics need the package prometheus-client: pip install 'merge-baseline[metrics]'"
            ) from None
        registry = self.registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        registry.register(_SnapshotCollector(read))
        self._build = Gauge(f"{_PREFIX}_build_info", "1, with the version.", ["version"], registry=registry)
        self._build.labels(VERSION).set(1)
        self._calls = Counter(f"{_PREFIX}_calls", "Finished calls.", ["method", "strategy", "code"], registry=registry)
        self._refused = Counter(
            f"{_PREFIX}_refused", "Calls that ended with an error of ours.", ["method", "reason"], registry=registry
        )
        self._running = Gauge(f"{_PREFIX}_calls_in_progress", "Calls in progress.", ["method"], registry=registry)
        self._seconds = Histogram(
            f"{_PREFIX}_call_seconds",
            "Seconds from the start of a call to its end.",
            ["method", "strategy"],
            registry=registry,
            buckets=_BUCKETS,
        )
        self._queued = Histogram(
            f"{_PREFIX}_queue_seconds",
            "Seconds that a call waited for a worker, over all of its messages.",
            ["method"],
            registry=registry,
            buckets=_BUCKETS,
        )
        self._received = Counter(f"{_PREFIX}_received_bytes", "Bytes of requests.", ["method"], registry=registry)
        self._sent = Counter(f"{_PREFIX}_sent_bytes", "Bytes of answers.", ["method"], registry=registry)
        self._documents = Counter(
            f"{_PREFIX}_documents", "Documents merged, including streamed ones.", ["strategy"], registry=registry
        )
        self._failed = Counter(
            f"{_PREFIX}_failed_documents", "Documents of MergeDocuments answered with an error.", registry=registry
        )
        self._parts = Counter(f"{_PREFIX}_parts", "Parts merged.", ["strategy"], registry=registry)
        self._chains = Counter(f"{_PREFIX}_chains", "Merged chains in answers.", ["strategy"], registry=registry)
        self._decisions = Counter(
            f"{_PREFIX}_decisions",
            "Decisions on part chains: linked to an antecedent, or new.",
            ["strategy", "outcome"],
            registry=registry,
        )

    def started(self, call: CallRecord) -> None:
        """Count the call as in progress."""
        self._running.labels(call.method).inc()

    def merged(self, counts: WorkCounts) -> None:
        """Count finished work."""
        name = counts.strategy
        self._documents.labels(name).inc(counts.documents)
        self._parts.labels(name).inc(counts.parts)
        self._chains.labels(name).inc(counts.chains)
        self._decisions.labels(name, "linked").inc(counts.linked)
        self._decisions.labels(name, "new").inc(counts.new)

    def ended(self, call: CallRecord) -> None:
        """Count the call as finished."""
        self._running.labels(call.method).dec()
        self._failed.inc(call.failed)
        if call.reason:
            self._refused.labels(call.method, call.reason).inc()
        self._seconds.labels(call.method, call.strategy).observe(call.total_seconds)
        self._queued.labels(call.method).observe(call.queue_seconds)
        self._received.labels(call.method).inc(call.received_bytes)
        self._sent.labels(call.method).inc(call.sent_bytes)
        # Counted last and output first: a scrape that shows the call as finished has all of its numbers.
        self._calls.labels(call.method, call.strategy, call.code).inc()


class _SnapshotCollector:
    """Takes a snapshot of the server at each scrape."""

    def __init__(self, read: Callable[[], Snapshot]) -> None:
        self._read = read

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        snapshot = self._read()
        queue = GaugeMetricFamily(
            f"{_PREFIX}_queue_documents", "Whole documents in a queue.", labels=["place", "state"]
        )
        room = GaugeMetricFamily(
            f"{_PREFIX}_queue_limit", "The limit of documents that wait in a queue.", labels=["place"]
        )
        for each in snapshot.queues:
            queue.add_metric([each.name, "waiting"], each.waiting)
            queue.add_metric([each.name, "in_work"], each.in_progress)
            room.add_metric([each.name], each.length)
        workers = GaugeMetricFamily(f"{_PREFIX}_workers", "Live workers.", labels=["place", "kind"])
        restarts = CounterMetricFamily(
            f"{_PREFIX}_worker_restarts", "Workers that died and were replaced.", labels=["place", "kind"]
        )
        for pool in snapshot.pools:
            workers.add_metric([pool.name, pool.kind], pool.workers)
            restarts.add_metric([pool.name, pool.kind], pool.restarts)
        yield from (queue, room, workers, restarts)
        yield GaugeMetricFamily(f"{_PREFIX}_streams_open", "Open streams.", snapshot.streams_open)
        yield GaugeMetricFamily(f"{_PREFIX}_streams_limit", "The limit of open streams.", snapshot.streams_limit)
        yield GaugeMetricFamily(f"{_PREFIX}_held_bytes", "Bytes of messages in the server.", snapshot.bytes_held)
        yield GaugeMetricFamily(f"{_PREFIX}_held_bytes_limit", "The limit of those bytes.", snapshot.bytes_limit)
        yield from _backends(snapshot.backends)


def _backends(backends: tuple[BackendState, ...]) -> Iterator[Metric]:
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

    labels = ["strategy", "backend"]
    up = GaugeMetricFamily(f"{_PREFIX}_backend_up", "1 if calls for a backend are accepted, else 0.", labels=labels)
    found = GaugeMetricFamily(
        f"{_PREFIX}_backend_state", "1 for the state of a backend at its last check.", labels=[*labels, "state"]
    )
    restarts = CounterMetricFamily(f"{_PREFIX}_backend_restarts", "How often a backend was restarted.", labels=labels)
    for each in backends:
        names = [each.strategy, each.backend]
        up.add_metric(names, each.up)
        restarts.add_metric(names, each.restarts)
        for state in HealthState:
            found.add_metric([*names, state.value], state is each.state)
    yield from (up, found, restarts)


class MetricsServer:
    """Serves a registry's metrics at ``/metrics``, on its own threads, so a busy event loop does not delay them."""

    def __init__(self, registry: CollectorRegistry, host: str, port: int) -> None:
        """Listens. Raises :class:`~service.errors.ServerStartError` if that fails."""
        from prometheus_client import MetricsHandler

        class Handler(MetricsHandler):
            # A read timeout, since each connection has a thread.
            timeout = _SCRAPE_SECONDS

            def do_GET(self) -> None:  # noqa: N802  # the library's name
                if self.path.partition("?")[0] == "/metrics":
                    super().do_GET()
                else:
                    self.send_error(404, "metrics are at /metrics")

        Handler.registry = registry
        try:
            family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
            kind = type("Server", (_HttpServer,), {"address_family": family})
            self._server: http.server.HTTPServer = kind(address[:2], Handler)
        except OSError as error:
            raise ServerStartError(f"can't show metrics on {host}:{port}: {error.strerror}") from error
        self.address = f"{f'[{host}]' if ':' in host else host}:{self._server.server_port}"
        """``HOST:PORT``."""
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), name="metrics", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _HttpServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # A second server on the port must be an error.
    allow_reuse_port = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Do nothing: the client has left."""
