"""`merge --server` while the server is killed, started again, or stays away."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.command_line import PATIENCE, PROGRAM, run
from tests.support.peers import Restarted
from tests.support.running_server import needs_proc

DOCUMENTS = 1000
PACED = ("--caller-rate", "1", "--caller-burst", "300")
"""A server that takes minutes for what is left of them, so that it can be killed in the middle."""
QUICK = ("--caller-rate", "1000000")


def document(number: int) -> str:
    """Two parts; the nouns of the second recur in the first, so that there is something to merge."""
    rows = []
    for part in range(2):
        rows.append(f"#begin document (d{number}); part {part:03d}")
        names = [f"noun{(number + step) % 7}" for step in range(6)]
        rows.extend(
            f"d{number}\t{part}\t{token}\t{name}\tNN\t-\t-\t-\t-\t-\t-\t({token % 3})"
            for token, name in enumerate(names)
        )
        rows.extend(["", "#end document"])
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "parts.conll"
    path.write_text("".join(map(document, range(DOCUMENTS))), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def undisturbed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    """What this machine makes of the corpus: the merged documents and the decisions."""
    folder = tmp_path_factory.mktemp("undisturbed")
    done = run("merge", corpus, "-o", folder / "merged.conll", "--decisions", folder / "decisions.jsonl")
    assert done.code == 0, done.err
    assert f"{DOCUMENTS} documents" in done.err
    return (folder / "merged.conll").read_bytes(), (folder / "decisions.jsonl").read_bytes()


@contextmanager
def merging(corpus: Path, folder: Path, address: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in work."""
    outputs = ["-o", str(folder / "merged.conll"), "--decisions", str(folder / "decisions.jsonl")]
    command = [PROGRAM, "merge", str(corpus), *outputs, "--server", address, *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_checkpoint(process: subprocess.Popen[str], folder: Path, count: int) -> None:
    """Wait until so many times 256 documents are done, or fewer if that takes long, and not all of them."""
    while len(list((folder / "merged.conll.parts").glob("*.part"))) < count:
        assert process.poll() is None
        time.sleep(0.002)


def test_a_server_killed_twice_costs_no_document(
    corpus: Path, undisturbed: tuple[bytes, bytes], tmp_path: Path
) -> None:
    with Restarted(*PACED) as server, merging(corpus, tmp_path, server.address) as process:
        for partitions, pace in ((1, PACED), (2, QUICK)):
            wait_for_checkpoint(process, tmp_path, partitions)
            server.kill()
            time.sleep(0.5)
            server.start(*pace)
        assert process.stderr is not None
        errors = process.stderr.read()
        assert process.wait() == 0, errors
    assert (tmp_path / "merged.conll").read_bytes() == undisturbed[0]
    assert (tmp_path / "decisions.jsonl").read_bytes() == undisturbed[1]
    assert "Traceback" not in errors
    assert re.search(r"note: .*; trying again for up to 60 s \(--retry-for\)", errors)
    assert f"{DOCUMENTS} documents" in errors
    assert sorted(path.name for path in tmp_path.iterdir()) == ["decisions.jsonl", "merged.conll"]


def test_what_was_done_before_it_gave_up_is_not_done_again(
    corpus: Path, undisturbed: tuple[bytes, bytes], tmp_path: Path
) -> None:
    merged = tmp_path / "merged.conll"
    with Restarted(*PACED) as server:
        with merging(corpus, tmp_path, server.address, "--retry-for", "1") as process:
            wait_for_checkpoint(process, tmp_path, 1)
            server.kill()
            assert process.stderr is not None
            errors = process.stderr.read()
            assert process.wait() == 3, errors
        assert f"note: finished documents are kept in {merged}.parts; --resume continues with them" in errors
        assert errors.splitlines()[-1].startswith("merge-baseline: error: ")
        assert not merged.exists()
        kept = sum(part.read_text().count('"fingerprint"') for part in Path(f"{merged}.parts").iterdir())
        assert 0 < kept < DOCUMENTS

        server.start(*QUICK)
        with merging(corpus, tmp_path, server.address, "--resume") as process:
            assert process.stderr is not None
            errors = process.stderr.read()
            assert process.wait() == 0, errors
    assert f"{DOCUMENTS} documents" in errors
    assert merged.read_bytes() == undisturbed[0]
    assert (tmp_path / "decisions.jsonl").read_bytes() == undisturbed[1]
    assert not Path(f"{merged}.parts").exists()


def another_thread_of(pid: int) -> int:
    """A thread that is not the main one, by the number that signals take."""
    return next(int(each.name) for each in Path(f"/proc/{pid}/task").iterdir() if int(each.name) != pid)


@pytest.mark.parametrize("thread", ["main", pytest.param("another", marks=needs_proc)])
def test_a_run_that_is_interrupted_while_it_waits_ends_soon(corpus: Path, tmp_path: Path, thread: str) -> None:
    """Whichever of its threads the system gives the signal to."""
    with Restarted(*PACED) as server, merging(corpus, tmp_path, server.address) as process:
        wait_for_checkpoint(process, tmp_path, 1)
        server.kill()
        assert process.stderr is not None
        assert "trying again" in process.stderr.readline()
        os.kill(process.pid if thread == "main" else another_thread_of(process.pid), signal.SIGINT)
        # Before it would give up by itself.
        assert process.wait(PATIENCE / 2) == 130
    assert not (tmp_path / "merged.conll").exists()


def test_a_server_that_was_never_there_leaves_nothing_behind(corpus: Path, tmp_path: Path) -> None:
    done = run("merge", corpus, "-o", tmp_path / "merged.conll", "--server", "127.0.0.1:1")
    assert done.code == 3
    assert len(done.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
