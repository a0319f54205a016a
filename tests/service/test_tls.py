from __future__ import annotations

import itertools
import logging
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
import trustme

import server
from merger.errors import OptionError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.errors import ServerStartError
from service.options import SecurityOptions
from service.security import setup as security
from tests.support.certificates import Files, is_root, issue, options_of, replace, root_of, trusting
from tests.support.command_line import PATIENCE
from tests.support.running_server import until

TIMEOUT = PATIENCE


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(tmp_path: Path, ca: trustme.CA) -> Files:
    files = Files.below(tmp_path)
    files.put(issue(ca))
    replace(files.client_ca, root_of(ca))
    return files


def list_strategies(address: str, credentials: grpc.ChannelCredentials | None) -> v1.ListStrategiesResponse:
    """One call over a connection of its own."""
    channel = grpc.insecure_channel(address) if credentials is None else grpc.secure_channel(address, credentials)
    with channel:
        return ChainMergeServiceStub(channel).ListStrategies(v1.ListStrategiesRequest(), timeout=TIMEOUT)


def is_refused(address: str, credentials: grpc.ChannelCredentials | None) -> bool:
    """Whether no connection comes about; any other failure is raised."""
    try:
        list_strategies(address, credentials)
    except grpc.RpcError as error:
        if error.code() is not grpc.StatusCode.UNAVAILABLE:
            raise
        return True
    return False


def test_who_trusts_the_ca_is_served(files: Files, ca: trustme.CA) -> None:
    with server.background(files.options()) as address:
        assert list_strategies(address, trusting(ca)).strategies


def test_who_does_not_use_tls_is_refused(files: Files) -> None:
    with server.background(files.options()) as address:
        assert is_refused(address, None)


def test_who_trusts_another_ca_refuses(files: Files) -> None:
    with server.background(files.options()) as address:
        assert is_refused(address, trusting(trustme.CA()))


def test_with_a_client_ca_only_callers_with_its_certificate_are_served(files: Files, ca: trustme.CA) -> None:
    with server.background(files.options(callers_need_one=True)) as address:
        assert list_strategies(address, trusting(ca, issue(ca))).strategies
        assert is_refused(address, trusting(ca))
        assert is_refused(address, trusting(ca, issue(trustme.CA())))


def stream_requests(parts: int) -> Iterator[v1.MergeStreamRequest]:
    setup = v1.MergeStreamSetup(document_id="d", strategy=v1.StrategySpec(name="none"))
    yield v1.MergeStreamRequest(setup=setup)
    for _ in range(parts):
        yield v1.MergeStreamRequest(part=v1.Part(sentences=[v1.Sentence(forms=["York"])]))


def test_a_new_certificate_is_used_at_the_next_handshake_and_streams_run_on(files: Files, ca: trustme.CA) -> None:
    later = trustme.CA()
    changed = False

    def requests() -> Iterator[v1.MergeStreamRequest]:
        nonlocal changed
        yield from itertools.islice(stream_requests(2), 2)
        files.put(issue(later))
        replace(files.client_ca, root_of(later))
        changed = until(lambda: not is_refused(address, trusting(later, issue(later))))
        yield from itertools.islice(stream_requests(2), 1, None)

    with (
        server.background(files.options(callers_need_one=True)) as address,
        grpc.secure_channel(address, trusting(ca, issue(ca))) as channel,
    ):
        answers = list(ChainMergeServiceStub(channel).MergeStream(requests(), timeout=3 * PATIENCE))
        assert changed
        assert [answer.WhichOneof("message") for answer in answers] == ["part", "part", "part", "summary"]
        assert is_refused(address, trusting(ca, issue(ca)))
        assert is_refused(address, trusting(later, issue(ca)))


def test_a_caller_whose_ca_is_gone_loses_its_connection_after_a_while_but_no_stream(
    files: Files, ca: trustme.CA, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "CONNECTION_SECONDS", 1.0)
    gone = False

    def requests() -> Iterator[v1.MergeStreamRequest]:
        nonlocal gone
        yield from itertools.islice(stream_requests(1), 2)
        replace(files.client_ca, root_of(trustme.CA()))
        gone = until(lambda: code_on(channel) is grpc.StatusCode.UNAVAILABLE)
        yield from itertools.islice(stream_requests(1), 1, None)

    with (
        server.background(files.options(callers_need_one=True)) as address,
        grpc.secure_channel(address, trusting(ca, issue(ca))) as channel,
    ):
        answers = list(ChainMergeServiceStub(channel).MergeStream(requests(), timeout=3 * PATIENCE))
    assert gone
    assert [answer.WhichOneof("message") for answer in answers] == ["part", "part", "summary"]


def code_on(channel: grpc.Channel) -> grpc.StatusCode:
    try:
        ChainMergeServiceStub(channel).ListStrategies(v1.ListStrategiesRequest(), timeout=TIMEOUT)
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def test_a_broken_new_file_leaves_the_old_certificate_in_use_and_is_logged(
    files: Files, ca: trustme.CA, caplog: pytest.LogCaptureFixture
) -> None:
    with server.background(files.options()) as address, caplog.at_level(logging.INFO, "merge_baseline.server"):
        replace(files.key, issue(ca).private_key_pem.bytes())
        told = f"the old one stays in use: key {files.key}: does not belong to the certificate {files.certificate}"
        assert until(lambda: not is_refused(address, trusting(ca)) and told in caplog.text)
        files.key.unlink()
        told = f"the old one stays in use: key {files.key}: cannot be read: No such file or directory"
        assert until(lambda: not is_refused(address, trusting(ca)) and told in caplog.text)
        later = trustme.CA()
        files.put(issue(later))
        assert until(lambda: not is_refused(address, trusting(later)))
        assert "TLS certificate: a new one is in use" in caplog.text


