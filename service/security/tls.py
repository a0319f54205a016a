"""TLS: certificate, key and client CA, checked before use and loaded again when their files change.

A new handshake uses the new certificate. Open connections keep theirs, so streams go on.
"""

from __future__ import annotations

import logging
import ssl
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Never, cast

from service.errors import ServerStartError
from service.options import TlsFiles
from service.security.file_reload import FileReload, read_text, warn_of_others

if TYPE_CHECKING:
    import grpc

WARN_DAYS: Final = 14
"""The log warns once a day when the certificate expires within this many days."""

_DAY: Final = 86400.0
_EXPIRED: Final = 10
"""OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED."""

_log = logging.getLogger("merge_baseline.server")


@dataclass(frozen=True, slots=True)
class Material:
    """The checked contents of the files. ``valid_until`` is in seconds since 1970."""

    certificate: bytes
    key: bytes
    client_ca: bytes | None
    valid_until: float


def load_material(files: TlsFiles) -> Material:
    """Read and check the files.

    Raises :class:`~service.errors.ServerStartError` for a file that cannot be read or is no PEM, a key that is
    encrypted or does not fit the certificate, and certificates that are not valid now or not meant for servers.
    """
    certificate = read_text(files.certificate, "certificate")
    key = read_text(files.key, "key")
    client_ca = None if files.client_ca is None else read_text(files.client_ca, "client CA")
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    # Trust the certificate itself here; checking its signer is up to callers.
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    _trust(client, certificate, f"certificate {files.certificate}")
    valid_until = _handshake(_server_context(files), client, files.certificate)
    if client_ca is not None:
        _check_client_ca(client_ca, f"client CA {files.client_ca}")
    warn_of_others(files.key, "key", stat.S_IROTH | stat.S_IWOTH, "read or change")
    return Material(certificate.encode(), key.encode(), None if client_ca is None else client_ca.encode(), valid_until)


def _trust(context: ssl.SSLContext, pem: str, what: str) -> None:
    try:
        # ssl takes ASCII only, and comments between certificates can have other characters.
        context.load_verify_locations(cadata=pem.encode("ascii", "replace").decode())
    except (ssl.SSLError, ValueError):
        raise ServerStartError(f"{what}: no certificate in it; expected PEM (-----BEGIN CERTIFICATE-----)") from None


def _server_context(files: TlsFiles) -> ssl.SSLContext:
    def refuse() -> Never:
        raise ServerStartError(f"key {files.key}: encrypted; expected a key without a passphrase")

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(files.certificate, files.key, password=refuse)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise ServerStartError(f"key {files.key}: does not belong to the certificate {files.certificate}") from None
        raise ServerStartError(f"key {files.key}: no key in it; expected PEM (-----BEGIN PRIVATE KEY-----)") from None
    except OSError as error:
        # The file was replaced after it was read.
        raise ServerStartError(f"key {files.key}: cannot be read: {error.strerror}") from None
    return context


def _handshake(server: ssl.SSLContext, client: ssl.SSLContext, path: str) -> float:
    """Try a handshake in memory. Returns the end of the certificate's validity, in seconds since 1970."""
    to_client, to_server = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = server.wrap_bio(to_server, to_client, server_side=True)
    calling = client.wrap_bio(to_client, to_server)
    waiting = [calling, serving]
    try:
        while waiting:
            for side in tuple(waiting):
                try:
                    side.do_handshake()
                except ssl.SSLWantReadError:
                    continue
                waiting.remove(side)
    except ssl.SSLCertVerificationError as error:
        until = " (make or fetch a new one)" if error.verify_code == _EXPIRED else ""
        raise ServerStartError(f"certificate {path}: {error.verify_message}{until}") from None
    except ssl.SSLError as error:
        raise ServerStartError(f"certificate {path}: cannot be used: {error.reason}") from None
    found = calling.getpeercert() or {}
    return ssl.cert_time_to_seconds(str(found["notAfter"]))


def _check_client_ca(pem: str, what: str) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    _trust(context, pem, what)
    ends = [ssl.cert_time_to_seconds(str(each["notAfter"])) for each in context.get_ca_certs()]
    if not ends:
        raise ServerStartError(f"{what}: no certificate of a CA in it; expected the one that signs those of callers")
    if max(ends) < time.time():
        raise ServerStartError(f"{what}: certificate has expired")


def server_credentials(files: TlsFiles) -> grpc.ServerCredentials:
    """Credentials that follow their files. Raises the errors of :func:`load_material`."""
    import grpc

    current = FileReload("TLS certificate", _paths(files), lambda: load_material(files))
    return grpc.dynamic_ssl_server_credentials(
        _configuration(current.get()),
        # The stubs don't know that None means no change.
        cast("Callable[[], grpc.ServerCertificateConfiguration]", _fetcher(current)),
        require_client_authentication=files.client_ca is not None,
    )


def _paths(files: TlsFiles) -> list[str]:
    return [path for path in (files.certificate, files.key, files.client_ca) if path is not None]


def _configuration(material: Material) -> grpc.ServerCertificateConfiguration:
    import grpc

    return grpc.ssl_server_certificate_configuration(
        [(material.key, material.certificate)], root_certificates=material.client_ca
    )


def _fetcher(current: FileReload[Material]) -> Callable[[], grpc.ServerCertificateConfiguration | None]:
    """The callback for gRPC, called at each handshake on gRPC's threads; ``None`` means no change."""
    in_use = current.get()
    next_warning = 0.0

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        nonlocal in_use, next_warning
        material = current.get()
        now = time.time()
        if material.valid_until - now < WARN_DAYS * _DAY and now >= next_warning:
            next_warning = now + _DAY
            _log.warning(
                "TLS certificate: valid until %s", time.strftime("%F %T UTC", time.gmtime(material.valid_until))
            )
        if material is in_use:
            return None
        in_use = material
        return _configuration(material)

    return fetch
