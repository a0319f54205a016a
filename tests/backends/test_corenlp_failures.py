"""Real failures of CoreNLP. Most tests use the tagger, whose server starts in a few seconds."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.corenlp.install import find_installation
from merger.errors import BackendError, MergeBaselineError, UnavailableError
from merger.progress import WorkContext
from merger.taggers import CoreNLPTagger
from tests.support.command_line import PATIENCE, free_port
from tests.support.corenlp_here import (
    document_of,
    exists,
    kill_twice,
    needs_corenlp,
    process_of,
    wait_until_gone,
    wait_until_used,
)

pytestmark = needs_corenlp
_NAME = "Rumpelstiltskin"
_DOCUMENT = document_of(f"My name is {_NAME} .", name="tale")
_MEMORY = "1G"


@pytest.fixture
def tagger() -> Iterator[CoreNLPTagger]:
    with CoreNLPTagger({"memory": _MEMORY}) as tagger:
        tagger.warm(WorkContext())
        yield tagger


def _error(work: Callable[[], object]) -> MergeBaselineError:
    """The error that the work ends in, long before the time that a document may take, in one line without its text."""
    begin = time.monotonic()
    with pytest.raises(MergeBaselineError) as caught:
        work()
    assert time.monotonic() - begin < 3 * PATIENCE
    assert "\n" not in str(caught.value)
    assert _NAME not in str(caught.value)
    return caught.value


def test_a_document_whose_server_is_killed_is_tried_once_more_on_another(
    tagger: CoreNLPTagger, capfd: pytest.CaptureFixture[str]
) -> None:
    process = process_of(tagger._handle.get())
    # Stopped, it takes the request and cannot answer before it is killed.
    os.kill(process.pid, signal.SIGSTOP)

    def kill() -> None:
        wait_until_used(tagger._handle.get())
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGKILL)

    threading.Thread(target=kill).start()

    assert tagger.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos == ("PRP$", "NN", "VBZ", "NNP", ".")
    assert process_of(tagger._handle.get()).pid != process.pid
    assert capfd.readouterr() == ("", "")


def test_a_document_whose_server_is_killed_twice_fails_and_the_next_one_starts_another(tagger: CoreNLPTagger) -> None:
    long = document_of(*["Ann likes her cats , and her cats like Ann ."] * 15_000, name="long")
    killed: list[int] = []
    killer = threading.Thread(target=kill_twice, args=[tagger._handle.get, killed])
    killer.start()
    error = _error(lambda: tagger.tag(long, WorkContext()))
    killer.join()

    assert isinstance(error, BackendError)
    assert "was killed (SIGKILL)" in str(error)
    assert "document long" in str(error)
    assert len(set(killed)) == 2
    assert tagger.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None


def test_a_server_that_died_between_documents_is_replaced(tagger: CoreNLPTagger) -> None:
    process = process_of(tagger._handle.get())
    os.kill(process.pid, signal.SIGKILL)
    while process.alive():
        time.sleep(0.01)

    assert tagger.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None


def test_a_hung_server_is_given_up_after_the_timeout_and_replaced() -> None:
    with CoreNLPTagger({"memory": _MEMORY, "timeout": 1}) as tagger:
        tagger.warm(WorkContext())
        pid = process_of(tagger._handle.get()).pid
        os.kill(pid, signal.SIGSTOP)

        # The timeout, and the 5 seconds in which a server may say that it has run out of time.
        error = _error(lambda: tagger.tag(_DOCUMENT, WorkContext()))

        assert isinstance(error, BackendError)
        assert "did not answer within 1 s" in str(error)
        assert not exists(pid)
        with CoreNLPTagger({"memory": _MEMORY}) as patient:
            assert patient.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None


def test_a_slow_document_fails_by_the_timeout_and_others_under_way_are_not_touched() -> None:
    slow = document_of(*[f"{_NAME} likes her cats , and her cats like him ."] * 15_000)
    other = document_of(*["Ann likes her cats , and her cats like Ann ."] * 1_500)
    with CoreNLPTagger({"memory": _MEMORY, "timeout": 0.5}) as hasty, CoreNLPTagger({"memory": _MEMORY}) as patient:
        hasty.warm(WorkContext())
        assert hasty._handle.get() is patient._handle.get()
        with ThreadPoolExecutor(2) as threads:
            tagged = threads.submit(patient.tag, other, WorkContext())
            error = _error(lambda: hasty.tag(slow, WorkContext()))

            assert isinstance(error, BackendError)
            assert re.search(r"within 0\.\d s|no time left", str(error))
            assert "option timeout" in str(error)
            assert all(sentence.xpos for sentence in tagged.result().parts[0].sentences)


def test_the_callers_deadline_ends_the_wait_for_a_hung_server(tagger: CoreNLPTagger) -> None:
    process = process_of(tagger._handle.get())
    os.kill(process.pid, signal.SIGSTOP)
    deadline = time.monotonic() + 3

    def check() -> None:
        if time.monotonic() > deadline:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        tagger.tag(_DOCUMENT, WorkContext(deadline, check))

    assert time.monotonic() - deadline < PATIENCE
    assert not exists(process.pid)


def test_a_deadline_alone_is_enough(tagger: CoreNLPTagger) -> None:
    process = process_of(tagger._handle.get())
    os.kill(process.pid, signal.SIGSTOP)

    error = _error(lambda: tagger.tag(_DOCUMENT, WorkContext(time.monotonic() + 3)))

    assert isinstance(error, BackendError)
    assert "deadline" in str(error)
    assert not exists(process.pid)


def test_a_caller_who_leaves_during_the_start_does_not_stop_it() -> None:
    with CoreNLPTagger({"memory": _MEMORY}) as starting:

        def check() -> None:
            if starting._handle.get()._peer is not None:
                raise TimeoutError

        with pytest.raises(TimeoutError):
            starting.warm(WorkContext(check=check))
        process = process_of(starting._handle.get())
        starting.warm(WorkContext())
        assert process_of(starting._handle.get()) is process


def test_too_little_memory_is_said_within_seconds() -> None:
    with CoreNLPBackend({"memory": "150M", "parser": "pcfg"}) as backend:
        error = _error(lambda: backend.predict(_DOCUMENT, WorkContext()))

    assert isinstance(error, UnavailableError)
    assert "ran out of its 150M of memory" in str(error)
    assert "option memory" in str(error)


def test_a_document_that_takes_all_memory_fails_at_once_and_the_next_one_is_served() -> None:
    many = document_of(*[f"{_NAME} likes her cats , and her cats like him ."] * 15_000)
    with CoreNLPTagger({"memory": "100M"}) as tagger:
        tagger.warm(WorkContext())

        error = _error(lambda: tagger.tag(many, WorkContext()))

        assert isinstance(error, BackendError)
        assert "ran out of its 100M of memory" in str(error)
        assert tagger.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None


def test_a_heap_that_java_refuses_is_said() -> None:
    with CoreNLPTagger({"memory": "1k"}) as tagger:
        error = _error(lambda: tagger.warm(WorkContext()))

    assert isinstance(error, UnavailableError)
    assert "memory=1k" in str(error)


def test_a_port_that_is_taken_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with CoreNLPTagger({"port": port}) as tagger:
            error = _error(lambda: tagger.warm(WorkContext()))

    assert isinstance(error, UnavailableError)
    assert f"port {port}" in str(error)
    assert "option port" in str(error)


def test_a_fixed_port_can_be_used_again_right_after_a_stop() -> None:
    port = free_port()
    with CoreNLPTagger({"memory": _MEMORY, "port": port}) as tagger:
        for _ in range(2):
            assert tagger.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None
            assert process_of(tagger._handle.get()).address.port == port
            tagger.close()


def test_others_cannot_use_the_server(tagger: CoreNLPTagger) -> None:
    address = process_of(tagger._handle.get()).address

    with CoreNLPTagger({"url": f"http://127.0.0.1:{address.port}"}) as stranger:
        error = _error(lambda: stranger.warm(WorkContext()))

    assert isinstance(error, UnavailableError)
    assert "rejects the user name or password" in str(error)
    with CoreNLPTagger({"url": f"http://{address.user}:{address.password}@127.0.0.1:{address.port}"}) as friend:
        assert friend.tag(_DOCUMENT, WorkContext()).parts[0].sentences[0].xpos is not None


def test_without_java_it_is_unavailable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with CoreNLPBackend({"parser": "pcfg"}) as backend:
        error = _error(lambda: backend.warm(WorkContext()))

    assert isinstance(error, UnavailableError)
    assert "no java" in str(error)
    assert CoreNLPBackend.unavailable() == str(error)


def test_a_wrong_home_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    for home in (missing, tmp_path):
        with CoreNLPTagger({"home": str(home)}) as tagger:
            error = _error(lambda: tagger.warm(WorkContext()))
        assert isinstance(error, UnavailableError)
        assert f"option home: {'there is no folder' if home == missing else str(tmp_path)}" in str(error)

    monkeypatch.setenv("CORENLP_HOME", str(missing))
    assert f"CORENLP_HOME: there is no folder {missing}" in (CoreNLPTagger.unavailable() or "")


def test_a_missing_parser_is_said_with_the_command_that_fetches_it(tmp_path: Path) -> None:
    for jar in find_installation().home.glob("*.jar"):
        if "models-english" not in jar.name:
            (tmp_path / jar.name).symlink_to(jar)

    with CoreNLPBackend({"home": str(tmp_path)}) as backend:
        error = _error(lambda: backend.warm(WorkContext()))

    assert isinstance(error, UnavailableError)
    assert "merge-baseline corenlp install --with shift-reduce" in str(error)
    assert "parser=pcfg" in str(error)


_START = textwrap.dedent("""
    import sys, time
    from merger.taggers import CoreNLPTagger
    from merger.progress import WorkContext
    tagger = CoreNLPTagger({"memory": "1G"})
    tagger.warm(WorkContext())
    process = tagger._handle.get()._peer.process
    print(process.pid, process._folder.name, flush=True)
    if sys.argv[1] == "wait":
        time.sleep(600)