def test_a_certificate_that_ends_soon_is_told_in_the_log(
    files: Files, ca: trustme.CA, caplog: pytest.LogCaptureFixture
) -> None:
    with server.background(files.options()) as address, caplog.at_level(logging.WARNING, "merge_baseline.server"):
        list_strategies(address, trusting(ca))
        list_strategies(address, trusting(ca))
    assert caplog.text.count("TLS certificate: valid until 20") == 1


def refusal(options: SecurityOptions) -> str:
    with pytest.raises(ServerStartError) as caught, server.background(options_of(options)):
        pass
    return str(caught.value)


def test_files_that_are_not_there_are_named(files: Files) -> None:
    for path, what in ((files.client_ca, "client CA"), (files.key, "key"), (files.certificate, "certificate")):
        path.unlink()
        expected = f"{what} {path}: cannot be read: No such file or directory"
        assert refusal(files.security(callers_need_one=True)) == expected


@pytest.mark.skipif(is_root(), reason="root may read every file")
def test_a_key_that_may_not_be_read_is_named(files: Files) -> None:
    files.key.chmod(0)
    assert refusal(files.security()) == f"key {files.key}: cannot be read: Permission denied"


def test_a_key_of_another_certificate_is_named(files: Files, ca: trustme.CA) -> None:
    replace(files.key, issue(ca).private_key_pem.bytes())
    assert refusal(files.security()) == f"key {files.key}: does not belong to the certificate {files.certificate}"


def test_an_expired_certificate_is_refused(files: Files, ca: trustme.CA) -> None:
    files.put(issue(ca, valid_days=-1))
    expected = f"certificate {files.certificate}: certificate has expired (make or fetch a new one)"
    assert refusal(files.security()) == expected


@pytest.mark.parametrize("content", [b"", b"no PEM\n", b"\xff\xfe"], ids=["empty", "text", "binary"])
def test_files_without_pem_are_named(files: Files, content: bytes) -> None:
    wrong = "not a text in UTF-8" if content == b"\xff\xfe" else ""
    replace(files.client_ca, content)
    found = refusal(files.security(callers_need_one=True))
    assert found.startswith(f"client CA {files.client_ca}: {wrong or 'no certificate in it'}")
    replace(files.key, content)
    assert refusal(files.security()).startswith(f"key {files.key}: {wrong or 'no key in it'}")
    replace(files.certificate, content)
    found = refusal(files.security())
    assert found.startswith(f"certificate {files.certificate}: {wrong or 'no certificate in it'}")


def test_a_key_with_a_passphrase_is_refused(files: Files) -> None:
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        PrivateFormat,
        load_pem_private_key,
    )

    key = load_pem_private_key(files.key.read_bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    replace(files.key, locked)
    assert refusal(files.security()) == f"key {files.key}: encrypted; expected a key without a passphrase"


def test_a_certificate_that_is_no_cas_is_no_client_ca(files: Files) -> None:
    replace(files.client_ca, files.certificate.read_bytes())
    assert "no certificate of a CA in it" in refusal(files.security(callers_need_one=True))


def test_a_key_that_everybody_may_read_is_told_in_the_log(files: Files, caplog: pytest.LogCaptureFixture) -> None:
    files.key.chmod(0o644)
    with caplog.at_level(logging.WARNING, "merge_baseline.server"), server.background(files.options()):
        pass
    assert f"key {files.key}: everybody on this machine may read or change it" in caplog.text


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({"tls_cert": "a"}, "tls_key"),
        ({"tls_key": "a"}, "tls_cert"),
        ({"tls_client_ca": "a"}, "tls_cert"),
        ({"tls_cert": "a", "tls_client_ca": "a"}, "tls_key"),
    ],
)
def test_tls_that_is_half_set_up_is_refused(given: dict[str, str], missing: str) -> None:
    with pytest.raises(OptionError, match=rf"^{missing} is missing: "):
        SecurityOptions(**given)  # type: ignore[arg-type]  # the fields of the table


@pytest.mark.parametrize(
    ("version", "served"),
    [
        (ssl.TLSVersion.TLSv1, False),
        (ssl.TLSVersion.TLSv1_1, False),
        (ssl.TLSVersion.TLSv1_2, True),
        (ssl.TLSVersion.TLSv1_3, True),
    ],
)
@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_tls_1_2_is_the_least(
    files: Files, ca: trustme.CA, version: ssl.TLSVersion, *, served: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ca.configure_trust(context)
    context.set_alpn_protocols(["h2"])
    # Or this side would refuse the old ones by itself.
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    name = issue(ca)
    files.put(name)
    with server.background(files.options()) as address:
        host, _, port = address.rpartition(":")
        with socket.create_connection((host, int(port)), TIMEOUT) as connection:
            if served:
                with context.wrap_socket(connection, server_hostname="127.0.0.1") as wrapped:
                    assert wrapped.selected_alpn_protocol() == "h2"
            else:
                with pytest.raises(ssl.SSLError, match=r"EOF occurred|ALERT_PROTOCOL_VERSION"):
                    context.wrap_socket(connection, server_hostname="127.0.0.1")
    # What gRPC logs: it is the server that refuses.
    assert ("UNSUPPORTED_PROTOCOL" in capfd.readouterr().err) is not served
