"""Merges on a Ray cluster: Ray Data streams the documents to a pool of actors that load a strategy once each."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from client.engines.jobs import Job, JobSource, Outcome
from client.engines.process_engine import MAX_WORKER_DEATHS, killed
from client.engines.worker import IsolatedWork, Plan, portable
from merge_baseline.names import modules_in
from merger.errors import UnavailableError

_BLOCK = 1 << 18
"""Bytes of documents that go to an actor at once: a few typical ones, or one long one."""
_CONNECT = 10.0
"""Seconds that a cluster has to accept a connection."""
_OUTCOME = "outcome"
_JOB = "job"


@dataclass(frozen=True, slots=True)
class RayEngine:
    """Runs the jobs on the cluster that ``RAY_ADDRESS`` names, or on a new one on this machine.

    ``size`` is the number of actors, with one CPU each; ``None`` for one per CPU. Ray retries documents whose worker or
    machine died; a document fails when three workers have died on it. The inputs are read on this machine.
    """

    plan: Plan
    size: int | None = None

    def run(self, source: JobSource) -> Iterator[Outcome]:
        """Yield the outcomes in order. Ray Data's share of the object store bounds the documents in memory.

        While it runs, ``sys.stdout`` is standard error, because Ray prints there.

        Raises :class:`~merger.errors.UnavailableError` if Ray is not installed or the cluster can't be reached.
        """
        with _cluster() as ray:
            rows = _dataset(ray, source, self.plan, self.size).iter_rows()
            for number, row in enumerate(rows):
                outcome = pickle.loads(row[_OUTCOME])  # noqa: S301  # from our own actors
                if outcome is None:
                    return
                if isinstance(outcome, Exception):
                    raise outcome
                _check_order(outcome, number)
                yield outcome
        raise UnavailableError("Ray lost the end of the documents: option resume goes on")


def _check_order(outcome: Outcome, number: int) -> None:
    """Raise :class:`~merger.errors.UnavailableError` if Ray lost an outcome or changed the order."""
    if outcome.job.index != number:
        raise UnavailableError(f"Ray lost document {number + 1}, or gave another one first: option resume goes on")


@contextlib.contextmanager
def _cluster() -> Iterator[Any]:
    """The module ``ray``, connected. Its errors are raised as ``UnavailableError``."""
    # Set before the import, unless the user has set them: our messages would get lost among Ray's.
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        import ray.data
        import ray.exceptions
    except ImportError as error:
        raise UnavailableError(
            f"the engine ray needs Ray Data, which can't be imported ({error}): pip install 'merge-baseline[ray]'"
        ) from None
    # Ray reports dead workers and full disks on standard output, some of it at shutdown. That is for documents.
    with contextlib.redirect_stdout(sys.stderr):
        ours = not ray.is_initialized()
        if ours:
            _connect(ray)
        logging.getLogger("ray").setLevel(logging.ERROR)
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        try:
            yield ray
        except ray.exceptions.RayError as error:
            raise UnavailableError(f"the run on Ray failed: {str(error).strip()}") from error
        finally:
            if ours:
                ray.shutdown()


def _connect(ray: Any) -> None:  # noqa: ANN401  # Ray's types
    # By default Ray looks for a cluster that was once started on this machine, and waits for ever if it is gone.
    address = os.environ.get("RAY_ADDRESS") or "local"
    _check_address(address)
    _check_folder()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with _no_standard_error():
            ray.init(address, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise UnavailableError(f"the Ray cluster can't be reached or started: {str(error).strip()}") from None
    # Ray installs handlers that end the process with another exit code and leave temporary files.
    with contextlib.suppress(ValueError):
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _check_folder() -> None:
    """Raise :class:`~merger.errors.UnavailableError` if the current folder has modules that Ray's workers would import.

    Ray puts the folder of its caller first on the path of its workers.
    """
    for path in modules_in(str(Path.cwd()), ("client", "merger")):
        raise UnavailableError(
            f"{path} is in the way: workers of Ray import it instead of merge-baseline's own module. Rename it, or run "
            "merge-baseline in another folder"
        )


def _check_address(address: str) -> None:
    """Raise :class:`~merger.errors.UnavailableError` if nothing listens there, or only Ray's client proxy."""
    if address.startswith("ray://"):
        raise UnavailableError(
            f"RAY_ADDRESS {address}: the run must be on a machine of the cluster (host:port or auto)"
        )
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT).close()
    except (OSError, OverflowError) as error:
        raise UnavailableError(f"the Ray cluster at {address} can't be reached: {error}") from None


