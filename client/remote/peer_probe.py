"""Finds out whether a server speaks TLS. On a mismatch gRPC itself reports only that there is no connection."""

from __future__ import annotations

import socket
import ssl
from typing import Final

PROBE_SECONDS: Final = 1.0
"""Time limit of the connection and of each answer, in seconds."""

_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"})
"""OpenSSL's names, across its versions, for an answer that is not TLS."""


def refused_certificate(address: str, ca: bytes | None, server_name: str | None) -> str | None:
    """Why the certificate of a server is not trusted; ``None`` if it is trusted, or if the server sent none.

    ``ca`` is PEM, ``None`` for the CAs of this system; ``server_name`` is the expected name, if not the host.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    context = ssl.create_default_context(cadata=None if ca is None else ca.decode("ascii", "replace"))
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection((host, int(port)), PROBE_SECONDS) as connection,
            context.wrap_socket(connection, server_hostname=server_name or host),
        ):
            return None
    except ssl.SSLCertVerificationError as error:
        return error.verify_message
    except (OSError, ValueError):
        return None


def speaks_tls(address: str) -> bool | None:
    """``True`` if the server answers the start of a TLS handshake, ``False`` if it sends anything else.

    ``None`` if nothing answers, or the address can't be reached directly. ``address`` is ``HOST:PORT``.
    """
    host, _, port = address.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Nothing is sent to the server, so its certificate need not be checked.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    try:
        with (
            socket.create_connection((host.strip("[]"), int(port)), PROBE_SECONDS) as connection,
            context.wrap_socket(connection),
        ):
            return True
    except ssl.SSLError as error:
        reason = error.reason or ""
        # An alert is TLS, too, for example from a server that needs another version.
        return True if "ALERT" in reason else False if reason in _NO_TLS else None
    except (OSError, ValueError):
        return None