""")


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL, None])
def test_no_server_is_left_when_python_ends(end: signal.Signals | None) -> None:
    command = [sys.executable, "-c", _START, "exit" if end is None else "wait"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as python:
        assert python.stdout is not None
        pid, folder = python.stdout.readline().split()
        if end is not None:
            assert exists(int(pid))
            python.send_signal(end)
        python.wait(timeout=PATIENCE)

    assert wait_until_gone(int(pid))
    end_of_patience = time.monotonic() + PATIENCE
    while Path(folder).exists():
        assert time.monotonic() < end_of_patience
        time.sleep(0.05)


class _Peer(BaseHTTPRequestHandler):
    """Gives the first request back, which is a good answer to it, and then does what the test says."""

    misbehave: Callable[[_Peer, bytes], None]
    requests = 0

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        type(self).requests += 1
        if type(self).requests == 1:
            self.answer(200, body)
        else:
            type(self).misbehave(self, body)

    def answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def _bad_peer(misbehave: Callable[[_Peer, bytes], None]) -> Iterator[str]:
    handler = type("Handler", (_Peer,), {"misbehave": staticmethod(misbehave), "requests": 0})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def _cut_off(peer: _Peer, body: bytes) -> None:
    peer.send_response(200)
    peer.send_header("Content-Length", str(len(body)))
    peer.end_headers()
    peer.wfile.write(body[:10])


@pytest.mark.parametrize(
    ("misbehave", "complaint"),
    [
        (lambda peer, body: peer.answer(200, body[:-4]), "bad answer: not a CoreNLP document"),
        (lambda peer, _: peer.answer(200, b"<html>hello</html>"), "bad answer: not a CoreNLP document"),
        (lambda peer, _: peer.answer(200, b""), "bad answer: not a CoreNLP document"),
        # \x02 is a size, \x0a\x00 an empty text: a document without sentences.
        (lambda peer, _: peer.answer(200, b"\x02\x0a\x00"), "0 sentences instead of 1"),
        (_cut_off, "cannot be reached"),
        (lambda peer, _: peer.connection.close(), "cannot be reached"),
        (lambda peer, body: peer.answer(500, b"java.lang.NullPointerException: " + body), "(NullPointerException)"),
        (lambda peer, body: peer.answer(418, body), "HTTP status 418"),
        (lambda peer, _: peer.answer(400, b"Request is too long to be handled by server"), "-maxCharLength"),
        (lambda peer, _: peer.answer(500, b"CoreNLP request timed out."), "did not answer within"),
        (lambda _peer, _body: time.sleep(PATIENCE), "did not answer within 1 s"),
    ],
    ids=[
        "truncated",
        "html",
        "nothing",
        "no sentences",
        "cut off",
        "closed",
        "exception",
        "other status",
        "too long",
        "too slow",
        "silent",
    ],
)
def test_bad_answers_fail_the_document(misbehave: Callable[[_Peer, bytes], None], complaint: str) -> None:
    # As long as it takes, but for the one that never answers.
    timeout = 1 if complaint.endswith("1 s") else PATIENCE
    with _bad_peer(misbehave) as url, CoreNLPTagger({"url": url, "timeout": timeout}) as tagger:
        error = _error(lambda: tagger.tag(_DOCUMENT, WorkContext()))

    assert isinstance(error, BackendError)
    assert complaint in str(error)
    assert "document tale" in str(error)


def test_a_server_elsewhere_that_is_not_there_is_said() -> None:
    with CoreNLPTagger({"url": "http://127.0.0.1:1"}) as tagger:
        error = _error(lambda: tagger.warm(WorkContext()))

    assert isinstance(error, UnavailableError)
    assert "http://127.0.0.1:1 cannot be reached: Connection refused" in str(error)
