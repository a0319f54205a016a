"""What is printed on standard error: how much of it, in colour or not, with the line of the file or without."""

from __future__ import annotations

import gzip
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from client.cli.app import cli
from tests.support.command_line import EXAMPLES, NOWHERE, PROGRAM, WITHOUT_CORENLP
from tests.support.in_process import error_of, output_of, run

PARTS = str(EXAMPLES / "parts" / "clock.conll")

UNCLOSED = "#begin document (a); part 0\na\t0\t0\tAnn\tNNP\t(1\n\n#end document\n"
SINGLETON = """\
#begin document (a); part 0
a\t0\t0\tAnn\tNNP\t(1)

#end document
#begin document (a); part 1
a\t1\t0\tAnn\tNNP\t(1)

#end document
"""


@pytest.fixture
def unclosed(tmp_path: Path) -> Path:
    file = tmp_path / "unclosed.conll"
    file.write_text(UNCLOSED, "utf-8")
    return file


def _on_a_terminal(*arguments: str | Path, **variables: str) -> str:
    """What a command shows on a terminal that both of its outputs are."""
    here, there = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **variables}
    if "NO_COLOR" not in variables:
        environment.pop("NO_COLOR", None)
    with subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=there, stderr=there, env=environment) as process:
        os.close(there)
        shown = b""
        while True:
            try:
                piece = os.read(here, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        process.wait()
    os.close(here)
    return shown.decode()


def test_quiet_leaves_out_notes_and_summary_but_no_error(tmp_path: Path, unclosed: Path) -> None:
    singleton = tmp_path / "singleton.conll"
    singleton.write_text(SINGLETON, "utf-8")

    loud = run("merge", singleton, "-o", os.devnull)
    quiet = run("merge", singleton, "-o", os.devnull, "-q")

    assert loud.err.count("merge-baseline: note: ") == 1
    assert "1 document, " in loud.err
    assert (quiet.code, quiet.err) == (0, "")
    assert "never closed" in error_of("merge", unclosed, "--quiet", code=1)


def test_verbose_prints_the_line_that_an_error_is_about(unclosed: Path) -> None:
    _, line = run("stats", unclosed, "-v").err.splitlines()

    assert line == "     2 | a   0   0   Ann NNP (1"


def test_the_line_is_found_in_a_packed_file_too(tmp_path: Path) -> None:
    packed = tmp_path / "unclosed.conll.gz"
    packed.write_bytes(gzip.compress(UNCLOSED.encode()))

    assert run("stats", packed, "-v").err.splitlines()[1] == "     2 | a   0   0   Ann NNP (1"


def test_a_note_has_its_line_with_verbose(unclosed: Path) -> None:
    done = run("merge", unclosed, "--lenient", "-s", "none", "-v", "-o", os.devnull)

    assert "     2 | a   0   0   Ann NNP (1" in done.err.splitlines()


def test_an_error_of_standard_input_has_no_line_to_show() -> None:
    assert len(run("stats", "-", "-v", stdin=UNCLOSED).err.splitlines()) == 1


def test_a_log_has_one_line_an_error_without_colour(unclosed: Path) -> None:
    assert "\x1b" not in error_of("stats", unclosed, code=1)


def test_a_terminal_shows_the_label_in_colour_and_the_line(unclosed: Path) -> None:
    shown = _on_a_terminal("stats", unclosed)

    assert "merge-baseline: \x1b[1;31merror:\x1b[0m " in shown
    assert "a   0   0   Ann NNP (1" in shown


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour_gets_none(unclosed: Path, variables: dict[str, str]) -> None:
    # Quiet, since the progress line has colours of its own.
    shown = _on_a_terminal("stats", unclosed, "-q", **variables)

    assert shown.startswith("merge-baseline: error: ")
    assert "\x1b" not in shown


def test_quiet_and_verbose_exclude_each_other(unclosed: Path) -> None:
    assert "exclude each other" in error_of("stats", unclosed, "-q", "-v", code=2)


def test_every_command_but_those_that_speak_otherwise_has_both() -> None:
    context = cli.make_context("merge-baseline", ["strategies"])
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        assert (name in {"serve", "completion"}) != ("--quiet" in command.get_help(context)), name


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("help", "--help"),
        ("version", "--version"),
        ("evaluate", "score"),
        ("merg", "merge"),
        ("strategy", "strategies"),
    ],
)
def test_the_name_of_no_command_is_answered_with_what_was_meant(name: str, meant: str) -> None:
    assert f"No such command '{name}'. Did you mean {meant}?" in error_of(name, code=2)


def test_a_name_like_no_other_is_answered_with_no_guess() -> None:
    assert "Did you mean" not in error_of("xyzzy", code=2)


def test_an_option_of_several_strategies_is_explained_once() -> None:
    """Those of the coreference pass are the same for every system."""
    text = " ".join(output_of("strategies").split())

    assert text.count("how clusters link chains: majority (to") == 1
    assert text.count("policy=majority-one-to-one, mentions=exact, pass=whole, within-part=no: see corenlp") == 2


def test_the_demo_ends_as_other_commands_do_when_its_reader_goes() -> None:
    environment = {**os.environ, **WITHOUT_CORENLP}
    command = [PROGRAM, "demo", "--examples", str(EXAMPLES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        process.stdout.close()

    assert process.returncode == 141


@pytest.mark.parametrize(
    "arguments",
    [
        ("merge", PARTS, "-s", "precomputed:path=nowhere"),
        ("merge", PARTS, "--server", NOWHERE, "--retry-for", "0", "--token-file", "nowhere"),
        ("merge", PARTS, "--server", NOWHERE, "--retry-for", "0", "--tls-ca", "nowhere"),
        ("serve", "--port", "0", "--workers", "0", "--token-file", "nowhere"),
        ("serve", "--port", "0", "--workers", "0", "--tls-cert", "nowhere", "--tls-key", "nowhere"),
        ("apply", PARTS, "nowhere"),
    ],
    ids=lambda arguments: f"{arguments[0]} {arguments[-2]}",
)
def test_a_file_that_is_missing_is_a_fault_of_the_input_whatever_it_is_for(arguments: tuple[str, ...]) -> None:
    assert "nowhere: " in error_of(*arguments, code=1)


def test_the_command_line_runs_as_a_module_too(unclosed: Path) -> None:
    command = [sys.executable, "-m", "client", "stats", str(unclosed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (1, run("stats", unclosed).err)


def test_a_text_option_of_greedy_has_a_flag_that_takes_text() -> None:
    done = run("merge", str(EXAMPLES / "parts"), "--nouns", "NN*", "-o", os.devnull)

    assert done.code == 0, done.err
    assert "nouns=NN*" in done.err


def test_an_empty_name_of_clusters_is_refused() -> None:
    done = run("validate", str(EXAMPLES / "parts"), "--clusters-field", "")

    assert done.code == 2
    assert "the name is empty" in done.err
