"""Traces of the real server, as a real OTLP receiver gets them."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import grpc
import pytest
from grpc_health.v1 import health_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from client.remote.channel import HEALTH_METHOD
from merger.version import VERSION
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from tests.support.command_line import PATIENCE, run, serving
from tests.support.running_server import is_working, request, until
from tests.support.samples import long_document, wordy_document

if TYPE_CHECKING:
    from opentelemetry.proto.resource.v1.resource_pb2 import Resource

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"
EXPORT_SECONDS = 10 * PATIENCE
"""For which an exporter tries."""


class Receiver(trace_service_pb2_grpc.TraceServiceServicer):
    """Keeps what it gets."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.resources: list[Resource] = []
        self.raw = b""

    def Export(  # noqa: N802  # the protocol's name
        self,
        request: trace_service_pb2.ExportTraceServiceRequest,
        context: grpc.ServicerContext,  # noqa: ARG002  # gRPC hands it over
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            self.resources.append(resource.resource)
            for scope in resource.scope_spans:
                self.spans.extend(scope.spans)
        self.raw += request.SerializeToString()
        return trace_service_pb2.ExportTraceServiceResponse()


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver, to which the environment has servers send."""
    receiver = Receiver()
    collector = grpc.server(ThreadPoolExecutor(2))
    # Generated without type hints.
    cast("Any", trace_service_pb2_grpc).add_TraceServiceServicer_to_server(receiver, collector)
    port = collector.add_insecure_port("127.0.0.1:0")
    collector.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", f"{EXPORT_SECONDS:g}")
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        try:
            yield receiver
        finally:
            collector.stop(0).wait()


def attributes_of(each: Span | Resource) -> dict[str, str]:
    return {item.key: item.value.string_value or str(item.value.int_value) for item in each.attributes}


def test_a_span_continues_the_callers_trace() -> None:
    metadata = (("traceparent", f"00-{TRACE}-{PARENT}-01"),)
    with receiving() as receiver, serving("--workers", "0", "--otel") as (process, address):
        with grpc.insecure_channel(address) as channel:
            ChainMergeServiceStub(channel).MergeDocument(request(long_document(2)), metadata=metadata, timeout=PATIENCE)
        assert until(lambda: len(receiver.spans) == 1)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)

    (span,) = receiver.spans
    assert (span.trace_id.hex(), span.parent_span_id.hex()) == (TRACE, PARENT)
    assert span.name == "/merge_baseline.v1.ChainMergeService/MergeDocument"
    assert span.kind == Span.SPAN_KIND_SERVER
    assert span.end_time_unix_nano > span.start_time_unix_nano
    assert attributes_of(span)["rpc.method"] == "MergeDocument"
    assert attributes_of(span)["rpc.grpc.status_code"] == "0"
    resource = attributes_of(receiver.resources[0])
    assert (resource["service.name"], resource["service.version"]) == ("merge-baseline", VERSION)
    assert f"trace={TRACE}" in log


def test_a_call_without_a_trace_begins_one_that_its_log_line_names() -> None:
    with receiving() as receiver, serving("--workers", "0", "--otel") as (process, address):
        with grpc.insecure_channel(address) as channel:
            ChainMergeServiceStub(channel).MergeDocument(request(long_document(1)), timeout=PATIENCE)
        # What is not sent yet is sent when the server ends.
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)

    (span,) = receiver.spans
    assert span.parent_span_id == b""
    assert f"trace={span.trace_id.hex()}" in log


def test_failed_calls_and_streams_have_spans_without_a_word_of_the_document() -> None:
    word = "Xyzzyplugh"
    bad = request(long_document(1))
    bad.document.id = word
    bad.document.parts[0].chains[0].id = word
    bad.document.parts[0].chains[0].mentions[0].last = 7
    setup = v1.MergeStreamSetup(document_id=word, strategy=v1.StrategySpec(name="greedy"))
    with receiving() as receiver, serving("--workers", "0", "--otel") as (process, address):
        with grpc.insecure_channel(address) as channel:
            stub = ChainMergeServiceStub(channel)
            with pytest.raises(grpc.RpcError) as refused:
                stub.MergeDocument(bad, timeout=PATIENCE)
            assert word in str(refused.value)
            parts = [v1.MergeStreamRequest(setup=setup), v1.MergeStreamRequest(part=bad.document.parts[0])]
            with pytest.raises(grpc.RpcError):
                list(stub.MergeStream(iter(parts), timeout=PATIENCE))
            list(stub.MergeStream(iter(parts[:1]), timeout=PATIENCE))
        assert until(lambda: len(receiver.spans) == 3)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)

    codes = [
        (attributes_of(span)["rpc.method"], attributes_of(span)["rpc.grpc.status_code"]) for span in receiver.spans
    ]
    assert sorted(codes) == [("MergeDocument", "3"), ("MergeStream", "0"), ("MergeStream", "3")]
    # By OpenTelemetry's conventions a caller's mistake is no error of the server's.
    assert {span.status.code for span in receiver.spans} == {Status.STATUS_CODE_UNSET}
    assert not any(span.events or span.status.message for span in receiver.spans)
    assert word.encode() not in receiver.raw
    assert word not in log


def test_streams_that_are_cancelled_leave_no_complaint_in_the_log() -> None:
    ended = threading.Event()

    # What is answered in more than a connection holds: while the caller does not read it, the server is sending.
    wordy = v1.MergeStreamRequest(part=request(wordy_document(1_000)).document.parts[0])

    def requests() -> Iterator[v1.MergeStreamRequest]:
        yield v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
        yield v1.MergeStreamRequest(part=v1.Part())
        yield from [wordy] * 10
        ended.wait(PATIENCE)

    with receiving() as receiver, serving("--workers", "0", "--otel") as (process, address):
        with grpc.insecure_channel(address) as channel:
            stub = ChainMergeServiceStub(channel)
            streams = [stub.MergeStream(requests(), timeout=PATIENCE) for _ in range(3)]
            for stream in streams:
                # It has begun.
                assert next(stream).HasField("part")
            # By now they are being answered more than is read.
            assert until(lambda: not is_working(process.pid))
            for stream in streams:
                stream.cancel()
            ended.set()
            stub.MergeDocument(request(long_document(1)), timeout=PATIENCE)
        assert until(lambda: len(receiver.spans) == 4)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)

    assert log.count("MergeStream CANCELLED") == 3
    assert "detach" not in log
    assert " ERROR " not in log


def test_health_checks_have_no_span() -> None:
    with receiving() as receiver, serving("--workers", "0", "--otel") as (process, address):
        with grpc.insecure_channel(address) as channel:
            check = channel.unary_unary(
                HEALTH_METHOD,
                request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
                response_deserializer=health_pb2.HealthCheckResponse.FromString,
            )
            check(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)

    assert receiver.spans == []


def test_the_standard_variables_hold() -> None:
    with receiving() as receiver, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_SERVICE_NAME", "institute")
        patch.setenv("OTEL_TRACES_SAMPLER", "parentbased_always_off")
        with serving("--workers", "0", "--otel") as (process, address):
            with grpc.insecure_channel(address) as channel:
                stub = ChainMergeServiceStub(channel)
                stub.ListStrategies(v1.ListStrategiesRequest(), timeout=PATIENCE)
                sampled = (("traceparent", f"00-{TRACE}-{PARENT}-01"),)
                stub.ListStrategies(v1.ListStrategiesRequest(), metadata=sampled, timeout=PATIENCE)
            assert until(lambda: len(receiver.spans) > 0)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE)

    # Only what the caller samples is sampled.
    assert [span.trace_id.hex() for span in receiver.spans] == [TRACE]
    assert attributes_of(receiver.resources[0])["service.name"] == "institute"


def test_a_collector_that_is_not_there_does_not_hold_up_calls_or_the_end() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
            patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", f"{EXPORT_SECONDS:g}")
            with serving("--workers", "0", "--otel") as (process, server):
                with grpc.insecure_channel(server) as channel:
                    ChainMergeServiceStub(channel).MergeDocument(request(long_document(1)), timeout=PATIENCE)
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=PATIENCE)
                assert process.returncode == 0


def test_an_exporter_that_is_not_installed_is_named() -> None:
    done = run("serve", "--port", "0", "--otel", env={**os.environ, "OTEL_TRACES_EXPORTER": "nowhere"})

    assert done.code == 3
    assert "OpenTelemetry has no exporter nowhere here; there are " in done.err
