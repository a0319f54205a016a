"""``merge-baseline serve``."""

from __future__ import annotations

import logging
import os
import sys

import click

from protos.limits import DEFAULT_MAX_MESSAGE_BYTES
from server import DEFAULT_PORT, ServerOptions, serve


@click.command(short_help="serve the merger over gRPC")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=int, default=DEFAULT_PORT, show_default=True, help="Port to listen on; 0 takes a free one."
)
@click.option("--workers", type=int, default=None, help="Requests worked on at a time; the number of cores by default.")
@click.option(
    "--max-message-bytes",
    type=int,
    default=DEFAULT_MAX_MESSAGE_BYTES,
    show_default=True,
    help="Largest message, in either direction. Longer documents go as a stream of parts.",
)
@click.option("--grace", type=float, default=10, show_default=True, help="Seconds for running calls when stopping.")
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="What to log on standard error. Document text is never logged.",
)
@click.option(
    "--enable",
    multiple=True,
    metavar="NAME[:OPTION=VALUE,...]",
    help="Offer a strategy with a backend, such as corenlp:algorithm=statistical,memory=6G; may be repeated. Callers "
    "cannot set options that touch files or processes.",
)
@click.option("--warm/--no-warm", default=True, show_default=True, help="Start the enabled backends before serving.")
def command(
    host: str,
    port: int,
    workers: int | None,
    max_message_bytes: int,
    grace: float,
    log_level: str,
    enable: tuple[str, ...],
    warm: bool,
) -> None:
    """Serve the merger over gRPC until SIGTERM or Ctrl-C.

    Prints the address on standard output once it takes calls. The service is merge_baseline.v1.ChainMergeService, with
    health checks and reflection.

    \b
    Examples:
      merge-baseline serve --port 50051
      merge-baseline merge parts.conll --server 127.0.0.1:50051
      merge-baseline serve --enable corenlp:algorithm=deterministic,memory=6G
    """
    logging.basicConfig(
        level=log_level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
    options = ServerOptions(
        host=host,
        port=port,
        max_message_bytes=max_message_bytes,
        workers=workers or max(2, os.cpu_count() or 1),
        grace_seconds=grace,
        enable=enable,
        warm=warm,
    )
    serve(options, on_ready=lambda address: click.echo(f"serving on {address}"))
