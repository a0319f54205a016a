from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
import trustme

import server
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.errors import ServerStartError
from service.listen_address import is_loopback
from service.options import SecurityOptions
from service.security.tokens import new_token
from tests.support.certificates import Files, issue, options_of, trusting
from tests.support.command_line import PATIENCE

ANYWHERE = "0.0.0.0"  # noqa: S104  # what is to be refused


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_loopback_is_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", [ANYWHERE, "::", "", "192.0.2.7", "2001:db8::1"])
def test_other_addresses_are_not(host: str) -> None:
    assert not is_loopback(host)


def options(security: SecurityOptions) -> server.ServerOptions:
    return replace(options_of(security), host=ANYWHERE)


def test_without_tls_the_server_does_not_listen_beyond_this_machine() -> None:
    with (
        pytest.raises(
            ServerStartError, match=r"^won't listen on 0\.0\.0\.0 without TLS: documents would cross"
        ) as caught,
        server.background(options(SecurityOptions())),
    ):
        pass
    assert "option insecure_listen_anywhere" in str(caught.value)


def test_tokens_alone_don_t_change_that(tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text(new_token("anna")[1], encoding="utf-8")
    with (
        pytest.raises(ServerStartError, match="without TLS: documents and tokens would cross"),
        server.background(options(SecurityOptions(token_file=str(file)))),
    ):
        pass


def test_told_so_in_as_many_words_it_does_and_warns(caplog: pytest.LogCaptureFixture) -> None:
    with (
        caplog.at_level(logging.WARNING, "merge_baseline.server"),
        server.background(options(SecurityOptions(insecure_listen_anywhere=True))) as address,
        grpc.insecure_channel(f"127.0.0.1:{address.rpartition(':')[2]}") as channel,
    ):
        assert ChainMergeServiceStub(channel).ListStrategies(v1.ListStrategiesRequest(), timeout=PATIENCE).strategies
    assert "everybody who reaches 0.0.0.0 may call" in caplog.text


def test_with_tls_it_does(tmp_path: Path) -> None:
    ca = trustme.CA()
    files = Files.below(tmp_path)
    files.put(issue(ca))
    with (
        server.background(options(files.security())) as address,
        grpc.secure_channel(f"127.0.0.1:{address.rpartition(':')[2]}", trusting(ca)) as channel,
    ):
        assert ChainMergeServiceStub(channel).ListStrategies(v1.ListStrategiesRequest(), timeout=PATIENCE).strategies
