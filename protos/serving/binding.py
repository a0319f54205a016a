"""Whether an address can be listened on: gRPC only says that it could not, the system says why."""

from __future__ import annotations

import os
import socket


def try_to_bind(host: str, port: int) -> None:
    """Bind for a moment. Raises ``OSError``."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
