"""The contenders of ``compare``: strategies, and documents merged elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from client.cli.options import Reading
from client.cli.strategy_options import checked_spec
from client.evaluation.comparison.contenders import Contender, FileContender, StrategyContender
from client.evaluation.comparison.data import BOUNDS
from merger.errors import InputError, UnavailableError
from merger.formats import find_inputs
from merger.formats.open_inputs import STDIN, readable_name
from merger.strategies import make_strategy
from merger.taggers import Tagging

_FILE = "file:"
_LABELLED = re.compile(r"(?P<label>[^:=,]+)=(?P<spec>.+)", re.DOTALL)


def labelled(specs: Sequence[str]) -> list[tuple[str, str]]:
    """(label, strategy) for each strategy; the label of a strategy without one is the strategy as given.

    Raises ``click.UsageError`` without strategies, if a label repeats, and for merged documents on standard input.
    """
    if not specs:
        raise click.UsageError("--no-bounds leaves nothing to compare: add --strategy")
    named = []
    for text in specs:
        found = _LABELLED.fullmatch(text)
        named.append((text, text) if found is None else (found["label"], found["spec"]))
    if len(set(named)) < len(named):
        raise click.UsageError("a strategy is given twice")
    if len({label for label, _ in named}) < len(named):
        raise click.UsageError("two strategies have the same label")
    if any(path_of(spec) == STDIN for _, spec in named):
        raise click.UsageError("file:- : merged documents are read from files")
    return named


def path_of(spec: str) -> str | None:
    """The path in ``file:PATH`` or ``file:path=PATH``; ``None`` for a strategy."""
    return spec.removeprefix(_FILE).removeprefix("path=") if spec.startswith(_FILE) else None


def make_contender(name: str, spec: str, reading: Reading, stack: ExitStack, tagging: Tagging | None) -> Contender:
    """Raises :class:`~merger.errors.UnavailableError` for a strategy that cannot run here."""
    path = path_of(spec)
    if path is not None:
        digest = hashlib.sha256()
        for file in find_inputs(path):
            digest.update(Path(file).read_bytes())
        field = reading.options.clusters_field
        clusters = "" if field is None else f",clusters={readable_name(field)}"
        signature = f"file[{readable_name(Path(path).name)}#{digest.hexdigest()[:8]}{clusters}]"
        # A list of its own: these failures concern this contender alone.
        failures: list[InputError] = []
        documents = reading.collecting(failures).response(path)
        return FileContender(readable_name(name), signature, documents, failures)
    strategy = make_strategy(*checked_spec(spec))
    reason = strategy.unavailable()
    if reason is not None:
        raise UnavailableError(f"strategy {strategy.name}: {reason}")
    stack.callback(lambda: reading.notices.extend(strategy.notices))
    return StrategyContender(name, strategy, "" if tagging is None or spec in BOUNDS else f"+{tagging.signature}")
