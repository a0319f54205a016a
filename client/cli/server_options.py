"""The options of commands that use a server."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.cli.messages import print_note
from merger.errors import OptionError
from merger.message_text import plain_number

if TYPE_CHECKING:
    from client.remote.retries import RetryPolicy
    from client.remote.sync import RemoteMerger
    from client.remote.target import Tls

TOKEN_VARIABLE = "MERGE_BASELINE_TOKEN"  # noqa: S105  # the name of the variable
_NOTE_SECONDS = 10.0
_LEAST_SECONDS = 1.0
"""The least time to connect, also if --retry-for is shorter."""


@dataclass(frozen=True, slots=True)
class ServerChoice:
    """Which server to use, and how to call it. Without an ``address`` no server is used."""

    address: str | None
    tls: bool
    ca: str | None
    cert: str | None
    key: str | None
    server_name: str | None
    token_file: str | None
    insecure_token: bool

    def connect(self, *, timeout: float = 600.0, retry_for: float | None = None) -> RemoteMerger:
        """A client of the server, which retries for ``retry_for`` seconds and notes that on standard error.

        Raises :class:`~merger.errors.OptionError` for options that make no sense, ``OSError`` for unreadable files.
        """
        from client.remote.retries import RetryPolicy
        from client.remote.sync import RemoteMerger
        from client.remote.target import CONNECT_SECONDS

        assert self.address is not None  # noqa: S101  # callers check it
        return RemoteMerger(
            self.address,
            timeout=timeout,
            tls=self._tls(),
            token=self._token(),
            insecure_token=self.insecure_token,
            connect_timeout=CONNECT_SECONDS
            if retry_for is None
            else min(CONNECT_SECONDS, max(retry_for, _LEAST_SECONDS)),
            retry=RetryPolicy() if retry_for is None else _retry_policy(retry_for),
            on_retry=None if retry_for is None else _Waiting(retry_for),
        )

    def _tls(self) -> Tls | None:
        from client.remote.target import Tls

        given = Tls(ca=self.ca, cert=self.cert, key=self.key, server_name=self.server_name)
        return given if self.tls or given != Tls() else None

    def _token(self) -> str | None:
        if self.token_file is None:
            # A pipeline without the secret sets the variable to an empty string.
            return os.environ.get(TOKEN_VARIABLE) or None
        token = Path(self.token_file).read_text(encoding="utf-8", errors="replace").strip()
        if not token or len(token.split()) != 1:
            raise OptionError(f"--token-file {self.token_file}: expected one token and nothing else")
        return token


def server_options(text: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Add ``--server``, with the help ``text``, and its options; the command gets them as ``server``."""

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
            how = (tls, tls_ca, tls_cert, tls_key, tls_server_name, token_file, insecure_token)
            choice = ServerChoice(server, *how)
            if server is None and any(how):
                raise click.UsageError("the --tls and --token options are for a server: --server is missing")
            return command(server=choice, **rest)

        wrapped: Callable[..., object] = with_server
        decorators = [
            click.option("--server", metavar="HOST:PORT", help=text),
            click.option("--tls", is_flag=True, help="With --server: use TLS, and trust the system's CAs."),
            click.option("--tls-ca", metavar="PEM", help="With --server: use TLS, and trust the CAs in this file."),
            click.option(
                "--tls-cert", metavar="PEM", help="With --server: your certificate, if the server wants one (mTLS)."
            ),
            click.option("--tls-key", metavar="PEM", help="With --server: the key of --tls-cert."),
            click.option(
                "--tls-server-name",
                metavar="NAME",
                help="With --server: use TLS, and expect this name in its certificate instead of HOST, for example "
                "behind a tunnel.",
            ),
            click.option(
                "--token-file",
                metavar="PATH",
                help=f"With --server: a file with your token. Default: the environment variable {TOKEN_VARIABLE}.",
            ),
            click.option(
                "--insecure-token",
                is_flag=True,
                help="With --server: send the token without TLS to other machines, too. Others can read it on the way.",
            ),
        ]
        for decorator in reversed(decorators):
            wrapped = decorator(wrapped)
        return wrapped

    return decorate


def _retry_policy(seconds: float) -> RetryPolicy:
    from client.remote.retries import RetryPolicy

    return RetryPolicy(attempts=None, max_delay=5.0, for_seconds=seconds)


class _Waiting:
    """Notes that a server is being retried, at most once in ten seconds."""

    def __init__(self, retry_for: float) -> None:
        self._retry_for = retry_for
        self._noted_at = -_NOTE_SECONDS

    def __call__(self, error: Exception, seconds: float) -> None:  # noqa: ARG002  # the signature of OnRetry
        now = time.monotonic()
        if now - self._noted_at >= _NOTE_SECONDS:
            self._noted_at = now
            print_note(f"{error}; trying again for up to {plain_number(self._retry_for)} s (--retry-for)")
