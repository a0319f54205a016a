"""What Prometheus sees of the real server."""

from __future__ import annotations

import os
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

import server
from client.remote.retries import NO_RETRIES
from client.remote.sync import RemoteMerger
from merger.errors import MergeBaselineError, OptionError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.options import ObservabilityOptions, SecurityOptions
from tests.support.command_line import PATIENCE, free_port, run, serving
from tests.support.running_server import needs_proc, request, until, workers_of
from tests.support.samples import long_document

CALLS = "merge_baseline_calls_total"


@contextmanager
def shown(**options: object) -> Iterator[tuple[str, int]]:
    """A server, its address, and the port of its metrics."""
    port = free_port()
    wanted = {"port": 0, "workers": 0, "grace_seconds": 0.0, **options}
    made = server.ServerOptions(**wanted, observability=ObservabilityOptions(metrics_port=port))  # type: ignore[arg-type]
    with server.background(made) as address:
        yield address, port


def scrape(port: int) -> dict[str, float]:
    """Samples by name and labels, as ``name{a=b,c=d}`` with labels in order."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
        assert answer.headers["Content-Type"].startswith("text/plain")
        text = answer.read().decode()
    found = {}
    for family in text_string_to_metric_families(text):
        assert family.documentation, family.name
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


def calls_over(port: int) -> float:
    """How many calls are: each is a moment after its answer has come."""
    return sum(value for name, value in scrape(port).items() if name.startswith(CALLS))


def test_calls_documents_and_decisions_are_counted() -> None:
    # Three parts with a chain of "York" each: the first is new, the others are linked to it; one merged chain.
    document = long_document(3)
    with shown() as (address, port), RemoteMerger(address) as remote:
        remote.merge(document, "greedy")
        remote.merge(document, "none")
        remote.merge_in_parts(document, "greedy")
        with pytest.raises(OptionError):
            remote.merge(document, "no-such-strategy")
        remote.strategies()
        assert until(lambda: calls_over(port) == 5)
        found = scrape(port)

    prefix = "merge_baseline_"
    expected = {
        "calls_total{code=OK,method=MergeDocument,strategy=greedy}": 1,
        "calls_total{code=OK,method=MergeDocument,strategy=none}": 1,
        "calls_total{code=OK,method=MergeStream,strategy=greedy}": 1,
        "calls_total{code=INVALID_ARGUMENT,method=MergeDocument,strategy=other}": 1,
        "calls_total{code=OK,method=ListStrategies,strategy=}": 1,
        "refused_total{method=MergeDocument,reason=OPTION_INVALID}": 1,
        "calls_in_progress{method=MergeDocument}": 0,
        "call_seconds_count{method=MergeDocument,strategy=greedy}": 1,
        "queue_seconds_count{method=MergeDocument}": 3,
        "documents_total{strategy=greedy}": 2,
        "documents_total{strategy=none}": 1,
        "parts_total{strategy=greedy}": 6,
        "decisions_total{outcome=linked,strategy=greedy}": 4,
        "decisions_total{outcome=new,strategy=greedy}": 2,
        "decisions_total{outcome=linked,strategy=none}": 0,
        "decisions_total{outcome=new,strategy=none}": 3,
        "chains_total{strategy=greedy}": 2,
        "chains_total{strategy=none}": 3,
        "streams_open": 0,
    }
    assert {name: found.get(f"{prefix}{name}") for name in expected} == expected
    sent = request(document, "greedy").ByteSize() + request(document, "none").ByteSize()
    sent += request(document, "no-such-strategy").ByteSize()
    assert found["merge_baseline_received_bytes_total{method=MergeDocument}"] == sent
    assert found["process_resident_memory_bytes"] > 1e6


def test_documents_of_a_stream_of_many_are_counted_each_with_its_strategy() -> None:
    good, bad = request(long_document(3)), request(long_document(2), "no-such-strategy")
    messages = [
        v1.MergeDocumentsRequest(id=name, request=each) for name, each in (("a", good), ("b", bad), ("c", good))
    ]
    with shown() as (address, port), grpc.insecure_channel(address) as channel:
        answers = list(ChainMergeServiceStub(channel).MergeDocuments(iter(messages), timeout=PATIENCE))
        assert len(answers) == 3
        assert until(lambda: calls_over(port) == 1)
        found = scrape(port)

    assert found["merge_baseline_failed_documents_total"] == 1
    assert found["merge_baseline_documents_total{strategy=greedy}"] == 2


def test_streams_and_calls_that_go_on_are_shown() -> None:
    document = long_document(2)
    with shown() as (address, port), RemoteMerger(address) as remote:
        with remote.stream("d", "greedy") as stream:
            stream.add(document.parts[0], document.chains[:1])
            during = scrape(port)
            stream.add(document.parts[1], document.chains[1:])
            stream.finish()
        assert until(lambda: calls_over(port) == 1)
        after = scrape(port)

    assert during["merge_baseline_streams_open"] == 1
    assert during["merge_baseline_calls_in_progress{method=MergeStream}"] == 1
    assert during["merge_baseline_streams_limit"] == 256
    assert after["merge_baseline_streams_open"] == 0
    assert after["merge_baseline_held_bytes"] == 0


def test_calls_without_a_token_are_counted_with_their_reason(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"somebody {'0' * 64}\n", encoding="ascii")
    with (
        shown(security=SecurityOptions(token_file=str(tokens))) as (address, port),
        RemoteMerger(address, token="wrong", retry=NO_RETRIES) as remote,  # noqa: S106  # nobody's
    ):
        with pytest.raises(MergeBaselineError):
            remote.merge(long_document(1), "none")
        found = scrape(port)

    assert found[f"{CALLS}{{code=UNAUTHENTICATED,method=MergeDocument,strategy=}}"] == 1
    reasons = {name: value for name, value in found.items() if name.startswith("merge_baseline_refused_total")}
    assert list(reasons.values()) == [1]


@needs_proc
def test_a_worker_that_was_killed_is_counted_as_replaced() -> None:
    port = free_port()
    kind = "{kind=documents,place=usual}"
    with serving("--workers", "1", "--metrics-port", str(port)) as (process, _):
        assert scrape(port)[f"merge_baseline_workers{kind}"] == 1
        (worker,) = workers_of(process.pid, "documents")
        os.kill(worker, signal.SIGKILL)
        assert until(lambda: scrape(port)[f"merge_baseline_worker_restarts_total{kind}"] == 1)
        # A replacement counts from when it is there.
        assert scrape(port)[f"merge_baseline_workers{kind}"] == 1


def test_there_is_nothing_but_metrics() -> None:
    with shown() as (_, port), pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/etc/passwd", timeout=PATIENCE)
    assert error.value.code == 404
    error.value.close()


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        options = server.ServerOptions(port=0, workers=0, observability=ObservabilityOptions(metrics_port=port))
        with (
            pytest.raises(
                server.ServerStartError, match=rf"can't show metrics on 127\.0\.0\.1:{port}: Address already"
            ),
            server.background(options),
        ):
            pass


def test_a_port_out_of_range_is_refused() -> None:
    with pytest.raises(OptionError, match="metrics_port: 65536"):
        ObservabilityOptions(metrics_port=65536)


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("prometheus_client", ("--metrics-port", "0"), "merge-baseline[metrics]"),
        ("opentelemetry", ("--otel",), "merge-baseline[otel]"),
    ],
)
def test_without_the_extra_the_server_says_what_to_install(
    tmp_path: Path, package: str, arguments: tuple[str, ...], extra: str
) -> None:
    # As if it were not installed.
    folder = tmp_path / package
    folder.mkdir()
    (folder / "__init__.py").write_text("raise ImportError\n", encoding="ascii")

    done = run("serve", "--port", "0", *arguments, env={"PYTHONPATH": str(tmp_path)})

    assert done.code == 3
    assert f"pip install '{extra}'" in done.err
    assert "Traceback" not in done.err
