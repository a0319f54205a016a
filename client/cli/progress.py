"""A progress line on standard error for long work, if standard error is a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from client.cli.messages import shows_progress


class HasTokens(Protocol):
    """A document, or an outcome."""

    @property
    def token_count(self) -> int:
        """Its tokens."""


Counted = TypeVar("Counted", bound=HasTokens)


class Stage:
    """The stage of work within a document. ``report`` is for a :class:`~merger.progress.WorkContext`."""

    def __init__(self) -> None:
        self.show: Callable[[str], None] | None = None
        """Shows a text, while there is a progress line."""

    def report(self, stage: str, done: int, total: int) -> None:
        """Show the progress of a stage, until the stage is done."""
        if self.show is not None:
            self.show(f"{stage} {done}/{total}" if done < total else "")


def documents_with_progress(documents: Iterable[Counted], label: str, stage: Stage | None = None) -> Iterator[Counted]:
    """Pass documents through and show their number, tokens and time, and the ``stage`` of the document in progress.

    Shows nothing, and imports nothing, if standard error is not a terminal or ``--quiet`` is set.
    """
    if not shows_progress():
        yield from documents
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed} documents, {task.fields[tokens]:,} tokens"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[stage]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None, tokens=0, stage="")
        if stage is not None:
            stage.show = lambda text: progress.update(task, stage=text)
        tokens = 0
        for document in documents:
            yield document
            tokens += document.token_count
            progress.update(task, advance=1, tokens=tokens)


@contextmanager
def work_with_progress(total: int) -> Iterator[Callable[[str, int], None]]:
    """A progress bar with the estimated time left, for a known amount of work.

    Yields a function that takes a label and the amount done since the last call. Shows nothing, and imports nothing, if
    standard error is not a terminal.
    """
    if not shows_progress():
        yield lambda label, done: None  # noqa: ARG005  # nothing to show
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda label, done: progress.update(task, description=escape(label), advance=done)
