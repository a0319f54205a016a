"""Health checks and restarts of a CoreNLP server."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.corenlp.server import CoreNLPServer
from merger.backends.health import HealthState
from merger.errors import BackendError
from merger.progress import WorkContext
from merger.taggers import CoreNLPTagger
from tests.support.command_line import PATIENCE
from tests.support.corenlp_here import document_of, exists, kill_twice, needs_corenlp, process_of, wait_until_used
from tests.support.running_server import until

pytestmark = needs_corenlp

_DOCUMENT = document_of("Ann has a cat .")


@pytest.fixture
def tagger() -> Iterator[CoreNLPTagger]:
    with CoreNLPTagger({"memory": "1G"}) as tagger:
        tagger.warm(WorkContext())
        yield tagger


def server_of(tagger: CoreNLPTagger) -> CoreNLPServer:
    return tagger._handle.get()


def test_what_was_not_started_is_idle_and_a_look_starts_nothing() -> None:
    with CoreNLPBackend({"memory": "1G"}) as backend:
        assert backend.check(PATIENCE).state is HealthState.IDLE
        assert backend.check(PATIENCE).state is HealthState.IDLE


def test_a_server_that_answers_is_well(tagger: CoreNLPTagger) -> None:
    assert server_of(tagger).check(PATIENCE).state is HealthState.WELL


def test_a_server_that_loads_is_starting() -> None:
    with CoreNLPTagger({"memory": "1G"}) as tagger:
        seen: set[HealthState] = set()
        # Looked at by who waits for it, so that its start is not over before.
        tagger.warm(WorkContext(check=lambda: seen.add(server_of(tagger).check(PATIENCE).state)))
        assert server_of(tagger).check(PATIENCE).state is HealthState.WELL

    assert seen <= {HealthState.IDLE, HealthState.STARTING, HealthState.WELL}
    assert HealthState.STARTING in seen


def test_a_server_that_was_killed_is_gone_with_the_reason(tagger: CoreNLPTagger) -> None:
    process = process_of(server_of(tagger))
    os.kill(process.pid, signal.SIGKILL)
    while process.alive():
        time.sleep(0.01)

    condition = server_of(tagger).check(PATIENCE)

    assert condition.state is HealthState.GONE
    assert "was killed (SIGKILL)" in condition.reason


def test_a_server_that_died_at_work_stays_gone_until_it_is_started_again(tagger: CoreNLPTagger) -> None:
    server = server_of(tagger)
    long = document_of(*["Ann likes her cats , and her cats like Ann ."] * 15_000)
    killer = threading.Thread(target=kill_twice, args=[lambda: server])
    killer.start()
    with pytest.raises(BackendError):
        tagger.tag(long, WorkContext())
    killer.join()

    assert "was killed" in server.check(PATIENCE).reason
    server.end_unless_well()
    assert server.check(PATIENCE).state is HealthState.IDLE
    tagger.warm(WorkContext())
    assert server.check(PATIENCE).state is HealthState.WELL


def test_a_server_that_ran_out_of_memory_is_gone_with_the_reason() -> None:
    many = document_of(*["Ann likes her cats , and her cats like Ann ."] * 15_000)
    with CoreNLPTagger({"memory": "100M"}) as tagger:
        tagger.warm(WorkContext())
        with pytest.raises(BackendError):
            tagger.tag(many, WorkContext())

        condition = server_of(tagger).check(PATIENCE)

        assert condition.state is HealthState.GONE
        assert "ran out of its 100M of memory" in condition.reason
        server_of(tagger).end_unless_well()
        assert tagger.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None


def test_a_stopped_process_is_hung_and_is_replaced(tagger: CoreNLPTagger) -> None:
    server = server_of(tagger)
    pid = process_of(server).pid
    os.kill(pid, signal.SIGSTOP)

    # The first look may see what it did in the moment before.
    assert until(lambda: server.check(1).state is HealthState.HUNG)

    server.end_unless_well()
    assert not exists(pid)
    tagger.warm(WorkContext())
    assert server.check(PATIENCE).state is HealthState.WELL


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="a way of Linux to leave a process what others don't want")
def test_what_gets_no_processor_is_seen_to_want_one(tagger: CoreNLPTagger) -> None:
    """So a server that does not answer because others have the processor is not taken for one that does nothing."""
    process = process_of(server_of(tagger))
    cpu = min(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        for each in busy:
            os.sched_setaffinity(each.pid, {cpu})
        for thread in Path(f"/proc/{process.pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), {cpu})
            os.sched_setscheduler(int(thread.name), os.SCHED_IDLE, os.sched_param(0))
        used, wanted = process.cpu_seconds(), process.wanted_seconds()
        tagger.tag(document_of(*["Ann likes her cats , and her cats like Ann ."] * 200), WorkContext())
        used_later, wanted_later = process.cpu_seconds(), process.wanted_seconds()
    finally:
        for each in busy:
            each.kill()
            each.wait()

    assert used is not None
    assert used_later is not None
    assert wanted is not None
    assert wanted_later is not None
    assert wanted_later - wanted > 2 * (used_later - used)


def test_only_the_first_of_several_ends_a_broken_server(tagger: CoreNLPTagger) -> None:
    server = server_of(tagger)
    os.kill(process_of(server).pid, signal.SIGSTOP)
    server.end_unless_well()
    tagger.warm(WorkContext())
    replacement = process_of(server).pid

    server.end_unless_well()

    assert exists(replacement)
    assert process_of(server).pid == replacement


def test_those_who_wait_for_a_hung_server_hear_that_it_was_ended(tagger: CoreNLPTagger) -> None:
    server = server_of(tagger)
    os.kill(process_of(server).pid, signal.SIGSTOP)

    def mend() -> None:
        wait_until_used(server)
        time.sleep(0.5)
        server.end_unless_well()

    threading.Thread(target=mend).start()

    with pytest.raises(BackendError, match="CoreNLP does not answer and was ended"):
        tagger.tag(_DOCUMENT, WorkContext())


def test_a_server_elsewhere_is_well_as_long_as_it_answers(tagger: CoreNLPTagger) -> None:
    process = process_of(server_of(tagger))
    address = process.address
    url = f"http://{address.user}:{address.password}@127.0.0.1:{address.port}"
    with CoreNLPBackend({"url": url}) as elsewhere:
        assert elsewhere.check(PATIENCE).state is HealthState.WELL
        os.kill(process.pid, signal.SIGKILL)
        while process.alive():
            time.sleep(0.01)

        condition = elsewhere.check(PATIENCE)

        assert condition.state is HealthState.GONE
        assert condition.reason == f"at http://127.0.0.1:{address.port} cannot be reached"
