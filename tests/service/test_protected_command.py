"""`merge-baseline serve` and `merge-baseline token`, as an operator uses them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import grpc
import pytest
import trustme

from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.certificates import Files, issue, replace, root_of, trusting
from tests.support.command_line import PATIENCE, PROGRAM, serving

ANYWHERE = "0.0.0.0"  # noqa: S104  # what is to be refused
TIMEOUT = PATIENCE


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=2 * PATIENCE)


def test_a_token_and_a_certificate_of_the_command_line_let_in(tmp_path: Path) -> None:
    ca = trustme.CA()
    files = Files.below(tmp_path)
    files.put(issue(ca))
    replace(files.client_ca, root_of(ca))
    made = run("token", "anna")
    assert made.returncode == 0
    name, digest = made.stdout.split()
    token = made.stderr.strip()
    assert (name, len(digest)) == ("anna", 64)
    assert token not in made.stdout
    tokens = tmp_path / "tokens"
    tokens.write_text(made.stdout, encoding="utf-8")
    arguments = ("--tls-cert", files.certificate, "--tls-key", files.key, "--tls-client-ca", files.client_ca)
    limits = ("--caller-concurrency", "2", "--caller-rate", "50", "--caller-burst", "5", "--max-tokens", "3")
    with (
        serving("--workers", "0", "--token-file", str(tokens), *map(str, arguments), *limits) as (process, address),
        grpc.secure_channel(address, trusting(ca, issue(ca))) as channel,
    ):
        stub = ChainMergeServiceStub(channel)
        metadata = (("authorization", f"Bearer {token}"),)
        part = v1.Part(sentences=[v1.Sentence(forms=["a", "b", "c"])])
        request = v1.MergeDocumentRequest(document=v1.Document(parts=[part]), strategy=v1.StrategySpec(name="none"))
        assert stub.MergeDocument(request, timeout=TIMEOUT, metadata=metadata).signature == "none"
        request.document.parts[0].sentences.add(forms=["d"])
        with pytest.raises(grpc.RpcError, match="4 tokens so far in the document; this server takes at most 3"):
            stub.MergeDocument(request, timeout=TIMEOUT, metadata=metadata)
        with pytest.raises(grpc.RpcError, match="this server wants a token that it knows"):
            stub.MergeDocument(request, timeout=TIMEOUT)
        process.terminate()
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert token not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--host", ANYWHERE), "won't listen on 0.0.0.0 without TLS: documents would cross the network in clear"),
        (("--tls-client-ca", "ca.pem"), "--tls-cert is missing: --tls-client-ca needs a certificate and its key"),
        (("--tls-cert", "a.pem"), "--tls-key is missing: --tls-cert needs a certificate and its key"),
        (("--tls-cert", "a.pem", "--tls-key", "b.pem"), "certificate a.pem: cannot be read: No such file"),
        (("--token-file", "tokens"), "token file tokens: cannot be read: No such file"),
        (("--caller-rate", "0"), "--caller-rate: 0.0 is not a number above 0"),
        (("--caller-burst", "3"), "--caller-burst is of no use without --caller-rate"),
        (("--max-parts", "0"), "--max-parts: 0 is not a whole number from 1"),
        (("--max-stream-mib", "0"), "Invalid value for '--max-stream-mib': 0 is not in the range 1<=x<=1048576"),
        (("--queue-mib", "0"), "Invalid value for '--queue-mib': 0 is not in the range 1<=x<=1048576"),
        (("--replay-mib", "-1"), "Invalid value for '--replay-mib': -1 is not in the range 0<=x<=1048576"),
        (("--max-connection-age", "0"), "--max-connection-age: 0.0 is not a number from 1 to 1000000"),
        (("--grace", "nan"), "--grace: nan is not a number from 0 to 86400"),
        (("--backend-threads", "0"), "--backend-threads: 0 is not a number from 1 to 1024"),
        (("--host", ""), "--host: '' is neither an address nor a name; expected such as 127.0.0.1"),
        (("--metrics-host", "127.0.0.1"), "--metrics-host needs --metrics-port"),
        (("--metrics-port", "0", "--metrics-host", ""), "--metrics-host: '' is neither an address nor a name"),
        (("--port", "9464", "--metrics-port", "9464"), "--port and --metrics-port are both 9464: metrics need a port"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_can_not_be_served_safely_is_said_and_ends_it(arguments: tuple[str, ...], reason: str) -> None:
    port = () if "--port" in arguments else ("--port", "0")
    done = run("serve", *port, "--workers", "0", *arguments)
    assert done.returncode != 0
    assert done.stdout == ""
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_a_name_that_no_line_can_have_is_refused() -> None:
    done = run("token", "anna smith")
    assert done.returncode != 0
    assert done.stdout == ""
    assert "token 'anna smith': a name of a token is 1 to 100 letters" in done.stderr
