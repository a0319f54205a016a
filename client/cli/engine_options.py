"""The options that choose where documents are merged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

import click

ENGINES = ("local", "ray")


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Which engine, with how many workers (``None`` for its default), and whether an earlier run is gone on with."""

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
            help="Where to merge: processes on this machine, or a Ray cluster (RAY_ADDRESS; else one of its own here). "
            "The result is the same.",
        ),
        click.option(
            "-j",
            "--jobs",
            type=click.IntRange(min=1),
            help="Worker processes, each with a strategy of its own; 1 by default, with ray one on every CPU.",
        ),
        click.option(
            "--resume",
            is_flag=True,
            help="Keep what is done beside --output until all is, and take from there what an interrupted run has "
            "done; with -o DIR/ leave input files that are done.",
        ),
    ]
    for decorator in reversed(decorators):
        wrapped = decorator(wrapped)
    return wrapped