@contextlib.contextmanager
def _no_standard_error() -> Iterator[None]:
    """Hide the lines that Ray's C++ part writes when it starts. Errors are raised as exceptions anyway."""
    kept, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(null)


def _dataset(ray: Any, source: JobSource, plan: Plan, size: int | None) -> Any:  # noqa: ANN401  # Ray's types
    """Outcomes as rows, in order."""
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.target_max_block_size = _BLOCK
    here = ray.get_runtime_context().get_node_id()
    deaths = _deaths(ray, here)
    actors = size or max(1, int(ray.cluster_resources().get("CPU", 1)))
    # Reading mostly waits for the actors. If it asked for a CPU, it could wait for one that they hold.
    documents = ray.data.read_datasource(
        _datasource(source), override_num_blocks=1, num_cpus=0, label_selector={"ray.io/node-id": here}
    )
    return documents.map_batches(
        _RayWork,
        fn_constructor_args=(plan, deaths),
        batch_size=1,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=1,
    )


def _datasource(source: JobSource) -> Any:  # noqa: ANN401  # Ray's types
    """One task that reads the inputs from start to end; Ray Data pauses it while the actors are busy."""
    from ray.data.block import BlockMetadata
    from ray.data.datasource import Datasource, ReadTask

    class Documents(Datasource):  # type: ignore[misc]  # Ray's class has no types that hold under strict rules
        """Our jobs as a source of Ray Data."""

        def get_name(self) -> str:
            return "documents"

        def estimate_inmemory_data_size(self) -> int | None:
            return None

        def get_read_tasks(self, *_: object, **__: object) -> list[Any]:
            metadata = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
            return [ReadTask(lambda: _blocks(source), metadata)]

    return Documents()


def _blocks(source: JobSource) -> Iterator[Any]:
    """A table for each job, and one with ``None`` at the end.

    An exception of the source becomes the last row: if it were raised, Ray would retry it, and its type would be lost.
    """
    try:
        for job in source.jobs():
            yield _table(_JOB, job)
        yield _table(_JOB, None)
    except Exception as error:  # noqa: BLE001  # raised again by RayEngine.run
        yield _table(_JOB, portable(error))


def _table(column: str, value: object) -> Any:  # noqa: ANN401  # Ray's types
    import pyarrow as pa

    return pa.table({column: pa.array([pickle.dumps(value)], pa.large_binary())})


def _deaths(ray: Any, node: str) -> Any:  # noqa: ANN401  # Ray's types
    """An actor that knows which documents were started and not finished. It runs on this machine."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = NodeAffinitySchedulingStrategy(node, soft=False)
    return ray.remote(_StartCounts).options(num_cpus=0, scheduling_strategy=there).remote()


class _StartCounts:
    """Counts how often a document was started since it was last finished."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def start(self, index: int) -> int:
        self._counts[index] = self._counts.get(index, 0) + 1
        return self._counts[index]

    def finish(self, index: int) -> None:
        self._counts.pop(index, None)


class _RayWork:
    """One actor. It loads the strategy once, with the first document."""

    def __init__(self, plan: Plan, deaths: Any) -> None:  # noqa: ANN401  # Ray's types
        self._work = IsolatedWork(plan)
        self._deaths = deaths

    def __call__(self, batch: Any) -> Any:  # noqa: ANN401  # Ray's types
        (cell,) = batch[_JOB].to_pylist()
        job = pickle.loads(cell)  # noqa: S301  # from our own reading task
        return _table(_OUTCOME, self._do(job) if isinstance(job, Job) else job)

    def _do(self, job: Job) -> Outcome:
        import ray

        if job.is_settled:
            return job.settled()
        # Without a limit, Ray would retry a document that kills its worker for ever.
        if ray.get(self._deaths.start.remote(job.index)) > MAX_WORKER_DEATHS:
            return killed(job)
        outcome = self._work.do(job)
        self._deaths.finish.remote(job.index)
        return outcome

    def __del__(self) -> None:
        self._work.close()


@contextlib.contextmanager
def spooled_stdin() -> Iterator[str]:
    """A file with all of standard input, for a reader that runs in a process without one."""
    from merger.formats.open_inputs import STDIN, open_bytes

    with tempfile.TemporaryDirectory(prefix="merge-baseline-") as folder:
        path = Path(folder, "stdin")
        with open_bytes(STDIN) as stream, path.open("wb") as copy:
            while chunk := stream.read(1 << 20):
                copy.write(chunk)
        yield str(path)
