"""CoreNLP behind the real server is killed, hung, starved and out of memory; and supervision by itself."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any, ClassVar, Self, cast

import grpc
import pytest
from grpc_health.v1 import health_pb2

import server
from client.remote.channel import HEALTH_METHOD
from client.remote.errors import BusyError
from client.remote.retries import NO_RETRIES
from client.remote.sync import RemoteMerger
from merger.backends.base import Backend
from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.health import Health, HealthState
from merger.backends.mention_matching import Cluster
from merger.document import Document
from merger.errors import BackendDownError, UnavailableError
from merger.progress import WorkContext
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub
from service.strategies import ServedStrategies
from service.work.backend_supervisor import Pace, Supervisor
from tests.support.command_line import PATIENCE
from tests.support.corenlp_here import exists, needs_corenlp, process_of
from tests.support.running_server import request, told, until
from tests.support.samples import long_document

SERVICE = "merge_baseline.v1.ChainMergeService"
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SPEC = "corenlp:memory=3G,parser=pcfg"


class Caller:
    """Calls one server."""

    def __init__(self, channel: grpc.Channel, address: str) -> None:
        self.address = address
        self._stub = ChainMergeServiceStub(channel)
        self._check: Callable[..., Any] = channel.unary_unary(
            HEALTH_METHOD,
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )

    def health(self, strategy: str | None = None) -> int:
        name = SERVICE if strategy is None else f"{SERVICE}/{strategy}"
        return cast("int", self._check(health_pb2.HealthCheckRequest(service=name), timeout=PATIENCE).status)

    def merge(self, strategy: str, parts: int = 2) -> str:
        """The outcome: ``OK``, or the code's name."""
        try:
            self._stub.MergeDocument(request(long_document(parts), strategy), timeout=5 * PATIENCE)
        except grpc.RpcError as error:
            return told(error)[0].name
        return "OK"

    def refusal(self, strategy: str) -> tuple[grpc.StatusCode, str, float | None]:
        with pytest.raises(grpc.RpcError) as refused:
            self._stub.MergeDocument(request(long_document(2), strategy), timeout=PATIENCE)
        return told(refused.value)


class _Server(server.MergeServer):
    made: ClassVar[list[server.MergeServer]] = []

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401  # handed on
        super().__init__(*arguments, **named)
        self.made.append(self)


