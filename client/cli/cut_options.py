"""The options that say how whole documents are cut into parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from merger.errors import OptionError
from merger.split import Cut


def cut_options(parts: Mapping[str, Any]) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Add ``--tokens``, ``--sentences``, ``--parts`` and ``--keep-parts``; ``parts`` is what ``--parts`` has."""

    def add(command: Callable[..., object]) -> Callable[..., object]:
        decorators = [
            click.option("--tokens", type=int, help="A part has at most this many tokens, or one longer sentence."),
            click.option("--sentences", type=int, help="A part has at most this many sentences."),
            click.option("--parts", **parts),
            click.option("--keep-parts", is_flag=True, help="The part boundaries that the documents have."),
        ]
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


def chosen_cut(tokens: int | None, sentences: int | None, parts: int | None, *, keep: bool) -> tuple[Cut, int]:
    """How to cut. Raises :class:`~merger.errors.OptionError` unless exactly one way was asked for."""
    given = [
        (cut, size)
        for cut, size in ((Cut.TOKENS, tokens), (Cut.SENTENCES, sentences), (Cut.PARTS, parts))
        if size is not None
    ]
    if keep:
        given.append((Cut.KEEP, 0))
    if len(given) != 1:
        raise OptionError("one of --tokens, --sentences, --parts and --keep-parts says how to cut")
    return given[0]
