"""The protection of a server: all security options, checked together before it listens."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from service.listen_address import check_listen_address, is_loopback
from service.options import SecurityOptions, TlsFiles
from service.security.rate_limit import RateLimits
from service.security.tls import server_credentials
from service.security.tokens import Tokens
from service.telemetry.call_record import Observer

if TYPE_CHECKING:
    import grpc.aio

    from service.work.reception import Reception

CONNECTION_SECONDS: Final = 3600.0
"""How long a connection with a client certificate accepts new calls; running calls go on after that."""

_log = logging.getLogger("merge_baseline.server")


class Security:
    """TLS, tokens and rate limits of a server that will listen on ``host``."""

    def __init__(self, options: SecurityOptions, host: str) -> None:
        """Reads the files. Raises :class:`~service.errors.ServerStartError` for bad or missing ones."""
        files = TlsFiles.of(options.tls_cert, options.tls_key, options.tls_client_ca)
        check_listen_address(
            host,
            tls=files is not None,
            tokens=options.token_file is not None,
            allowed=options.insecure_listen_anywhere,
        )
        self._credentials = None if files is None else server_credentials(files)
        self._tokens = None if options.token_file is None else Tokens(options.token_file)
        self._rate_limits = RateLimits(options.callers)
        self._certified = options.tls_client_ca is not None
        if self._tokens is None and options.tls_client_ca is None and not is_loopback(host):
            _log.warning(
                "everybody who reaches %s may call: neither option token_file nor option tls_client_ca is set", host
            )

    def interceptor(self, observer: Observer, reception: Reception, *, calls: int) -> grpc.aio.ServerInterceptor:
        """The interceptor to put before all others."""
        from service.security.interceptor import Access

        return Access(self._tokens, self._rate_limits, observer, reception=reception, calls=calls)

    def channel_options(self) -> list[tuple[str, int]]:
        """Options for the gRPC server."""
        # Only a handshake checks the caller's certificate, so connections must end from time to time.
        return [("grpc.max_connection_age_ms", round(CONNECTION_SECONDS * 1000))] if self._certified else []

    def add_port(self, server: grpc.aio.Server, address: str) -> int:
        """Let the server listen, with TLS if it is set up. Returns the port. Raises gRPC's RuntimeError."""
        if self._credentials is None:
            return server.add_insecure_port(address)
        return server.add_secure_port(address, self._credentials)
