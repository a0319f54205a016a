"""The options of a server for access and for the size of documents."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

import click

from protos.limits import DEFAULT_LIMITS, Limits
from service.options import CallerLimits, SecurityOptions

_FILE: Final = click.Path(dir_okay=False)
MIB: Final = 1024 * 1024
MAX_MIB: Final = 1024 * 1024
"""The maximum of options in MiB: 1 TiB."""
_TOTALS: Final = [each.name for each in fields(Limits) if each.name != "stream_bytes"]


def protection_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options; the command gets them as ``security`` and ``limits``.

    They are checked together before the command runs, which raises :class:`~merger.errors.ParameterError`.
    """

    @functools.wraps(command)
    def with_protection(**given: Any) -> object:  # noqa: ANN401  # as click passes them
        totals = {name: given.pop(f"max_{name}") for name in _TOTALS}
        limits = Limits(**totals, stream_bytes=given.pop("max_stream_mib") * MIB)
        callers = CallerLimits(given.pop("caller_concurrency"), given.pop("caller_rate"), given.pop("caller_burst"))
        named = {each.name: given.pop(each.name) for each in fields(SecurityOptions) if each.name != "callers"}
        return command(**given, security=SecurityOptions(**named, callers=callers), limits=limits)

    decorators = [
        click.option(
            "--tls-cert",
            type=_FILE,
            help="The server's certificate chain, in PEM. A changed file is used for new connections.",
        ),
        click.option("--tls-key", type=_FILE, help="The key of --tls-cert, in PEM, without a passphrase."),
        click.option(
            "--tls-client-ca",
            type=_FILE,
            help="Require a certificate from callers, signed by one of these CAs, in PEM (mTLS).",
        ),
        click.option(
            "--token-file",
            type=_FILE,
            help="Require a token from callers. The file has a line for each token, as `merge-baseline token` prints "
            "it. A changed file is read again.",
        ),
        click.option(
            "--caller-concurrency",
            type=int,
            help="Most calls in progress per caller. A caller is the name of a token or, without tokens, an address. "
            "Default: no limit.",
        ),
        click.option(
            "--caller-rate",
            type=float,
            help="Most calls, and documents of a stream, per second and caller. Default: no limit.",
        ),
        click.option(
            "--caller-burst", type=int, help="Most calls at once after a pause. Default: the calls of one second."
        ),
        click.option(
            "--insecure-listen-anywhere",
            is_flag=True,
            help="Listen beyond this machine without TLS: documents and tokens cross the network unencrypted.",
        ),
        *(
            click.option(
                f"--max-{name}",
                type=int,
                default=getattr(DEFAULT_LIMITS, name),
                show_default=True,
                help=f"Most {name} of a document, in one message or in all messages of a stream.",
            )
            for name in _TOTALS
        ),
        click.option(
            "--max-stream-mib",
            type=click.IntRange(1, MAX_MIB),
            default=DEFAULT_LIMITS.stream_bytes // MIB,
            show_default=True,
            help="Most MiB in all messages of a stream of parts.",
        ),
    ]
    for decorator in reversed(decorators):
        with_protection = decorator(with_protection)
    return with_protection
