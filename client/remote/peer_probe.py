"""Whether what listens at an address speaks TLS: of a wrong guess gRPC says only that no connection came about."""

from __future__ import annotations

import socket
import ssl
from typing import Final

PROBE_SECONDS: Final = 1.0
"""How long the connection, and every answer on it, may take."""

_NO_TLS: Final = frozenset({"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL"})
"""What OpenSSL calls an answer that is no TLS, in its several versions."""


def refused_certificate(address: str, ca: bytes | None, server_name: str | None) -> str | None:
    """Why the certificate of a server that speaks TLS is not believed; ``None`` if it is, or none came.

    ``ca`` is PEM, ``None`` for the CAs of this system; ``server_name`` is the name that it must have, if not the host.
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
    """``True`` if the server answers the begin of a TLS handshake, ``False`` if it answers with anything else.

    ``None`` if nothing answers, or the address can't be reached directly. ``address`` is ``HOST:PORT``.
    """
    host, _, port = address.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # Nothing is told to the server, and nothing of its certificate is believed.
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
        # An alert is TLS too, as from a server that wants another version of it.
        return True if "ALERT" in reason else False if reason in _NO_TLS else None
    except (OSError, ValueError):
        return None
