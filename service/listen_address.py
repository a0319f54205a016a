"""Whether an address can be listened on: gRPC only says that it could not, the system says why."""

from __future__ import annotations

import os
import socket

from merger.errors import ParameterError


def check_host(parameter: str, host: str) -> None:
    """Raises :class:`~merger.errors.ParameterError` for what no address can be found of, such as nothing."""
    try:
        usable = bool(host.encode("idna"))
    except UnicodeError:
        usable = False
    if not usable:
        expected = "expected such as 127.0.0.1, or 0.0.0.0 for all addresses"
        raise ParameterError(f"{{{parameter}}}: {host!r} is no address and no name; {expected}")


def plain_host(host: str) -> str:
    """The host without the brackets that IPv6 addresses have in an URL."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def try_to_bind(host: str, port: int) -> None:
    """Bind for a moment. Raises ``OSError``."""
    family, kind, protocol, _, address = socket.getaddrinfo(plain_host(host), port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)
