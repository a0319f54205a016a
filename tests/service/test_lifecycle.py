"""Starting, stopping, and servers that are not there."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

import server
from client.remote.errors import IncompatibleError, UnreachableError
from client.remote.retries import NO_RETRIES
from client.remote.sync import RemoteMerger
from client.remote.target import Target
from merger.errors import OptionError
from service.options import ObservabilityOptions
from tests.support.command_line import PATIENCE, PROGRAM, free_port
from tests.support.corenlp_here import needs_corenlp
from tests.support.running_server import children_of, needs_proc, soon, stopped, until, workers_of
from tests.support.samples import long_document

ROOT = Path(__file__).parents[2]
SERVE = """
import server
server.serve(server.ServerOptions(port=0, grace_seconds=600), on_ready=lambda address: print(address, flush=True))
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVE], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def address_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def takes_no_calls(address: str) -> bool:
    """Whether nobody listens there for new callers, as when a server has heard that it is to stop."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except ConnectionError:
        # Refused, or reset if the listener was closed in that moment.
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_running_calls_end_and_the_server_leaves_with_0(
    process: subprocess.Popen[str], number: signal.Signals
) -> None:
    address = address_of(process)
    document = long_document(2)
    with RemoteMerger(address) as remote, remote.stream("d", "greedy") as stream:
        stream.add(document.parts[0], document.chains[:1])
        process.send_signal(number)
        assert until(lambda: takes_no_calls(address))
        with RemoteMerger(address, connect_timeout=0.5) as late, pytest.raises(UnreachableError):
            late.strategies()
        assert process.poll() is None
        stream.add(document.parts[1], document.chains[1:])
        assert len(stream.finish().chains) == 1
        assert process.wait(PATIENCE) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""


def test_watchers_of_its_health_hear_that_the_server_stops(process: subprocess.Popen[str]) -> None:
    with grpc.insecure_channel(address_of(process)) as channel:
        request = health_pb2.HealthCheckRequest(service="merge_baseline.v1.ChainMergeService")
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(request)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        process.send_signal(signal.SIGTERM)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
        assert process.wait(PATIENCE) == 0


def test_a_second_signal_ends_the_server_at_once(process: subprocess.Popen[str]) -> None:
    address = address_of(process)
    with RemoteMerger(address) as remote, remote.stream("d", "none") as stream:
        document = long_document(1)
        stream.add(document.parts[0], document.chains)
        process.terminate()
        # Two at once could be taken for one.
        assert until(lambda: takes_no_calls(address))
        process.terminate()
        assert process.wait(PATIENCE) == -signal.SIGTERM


def test_a_client_reconnects_to_a_server_that_was_away() -> None:
    document = long_document(1)
    options = server.ServerOptions(port=free_port(), grace_seconds=0)
    with server.background(options) as address:
        remote = RemoteMerger(address, connect_timeout=PATIENCE, retry=NO_RETRIES)
        expected = remote.merge(document, "none")
    with pytest.raises(UnreachableError):
        remote.merge(document, "none")
    with server.background(options), remote:
        assert remote.merge(document, "none") == expected


def test_the_server_listens_on_loopback_unless_told_otherwise() -> None:
    with server.background(server.ServerOptions(port=0, grace_seconds=0)) as address:
        assert address.startswith("127.0.0.1:")


def test_a_port_that_is_taken_is_named() -> None:
    with server.background(server.ServerOptions(port=0, grace_seconds=0)) as address:
        port = int(address.rpartition(":")[2])
        with (
            pytest.raises(
                server.ServerStartError, match=rf"can't listen on 127\.0\.0\.1:{port}: Address already in use"
            ),
            server.background(server.ServerOptions(port=port)),
        ):
            pass


def test_a_host_that_does_not_exist_is_named() -> None:
    options = server.ServerOptions(host="no-such-host.invalid", port=0)
    with pytest.raises(server.ServerStartError, match="no-such-host"), server.background(options):
        pass


@pytest.mark.parametrize(
    ("name", "value"),
    [("port", 65536), ("workers", -1), ("max_message_bytes", 2**31), ("max_connection_age_seconds", 0)],
)
def test_options_out_of_range_are_refused(name: str, value: int) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises(OptionError, match=rf"^{name}: {value} is not a number from"):
        server.ServerOptions(**options)


@pytest.mark.parametrize("host", ["", "a..b", "\udcff"])
def test_a_host_that_no_address_can_be_found_of_is_refused(host: str) -> None:
    with pytest.raises(OptionError, match=r"^host: .* is neither an address nor a name; expected such as 127\.0\.0\.1"):
        server.ServerOptions(host=host)
    with pytest.raises(OptionError, match=r"^metrics_host: .* is neither an address nor a name"):
        ObservabilityOptions(metrics_host=host)


def test_metrics_need_a_port_of_their_own() -> None:
    with pytest.raises(OptionError, match=r"^port and metrics_port are both 9464: metrics need a port of their own$"):
        server.ServerOptions(port=9464, observability=ObservabilityOptions(metrics_port=9464))
    # Any free port is never the same one.
    server.ServerOptions(port=0, observability=ObservabilityOptions(metrics_port=0))


def test_a_server_that_is_not_there_is_reported_within_the_connect_timeout() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{closed.getsockname()[1]}"

        def ask() -> None:
            with (
                RemoteMerger(address, connect_timeout=0.5) as remote,
                pytest.raises(UnreachableError, match=rf"no server answers at {address} within 0\.5 s"),
            ):
                remote.strategies()

        # By default it would wait for longer.
        assert soon(ask, Target(address=address).connect_timeout)


def test_a_program_that_accepts_and_never_answers_is_reported_within_the_connect_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"127.0.0.1:{mute.getsockname()[1]}"

        def ask() -> None:
            with RemoteMerger(address, connect_timeout=0.5) as remote, pytest.raises(UnreachableError):
                remote.strategies()

        assert soon(ask, Target(address=address).connect_timeout)


def test_another_grpc_server_is_told_from_ours() -> None:
    from concurrent.futures import ThreadPoolExecutor

    other = grpc.server(ThreadPoolExecutor(1))
    port = other.add_insecure_port("127.0.0.1:0")
    other.start()
    try:
        with (
            RemoteMerger(f"127.0.0.1:{port}") as remote,
            pytest.raises(IncompatibleError, match="not a merge-baseline server"),
        ):
            remote.strategies()
    finally:
        other.stop(None).wait()


def test_the_client_imports_grpc_only_when_a_server_is_used() -> None:
    script = (
        "import sys, client, client.remote.sync, client.remote.errors; assert 'grpc' not in sys.modules; "
        "assert 'google.protobuf' not in sys.modules; client.remote.sync.RemoteMerger('h:1'); "
        "assert 'grpc' in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_server_does_not_import_the_client() -> None:
    script = "import sys, server; assert not [name for name in sys.modules if name.split('.')[0] == 'client']"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@needs_corenlp
def test_a_signal_ends_a_server_that_is_still_starting_a_backend() -> None:
    command = [PROGRAM, "serve", "--port", "0", "--workers", "1", "--enable", "corenlp:memory=3G"]

    def javas() -> list[int]:
        return [child for child, arguments in children_of(starting.pid).items() if "java" in " ".join(arguments)]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as starting:
        assert until(lambda: bool(javas()))
        # Held, it would be waited for without end.
        with stopped(javas()[0]):
            starting.send_signal(signal.SIGTERM)

            out, err = starting.communicate(timeout=PATIENCE)

    assert (starting.returncode, out) == (0, "")
    assert "Traceback" not in err


@needs_proc
def test_ctrl_c_while_the_workers_start_is_quiet() -> None:
    command = [PROGRAM, "serve", "--port", "0", "--workers", "2"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
    ) as starting:
        assert until(lambda: bool(workers_of(starting.pid)))
        os.killpg(starting.pid, signal.SIGINT)

        _, err = starting.communicate(timeout=PATIENCE)

    assert starting.returncode in {0, 130}
    assert "Traceback" not in err


@needs_proc
def test_a_worker_that_dies_while_the_server_is_told_to_stop_is_no_error() -> None:
    command = [PROGRAM, "serve", "--port", "0", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as starting:
        assert until(lambda: bool(workers_of(starting.pid)))
        worker = workers_of(starting.pid)[0]
        # The server can't start before this one has.
        os.kill(worker, signal.SIGSTOP)
        starting.send_signal(signal.SIGTERM)
        assert starting.stderr is not None
        assert any("stopping" in line for line in starting.stderr)
        os.kill(worker, signal.SIGKILL)

        starting.communicate(timeout=PATIENCE)

    assert starting.returncode == 0
