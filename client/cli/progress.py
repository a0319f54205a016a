"""A progress line on standard error for long work; silent where nobody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from merger.document import Document


def documents_with_progress(documents: Iterable[Document], label: str) -> Iterator[Document]:
    """Pass documents through and show how many there were, their tokens, and the time.

    Nothing is shown, and nothing imported, if standard error is not a terminal.
    """
    if not sys.stderr.isatty():
        yield from documents
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed} documents, {task.fields[tokens]:,} tokens"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=None, tokens=0)
        tokens = 0
        for document in documents:
            yield document
            tokens += document.token_count
            progress.update(task, advance=1, tokens=tokens)
