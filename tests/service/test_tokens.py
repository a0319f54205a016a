from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

import server
from merger.errors import OptionError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.errors import ServerStartError
from service.options import CallerLimits, SecurityOptions
from service.security import interceptor as access
from service.security.interceptor import MAX_HEALTH_CALLS
from service.security.rate_limit import MAX_CALLERS, RateLimits, address_of
from service.security.tokens import Tokens, new_token
from tests.support.certificates import options_of, replace
from tests.support.command_line import PATIENCE
from tests.support.running_server import until

TIMEOUT = PATIENCE
Metadata = tuple[tuple[str, str | bytes], ...]


def line(name: str, token: str) -> str:
    return f"{name} {hashlib.sha256(token.encode()).hexdigest()}\n"


def bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "tokens"
    replace(file, f"# two callers\n{line('anna', 'anna-token')}\n{line('ben', 'ben-token')}".encode())
    return file


@pytest.fixture
def channel(file: Path) -> Iterator[grpc.Channel]:
    with (
        server.background(options_of(SecurityOptions(token_file=str(file)))) as address,
        grpc.insecure_channel(address) as channel,
    ):
        yield channel


def call(channel: grpc.Channel, metadata: Metadata | None) -> v1.ListStrategiesResponse:
    stub = ChainMergeServiceStub(channel)
    return stub.ListStrategies(v1.ListStrategiesRequest(), timeout=TIMEOUT, metadata=metadata)


def code_of(function: Callable[[], object]) -> grpc.StatusCode:
    try:
        function()
    except grpc.RpcError as error:
        return error.code()
    return grpc.StatusCode.OK


def test_a_token_of_the_file_lets_in(channel: grpc.Channel) -> None:
    assert call(channel, bearer("anna-token")).strategies
    assert call(channel, bearer("ben-token")).strategies
    assert call(channel, (("authorization", "bearer anna-token"),)).strategies


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        bearer("carl-token"),
        bearer(""),
        (("authorization", "anna-token"),),
        (("authorization", "Basic anna-token"),),
        (*bearer("anna-token"), *bearer("ben-token")),
        bearer(hashlib.sha256(b"anna-token").hexdigest()),
    ],
    ids=["none", "unknown", "empty", "no scheme", "another scheme", "two", "the hash"],
)
def test_anything_else_is_unauthenticated(channel: grpc.Channel, metadata: Metadata | None) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        call(channel, metadata)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
    assert caught.value.details() == "this server wants a token that it knows: authorization: Bearer TOKEN"


def test_streams_want_a_token_too(channel: grpc.Channel) -> None:
    def requests() -> Iterator[v1.MergeStreamRequest]:
        yield v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))

    stub = ChainMergeServiceStub(channel)
    assert code_of(lambda: list(stub.MergeStream(requests(), timeout=TIMEOUT))) is grpc.StatusCode.UNAUTHENTICATED
    assert len(list(stub.MergeStream(requests(), timeout=TIMEOUT, metadata=bearer("anna-token")))) == 1


def test_a_large_request_without_a_token_is_refused_before_it_is_read(channel: grpc.Channel) -> None:
    # More than the server takes: whoever reads it says RESOURCE_EXHAUSTED.
    merge: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(
        "/merge_baseline.v1.ChainMergeService/MergeDocument"
    )
    large = bytes(server.ServerOptions().max_message_bytes + 1)
    assert code_of(lambda: merge(large, timeout=TIMEOUT)) is grpc.StatusCode.UNAUTHENTICATED
    assert code_of(lambda: merge(large, timeout=TIMEOUT, metadata=bearer("anna-token"))) is (
        grpc.StatusCode.RESOURCE_EXHAUSTED
    )


def test_health_is_open_and_reflection_is_not(channel: grpc.Channel) -> None:
    check: grpc.UnaryUnaryMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse] = (
        channel.unary_unary(
            "/grpc.health.v1.Health/Check",
            health_pb2.HealthCheckRequest.SerializeToString,
            health_pb2.HealthCheckResponse.FromString,
        )
    )
    service = "merge_baseline.v1.ChainMergeService"
    request = health_pb2.HealthCheckRequest(service=service)
    assert check(request, timeout=TIMEOUT).status == health_pb2.HealthCheckResponse.SERVING
    assert code_of(ProtoReflectionDescriptorDatabase(channel).get_services) is grpc.StatusCode.UNAUTHENTICATED
    authorized = grpc.intercept_channel(channel, _WithToken("anna-token"))
    assert service in ProtoReflectionDescriptorDatabase(authorized).get_services()


class _WithToken(grpc.StreamStreamClientInterceptor):
    def __init__(self, token: str) -> None:
        self._token = token

    def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:  # noqa: ANN401  # as in gRPC's own class
        return continuation(client_call_details._replace(metadata=bearer(self._token)), request_iterator)


