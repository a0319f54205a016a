"""The options for cutting whole documents into parts."""

from __future__ import annotations

from collections.abc import Callable

import click

from merger.errors import OptionError
from merger.split import Cut


def cut_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--tokens``, ``--sentences``, ``--into`` and ``--keep-parts``."""
    decorators = [
        click.option(
            "--tokens",
            type=int,
            help="Cut into parts of at most this many tokens. A longer sentence is a part of its own.",
        ),
        click.option("--sentences", type=int, help="Cut into parts of at most this many sentences."),
        click.option("--into", type=int, help="Cut into this many parts, of about the same number of tokens."),
        click.option("--keep-parts", is_flag=True, help="Keep the part boundaries of the documents."),
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def chosen_cut(tokens: int | None, sentences: int | None, into: int | None, *, keep: bool) -> tuple[Cut, int]:
    """How to cut. Raises :class:`~merger.errors.OptionError` unless exactly one option is given."""
    given = [
        (cut, size)
        for cut, size in ((Cut.TOKENS, tokens), (Cut.SENTENCES, sentences), (Cut.PARTS, into))
        if size is not None
    ]
    if keep:
        given.append((Cut.KEEP, 0))
    if len(given) != 1:
        raise OptionError("expected exactly one of --tokens, --sentences, --into and --keep-parts")
    return given[0]
