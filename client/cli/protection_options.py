"""The options of a server that say who may call it, and how large a document may be."""

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
"""The most of options that are in MiB: 1 TiB."""
_TOTALS: Final = [each.name for each in fields(Limits) if each.name != "stream_bytes"]


def protection_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add the options; the command gets them as ``security`` and ``limits``.

    What they say together is checked before the command runs: it raises :class:`~merger.errors.ParameterError`.
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
            help="Certificate, and what leads from it to its CA, in PEM. Used for new connections when it changes.",
        ),
        click.option("--tls-key", type=_FILE, help="The certificate's key, in PEM, without a passphrase."),
        click.option(
            "--tls-client-ca", type=_FILE, help="Callers must have a certificate that one of these CAs signed (mTLS)."
        ),
        click.option(
            "--token-file",
            type=_FILE,
            help="Callers must have a token. A line for each: its name and SHA-256, as `merge-baseline token` prints "
            "it. Read again when it changes.",
        ),
        click.option(
            "--caller-concurrency",
            type=int,
            help="Calls that a caller may have running; a caller is a token's name or, without tokens, an address. No "
            "limit by default.",
        ),
        click.option(
            "--caller-rate", type=float, help="Calls, and documents of a stream of many, a second and caller."
        ),
        click.option(
            "--caller-burst", type=int, help="Calls that may begin at once after a pause; by default a second's worth."
        ),
        click.option(
            "--insecure-listen-anywhere",
            is_flag=True,
            help="Listen beyond this machine without TLS: documents and tokens cross the network in clear.",
        ),
        *(
            click.option(
                f"--max-{name}",
                type=int,
                default=getattr(DEFAULT_LIMITS, name),
                show_default=True,
                help=f"Most {name} of a document, in one message or in all of a stream's.",
            )
            for name in _TOTALS
        ),
        click.option(
            "--max-stream-mib",
            type=click.IntRange(1, MAX_MIB),
            default=DEFAULT_LIMITS.stream_bytes // MIB,
            show_default=True,
            help="Most MiB of all messages of a stream of parts.",
        ),
    ]
    for decorator in reversed(decorators):
        with_protection = decorator(with_protection)
    return with_protection