def test_the_file_is_read_again_when_it_changes(
    channel: grpc.Channel, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def is_in(token: str) -> bool:
        return code_of(lambda: call(channel, bearer(token))) is grpc.StatusCode.OK

    with caplog.at_level(logging.INFO, "merge_baseline.server"):
        replace(file, line("anna", "newer-token").encode())
        assert until(lambda: is_in("newer-token"))
        assert not is_in("anna-token")
        replace(file, b"anna newest-token\n")
        assert until(lambda: is_in("newer-token") and "the old one stays in use" in caplog.text)
    assert f"token file {file}:1: expected a name and the SHA-256 of a token" in caplog.text
    assert "newest-token" not in caplog.text


def test_refused_calls_are_logged_once_in_a_while_without_their_tokens(
    channel: grpc.Channel, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than five calls take, wherever they are made.
    monkeypatch.setattr(access, "_LOG_SECONDS", 5 * TIMEOUT)
    with caplog.at_level(logging.DEBUG, "merge_baseline.server"):
        for _ in range(5):
            code_of(lambda: call(channel, bearer("carl-token")))
    assert caplog.text.count("calls without a valid token") == 1
    assert "carl-token" not in caplog.text


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", ": no token in it, so nobody could call"),
        ("# none yet\n", ": no token in it, so nobody could call"),
        ("\nanna secret\n", ":2: expected a name and the SHA-256 of a token in 64 hexadecimal digits"),
        (line("anna", "t") + line("ben", "t"), ":2: the same token as in line 1; expected each once"),
        (line("an:na", "t"), ":1: a name of a token is 1 to 100 letters, digits and any of . _ - @"),
    ],
    ids=["empty", "comments", "no hash", "twice", "name"],
)
def test_a_malformed_file_is_refused_at_the_start(file: Path, content: str, reason: str) -> None:
    replace(file, content.encode())
    with (
        pytest.raises(ServerStartError) as caught,
        server.background(options_of(SecurityOptions(token_file=str(file)))),
    ):
        pass
    assert str(caught.value) == f"token file {file}{reason}"


def test_a_new_token_and_its_line_fit_together(file: Path) -> None:
    token, its_line = new_token("anna")
    assert token not in its_line
    replace(file, its_line.encode())
    assert Tokens(str(file)).name_of([f"Bearer {token}"]) == "anna"
    assert new_token("anna")[0] != token
    with pytest.raises(OptionError, match="a name of a token is"):
        new_token("anna smith")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_rate_lets_a_burst_begin_and_then_as_many_as_time_has_brought() -> None:
    clock = Clock()
    callers = RateLimits(CallerLimits(rate=2, burst=3), clock)
    for _ in range(3):
        assert callers.start_call("anna") is None
    refusal = callers.start_call("anna")
    # Two a second: the next one may begin half a second later.
    assert refusal is not None
    assert refusal.retry_seconds == pytest.approx(0.5)
    assert callers.start_call("ben") is None
    clock.now += 0.25
    refusal = callers.start_call("anna")
    assert refusal is not None
    assert refusal.retry_seconds == pytest.approx(0.25)
    clock.now += 0.25
    assert callers.start_call("anna") is None
    assert callers.start_call("anna") is not None
    # A long pause fills no more than the burst.
    clock.now += 1000
    assert [callers.start_call("anna") is None for _ in range(4)] == [True, True, True, False]


def test_a_call_that_ends_makes_room_for_another() -> None:
    callers = RateLimits(CallerLimits(concurrency=2))
    assert callers.start_call("anna") is None
    assert callers.start_call("anna") is None
    assert callers.start_call("anna") is not None
    assert callers.start_call("ben") is None
    callers.end_call("anna")
    assert callers.start_call("anna") is None


def test_callers_are_forgotten_when_there_are_too_many_but_not_while_they_call() -> None:
    callers = RateLimits(CallerLimits(concurrency=1, rate=1, burst=1))
    assert callers.start_call("anna") is None
    for number in range(2 * MAX_CALLERS):
        assert callers.start_call(str(number)) is None
        callers.end_call(str(number))
    assert len(callers._callers) <= MAX_CALLERS + 1
    assert callers.start_call("anna") is not None


@pytest.mark.parametrize("limits", [{"concurrency": 0}, {"rate": -1.0}, {"rate": float("nan")}, {"burst": 5}])
def test_limits_that_mean_nothing_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(OptionError, match=r"^caller_"):
        CallerLimits(**limits)  # type: ignore[arg-type]  # the fields of the table


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:50000", "192.0.2.7"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:50000", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2::1%5D:50000", "2001:db8:1:2::/64"),
        ("ipv6:[::ffff:192.0.2.7]:50000", "192.0.2.7"),
        ("unix:/run/socket", "unix:/run/socket"),
    ],
)
def test_callers_without_tokens_are_told_apart_by_their_address(peer: str, address: str) -> None:
    assert address_of(peer) == address


def retry_delay(error: grpc.RpcError) -> float:
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # it is a call too
    assert status is not None
    info = error_details_pb2.RetryInfo()
    assert any(detail.Unpack(info) for detail in status.details)
    return info.retry_delay.seconds + info.retry_delay.nanos / 1e9


