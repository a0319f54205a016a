"""Traces by OpenTelemetry: a span for each call, as a child of the caller's.

Needs the extra ``otel``. All settings are OpenTelemetry's own environment variables: ``OTEL_EXPORTER_OTLP_ENDPOINT``,
``OTEL_TRACES_SAMPLER``, ``OTEL_SERVICE_NAME`` and so on; the exporters are those that are installed
(``OTEL_TRACES_EXPORTER``, ``otlp`` by default).
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Final, cast

from merger.errors import UnavailableError
from merger.version import VERSION
from service.errors import ServerStartError
from service.telemetry.call_record import CallRecord
from service.work_counts import WorkCounts

if TYPE_CHECKING:
    import grpc.aio
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace.export import SpanExporter

_OURS: Final = "merge_baseline."
_SERVICE_NAME: Final = "merge-baseline"
_GROUP: Final = "opentelemetry_traces_exporter"
_PROTOCOLS: Final = {"grpc": "otlp_proto_grpc", "http/protobuf": "otlp_proto_http"}
_FLUSH_SECONDS: Final = 5.0


class Tracing:
    """Also an observer: a call without a trace of its caller gets the id of its own trace."""

    def __init__(self) -> None:
        """Raises :class:`~merger.errors.UnavailableError` without the extra.

        Raises :class:`~service.errors.ServerStartError` for exporters that are not installed.
        """
        try:
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError as error:
            raise _not_installed(error) from None
        resource = Resource.create()
        if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
            resource = resource.merge(Resource({"service.name": _SERVICE_NAME}))
        resource = Resource({"service.version": VERSION}).merge(resource)
        # Not the process's global one: there may be other servers in it.
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        for exporter in _exporters():
            self._provider.add_span_processor(BatchSpanProcessor(exporter))

    def interceptor(self) -> grpc.aio.ServerInterceptor:
        """The interceptor that makes spans, except for health checks and reflection."""
        try:
            from opentelemetry.instrumentation.grpc import aio_server_interceptor
            from opentelemetry.instrumentation.grpc.filters import service_prefix
        except ImportError as error:
            raise _not_installed(error) from None
        # The package has no type hints that a checker can use.
        make = cast("Callable[..., grpc.aio.ServerInterceptor]", aio_server_interceptor)
        return make(tracer_provider=self._provider, filter_=service_prefix(_OURS))

    def started(self, call: CallRecord) -> None:
        """Set the call's trace id."""
        from opentelemetry.trace import format_trace_id, get_current_span

        context = get_current_span().get_span_context()
        if not call.trace_id and context.is_valid:
            call.trace_id = format_trace_id(context.trace_id)

    def merged(self, counts: WorkCounts) -> None:
        """Do nothing."""

    def ended(self, call: CallRecord) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Send pending spans, for some seconds at most."""
        # Without a thread, shutdown could wait very long for a collector that does not answer.
        flush = threading.Thread(target=self._provider.shutdown, daemon=True, name="traces")
        flush.start()
        flush.join(_FLUSH_SECONDS)


def _exporters() -> list[SpanExporter]:
    names = [name.strip() for name in os.environ.get("OTEL_TRACES_EXPORTER", "otlp").split(",")]
    return [_exporter(_entry_point(name)) for name in names if name not in {"", "none"}]


def _entry_point(name: str) -> str:
    if name != "otlp":
        return name
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    return _PROTOCOLS.get(protocol or "grpc", "otlp_proto_http")


def _exporter(name: str) -> SpanExporter:
    found = entry_points(group=_GROUP, name=name)
    if not found:
        known = ", ".join(sorted(each.name for each in entry_points(group=_GROUP)))
        raise ServerStartError(f"OpenTelemetry has no exporter {name} here; there are {known or 'none'}")
    return _plain(next(iter(found)).load()())


def _plain(exporter: SpanExporter) -> SpanExporter:
    """The exporter, with the texts of exceptions and errors removed from spans, since they can quote documents."""
    from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

    class Plain(SpanExporter):
        def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
            return exporter.export([_without_text(span) for span in spans])

        def shutdown(self) -> None:
            exporter.shutdown()

        def force_flush(self, timeout_millis: int = 30000) -> bool:
            return exporter.force_flush(timeout_millis)

    return Plain()


def _without_text(span: ReadableSpan) -> ReadableSpan:
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.trace.status import Status

    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=span.attributes,
        links=span.links,
        kind=span.kind,
        instrumentation_scope=span.instrumentation_scope,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
    )


def _not_installed(error: ImportError) -> UnavailableError:
    return UnavailableError(f"traces need OpenTelemetry ({error.name}): pip install 'merge-baseline[otel]'")
