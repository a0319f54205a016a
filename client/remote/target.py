"""Where a server is, and how to talk to it. Knows no grpc, so that options can be made without importing it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Final, TypedDict

from client.remote.retries import OnRetry, RetryPolicy
from merger.errors import OptionError, ParameterError
from protos.limits import DEFAULT_MAX_MESSAGE_BYTES

_NUMBER = re.compile(r"[0-9]+")
_LAST_PORT = 65535
_READABLE = range(0x21, 0x7F)
"""What an HTTP header's value may be made of, without the space."""

CONNECT_SECONDS: Final = 5.0
"""The time that a connection may take to begin."""


def _is_word(text: str) -> bool:
    return bool(text) and all(ord(character) in _READABLE for character in text)


@dataclass(frozen=True, slots=True)
class Tls:
    """Encrypt, and see that the server is the right one.

    ``ca`` is a PEM file with the certificates that the server's must be signed by; the system's by default. ``cert``
    and ``key`` are PEM files with the client's own certificate, for servers that want one (mTLS). ``server_name`` is
    the name in the server's certificate, where it is not the host of the address. The files are read when a connection
    is made, not before.
    """

    ca: str | PathLike[str] | None = None
    cert: str | PathLike[str] | None = None
    key: str | PathLike[str] | None = None
    server_name: str | None = None

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for half of a pair of certificate and key, and no name."""
        if (self.cert is None) != (self.key is None):
            missing = "certificate" if self.cert is None else "key"
            raise OptionError(f"TLS: the client's {missing} is missing; expected a certificate and its key")
        if self.server_name is not None and not _is_word(self.server_name):
            raise OptionError(f"TLS: {self.server_name!r} is no name of a server")

    def read(self) -> tuple[bytes | None, bytes | None, bytes | None]:
        """The contents of ``ca``, ``key`` and ``cert``.

        Raises ``OSError`` for a file that can't be read, :class:`~merger.errors.OptionError` for one that is no PEM and
        for a key that does not belong to the certificate.
        """
        import ssl

        ca, key, cert = (None if path is None else Path(path).read_bytes() for path in (self.ca, self.key, self.cert))
        # gRPC would say nothing of a bad file but that the connection failed.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca is not None:
            try:
                context.load_verify_locations(self.ca)
            except ssl.SSLError:
                raise OptionError(f"TLS: {self.ca}: no certificate in it; expected a PEM file") from None
        if self.cert is not None:
            try:
                context.load_cert_chain(self.cert, self.key, password="")
            except ssl.SSLError as error:
                expected = "PEM files of a certificate and its key, without a passphrase"
                raise OptionError(
                    f"TLS: {self.cert}, {self.key}: {error.reason or 'not usable'}; expected {expected}"
                ) from None
        return ca, key, cert


class RemoteOptions(TypedDict, total=False):
    """The options of :class:`~client.remote.sync.RemoteMerger` and :class:`~client.remote.aio.AsyncRemoteMerger`."""

    timeout: float | None
    """Seconds that a call may take unless it says otherwise; ``None`` for no limit."""
    connect_timeout: float
    """Seconds to wait for the server to accept the connection."""
    max_message_bytes: int
    """The largest message to send or take, in bytes; the server has a limit of its own."""
    tls: Tls | None
    """Talk TLS; in clear by default."""
    token: str | None
    """What the server knows the caller by. Without TLS it is sent to this machine only."""
    insecure_token: bool
    """Send the token without TLS to other machines too. Anybody on the way can read it."""
    retry: RetryPolicy
    """When to try failed calls again."""
    on_retry: OnRetry | None
    """Told of each wait before another attempt. May be called from any thread that makes calls."""
    window: int
    """How many documents ``merge_many`` reads ahead of what it has handed out, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server's address and the options above, checked."""

    address: str
    timeout: float | None = 600.0
    connect_timeout: float = CONNECT_SECONDS
    max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES
    tls: Tls | None = None
    token: str | None = field(default=None, repr=False)
    insecure_token: bool = False
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    on_retry: OnRetry | None = None
    window: int = 16

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for an address, a token or a window that can't be."""
        host, _, port = self.address.rpartition(":")
        # What is not printable is no UTF-8 either: bytes of a command line that were none.
        if not host.isprintable() or not host or "/" in host or " " in host or not _NUMBER.fullmatch(port):
            raise OptionError(f"server address {self.address!r} is not HOST:PORT")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            # The last number of such an address would be taken for the port by some and for its end by others.
            raise OptionError(f"server address {self.address!r} is not HOST:PORT; IPv6 is written such as [::1]:50051")
        if not 0 < int(port) <= _LAST_PORT:
            raise OptionError(f"server address {self.address!r}: the port is not a number from 1 to {_LAST_PORT}")
        if self.window < 1:
            raise OptionError(f"a window of {self.window} documents; expected at least 1")
        if self.token is None:
            return
        if not _is_word(self.token):
            raise OptionError("the server's token is empty, or has characters that are not ASCII letters and signs")
        if self.tls is None and not self.insecure_token and not self.is_loopback:
            raise ParameterError(
                f"the token won't be sent to {self.address} without TLS: all on the way could read it "
                "({insecure_token} lets it, if the network itself is protected)"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether the address is this machine's own."""
        import ipaddress

        host = self.address.rpartition(":")[0].strip("[]")
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def limit(self, timeout: float | None) -> float | None:
        """The time for a call that was given this one."""
        return self.timeout if timeout is None else timeout
