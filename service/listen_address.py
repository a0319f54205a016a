"""Checks of the address to listen on. gRPC reports only that it failed; the operating system gives the reason."""

from __future__ import annotations

import ipaddress
import os
import socket

from merger.errors import ParameterError
from service.errors import ServerStartError


def check_host(parameter: str, host: str) -> None:
    """Raises :class:`~merger.errors.ParameterError` if the host is empty or no possible address or name."""
    try:
        usable = bool(host.encode("idna"))
    except UnicodeError:
        usable = False
    if not usable:
        expected = "expected such as 127.0.0.1, or 0.0.0.0 for all addresses"
        raise ParameterError(f"{{{parameter}}}: {host!r} is neither an address nor a name; {expected}")


def plain_host(host: str) -> str:
    """The host without the brackets of an IPv6 address in a URL."""
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host


def try_to_bind(host: str, port: int) -> None:
    """Bind to the address for a moment. Raises ``OSError`` if that fails."""
    family, kind, protocol, _, address = socket.getaddrinfo(plain_host(host), port, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(address)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address; for a name, whether that holds for all of its addresses.

    Raises :class:`~service.errors.ServerStartError` for an unknown name.
    """
    try:
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise ServerStartError(f"can't listen on {host}: {error.strerror}") from None
    # A scope can follow the address (fe80::1%eth0).
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)


def check_listen_address(host: str, *, tls: bool, tokens: bool, allowed: bool) -> None:
    """Refuse to listen beyond this machine without TLS, unless the operator has explicitly ``allowed`` it.

    Raises :class:`~service.errors.ServerStartError`.
    """
    if tls or allowed or is_loopback(host):
        return
    what = "documents and tokens" if tokens else "documents"
    raise ServerStartError(
        f"won't listen on {host} without TLS: {what} would cross the network in clear, for everybody to read and "
        "change. Set option tls_cert and option tls_key, or option insecure_listen_anywhere if the network "
        "itself protects them"
    )
