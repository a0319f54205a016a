"""Certificates made for a test, and channels that trust them."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import grpc

import server
from service.options import SecurityOptions

if TYPE_CHECKING:
    import trustme


@dataclass(frozen=True)
class Files:
    """Where a server's certificate, key and CA of callers are."""

    certificate: Path
    key: Path
    client_ca: Path

    @classmethod
    def below(cls, folder: Path) -> Files:
        return cls(folder / "server.pem", folder / "server.key", folder / "callers.pem")

    def put(self, certificate: trustme.LeafCert) -> None:
        """Replace certificate and key as an operator does: whole files, moved into place."""
        chain = b"".join(each.bytes() for each in certificate.cert_chain_pems)
        replace(self.certificate, chain)
        replace(self.key, certificate.private_key_pem.bytes())

    def security(self, *, callers_need_one: bool = False) -> SecurityOptions:
        return SecurityOptions(
            tls_cert=str(self.certificate),
            tls_key=str(self.key),
            tls_client_ca=str(self.client_ca) if callers_need_one else None,
        )

    def options(self, *, callers_need_one: bool = False) -> server.ServerOptions:
        return options_of(self.security(callers_need_one=callers_need_one))


def options_of(security: SecurityOptions) -> server.ServerOptions:
    return server.ServerOptions(port=0, workers=0, grace_seconds=0, security=security)


def replace(path: Path, content: bytes) -> None:
    new = path.with_suffix(".new")
    new.write_bytes(content)
    new.chmod(0o600)
    new.replace(path)


def issue(ca: trustme.CA, *, valid_days: float = 10) -> trustme.LeafCert:
    now = dt.datetime.now(dt.UTC)
    # Both before now for one that has expired.
    begins = now - dt.timedelta(days=20)
    return ca.issue_cert("127.0.0.1", "localhost", not_before=begins, not_after=now + dt.timedelta(days=valid_days))


def root_of(ca: trustme.CA) -> bytes:
    return ca.cert_pem.bytes()


def trusting(ca: trustme.CA, caller: trustme.LeafCert | None = None) -> grpc.ChannelCredentials:
    """What a client has that trusts a CA, and has a certificate of its own if ``caller`` is one."""
    if caller is None:
        return grpc.ssl_channel_credentials(root_of(ca))
    chain = b"".join(each.bytes() for each in caller.cert_chain_pems)
    return grpc.ssl_channel_credentials(root_of(ca), caller.private_key_pem.bytes(), chain)


def is_root() -> bool:
    """Whether file permissions mean nothing to this process."""
    return os.geteuid() == 0
