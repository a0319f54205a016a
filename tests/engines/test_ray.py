"""A real cluster on this machine, which the runs of the program join."""

from __future__ import annotations

import importlib.util
import os
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.corpora import CROSSING, FUZZY, PLAIN, jsonlines, long, small, small_ones
from tests.engines.disturbed import cpu_of, descendants, ended, kill, started, wait_for
from tests.engines.test_local import ENDLESS
from tests.support.command_line import EXAMPLES, PATIENCE, PROGRAM, Done, free_port, output_of, run

pytestmark = [
    pytest.mark.ray(
        None if importlib.util.find_spec("ray") else "Ray is not installed: pip install 'merge-baseline[ray]'"
    ),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
]

LONG = 200
"""Chains of a document that takes seconds to merge, within the bound of work."""
_AT_WORK = 1.5
"""Seconds of CPU after which an actor that has not ended a task must be working on the long document."""


class Cluster:
    """A running cluster: the process that all of it is below, and the variables that let programs join it."""

    def __init__(self, process: subprocess.Popen[bytes], environment: dict[str, str]) -> None:
        self.process = process
        self.environment = environment
        self._seen: dict[int, float] = {}

    def at_work(self) -> list[int]:
        """The actors that work on the long document; to be asked again and again."""
        busy = descendants(self.process.pid, "ray::MapWorker(MapBatches(_RayWork)).submit")
        self._seen = {pid: self._seen.get(pid, cpu_of(pid)) for pid in busy}
        return [pid for pid, before in self._seen.items() if cpu_of(pid) - before >= _AT_WORK]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    port = free_port()
    command = [str(Path(PROGRAM).with_name("ray")), "start", "--head", "--block", f"--port={port}", "--num-cpus=2"]
    command += ["--include-dashboard=false", "--disable-usage-stats", "--object-store-memory=200000000"]
    # A token of its own: whoever reaches a cluster without one can run code on it.
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    # Or Ray kills workers too, where other programs on the machine use its memory up.
    quiet = {"RAY_memory_monitor_refresh_ms": "0"}
    log = tmp_path_factory.mktemp("ray") / "log"
    with (
        # Not the usual folder, where others would find this cluster; pytest's are too deep for names of sockets.
        tempfile.TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        log.open("wb") as output,
        subprocess.Popen(
            [*command, f"--temp-dir={folder}"],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **token, **quiet},
        ) as process,
    ):
        try:
            limit = time.monotonic() + 5 * PATIENCE
            while b"Ray runtime started" not in log.read_bytes():
                assert process.poll() is None, log.read_text("utf-8")
                assert time.monotonic() < limit, log.read_text("utf-8")
                time.sleep(0.1)
            (address,) = set(re.findall(rf"[\w.:\[\]]+:{port}\b", log.read_text("utf-8")))
            yield Cluster(process, {**token, "RAY_ADDRESS": address})
        finally:
            # Asked to end, Ray takes its time; `ray stop` would end other people's clusters too.
            kill([process.pid, *descendants(process.pid, "")])


def _without_ray(errors: str) -> list[str]:
    """The lines on standard error that are ours: of dead workers Ray speaks itself."""
    return [line for line in errors.splitlines() if "raylet" not in line]


def test_killing_a_worker_loses_nothing(cluster: Cluster, tmp_path: Path) -> None:
    """Mixed formats, a document that cannot be written, standard input: all of it as in one process."""
    file, lines = tmp_path / "parts.conll", tmp_path / "lines"
    file.write_text(small_ones(5) + long("nw/long", LONG) + small_ones(30, "nw/later"), "utf-8")
    tags = {"pos": [["NN"] * 4, ["NN"]]}
    lines.write_text(jsonlines(("a", PLAIN | tags), ("b", CROSSING | tags), ("c", PLAIN | tags)), "utf-8")
    arguments = ("merge", file, "-", *FUZZY, "--singletons", "keep")
    one = run(*arguments, "--decisions", tmp_path / "one.jsonl", stdin=lines.read_text("utf-8"))

    ray = ("--engine", "ray", "--jobs", "2", "--decisions", tmp_path / "ray.jsonl")
    with lines.open() as stdin, started(*arguments, *ray, stdin=stdin, env=cluster.environment) as process:
        kill(wait_for(cluster.at_work, process))
        done = ended(process)

    assert done.code == one.code == 1, done.err
    assert _without_ray(done.err) == one.err.splitlines()
    assert done.out == one.out
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_a_document_that_kills_its_workers_is_left_out_and_done_by_who_resumes(
    cluster: Cluster, tmp_path: Path
) -> None:
    file, merged = tmp_path / "parts.conll", tmp_path / "merged.conll"
    rest = small_ones(5, "nw/later")
    # Seen at work before it is done, however rarely this looks.
    file.write_text(long("nw/long", ENDLESS) + rest, "utf-8")
    broken = small("nw/broken").replace("(c)", "(c", 1)
    with file.open("a", encoding="utf-8") as more:
        more.write(broken)
    deaths = 0

    with started(
        "merge", file, *FUZZY, "-o", merged, "--strict", "--engine", "ray", "--jobs", "1", env=cluster.environment
    ) as process:
        while process.poll() is None:
            if found := cluster.at_work():
                kill(found)
                deaths += 1
            time.sleep(0.05)
        done = ended(process)

    assert done.code == 1
    assert deaths >= 3
    message = f"merge-baseline: error: {file} (document nw/long): 3 worker processes died on this document"
    assert message in _without_ray(done.err)
    assert sum("nw/broken" in line for line in _without_ray(done.err)) == 1
    assert not merged.exists()
    assert (tmp_path / "merged.conll.parts").is_dir()

    file.write_text(long("nw/long", LONG) + rest, "utf-8")
    resumed = run("merge", file, *FUZZY, "-o", merged, "--strict", "--resume")

    assert resumed.code == 0
    assert merged.read_text("utf-8") == output_of("merge", file, *FUZZY)
    assert not (tmp_path / "merged.conll.parts").exists()


def test_a_cluster_that_is_not_there_is_named() -> None:
    done = run("merge", "-", "--engine", "ray", stdin=small("nw/a"), env={"RAY_ADDRESS": "127.0.0.1:1"})

    message = "the Ray cluster at 127.0.0.1:1 can't be reached: [Errno 111] Connection refused"
    assert done == Done(3, "", f"merge-baseline: error: {message}\n")


def test_a_folder_with_a_client_of_another_project_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "client.py").touch()

    done = run("merge", EXAMPLES / "parts" / "ferry.conll", "--engine", "ray", cwd=tmp_path)

    assert (done.code, done.out) == (3, "")
    assert done.err == (
        f"merge-baseline: error: {tmp_path / 'client.py'} is in the way: workers of Ray import it instead of "
        "merge-baseline's own module. Rename it, or run merge-baseline in another folder\n"
    )
