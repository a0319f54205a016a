"""``merge-baseline demo``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from client.cli.decision_excerpt import show_decision
from client.evaluation.comparison.decision_errors import JudgedDecision, LinkError, judge
from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.comparison.task import make_task
from client.evaluation.scoring.evaluate import Evaluation, evaluate
from client.evaluation.scoring.metrics import COMPARED_METRICS, METRICS
from client.evaluation.scoring.render import percent
from merger.document import Document
from merger.errors import UnavailableError
from merger.formats import read_documents
from merger.merge import MergeResult
from merger.strategies.coreference import CoreNLPStrategy

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from client.remote.sync import RemoteMerger

_PACKAGED = Path(__file__).parents[2] / "examples"
_IN_REPOSITORY = Path(__file__).parents[3] / "examples"
_STRATEGIES = ("none", "greedy", "corenlp", "oracle")


@dataclass(frozen=True, slots=True)
class _Run:
    strategy: str
    evaluation: Evaluation
    results: list[MergeResult]


@click.command(short_help="merge and score the example documents through a real server")
@click.option(
    "--examples",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Use the documents in parts/ and key/ of this folder instead of the packaged examples.",
)
@click.option(
    "--server", metavar="HOST:PORT", help="Use this running server. By default the demo starts one on a free port."
)
def command(examples: Path | None, server: str | None) -> None:
    """Merge the example documents through a real gRPC server and score the result against the gold merges.

    Compares the floor (nothing merged), the greedy rule, Stanford's deterministic system if CoreNLP is installed, and
    the ceiling (the gold merges), and shows some decisions of the greedy rule in their context.
    """
    from rich.console import Console

    from client.remote.sync import RemoteMerger

    folder = examples or next((path for path in (_PACKAGED, _IN_REPOSITORY) if (path / "parts").is_dir()), None)
    if folder is None:
        raise UnavailableError("the example documents are not installed; name a folder with --examples")
    documents = list(read_documents(str(folder / "parts")))
    keys = list(read_documents(str(folder / "key")))

    class _Console(Console):
        def on_broken_pipe(self) -> None:
            """Leave the exit code to the command line; rich would exit with 1."""
            raise BrokenPipeError

    console = _Console(highlight=False)
    if server is not None:
        with RemoteMerger(server) as remote:
            names = [info.name for info in remote.strategies() if info.name in _STRATEGIES and not info.unavailable]
            _show(console, server, [_run(remote, name, documents, keys) for name in names], documents, keys)
        return
    from server import ServerOptions, background

    reason = CoreNLPStrategy.unavailable()
    enable = () if reason else (f"{CoreNLPStrategy.name}:algorithm=deterministic",)
    if enable:
        console.print("Starting Stanford CoreNLP for the paper's second baseline; this takes half a minute.\n")
    with background(ServerOptions(port=0, enable=enable)) as address, RemoteMerger(address) as remote:
        names = [name for name in _STRATEGIES if enable or name != CoreNLPStrategy.name]
        _show(console, address, [_run(remote, name, documents, keys) for name in names], documents, keys)
    if reason:
        console.print(f"Without the paper's second baseline, Stanford CoreNLP: {reason}", soft_wrap=True, markup=False)


def _run(remote: RemoteMerger, name: str, documents: list[Document], keys: list[Document]) -> _Run:
    by_id = {key.id: key for key in keys}
    results = [
        remote.merge(document, name, key=by_id[document.id] if name == "oracle" else None) for document in documents
    ]
    evaluation = evaluate(keys, [result.document for result in results], parts=documents, strategy=results[0].strategy)
    return _Run(name, evaluation, results)


def _show(console: Console, address: str, runs: list[_Run], documents: list[Document], keys: list[Document]) -> None:
    chains = sum(len(document.chains) for document in documents)
    console.print(
        f"A gRPC server on {address} merged {len(documents)} documents, {sum(len(d.parts) for d in documents)} parts, "
        f"{chains} part chains.\n"
    )
    console.print(_table(runs), "")
    console.print(
        "Scores in percent, against the gold merges. [bold]none[/] merges nothing and is the floor, [bold]oracle[/] "
        "repeats the gold merges and is the ceiling.\nMost chains never leave their part, so the floor is high: read "
        "the links and the gain.\n"
    )
    greedy = next(run for run in runs if run.strategy == "greedy")
    console.print(f"signature of greedy: {greedy.evaluation.signature}\n", soft_wrap=True, markup=False)
    console.print("[bold]Some decisions of the greedy rule[/]\n")
    for error in (None, *LinkError):
        found = (show_decision(gold, each) for gold, each in _judged(greedy, documents, keys) if each.error is error)
        for excerpt in islice(found, 1):
            console.print(excerpt)
    sys.stdout.flush()


def _judged(run: _Run, documents: list[Document], keys: list[Document]) -> Iterator[tuple[GoldMerges, JudgedDecision]]:
    """Every decision in which the run or the gold merges link a chain."""
    by_id = {key.id: key for key in keys}
    for document, result in zip(documents, run.results, strict=True):
        gold = make_task(document, by_id[document.id]).gold
        evidence = {each.chain: each.evidence for each in result.decisions if each.evidence is not None}
        for decision in judge(gold, gold.link(result.document), evidence):
            if decision.response or decision.gold:
                yield gold, decision


def _table(runs: list[_Run]) -> Table:
    from rich.table import Table

    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("strategy", no_wrap=True)
    for heading in ("CoNLL", *(METRICS[name].label for name in COMPARED_METRICS), "link P", "link R", "gain"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in runs:
        total = run.evaluation.total
        links = None if total.links is None else total.links.links
        table.add_row(
            run.strategy,
            percent(total.conll_f1),
            *(percent(total.scores[name].f1) for name in COMPARED_METRICS),
            percent(None if links is None or not links.precision_denominator else links.precision),
            percent(None if links is None else links.recall),
            percent(total.gain),
        )
    return table
