"""Standard streams that are closed, full or left by their reader, and signals."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.test_merge import TINY
from tests.support.command_line import EXAMPLES, PATIENCE, PROGRAM, Done, output_of

FERRY = EXAMPLES / "parts" / "ferry.conll"
CLOSED = "merge-baseline: error: standard output is closed\n"
FULL = "merge-baseline: error: output cannot be written: No space left on device\n"
SUMMARY = "1 document, "

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX shell, pipes and signals")


def shell(arguments: str, redirection: str = "") -> Done:
    """Run the program with a shell's redirections; the code is the program's own, in a pipe too."""
    command = f"{{ '{PROGRAM}' {arguments}; echo code=$? >&3; }} 3>&4 {redirection}"
    done = subprocess.run(
        ["/bin/sh", "-c", f"exec 4>&1; exec 5>&2; {{ {command}; }} 4>&5"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    errors, _, code = done.stderr.rpartition("code=")
    assert "Traceback" not in errors
    assert "Exception ignored" not in errors
    return Done(int(code), done.stdout, errors)


@pytest.mark.parametrize("arguments", ["--version", "--help", "merge --help", f"merge '{FERRY}'", "strategies"])
def test_a_reader_that_is_gone_from_the_start_ends_every_command_in_silence(arguments: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as standard_output:
        done = subprocess.run(
            [PROGRAM, *shlex.split(arguments)],
            stdout=standard_output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE,
        )

    assert [line for line in done.stderr.splitlines() if not line.startswith(SUMMARY)] == []
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("arguments", ["--version", "--help", f"merge '{FERRY}'", f"merge '{FERRY}' --json"])
def test_a_full_device_is_one_line(arguments: str) -> None:
    assert shell(arguments, ">/dev/full") == Done(1, "", FULL)


@pytest.mark.parametrize("arguments", ["--version", "--help", f"merge '{FERRY}' --json", "strategies"])
def test_a_standard_output_that_is_closed_is_one_line(arguments: str) -> None:
    assert shell(arguments, ">&-") == Done(1, "", CLOSED)


def test_a_closed_standard_output_does_not_matter_to_who_writes_to_a_file(tmp_path: Path) -> None:
    done = shell(f"merge '{FERRY}' -o '{tmp_path}/merged.conll'", ">&-")

    assert done.code == 0
    assert (tmp_path / "merged.conll").read_text("utf-8") == output_of("merge", FERRY)


def test_a_standard_input_that_is_closed_is_one_line() -> None:
    assert shell("merge -", "<&-") == Done(1, "", "merge-baseline: error: <stdin>: standard input is closed\n")


@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_output_comes_whole_though_standard_error_cannot_be_written(where: str) -> None:
    if "full" in where and not Path("/dev/full").exists():
        pytest.skip("a device of Linux")

    assert shell(f"merge '{FERRY}'", where) == Done(0, output_of("merge", FERRY), "")


@pytest.mark.parametrize(("arguments", "code"), [("merge nowhere.conll", 1), ("merge --wrong x", 2), ("marge", 2)])
def test_errors_keep_their_code_though_standard_error_is_closed(arguments: str, code: int) -> None:
    assert shell(arguments, "2>&-") == Done(code, "", "")


def test_a_program_without_any_standard_stream_fails_in_silence() -> None:
    assert shell(f"merge '{FERRY}'", "<&- >&- 2>&-") == Done(1, "", "")


def _stopped(number: signal.Signals, folder: Path, *arguments: str, text: str) -> tuple[int, bytes]:
    """The code and the errors of a command that waits for more input when the signal comes."""
    with subprocess.Popen(
        [PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(text.encode())
        process.stdin.flush()
        limit = time.monotonic() + PATIENCE
        while not list(folder.iterdir()):
            assert time.monotonic() < limit
            time.sleep(0.02)
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_unfinished_file(tmp_path: Path, number: signal.Signals, code: int) -> None:
    returned, errors = _stopped(number, tmp_path, "merge", "-", "-o", str(tmp_path / "merged.conll"), text=TINY)

    assert returned == code
    assert errors.strip() == (b"merge-baseline: interrupted" if number == signal.SIGINT else b"")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_folder_that_split_made(tmp_path: Path, number: signal.Signals, code: int) -> None:
    # More than the MiB that is read at a time: the first document is there while the input is still open.
    blocks = [TINY.partition("#end")[0].replace("nw/tiny", f"nw/{i}") + "#end document\n" for i in range(12000)]
    folder = tmp_path / "new" / "task"

    returned, errors = _stopped(number, tmp_path, "split", "-", "--into", "1", "-o", str(folder), text="".join(blocks))

    assert returned == code
    assert errors.strip() == (b"merge-baseline: interrupted" if number == signal.SIGINT else b"")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupt_during_imports_is_no_traceback(tmp_path: Path) -> None:
    """A module that sends the signal when it is imported stands in for the one that is just being loaded."""
    (tmp_path / "rapidfuzz.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", "utf-8")
    done = subprocess.run(
        [PROGRAM, "merge", str(FERRY), "--match", "fuzzy"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "merge-baseline: interrupted")


def test_an_interrupt_before_the_command_line_library_is_there_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n", "utf-8")
    done = subprocess.run(
        [PROGRAM, "strategies"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "merge-baseline: interrupted\n")
