"""A line for each call, with the names that callers gave it and nothing of what they sent."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
from typing import Any, cast

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.document import Chain, Document, Mention, Part, Sentence
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.telemetry.logs import JsonFormatter, TextFormatter
from service.telemetry.request_id import REQUEST_ID, call_ids_of
from tests.support.command_line import PATIENCE, serving
from tests.support.running_server import request
from tests.support.samples import long_document

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


def lines_of(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """Stop the server and read all that it logged; every line must be an object."""
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=PATIENCE)
    return [json.loads(line) for line in log.splitlines()]


def calls_in(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line for line in lines if line["logger"] == "merge_baseline.calls"]


def trailer(call: object) -> str:
    """The request id that came with the end of a call."""
    return str(dict(cast("grpc.Call", call).trailing_metadata())[REQUEST_ID])


def test_every_call_has_a_line_with_its_names_status_times_and_sizes() -> None:
    sent = request(long_document(3))
    with serving("--workers", "0", "--log-format", "json") as (process, address):
        with grpc.insecure_channel(address) as channel:
            stub = ChainMergeServiceStub(channel)
            metadata = ((REQUEST_ID, "job-17/4"), ("traceparent", TRACEPARENT))
            answer, call = stub.MergeDocument.with_call(sent, metadata=metadata, timeout=PATIENCE)
            assert trailer(call) == "job-17/4"
            with pytest.raises(grpc.RpcError) as refused:
                stub.MergeDocument(request(long_document(1), "no-such-strategy"), metadata=metadata, timeout=PATIENCE)
            assert trailer(refused.value) == "job-17/4"
            stream = stub.MergeStream(iter([]), timeout=PATIENCE)
            with pytest.raises(grpc.RpcError):
                list(stream)
            made_up = trailer(stream)
        # A line comes a moment after the answer, perhaps after that of the next call.
        second, first, third = sorted(calls_in(lines_of(process)), key=lambda line: str(line["message"]))

    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"])
    assert first["level"] == "info"
    assert first["message"] == "MergeDocument OK"
    expected = {
        "method": "MergeDocument",
        "strategy": "greedy",
        "code": "OK",
        "request_id": "job-17/4",
        "trace_id": TRACE,
        "received_bytes": sent.ByteSize(),
        "sent_bytes": answer.ByteSize(),
        "documents": 1,
        "parts": 3,
        # The chain of the first part is new, those of the others are linked to it.
        "new": 1,
        "linked": 2,
        "chains": 1,
    }
    assert {name: first[name] for name in expected} == expected
    assert 0 <= first["work_seconds"] <= first["total_seconds"] < PATIENCE
    assert 0 <= first["queue_seconds"] <= first["total_seconds"]
    assert (second["code"], second["reason"], second["strategy"]) == ("INVALID_ARGUMENT", "OPTION_INVALID", "other")
    assert (third["method"], third["code"], third["request_id"]) == ("MergeStream", "INVALID_ARGUMENT", made_up)
    assert "trace_id" not in third
    assert re.fullmatch(r"[0-9a-f]{16}", made_up)


@pytest.mark.parametrize("log_format", ["json", "text"])
def test_no_word_of_a_document_is_logged_even_with_debug(log_format: str) -> None:
    word = "Xyzzyplugh"
    text = Sentence((word, "sleeps"), ("NNP", "VBZ"), speakers=(word, word))
    chain = Chain(f"c-{word}", (Mention(0, 0, 0, 0), Mention(0, 1, 0, 0)))
    document = Document(f"d-{word}", (Part((text, text)),), (chain,), genre=word)
    bad = request(document)
    # Refused with an error that names document and chain.
    bad.document.parts[0].chains[0].mentions[0].last = 7
    with serving("--workers", "1", "--log-level", "debug", "--log-format", log_format) as (process, address):
        with grpc.insecure_channel(address) as channel:
            stub = ChainMergeServiceStub(channel)
            stub.MergeDocument(request(document), timeout=PATIENCE)
            with pytest.raises(grpc.RpcError) as refused:
                stub.MergeDocument(bad, timeout=PATIENCE)
            assert word in str(refused.value)
            with pytest.raises(grpc.RpcError):
                stub.MergeDocument(request(document, word), timeout=PATIENCE)
            list(stub.MergeDocuments(iter([v1.MergeDocumentsRequest(id=word, request=bad)]), timeout=PATIENCE))
            setup = v1.MergeStreamSetup(document_id=word, strategy=v1.StrategySpec(name="greedy"))
            parts = [v1.MergeStreamRequest(setup=setup), v1.MergeStreamRequest(part=bad.document.parts[0])]
            with pytest.raises(grpc.RpcError):
                list(stub.MergeStream(iter(parts), timeout=PATIENCE))
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)

    assert log.count("MergeDocument INVALID_ARGUMENT") == 2
    assert word not in log


def test_text_lines_have_the_same_facts() -> None:
    with serving("--workers", "0") as (process, address):
        with grpc.insecure_channel(address) as channel:
            metadata = ((REQUEST_ID, "r1"), ("traceparent", TRACEPARENT))
            ChainMergeServiceStub(channel).MergeDocument(request(long_document(1)), metadata=metadata, timeout=PATIENCE)
        process.send_signal(signal.SIGTERM)
        _, log = process.communicate(timeout=PATIENCE)

    (line,) = [line for line in log.splitlines() if "merge_baseline.calls" in line]
    assert re.search(r" MergeDocument OK strategy=greedy seconds=\d+\.\d+ ", line)
    assert line.endswith(f"documents=1 request=r1 trace={TRACE}")


def test_exceptions_are_logged_without_their_text() -> None:
    with pytest.raises(KeyError) as raised:
        dict[str, str]()["Xyzzyplugh"]
    info = (raised.type, raised.value, raised.tb)
    record = logging.LogRecord("x", logging.ERROR, "f.py", 1, "bad", None, info)

    for line in (JsonFormatter().format(record), TextFormatter().format(record)):
        assert "Xyzzyplugh" not in line
        assert "KeyError at " in line
        assert "test_exceptions_are_logged_without_their_text" in line


@pytest.mark.parametrize(
    ("value", "usable"),
    [
        ("a", True),
        ("0b1c-77/x;y=1", True),
        ("x" * 128, True),
        ("x" * 129, False),
        ("", False),
        ("two words", False),
        ("line\nbreak", False),
        ("ünïcode", False),
        (b"bytes", False),
    ],
)
def test_request_ids_that_could_spoil_the_log_are_replaced(value: str | bytes, usable: bool) -> None:  # noqa: FBT001
    found = call_ids_of([(REQUEST_ID, value)]).request_id

    assert (found == value) is usable
    assert re.fullmatch(r"[!-~]{1,128}", found)


# https://www.w3.org/TR/trace-context/#traceparent-header
@pytest.mark.parametrize(
    ("value", "trace"),
    [
        (TRACEPARENT, TRACE),
        (f"00-{TRACE}-00f067aa0ba902b7-00", TRACE),
        # A later version, with more fields.
        (f"cc-{TRACE}-00f067aa0ba902b7-01-what-the-future-holds", TRACE),
        (f"{TRACEPARENT}-more", ""),
        (f"ff-{TRACE}-00f067aa0ba902b7-01", ""),
        (f"00-{'0' * 32}-00f067aa0ba902b7-01", ""),
        (f"00-{TRACE}-{'0' * 16}-01", ""),
        (f"00-{TRACE.upper()}-00f067aa0ba902b7-01", ""),
        (f"00-{TRACE}-00f067aa0ba902b7", ""),
        ("", ""),
    ],
)
def test_the_trace_id_is_that_of_a_valid_traceparent(value: str, trace: str) -> None:
    assert call_ids_of([("traceparent", value)]).trace_id == trace


def test_names_that_come_twice_are_not_used() -> None:
    found = call_ids_of([(REQUEST_ID, "a"), (REQUEST_ID, "b"), ("traceparent", TRACEPARENT), ("traceparent", "")])

    assert found.request_id not in {"a", "b"}
    assert found.trace_id == ""


@given(st.lists(st.tuples(st.sampled_from([REQUEST_ID, "traceparent", "other"]), st.text() | st.binary())))
def test_whatever_metadata_says_an_identity_is_fit_for_the_log(metadata: list[tuple[str, str | bytes]]) -> None:
    found = call_ids_of(metadata)

    assert re.fullmatch(r"[!-~]{1,128}", found.request_id)
    assert re.fullmatch(r"(?:[0-9a-f]{32})?", found.trace_id)