@contextmanager
def calling(spec: str, *, backend_threads: int) -> Iterator[tuple[server.MergeServer, Caller]]:
    """A server in this process, so that its CoreNLP can be got at, and a caller."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "MergeServer", _Server)
        wanted = server.ServerOptions(
            port=0, workers=0, grace_seconds=0, enable=(spec,), backend_threads=backend_threads
        )
        with server.background(wanted) as address, grpc.insecure_channel(address) as channel:
            yield _Server.made[-1], Caller(channel, address)


def jvm_of(running: server.MergeServer) -> int:
    """The process of the first enabled CoreNLP."""
    backend = running._supervisor.guards[0].backend
    assert isinstance(backend, CoreNLPBackend)
    return process_of(backend._handle.get()).pid


def outcomes_of(caller: Caller, count: int) -> list[str]:
    """What becomes of so many calls for CoreNLP at a time."""
    outcomes: list[str] = []
    callers = [threading.Thread(target=lambda: outcomes.append(caller.merge("corenlp"))) for _ in range(count)]
    for each in callers:
        each.start()
    for each in callers:
        each.join(5 * PATIENCE)
    return outcomes


@needs_corenlp
def test_a_killed_and_a_hung_backend_are_found_and_replaced_while_other_strategies_go_on() -> None:
    with calling(SPEC, backend_threads=2) as (running, caller):
        (guard,) = running._supervisor.guards
        # Far from what is given to one that hangs, however busy the machine is.
        guard._pace = replace(Pace(), slow_seconds=10 * PATIENCE)
        go_on = threading.Event()
        warm = guard.backend.warm

        def warm_in_time(watch: WorkContext) -> None:
            # Not before it was seen to be down.
            assert go_on.wait(5 * PATIENCE)
            warm(watch)

        guard.backend.warm = warm_in_time  # type: ignore[method-assign]
        assert caller.health() == caller.health("corenlp") == caller.health("greedy") == SERVING
        assert caller.merge("corenlp") == "OK"
        for restarts, number in enumerate((signal.SIGKILL, signal.SIGSTOP), start=1):
            go_on.clear()
            pid = jvm_of(running)
            os.kill(pid, number)
            broken = time.monotonic()
            # More calls than there are threads for them, so that some wait.
            outcomes = outcomes_of(caller, 5) if number is signal.SIGSTOP else []

            assert until(lambda: caller.health("corenlp") == NOT_SERVING)
            code, reason, retry = caller.refusal("corenlp")
            # Within seconds: what is slow is given longer.
            assert time.monotonic() - broken < guard._pace.slow_seconds
            assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "BACKEND_DOWN")
            assert retry is not None
            assert retry > 0
            with RemoteMerger(caller.address, retry=NO_RETRIES) as remote, pytest.raises(BusyError) as busy:
                remote.merge(long_document(2), "corenlp")
            assert busy.value.retryable
            # Nobody is left hanging: the backend fails on what is in work, and what waits is to be tried again.
            assert set(outcomes) <= {"ABORTED", "UNAVAILABLE"}
            assert len(outcomes) in {0, 5}
            # It is about that strategy alone.
            assert caller.health() == caller.health("greedy") == SERVING
            assert caller.merge("greedy") == "OK"

            go_on.set()
            assert until(lambda: caller.health("corenlp") == SERVING, 5 * PATIENCE)
            assert not exists(pid)
            assert caller.merge("corenlp") == "OK"
            (backend,) = running.snapshot().backends
            assert (backend.strategy, backend.state, backend.up) == ("corenlp", HealthState.WELL, True)
            assert backend.restarts == restarts


PACE = Pace(
    interval=0.02,
    answer_seconds=0.02,
    hung_seconds=0.2,
    slow_seconds=2,
    first_delay=0.1,
    longest_delay=0.4,
    stable_seconds=1.5,
)


class Fragile(Backend):
    """A backend whose health the test sets."""

    name = "fragile"
    summary = "fails as told"

    def __init__(self) -> None:
        super().__init__()
        self.health = Health(HealthState.WELL)
        self.failing_starts = 0
        self.begun: list[float] = []

    def check(self, seconds: float) -> Health:
        if self.health.state in {HealthState.HUNG, HealthState.SLOW}:
            time.sleep(seconds)
        return self.health

    def restart(self, watch: WorkContext) -> None:
        watch.check()
        self.begun.append(time.monotonic())
        if self.failing_starts:
            self.failing_starts -= 1
            raise UnavailableError("no memory left")
        self.health = Health(HealthState.WELL)

    def predict(self, document: Document, watch: WorkContext) -> tuple[Cluster, ...]:
        raise NotImplementedError


class Supervised:
    """A supervisor over one fragile backend, on a running event loop."""

    def __init__(self, *, keep_warm: bool = True, pace: Pace = PACE) -> None:
        self.skipped = 0.0
        self.backend = Fragile()
        self.strategies = ServedStrategies()
        self.strategies._backends["corenlp"] = [self.backend]
        self.told: list[bool] = []
        self.supervisor = Supervisor(
            self.strategies,
            lambda _, ready: self.told.append(ready),
            keep_warm=keep_warm,
            pace=pace,
            clock=lambda: time.monotonic() + self.skipped,
        )

    async def __aenter__(self) -> Self:
        self.supervisor.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.supervisor.stop()

    def has_begun(self, times: int) -> bool:
        return len(self.backend.begun) >= times

    async def seen(self, health: Health) -> bool:
        """Put it into this health, and wait until a look finds that."""
        self.backend.health = health
        return await self.until(lambda: self.supervisor.guards[0].state is health.state)

    async def until(self, health: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        end = time.monotonic() + seconds
        while not health():
            if time.monotonic() > end:
                return False
            await asyncio.sleep(0.005)
        return True


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "merge_baseline.server")


def delays(caplog: pytest.LogCaptureFixture) -> list[float]:
    """After how many seconds attempts were to be made, by the log."""
    return [float(each) for each in re.findall(r"starting it again in (\S+) s", caplog.text)]


@pytest.mark.parametrize(
    ("state", "seconds", "pace"),
    [
        (HealthState.GONE, 0, replace(PACE, hung_seconds=2 * PATIENCE, slow_seconds=2 * PATIENCE)),
        (HealthState.HUNG, 0.2, replace(PACE, slow_seconds=2 * PATIENCE)),
        (HealthState.SLOW, 2, PACE),
    ],
)
def test_how_soon_a_backend_is_given_up_goes_by_what_is_wrong(state: HealthState, seconds: float, pace: Pace) -> None:
    async def main() -> float:
        async with Supervised(pace=pace) as all_of_it:
            begun = time.monotonic()
            all_of_it.backend.health = Health(state, "does not answer")
            assert await all_of_it.until(lambda: bool(all_of_it.backend.begun))
            return all_of_it.backend.begun[0] - begun

    # What was silent when it was first asked has been so since.
    assert seconds - PACE.answer_seconds <= asyncio.run(main())


def test_a_slow_backend_that_comes_back_is_left_alone() -> None:
    # By a clock that does not go on while the machine does other things.
    pace = replace(PACE, slow_seconds=20 * PATIENCE)

    async def main() -> None:
        async with Supervised(pace=pace) as all_of_it:
            for _ in range(5):
                assert await all_of_it.seen(Health(HealthState.SLOW, "does not answer"))
                all_of_it.skipped += pace.slow_seconds / 2
                assert await all_of_it.seen(Health(HealthState.WELL))
            assert all_of_it.backend.begun == []
            assert all_of_it.told == [True]

    asyncio.run(main())


def test_attempts_come_after_delays_that_double_up_to_a_limit_and_callers_are_told_when(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> list[float]:
        async with Supervised() as all_of_it:
            all_of_it.backend.failing_starts = 5
            all_of_it.backend.health = Health(HealthState.GONE, "was killed")
            assert await all_of_it.until(lambda: len(all_of_it.backend.begun) >= 2)
            assert all_of_it.told[:2] == [True, False]
            with pytest.raises(BackendDownError, match="being started again: no memory left") as refused:
                all_of_it.strategies.make("corenlp", {})
            assert refused.value.retry_seconds > 0
            assert await all_of_it.until(lambda: all_of_it.told[-1])
            assert all_of_it.supervisor.guards[0].restarts == 1
            all_of_it.strategies.make("corenlp", {})
            return all_of_it.backend.begun

    with caplog.at_level(logging.ERROR, "merge_baseline.server"):
        begun = asyncio.run(main())
    # At once, after 0.1, 0.2, then no more than 0.4 s.
    assert delays(caplog) == [0, 0.1, 0.2, 0.4, 0.4, 0.4]
    gaps = [later - earlier for earlier, later in pairwise(begun)]
    assert [gap >= delay for gap, delay in zip(gaps, delays(caplog)[1:], strict=True)] == [True] * 5


def test_a_backend_that_stayed_up_is_started_at_once_again_and_one_that_did_not_is_not(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pace = replace(PACE, first_delay=0.3, longest_delay=0.3, stable_seconds=10 * PATIENCE)

    async def main() -> None:
        async with Supervised(pace=pace) as all_of_it:
            for pause in (0.0, 0.0, pace.stable_seconds):
                all_of_it.skipped += pause
                count = len(all_of_it.backend.begun)
                all_of_it.backend.health = Health(HealthState.GONE, "was killed")
                assert await all_of_it.until(partial(all_of_it.has_begun, count + 1))
                assert await all_of_it.until(lambda: all_of_it.told[-1])

    with caplog.at_level(logging.ERROR, "merge_baseline.server"):
        asyncio.run(main())
    assert delays(caplog) == [0, 0.3, 0]


@pytest.mark.parametrize("keep_warm", [True, False])
def test_what_is_idle_is_started_only_where_it_is_to_be_warm(keep_warm: bool) -> None:  # noqa: FBT001
    async def main() -> None:
        async with Supervised(keep_warm=keep_warm) as all_of_it:
            all_of_it.backend.health = Health(HealthState.IDLE)
            if keep_warm:
                assert await all_of_it.until(lambda: bool(all_of_it.backend.begun))
                assert await all_of_it.until(lambda: all_of_it.told[-1])
            else:
                await asyncio.sleep(0.3)
                assert all_of_it.backend.begun == []
                assert all_of_it.told == [True]

    asyncio.run(main())


def test_a_backend_that_a_call_has_started_is_not_ready_until_it_is() -> None:
    async def main() -> None:
        async with Supervised() as all_of_it:
            assert await all_of_it.seen(Health(HealthState.WELL))
            all_of_it.backend.health = Health(HealthState.STARTING)
            assert await all_of_it.until(lambda: all_of_it.told == [True, False])
            all_of_it.backend.health = Health(HealthState.WELL)
            assert await all_of_it.until(lambda: all_of_it.told == [True, False, True])
            assert all_of_it.backend.begun == []

    asyncio.run(main())


def test_a_bug_in_a_backends_check_does_not_end_its_supervision() -> None:
    async def main() -> None:
        async with Supervised() as all_of_it:
            sound = all_of_it.backend.check

            def broken(seconds: float) -> Health:
                if len(all_of_it.backend.begun) < 2:
                    raise RuntimeError
                return sound(seconds)

            all_of_it.backend.check = broken  # type: ignore[method-assign]
            assert await all_of_it.until(lambda: len(all_of_it.backend.begun) == 2)
            assert await all_of_it.until(lambda: all_of_it.told[-1])

    asyncio.run(main())


def test_the_server_ends_while_a_backend_is_being_started() -> None:
    class Stuck(Fragile):
        def restart(self, watch: WorkContext) -> None:
            self.begun.append(time.monotonic())
            while True:
                watch.check()
                time.sleep(0.02)

    async def main() -> None:
        all_of_it = Supervised()
        stuck = Stuck()
        all_of_it.supervisor.guards[0].backend = all_of_it.backend = stuck
        async with all_of_it:
            stuck.health = Health(HealthState.GONE, "was killed")
            assert await all_of_it.until(lambda: bool(stuck.begun))
        assert not any(each.name.startswith("supervise-") for each in threading.enumerate())

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
