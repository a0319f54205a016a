"""The options of a server for metrics and traces."""

from __future__ import annotations

import functools
from collections.abc import Callable

import click

from client.cli.options import is_given
from service.options import ObservabilityOptions

_DEFAULTS = ObservabilityOptions()


def observability_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options; the command gets them as ``observability``."""

    @functools.wraps(command)
    def with_observability(*, metrics_host: str, metrics_port: int | None, otel: bool, **given: object) -> object:
        if metrics_port is None and is_given("metrics_host"):
            raise click.UsageError("--metrics-host needs --metrics-port")
        return command(**given, observability=ObservabilityOptions(metrics_host, metrics_port, otel))

    wrapped: Callable[..., object] = with_observability
    decorators = [
        click.option(
            "--metrics-port",
            type=int,
            help="Serve metrics for Prometheus at http://HOST:PORT/metrics. 0 takes any free port. Needs the extra "
            "metrics.",
        ),
        click.option(
            "--metrics-host",
            default=_DEFAULTS.metrics_host,
            show_default=True,
            help="Address to serve metrics on. They contain no document text and need no password.",
        ),
        click.option(
            "--otel/--no-otel",
            default=_DEFAULTS.otel,
            show_default=True,
            help="Send traces by OpenTelemetry, configured by its environment variables (OTEL_EXPORTER_OTLP_ENDPOINT, "
            "...). Needs the extra otel.",
        ),
    ]
    for decorator in reversed(decorators):
        wrapped = decorator(wrapped)
    return wrapped
