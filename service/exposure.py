"""Who can reach an address, and what must be so before a server listens there."""

from __future__ import annotations

import ipaddress
import socket

from service.errors import ServerStartError


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone; a name, whether all of its addresses are.

    Raises :class:`~service.errors.ServerStartError` for a name that is not known.
    """
    try:
        found = socket.getaddrinfo(host or None, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise ServerStartError(f"can't listen on {host}: {error.strerror}") from None
    # A scope may follow the address (fe80::1%eth0).
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)


def check_exposure(host: str, *, tls: bool, tokens: bool, allowed: bool) -> None:
    """Refuse to listen beyond this machine without TLS, unless it is ``allowed`` in as many words.

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
