from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.cli.test_merge import HALF_BROKEN
from tests.engines.corpora import CROSSING, FUZZY, PLAIN, jsonlines, long, small, small_ones
from tests.engines.disturbed import descendants, ended, kill, run_limited, started, wait_for, workers_of
from tests.support.command_line import EXAMPLES, Done, error_of, run
from tests.support.in_process import output_of
from tests.support.in_process import run as run_here
from tests.support.running_server import is_alive, until

SOME = 120
"""Chains of a document that takes seconds."""
MANY = 210
"""Chains of a document that takes more CPU than :func:`run_limited` allows, and nearly as much work as is allowed."""
ENDLESS = 1500
"""Chains of a document that takes as much work as is allowed, longer than a test waits before it ends the run."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")


def _both(*arguments: str | Path, stdin: str = "", folder: Path | None = None) -> tuple[Done, Done]:
    """What one process and what three do, with the decisions behind their output if there is a folder for them."""
    results = []
    for jobs, run_with in (("1", run_here), ("3", run)):
        more: tuple[str | Path, ...] = () if folder is None else ("--decisions", folder / jobs)
        done = run_with("merge", *arguments, "--jobs", jobs, *more, stdin=stdin)
        decisions = "" if folder is None else (folder / jobs).read_text("utf-8")
        results.append(Done(done.code, done.out + decisions, done.err))
    return results[0], results[1]


@pytest.mark.parametrize("arguments", [(), ("--strict",)])
def test_a_document_without_tags_is_told_where_one_process_tells_it(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "other.jsonl").write_text(jsonlines(("other", PLAIN)), "utf-8")
    one, three = _both(EXAMPLES / "parts", tmp_path / "other.jsonl", *arguments)

    assert three == one
    assert one.code == 1
    assert one.out.count("#begin document") == 4
    assert "no part-of-speech tags" in one.err


def test_processes_write_and_tell_what_one_process_does(tmp_path: Path) -> None:
    (tmp_path / "other.jsonl").write_text(jsonlines(("other", PLAIN)), "utf-8")
    one, three = _both(EXAMPLES / "parts", tmp_path / "other.jsonl", "-s", "none", folder=tmp_path)

    assert three == one
    assert one.code == 0
    assert "not in the format of the first document" in one.err


@pytest.mark.parametrize("arguments", [(), ("--singletons", "keep"), ("--json",), ("--strict",), ("--lenient",)])
def test_options_do_the_same_in_processes(arguments: tuple[str, ...]) -> None:
    one, three = _both("-", *arguments, stdin=small_ones(20) + small("nw/last").replace("part 001", "part 002"))

    assert three == one
    assert one.code == (1 if arguments == ("--strict",) else 0)
    assert one.err.strip()


def test_the_human_merges_reach_the_processes() -> None:
    one, three = _both(EXAMPLES / "parts", "-s", "oracle", "--key", EXAMPLES / "key")

    assert (three.code, three.out) == (0, one.out)
    assert three.out == "".join(path.read_text("utf-8") for path in sorted((EXAMPLES / "key").glob("*.conll")))


def test_a_document_that_cannot_be_written_does_not_cost_the_others() -> None:
    text = jsonlines(("a", PLAIN), ("b", CROSSING), ("c", PLAIN), ("d", CROSSING))
    one, three = _both("-", "-s", "none", "--to", "conll2012", stdin=text)

    assert three == one
    assert one.code == 1
    assert one.out.count("#begin document") == 2
    assert "2 documents failed and left out" in one.err


def test_an_error_ends_the_run_where_one_process_ends() -> None:
    one, three = _both("-", "--strict", stdin=small_ones(5) + HALF_BROKEN + small_ones(5, "nw/later"))

    assert three == one
    assert one.code == 1
    # What came before the error has been written.
    assert one.out.count("#begin document") == 6


def test_a_bad_document_costs_no_other_in_one_process_or_several() -> None:
    """Five documents, a good and a broken one, and five more: eleven are merged."""
    one, three = _both("-", stdin=small_ones(5) + HALF_BROKEN + small_ones(5, "nw/later"))

    assert three == one
    assert one.code == 1
    assert one.out.count("#begin document") == 11
    assert "nw/broken" not in one.out
    assert "(document nw/broken, part 1): a mention of chain c is opened but never closed" in one.err


def test_a_strategy_that_cannot_run_is_one_error() -> None:
    one, three = _both("-", "-s", "corenlp:home=/nowhere", stdin=small_ones(5))

    assert three == one
    assert one.code == 3


def test_an_error_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "merged.conll").write_text("old", "utf-8")

    error_of("merge", "-", "--strict", "--jobs", "2", "-o", tmp_path / "merged.conll", stdin=HALF_BROKEN, code=1)

    assert [path.name for path in tmp_path.iterdir()] == ["merged.conll"]
    assert (tmp_path / "merged.conll").read_text("utf-8") == "old"


@linux
def test_documents_of_killed_workers_are_merged_again(tmp_path: Path) -> None:
    file = tmp_path / "parts.conll"
    file.write_text(small_ones(5) + long("nw/long", SOME) + small_ones(5, "nw/later"), "utf-8")

    with started("merge", file, *FUZZY, "--jobs", "2") as process:
        # Only who works on the long document has used a second.
        kill(wait_for(lambda: workers_of(process, 1.0), process))
        done = ended(process)

    assert done == run("merge", file, *FUZZY)
    assert done.code == 0


@linux
def test_a_document_that_kills_its_workers_is_left_out_and_named(tmp_path: Path) -> None:
    file = tmp_path / "parts.conll"
    file.write_text(small_ones(5) + long("nw/long", MANY) + small_ones(5, "nw/later"), "utf-8")

    done = run_limited("merge", file, *FUZZY, "--jobs", "2")

    assert done.code == 1
    assert done.err.splitlines()[-1] == (
        f"merge-baseline: error: {file} (document nw/long): 3 worker processes died on this document; "
        "the last one was killed by SIGXCPU"
    )
    assert done.out == output_of("merge", "-", *FUZZY, stdin=small_ones(5) + small_ones(5, "nw/later"))


@linux
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_process_and_no_file(tmp_path: Path, number: signal.Signals, code: int) -> None:
    file = tmp_path / "parts.conll"
    file.write_text(small_ones(5) + long("nw/long", ENDLESS) + small_ones(5, "nw/later"), "utf-8")

    with started("merge", file, *FUZZY, "--jobs", "2", "-o", tmp_path / "merged.conll") as process:
        wait_for(lambda: workers_of(process, 1.0), process)
        # Two workers, and what multiprocessing has beside them.
        assert until(lambda: len(descendants(process.pid, "multiprocessing")) > 2)
        workers = descendants(process.pid, "multiprocessing")
        process.send_signal(number)
        done = ended(process)

    assert (done.code, done.err.strip()) == (code, "merge-baseline: interrupted" if code == 130 else "")
    assert [path.name for path in tmp_path.iterdir()] == ["parts.conll"]
    # What multiprocessing has beside the workers sees that we are gone, and ends then.
    assert until(lambda: not any(map(is_alive, workers)))


def test_a_cluster_is_not_for_what_a_server_merges() -> None:
    error = error_of("merge", "-", "--server", "localhost:1", "--engine", "ray", code=2)

    assert error.startswith("--server merges on the server")


def test_without_ray_the_message_says_what_to_install(tmp_path: Path) -> None:
    """A module that cannot be imported stands in for the one that is not installed."""
    (tmp_path / "ray.py").write_text("raise ImportError('not here')\n", "utf-8")

    done = run("merge", "-", "--engine", "ray", stdin=small("nw/a"), env={"PYTHONPATH": str(tmp_path)})

    assert done == Done(
        3,
        "",
        "merge-baseline: error: the engine ray needs Ray Data, which can't be imported (not here): "
        "pip install 'merge-baseline[ray]'\n",
    )
