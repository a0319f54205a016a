"""The options that say how whole documents are cut into parts."""

from __future__ import annotations

from collections.abc import Callable

import click

from merger.errors import OptionError
from merger.split import Cut


def cut_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--tokens``, ``--sentences``, ``--into`` and ``--keep-parts``."""
    decorators = [
        click.option("--tokens", type=int, help="A part has at most this many tokens, or one longer sentence."),
        click.option("--sentences", type=int, help="A part has at most this many sentences."),
        click.option("--into", type=int, help="This many parts, as equal in tokens as sentence boundaries allow."),
        click.option("--keep-parts", is_flag=True, help="The part boundaries that the documents have."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def chosen_cut(tokens: int | None, sentences: int | None, into: int | None, *, keep: bool) -> tuple[Cut, int]:
    """How to cut. Raises :class:`~merger.errors.OptionError` unless exactly one way was asked for."""
    given = [
        (cut, size)
        for cut, size in ((Cut.TOKENS, tokens), (Cut.SENTENCES, sentences), (Cut.PARTS, into))
        if size is not None
    ]
    if keep:
        given.append((Cut.KEEP, 0))
    if len(given) != 1:
        raise OptionError("one of --tokens, --sentences, --into and --keep-parts says how to cut")
    return given[0]
