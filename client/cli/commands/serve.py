"""``merge-baseline serve``."""

from __future__ import annotations

import sys

import click

from client.cli.protection_options import MAX_MIB, MIB, protection_options
from client.cli.telemetry_options import observability_options
from protos.limits import DEFAULT_MAX_MESSAGE_BYTES, Limits
from server import DEFAULT_PORT, ServerOptions, serve
from service.options import ObservabilityOptions, SecurityOptions
from service.telemetry.logs import Format, set_up

_DEFAULTS = ServerOptions()


@click.command(short_help="serve the merger over gRPC")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=int, default=DEFAULT_PORT, show_default=True, help="Port to listen on; 0 takes a free one."
)
@click.option(
    "--workers",
    type=int,
    default=None,
    help="Processes for whole documents, and as many again for streams. Default: the number of cores, at least 2. With "
    "0, threads of the server do the work; for trials only.",
)
@click.option(
    "--queue",
    type=int,
    default=_DEFAULTS.queue,
    show_default=True,
    help="Most documents that wait for a worker. Further calls are refused (RESOURCE_EXHAUSTED) with a time to retry.",
)
@click.option(
    "--queue-mib",
    type=click.IntRange(1, MAX_MIB),
    default=_DEFAULTS.queue_bytes // MIB,
    show_default=True,
    help="Most MiB of messages that wait, are in progress or are being sent, all together.",
)
@click.option("--streams", type=int, default=_DEFAULTS.streams, show_default=True, help="Most open streams.")
@click.option(
    "--replay-mib",
    type=click.IntRange(0, MAX_MIB),
    default=_DEFAULTS.replay_bytes // MIB,
    show_default=True,
    help="Most MiB of messages of open streams to keep, all together. A stream continues from them when its process "
    "dies.",
)
@click.option(
    "--backend-threads",
    type=int,
    default=_DEFAULTS.backend_threads,
    show_default=True,
    help="Most requests to enabled backends at a time, and as many parts of streams.",
)
@click.option(
    "--max-message-bytes",
    type=int,
    default=DEFAULT_MAX_MESSAGE_BYTES,
    show_default=True,
    help="Largest message, in either direction. Larger documents must be sent as a stream of parts.",
)
@click.option(
    "--max-connection-age",
    type=float,
    help="Seconds, at least 1, after which callers are asked to reconnect, so that load balancers can balance. Calls "
    "in progress continue. Default: no limit.",
)
@click.option(
    "--max-call-seconds",
    type=float,
    default=_DEFAULTS.max_call_seconds,
    show_default=True,
    help="Most seconds for a document, or a message of a stream, including the wait for a worker. Earlier deadlines of "
    "callers apply. Must not be less than the option timeout of enabled backends.",
)
@click.option(
    "--idle-stream-seconds",
    type=float,
    default=_DEFAULTS.idle_stream_seconds,
    show_default=True,
    help="Seconds after which the server ends a stream whose caller neither sends nor reads.",
)
@click.option(
    "--grace",
    type=float,
    default=10,
    show_default=True,
    help="Seconds that calls in progress have when the server stops.",
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="Least level to log, on standard error. Document text is never logged.",
)
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of the log: lines of text, or one JSON object per line.",
)
@click.option(
    "--enable",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,...]",
    help="Offer a strategy with a backend, such as corenlp:algorithm=statistical,memory=6G. Can be given several "
    "times. Callers cannot set options for files or processes.",
)
@click.option(
    "--enable-tagger",
    "enable_taggers",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,...]",
    help="Offer a part-of-speech tagger, such as spacy:model=en_core_web_sm. Can be given several times. Each worker "
    "process loads its own.",
)
@click.option(
    "--warm/--no-warm",
    default=True,
    show_default=True,
    help="Start the enabled backends, and load the enabled taggers, before the server accepts calls.",
)
@observability_options
@protection_options
def command(
    *,
    host: str,
    port: int,
    workers: int | None,
    queue: int,
    queue_mib: int,
    streams: int,
    replay_mib: int,
    backend_threads: int,
    max_message_bytes: int,
    max_connection_age: float | None,
    max_call_seconds: float,
    idle_stream_seconds: float,
    grace: float,
    log_level: str,
    log_format: Format,
    enable: tuple[str, ...],
    enable_taggers: tuple[str, ...],
    warm: bool,
    security: SecurityOptions,
    limits: Limits,
    observability: ObservabilityOptions,
) -> None:
    """Serve the merger over gRPC until SIGTERM or Ctrl-C.

    Prints the address on standard output as soon as it accepts calls. The service is
    merge_baseline.v1.ChainMergeService, with health checks and reflection.

    \b
    Examples:
      merge-baseline serve --port 50051
      merge-baseline merge parts.conll --server 127.0.0.1:50051
      merge-baseline serve --enable corenlp:algorithm=deterministic,memory=6G
      merge-baseline serve --enable-tagger spacy
      merge-baseline serve --host 0.0.0.0 --tls-cert server.pem --tls-key server.key --token-file tokens
    """
    set_up(log_level, log_format, sys.stderr)
    options = ServerOptions(
        host=host,
        port=port,
        max_message_bytes=max_message_bytes,
        workers=_DEFAULTS.workers if workers is None else workers,
        queue=queue,
        queue_bytes=queue_mib * MIB,
        streams=streams,
        replay_bytes=replay_mib * MIB,
        backend_threads=backend_threads,
        max_call_seconds=max_call_seconds,
        idle_stream_seconds=idle_stream_seconds,
        grace_seconds=grace,
        max_connection_age_seconds=max_connection_age,
        enable=enable,
        enable_taggers=enable_taggers,
        warm=warm,
        security=security,
        limits=limits,
        observability=observability,
    )
    serve(options, on_ready=lambda address: click.echo(f"serving on {address}"))
