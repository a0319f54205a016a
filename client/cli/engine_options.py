"""The options that choose where documents are merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import click

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Which engine, with how many workers (``None`` for its default), and whether to resume an earlier run."""

    name: str
    jobs: int | None
    resume: bool

    @property
    def in_process(self) -> bool:
        """Whether this process does the work itself."""
        return self.name == "local" and self.jobs in {None, 1}


def engine_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--engine``, ``--jobs`` and ``--resume``; the command gets them as ``engine``."""

    @wraps(command)
    def with_engine(*, engine_name: str, jobs: int | None, resume: bool, **rest: object) -> object:
        return command(engine=EngineChoice(engine_name, jobs, resume), **rest)

    wrapped: Callable[..., object] = with_engine
    decorators = [
        click.option(
            "--engine",
            "engine_name",
            type=click.Choice(ENGINES),
            default=ENGINES[0],
            show_default=True,
            help="Where to merge: in processes on this machine, or on a Ray cluster (the one that RAY_ADDRESS names, "
            "or a new one on this machine). The result is the same.",
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            help="Number of worker processes. Default: 1; with ray, one per CPU. With --server: documents at a time; "
            "default: 4.",
        ),
        click.option(
            "--resume",
            is_flag=True,
            help="Continue an interrupted run. Finished documents are kept in OUTPUT.parts/ until the output is "
            "complete; with -o DIR/, finished input files are skipped.",
        ),
    ]
    for decorator in reversed(decorators):
        wrapped = decorator(wrapped)
    return wrapped