def test_more_calls_than_the_rate_allows_are_refused_with_the_time_to_wait(file: Path) -> None:
    security = SecurityOptions(token_file=str(file), callers=CallerLimits(rate=0.5, burst=2))
    with server.background(options_of(security)) as address, grpc.insecure_channel(address) as channel:
        begun, let_in = time.monotonic(), 0

        def until_refused() -> None:
            nonlocal let_in
            while True:
                call(channel, bearer("anna-token"))
                let_in += 1

        with pytest.raises(grpc.RpcError) as caught:
            until_refused()
        # The burst, and what the rate allows in the time that all this took.
        assert 2 <= let_in <= 2 + 0.5 * (time.monotonic() - begun)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert caught.value.details() == "anna began more than 0.5 calls a second"
        delay = retry_delay(caught.value)
        assert 0 < delay <= 2
        call(channel, bearer("ben-token"))
        time.sleep(delay + 0.05)
        call(channel, bearer("anna-token"))


@pytest.mark.parametrize("tokens", [True, False], ids=["by token", "by address"])
def test_more_calls_at_a_time_than_allowed_are_refused_until_one_ends(file: Path, *, tokens: bool) -> None:
    security = SecurityOptions(token_file=str(file) if tokens else None, callers=CallerLimits(concurrency=1))
    anna = bearer("anna-token")
    ended = threading.Event()

    def requests() -> Iterator[v1.MergeStreamRequest]:
        yield v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
        yield v1.MergeStreamRequest(part=v1.Part(sentences=[v1.Sentence(forms=["York"])]))
        ended.wait(TIMEOUT)

    with server.background(options_of(security)) as address, grpc.insecure_channel(address) as channel:
        stream = ChainMergeServiceStub(channel).MergeStream(requests(), timeout=TIMEOUT, metadata=anna)
        next(stream)
        with pytest.raises(grpc.RpcError) as caught:
            call(channel, anna)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert retry_delay(caught.value) == 1
        if tokens:
            call(channel, bearer("ben-token"))
        ended.set()
        assert [answer.WhichOneof("message") for answer in stream] == ["summary"]
        assert until(lambda: code_of(lambda: call(channel, anna)) is grpc.StatusCode.OK)


def test_calls_that_are_given_up_make_room_too(file: Path) -> None:
    security = SecurityOptions(token_file=str(file), callers=CallerLimits(concurrency=1))
    anna = bearer("anna-token")
    with server.background(options_of(security)) as address, grpc.insecure_channel(address) as channel:
        stub = ChainMergeServiceStub(channel)
        never = threading.Event()

        def requests() -> Iterator[v1.MergeStreamRequest]:
            yield v1.MergeStreamRequest(setup=v1.MergeStreamSetup(strategy=v1.StrategySpec(name="none")))
            yield v1.MergeStreamRequest(part=v1.Part(sentences=[v1.Sentence(forms=["York"])]))
            never.wait(TIMEOUT)

        stream = stub.MergeStream(requests(), timeout=TIMEOUT, metadata=anna)
        # Only after an answer is it sure that the stream took the one place, and not the call below.
        next(stream)
        assert code_of(lambda: call(channel, anna)) is grpc.StatusCode.RESOURCE_EXHAUSTED
        stream.cancel()
        never.set()
        assert until(lambda: code_of(lambda: call(channel, anna)) is grpc.StatusCode.OK)


def test_documents_of_a_stream_of_many_come_no_faster_than_the_rate(file: Path) -> None:
    security = SecurityOptions(token_file=str(file), callers=CallerLimits(rate=10, burst=1))
    request = v1.MergeDocumentRequest(document=v1.Document(id="d"), strategy=v1.StrategySpec(name="none"))
    requests = [v1.MergeDocumentsRequest(id=str(number), request=request) for number in range(11)]
    with server.background(options_of(security)) as address, grpc.insecure_channel(address) as channel:
        begun = time.monotonic()
        stub = ChainMergeServiceStub(channel)
        answers = list(stub.MergeDocuments(iter(requests), timeout=TIMEOUT, metadata=bearer("anna-token")))
        assert {answer.id for answer in answers} == {each.id for each in requests}
        # The call is the first of the burst of one; 11 documents at 10 a second follow it.
        assert time.monotonic() - begun >= 1.1


def test_an_address_can_not_take_up_all_calls_with_health_checks(channel: grpc.Channel) -> None:
    watch: grpc.UnaryStreamMultiCallable[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse] = (
        channel.unary_stream(
            "/grpc.health.v1.Health/Watch",
            health_pb2.HealthCheckRequest.SerializeToString,
            health_pb2.HealthCheckResponse.FromString,
        )
    )
    watches = [watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT) for _ in range(MAX_HEALTH_CALLS)]
    assert all(next(each).status == health_pb2.HealthCheckResponse.SERVING for each in watches)
    assert code_of(lambda: next(watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT))) is (
        grpc.StatusCode.RESOURCE_EXHAUSTED
    )
    assert call(channel, bearer("anna-token")).strategies
    watches[0].cancel()
    assert until(
        lambda: code_of(lambda: next(watch(health_pb2.HealthCheckRequest(), timeout=TIMEOUT))) is grpc.StatusCode.OK
    )
    for each in watches:
        each.cancel()
