"""The options that choose a tagger."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING

import click

from client.cli.strategy_options import checked_spec
from merger.options import OptionValue

if TYPE_CHECKING:
    from merger.taggers import Tagging


@dataclass(frozen=True, slots=True)
class TaggerChoice:
    """The name and options of a tagger, if there is one; with ``retag`` it replaces the tags of documents."""

    spec: tuple[str, dict[str, OptionValue]] | None
    retag: bool

    @property
    def text(self) -> str | None:
        """The tagger as the command line writes it."""
        if self.spec is None:
            return None
        name, options = self.spec
        shown = ",".join(f"{option}={value}" for option, value in options.items())
        return f"{name}:{shown}" if shown else name

    def start(self) -> Tagging | None:
        """The tagger, not loaded yet. Raises what :func:`merger.taggers.make_tagger` raises."""
        if self.spec is None:
            return None
        from merger.taggers import Tagging, make_tagger

        return Tagging(make_tagger(*self.spec), retag=self.retag)


def tagger_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--tagger`` and ``--retag``; the command gets them as ``tagging``."""

    @wraps(command)
    def with_tagger(*, tagger_spec: str | None, retag: bool, **rest: object) -> object:
        if retag and tagger_spec is None and rest.get("server_tagger") is None:
            raise click.UsageError("--retag replaces the tags of documents: --tagger is missing")
        spec = None if tagger_spec is None else checked_spec(tagger_spec)
        if spec is not None:
            from merger.taggers import resolve_tagger

            # Resolved once, so that all workers use the same tagger.
            spec = resolve_tagger(*spec), spec[1]
        return command(tagging=TaggerChoice(spec, retag), **rest)

    wrapped: Callable[..., object] = with_tagger
    decorators = [
        click.option(
            "--tagger",
            "tagger_spec",
            metavar="NAME[:OPTION=VALUE,...]",
            help="Tag sentences that have no part-of-speech tags: spacy, corenlp, stanza, or auto for the first of "
            "these that can run here. The tags are not written to the output.",
        ),
        click.option("--retag", is_flag=True, help="With --tagger: replace the tags of all sentences."),
    ]
    for decorator in reversed(decorators):
        wrapped = decorator(wrapped)
    return wrapped
