"""TLS, mTLS and tokens, from the caller's side."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import trustme

from client.remote import aio_connection, peer_probe, sync_connection
from client.remote.errors import IncompatibleError, NotAllowedError, UnreachableError
from client.remote.sync import RemoteMerger
from client.remote.target import Target, Tls
from merger.errors import OptionError
from merger.merge import merge_document
from merger.strategies import make_strategy
from tests.remote.calling import BOTH, Merge
from tests.support.command_line import EXAMPLES, PATIENCE, error_of, run, serving
from tests.support.peers import answering
from tests.support.running_server import until
from tests.support.samples import long_document

DOCUMENT = long_document(2)
MERGED = merge_document(DOCUMENT, make_strategy("none"))
TOKEN = "a-token-of-32-characters-or-more"  # noqa: S105  # of this test

both = pytest.mark.parametrize("merge", BOTH)


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give all the time that is needed to find out why there is no connection."""
    for module in (sync_connection, aio_connection):
        monkeypatch.setattr(module, "REASON_SECONDS", PATIENCE)
    monkeypatch.setattr(peer_probe, "PROBE_SECONDS", PATIENCE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PEM files: ``ca``, ``server``, ``caller``, each with a key where it needs one, and ``other``, another CA."""
    folder = tmp_path_factory.mktemp("pem")
    ca, other = trustme.CA(), trustme.CA()
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    other.cert_pem.write_to_path(str(folder / "other.pem"))
    for name, identity in (("server", "127.0.0.1"), ("caller", "caller@example.org"), ("named", "merger.example.org")):
        certificate = ca.issue_cert(identity)
        (folder / f"{name}.pem").write_bytes(b"".join(each.bytes() for each in certificate.cert_chain_pems))
        (folder / f"{name}.key").write_bytes(certificate.private_key_pem.bytes())
        (folder / f"{name}.key").chmod(0o600)
    (folder / "token").write_text(f"{TOKEN}\n")
    return folder


@pytest.fixture(scope="module")
def secured(folder: Path) -> Iterator[str]:
    """A server that wants a certificate of callers."""
    with serving(
        "--tls-cert",
        str(folder / "server.pem"),
        "--tls-key",
        str(folder / "server.key"),
        "--tls-client-ca",
        str(folder / "ca.pem"),
        "--log-level",
        "error",
    ) as (_, address):
        yield address


def caller(folder: Path) -> Tls:
    return Tls(ca=folder / "ca.pem", cert=folder / "caller.pem", key=str(folder / "caller.key"))


@both
def test_certificates_on_both_sides_let_calls_through(merge: Merge, secured: str, folder: Path) -> None:
    assert merge(secured, DOCUMENT, tls=caller(folder)) == MERGED


@pytest.mark.usefixtures("patience")
@both
@pytest.mark.parametrize("case", ["no certificate", "another CA"])
def test_without_the_right_certificates_there_is_no_connection(
    merge: Merge, secured: str, folder: Path, case: str
) -> None:
    tls = {"no certificate": Tls(ca=folder / "ca.pem"), "another CA": Tls(ca=folder / "other.pem")}[case]
    with pytest.raises(UnreachableError) as caught:
        merge(secured, DOCUMENT, tls=tls, connect_timeout=0.7)
    expected = {"no certificate": secured, "another CA": f"no TLS connection to {secured}: "}[case]
    assert expected in str(caught.value)


@both
def test_an_unknown_ca_is_told_even_if_there_was_no_time_for_the_handshake(
    merge: Merge, secured: str, folder: Path
) -> None:
    with pytest.raises(UnreachableError, match=r"no TLS connection .* certificate is not trusted here"):
        merge(secured, DOCUMENT, tls=Tls(ca=folder / "other.pem"), connect_timeout=0.01)


SPEAKS = "speaks TLS, and this client does not: set option tls"
SPEAKS_NOT = (
    "does not speak TLS, and this client does: leave out option tls, or serve with server option tls_cert and server "
    "option tls_key"
)


@pytest.mark.usefixtures("patience")
@both
def test_a_server_that_alone_speaks_tls_is_told_from_none(merge: Merge, secured: str, folder: Path) -> None:
    with pytest.raises(IncompatibleError) as caught:
        merge(secured, DOCUMENT, connect_timeout=0.7)
    assert str(caught.value) == f"what listens at {secured} {SPEAKS}"
    assert not caught.value.retryable
    with answering() as peer, pytest.raises(IncompatibleError) as caught:
        merge(peer.address, DOCUMENT, tls=Tls(ca=folder / "ca.pem"), connect_timeout=0.7)
    assert str(caught.value) == f"what listens at {peer.address} {SPEAKS_NOT}"


def test_the_command_line_tells_it_too(secured: str, folder: Path) -> None:
    """In the words of its flags."""
    speaks = "speaks TLS, and this client does not: set --tls, or --tls-ca for its CA"
    speaks_not = (
        "does not speak TLS, and this client does: leave out --tls, or --tls-ca for its CA, or serve with "
        "serve --tls-cert and serve --tls-key"
    )
    merging = ("merge", EXAMPLES / "parts" / "wells.conll", "--server")
    tls = ("--tls-ca", folder / "ca.pem")
    with answering() as peer, ThreadPoolExecutor(3) as workers:
        expected = {
            ("health", secured): f"what listens at {secured} {speaks}",
            (*merging, secured): f"what listens at {secured} {speaks}",
            ("health", peer.address, *tls): f"what listens at {peer.address} {speaks_not}",
            (*merging, peer.address, *tls): f"what listens at {peer.address} {speaks_not}",
        }
        # Each waits some seconds for a connection, and gives itself a second to find out why there is none: on a busy
        # machine it may have to be asked again.
        found = [
            workers.submit(until, lambda command=command, line=line: error_of(*command, code=3) == line)  # type: ignore[misc]  # bound now
            for command, line in expected.items()
        ]
        doctor = ("doctor", "--json", "--server", secured)
        found.append(workers.submit(until, lambda: f"what listens at {secured} {speaks}" in run(*doctor).out))
        assert all(each.result() for each in found)


@pytest.mark.parametrize("name", ["merger.example.org", "other.example.org"])
def test_the_command_line_takes_the_name_in_the_certificate(folder: Path, name: str) -> None:
    arguments = ("--tls-cert", str(folder / "named.pem"), "--tls-key", str(folder / "named.key"))
    tls = ("--tls-ca", folder / "ca.pem", "--tls-server-name", name)
    merging = ("merge", EXAMPLES / "parts" / "wells.conll", "--server")
    right = name == "merger.example.org"
    with serving(*arguments, "--log-level", "error") as (_, address), ThreadPoolExecutor(3) as workers:

        def tells() -> bool:
            health, merged, doctor = workers.map(
                lambda command: run(*command, address, *tls), (("health",), merging, ("doctor", "--json", "--server"))
            )
            found = {each["check"]: each["level"] for each in json.loads(doctor.out)["findings"]}[f"server {address}"]
            if right:
                return (health.code, merged.code, found) == (0, 0, "ok")
            assert (health.code, merged.code, found) == (3, 3, "fail")
            return f"no TLS connection to {address}:" in merged.err

        # They give themselves seconds to connect, and half a second to find out why they don't.
        assert until(tells)


@pytest.mark.usefixtures("patience")
@both
def test_the_name_in_the_certificate_may_be_given(merge: Merge, folder: Path) -> None:
    arguments = ("--tls-cert", str(folder / "named.pem"), "--tls-key", str(folder / "named.key"))
    with serving(*arguments, "--log-level", "error") as (_, address):
        with pytest.raises(UnreachableError, match="no TLS connection"):
            merge(address, DOCUMENT, tls=Tls(ca=folder / "ca.pem"), connect_timeout=0.7)
        tls = Tls(ca=folder / "ca.pem", server_name="merger.example.org")
        assert merge(address, DOCUMENT, tls=tls) == MERGED


def test_a_certificate_without_key_is_refused(folder: Path) -> None:
    with pytest.raises(OptionError, match="the client's key is missing"):
        Tls(cert=folder / "caller.pem")
    with pytest.raises(OptionError, match="the client's certificate is missing"):
        Tls(key=folder / "caller.key")


def test_files_that_do_not_fit_are_named(folder: Path) -> None:
    with pytest.raises(OptionError, match=r"caller\.key has no certificate"):
        RemoteMerger("127.0.0.1:1", tls=Tls(ca=folder / "caller.key"))
    with pytest.raises(OptionError, match=r"server\.key: KEY_VALUES_MISMATCH"):
        RemoteMerger("127.0.0.1:1", tls=Tls(cert=folder / "caller.pem", key=folder / "server.key"))
    with pytest.raises(FileNotFoundError, match="nowhere"):
        RemoteMerger("127.0.0.1:1", tls=Tls(ca=folder / "nowhere"))


@pytest.mark.parametrize("token", ["", "with space", "with\nline", "ü"])
def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    with pytest.raises(OptionError, match="the token is empty, or has characters"):
        RemoteMerger("127.0.0.1:1", token=token)


def test_a_token_is_not_sent_in_clear_beyond_this_machine(folder: Path) -> None:
    with pytest.raises(OptionError, match=r"without TLS, as others could read it on the way \(insecure_token sends it"):
        RemoteMerger("192.0.2.1:1", token=TOKEN)
    from_file = ("--server", "192.0.2.1:1", "--token-file", folder / "token")
    for command in (("merge", EXAMPLES / "parts"), ("doctor",)):
        assert "(--insecure-token sends it, " in error_of(*command, *from_file, code=2)
    RemoteMerger("192.0.2.1:1", token=TOKEN, insecure_token=True).close()
    RemoteMerger("192.0.2.1:1", token=TOKEN, tls=Tls()).close()
    RemoteMerger("[::1]:1", token=TOKEN).close()
    # gRPC would take it for the address ::0.1.0.1 without a port, on some other machine.
    with pytest.raises(OptionError, match=r"is not HOST:PORT; write IPv6 addresses as in \[::1\]:50051"):
        RemoteMerger("::1:1", token=TOKEN)


def test_a_token_is_never_shown() -> None:
    assert TOKEN not in repr(Target(address="localhost:1", token=TOKEN))


@both
def test_a_server_that_wants_a_token_gets_it(merge: Merge, folder: Path) -> None:
    (folder / "tokens").write_text(f"someone {hashlib.sha256(TOKEN.encode()).hexdigest()}\n")
    (folder / "tokens").chmod(0o600)
    with serving("--token-file", str(folder / "tokens"), "--log-level", "error") as (_, address):
        assert merge(address, DOCUMENT, token=TOKEN) == MERGED
        for token in (None, TOKEN[:-1] + "x"):
            with pytest.raises(NotAllowedError, match="wants a token") as caught:
                merge(address, DOCUMENT, token=token)
            assert not caught.value.retryable
            assert "set option token" in str(caught.value)


def test_the_command_line_talks_tls(secured: str, folder: Path) -> None:
    tls = ("--tls-ca", folder / "ca.pem", "--tls-cert", folder / "caller.pem", "--tls-key", folder / "caller.key")
    here = run("merge", EXAMPLES / "parts")
    assert run("merge", EXAMPLES / "parts", "--server", secured, *tls) == here
    assert run("strategies", "--server", secured, *tls).code == 0


def test_the_command_line_sends_the_token_of_a_file_or_the_environment(folder: Path) -> None:
    arguments = ("merge", EXAMPLES / "parts" / "wells.conll")
    with answering() as peer:
        from_file = run(*arguments, "--server", peer.address, "--token-file", folder / "token")
        from_environment = run(*arguments, "--server", peer.address, env={"MERGE_BASELINE_TOKEN": "other"})
    assert (from_file.code, from_environment.code) == (0, 0)
    assert peer.tokens == [f"Bearer {TOKEN}", "Bearer other"]


def test_the_command_line_says_in_one_line_that_a_certificate_is_not_trusted(secured: str, folder: Path) -> None:
    command = ("strategies", "--server", secured, "--tls-ca", folder / "other.pem")
    # It gives itself half a second to find that out.
    assert until(lambda: f"no TLS connection to {secured}:" in error_of(*command, code=3))


def test_server_options_without_a_server_are_refused(folder: Path) -> None:
    files = (["--token-file", folder / "token"], ["--tls-ca", folder / "ca.pem"])
    for arguments in (["--tls"], *files, ["--tls-server-name", "merger.example.org"]):
        assert "--server is missing" in error_of("merge", EXAMPLES / "parts", *arguments, code=2)


def test_a_token_file_with_more_than_a_token_is_refused(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("name secret\n")
    message = error_of("merge", EXAMPLES / "parts", "--server", "h:1", "--token-file", tmp_path / "token", code=2)
    assert "expected one token and nothing else" in message
    assert "secret" not in message


def test_a_program_that_hangs_up_at_once_is_told_from_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as rude:
        address = f"127.0.0.1:{rude.getsockname()[1]}"
        rude.settimeout(0.05)

        with RemoteMerger(address, connect_timeout=0.5) as remote, pytest.raises(UnreachableError, match=address):
            remote.strategies()
