"""The options for commands that use a server elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.cli.messages import say_note
from merger.errors import OptionError
from merger.message_text import plain_number

if TYPE_CHECKING:
    from client.remote.retries import RetryPolicy
    from client.remote.sync import RemoteMerger
    from client.remote.target import Tls

TOKEN_VARIABLE = "MERGE_BASELINE_TOKEN"  # noqa: S105  # where the token is, not what
_NOTE_SECONDS = 10.0
_LEAST_SECONDS = 1.0
"""A connection gets as much, though --retry-for is less."""


@dataclass(frozen=True, slots=True)
class ServerChoice:
    """Which server, and what it is told of the caller; no ``address``, no server."""

    address: str | None
    tls: bool
    ca: str | None
    cert: str | None
    key: str | None
    server_name: str | None
    token_file: str | None
    insecure_token: bool

    def connect(self, *, timeout: float = 600.0, retry_for: float | None = None) -> RemoteMerger:
        """A client of the server. Waits of up to ``retry_for`` seconds are told on standard error.

        Raises :class:`~merger.errors.OptionError` for options that make no sense, ``OSError`` for unreadable files.
        """
        from client.remote.retries import RetryPolicy
        from client.remote.sync import RemoteMerger
        from client.remote.target import CONNECT_SECONDS

        assert self.address is not None  # noqa: S101  # asked for by who knows
        return RemoteMerger(
            self.address,
            timeout=timeout,
            tls=self._tls(),
            token=self._token(),
            insecure_token=self.insecure_token,
            connect_timeout=CONNECT_SECONDS
            if retry_for is None
            else min(CONNECT_SECONDS, max(retry_for, _LEAST_SECONDS)),
            retry=RetryPolicy() if retry_for is None else _persistent(retry_for),
            on_retry=None if retry_for is None else _Waiting(retry_for),
        )

    def _tls(self) -> Tls | None:
        from client.remote.target import Tls

        given = Tls(ca=self.ca, cert=self.cert, key=self.key, server_name=self.server_name)
        return given if self.tls or given != Tls() else None

    def _token(self) -> str | None:
        if self.token_file is None:
            # Set to nothing, as a pipeline without the secret has it, is not set.
            return os.environ.get(TOKEN_VARIABLE) or None
        token = Path(self.token_file).read_text(encoding="utf-8", errors="replace").strip()
        if not token or len(token.split()) != 1:
            raise OptionError(f"--token-file {self.token_file}: expected one token and nothing else")
        return token


def server_options(text: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Add ``--server``, of which ``text`` is the help, and what goes with it; the command gets them as ``there``."""

    def decorate(command: Callable[..., object]) -> Callable[..., object]:
        @wraps(command)
        def with_server(
            *,
            server: str | None,
            tls: bool,
            tls_ca: str | None,
            tls_cert: str | None,
            tls_key: str | None,
            tls_server_name: str | None,
            token_file: str | None,
            insecure_token: bool,
            **rest: object,
        ) -> object:
            told = (tls, tls_ca, tls_cert, tls_key, tls_server_name, token_file, insecure_token)
            there = ServerChoice(server, *told)
            if server is None and any(told):
                raise click.UsageError("--tls and --token options say how to talk to a server: --server is missing")
            return command(there=there, **rest)

        wrapped: Callable[..., object] = with_server
        decorators = [
            click.option("--server", metavar="HOST:PORT", help=text),
            click.option("--tls", is_flag=True, help="With --server: talk TLS, and trust the system's CAs."),
            click.option("--tls-ca", metavar="PEM", help="With --server: talk TLS, and trust the CAs in this file."),
            click.option("--tls-cert", metavar="PEM", help="With --server: the certificate to show to it (mTLS)."),
            click.option("--tls-key", metavar="PEM", help="With --server: the key of --tls-cert."),
            click.option(
                "--tls-server-name",
                metavar="NAME",
                help="With --server: talk TLS, and expect this name in its certificate, not HOST; as through a tunnel.",
            ),
            click.option(
                "--token-file",
                metavar="PATH",
                help=f"With --server: file with the token that it knows you by; else {TOKEN_VARIABLE} is used, if set.",
            ),
            click.option(
                "--insecure-token",
                is_flag=True,
                help="With --server: send the token without TLS to another machine too. Anybody between can read it.",
            ),
        ]
        for decorator in reversed(decorators):
            wrapped = decorator(wrapped)
        return wrapped

    return decorate


def _persistent(seconds: float) -> RetryPolicy:
    from client.remote.retries import RetryPolicy

    return RetryPolicy(attempts=None, max_delay=5.0, for_seconds=seconds)


class _Waiting:
    """Tells that a server is waited for; not more often than makes sense to read."""

    def __init__(self, retry_for: float) -> None:
        self._retry_for = retry_for
        self._told = -_NOTE_SECONDS

    def __call__(self, error: Exception, seconds: float) -> None:  # noqa: ARG002  # the signature of OnRetry
        now = time.monotonic()
        if now - self._told >= _NOTE_SECONDS:
            self._told = now
            say_note(f"{error}; trying again for up to {plain_number(self._retry_for)} s (--retry-for)")
