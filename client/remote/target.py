"""The address of a server, and how to call it. Does not import grpc."""

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
"""The characters of an HTTP header's value, without the space."""

CONNECT_SECONDS: Final = 5.0
"""Default time limit for a connection."""


def _is_word(text: str) -> bool:
    return bool(text) and all(ord(character) in _READABLE for character in text)


@dataclass(frozen=True, slots=True)
class Tls:
    """Encryption, and a check of the server's identity.

    ``ca`` is a PEM file with the CAs to trust, by default those of the system. ``cert`` and ``key`` are PEM files with
    the client's own certificate, for servers that need one (mTLS). ``server_name`` is the name in the server's
    certificate, if it is not the host of the address. The files are read when a channel is made.
    """

    ca: str | PathLike[str] | None = None
    cert: str | PathLike[str] | None = None
    key: str | PathLike[str] | None = None
    server_name: str | None = None

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for a certificate without a key or the reverse, and a bad name."""
        if (self.cert is None) != (self.key is None):
            missing = "certificate" if self.cert is None else "key"
            raise OptionError(f"TLS: the client's {missing} is missing; expected a certificate and its key")
        if self.server_name is not None and not _is_word(self.server_name):
            raise OptionError(f"TLS: {self.server_name!r} is not a server name")

    def read(self) -> tuple[bytes | None, bytes | None, bytes | None]:
        """The contents of ``ca``, ``key`` and ``cert``.

        Raises ``OSError`` for a file that can't be read, :class:`~merger.errors.OptionError` for a file that is not PEM
        and for a key that does not belong to the certificate.
        """
        import ssl

        ca, key, cert = (None if path is None else Path(path).read_bytes() for path in (self.ca, self.key, self.cert))
        # For a bad file gRPC would report only that the connection failed.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if self.ca is not None:
            try:
                context.load_verify_locations(self.ca)
            except ssl.SSLError:
                raise OptionError(f"TLS: {self.ca} has no certificate; expected a PEM file") from None
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
    """Default time limit of a call, in seconds; ``None`` for no limit."""
    connect_timeout: float
    """Seconds to wait for the server to accept the connection."""
    max_message_bytes: int
    """The largest message to send or receive, in bytes. The server has a limit of its own."""
    tls: Tls | None
    """Use TLS; by default calls are not encrypted."""
    token: str | None
    """The caller's token. Without TLS it is sent to this machine only."""
    insecure_token: bool
    """Send the token without TLS to other machines, too. Others can read it on the way."""
    retry: RetryPolicy
    """When to retry failed calls."""
    on_retry: OnRetry | None
    """Called before each wait for another attempt, on the thread that makes the call."""
    window: int
    """How many documents ``merge_many`` reads ahead at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A server's address and checked options."""

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
        """Raises :class:`~merger.errors.OptionError` for a bad address, token or window."""
        host, _, port = self.address.rpartition(":")
        # Bytes of a command line that are not UTF-8 are not printable.
        if not host.isprintable() or not host or "/" in host or " " in host or not _NUMBER.fullmatch(port):
            raise OptionError(f"server address {self.address!r} is not HOST:PORT")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            # Without brackets the last number could be the port or the end of the address.
            raise OptionError(
                f"server address {self.address!r} is not HOST:PORT; write IPv6 addresses as in [::1]:50051"
            )
        if not 0 < int(port) <= _LAST_PORT:
            raise OptionError(f"server address {self.address!r}: the port is not a number from 1 to {_LAST_PORT}")
        if self.window < 1:
            raise OptionError(f"a window of {self.window} documents; expected at least 1")
        if self.token is None:
            return
        if not _is_word(self.token):
            raise OptionError("the token is empty, or has characters other than ASCII letters, digits and signs")
        if self.tls is None and not self.insecure_token and not self.is_loopback:
            raise ParameterError(
                f"the token is not sent to {self.address} without TLS, as others could read it on the way "
                "({insecure_token} sends it, for a network that is protected otherwise)"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether the address is the loopback of this machine."""
        import ipaddress

        host = self.address.rpartition(":")[0].strip("[]")
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host == "localhost"

    def limit(self, timeout: float | None) -> float | None:
        """The time limit of a call, given the call's own ``timeout``."""
        return self.timeout if timeout is None else timeout
