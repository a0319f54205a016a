from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_merge import TINY
from tests.support.command_line import EXAMPLES, PATIENCE, ROOT, output_of, run, serving

PARTS, KEY = EXAMPLES / "parts", EXAMPLES / "key"
# Strategies with a backend are compared in tests/backends: they must be enabled on the server.
SIMPLE = ("none", "greedy", "oracle")


@pytest.mark.parametrize("strategy", SIMPLE)
@pytest.mark.parametrize(("parts", "key"), [("parts", "key"), ("corefud", "corefud-key")])
def test_a_server_merges_the_examples_as_this_machine_does(
    served: str, tmp_path: Path, strategy: str, parts: str, key: str
) -> None:
    human = ("--key", EXAMPLES / key) if strategy == "oracle" else ()
    arguments = ("merge", EXAMPLES / parts, "-s", strategy, *human)
    decided = [tmp_path / name for name in ("here.jsonl", "there.jsonl")]

    here = run(*arguments, "--decisions", decided[0])
    there = run(*arguments, "--server", served, "--decisions", decided[1])

    assert here.code == 0
    assert there == here
    assert decided[0].read_bytes() == decided[1].read_bytes()


def test_a_server_keeps_one_mention_chains_as_this_machine_does(served: str) -> None:
    for keep in ("drop", "keep"):
        here = run("merge", "-", "--singletons", keep, stdin=TINY)
        there = run("merge", "-", "--singletons", keep, "--server", served, stdin=TINY)

        assert there == here


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("-s", "gready"), TINY),
        (("-s", "greedy:match=nouns"), TINY),
        ((), TINY.replace("\tNN", "\t-").replace("\tPRP", "\t-")),
    ],
)
def test_a_server_reports_errors_as_this_machine_does(served: str, arguments: tuple[str, ...], text: str) -> None:
    here = run("merge", "-", *arguments, stdin=text)
    there = run("merge", "-", *arguments, "--server", served, stdin=text)

    assert here.code in {1, 2}
    assert there == here


def test_a_server_lists_its_strategies(served: str) -> None:
    here = json.loads(output_of("strategies", "--json"))
    there = json.loads(output_of("strategies", "--server", served, "--json"))

    assert [each["name"] for each in there] == [each["name"] for each in here]
    assert [each for each in there if each["name"] in SIMPLE] == [each for each in here if each["name"] in SIMPLE]


def test_the_demo_runs_on_a_server_elsewhere(served: str) -> None:
    assert output_of("demo", "--server", served).startswith(f"A gRPC server on {served} merged 4 documents")


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_stops_in_peace_when_told_to(number: signal.Signals) -> None:
    with serving() as (process, _):
        process.send_signal(number)
        _, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "stopped" in errors


def test_server_py_serves_in_a_checkout() -> None:
    command = [sys.executable, str(ROOT / "server.py"), "--port", "0", "--workers", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=EXAMPLES) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().removeprefix("serving on ").strip()
            assert run("health", address).code == 0
            server.send_signal(signal.SIGTERM)
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()
