"""A progress line on standard error for long work; silent where nobody looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from client.cli.messages import shows_progress


class HasTokens(Protocol):
    """A document, or what became of one."""

    @property
    def token_count(self) -> int:
        """Its tokens."""


Counted = TypeVar("Counted", bound=HasTokens)


class Stage:
    """What is going on within a document, for the progress line; ``report`` is that of a ``WorkContext``."""

    def __init__(self) -> None:
        self.show: Callable[[str], None] | None = None
        """Takes what to show, while a line is shown."""

    def report(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is; nothing once it is done."""
        if self.show is not None:
            self.show(f"{stage} {done}/{total}" if done < total else "")


def documents_with_progress(documents: Iterable[Counted], label: str, stage: Stage | None = None) -> Iterator[Counted]:
    """Pass documents through and show how many there were, their tokens, the time, and the ``stage`` of the next one.

    Nothing is shown, and nothing imported, if standard error is not a terminal, or ``--quiet`` was given.
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
    """A bar with an estimate of the time that is left, for work whose amount is known.

    Call what it gives with a label and the amount that was done since. Silent, and without imports, if standard error
    is not a terminal.
    """
    if not shows_progress():
        yield lambda label, done: None  # noqa: ARG005  # nobody looks
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=total)
        yield lambda label, done: progress.update(task, description=escape(label), advance=done)
