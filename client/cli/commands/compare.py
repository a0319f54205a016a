"""``merge-baseline compare``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import click

from client.cli.contenders import labelled, make_contender, path_of
from client.cli.cut_options import chosen_cut, cut_options
from client.cli.main import EXIT_INPUT
from client.cli.messages import print_error, print_note
from client.cli.option_names import with_flags
from client.cli.options import Folder, Reading, check_stdin, is_given, json_option, reading_options, singletons_option
from client.cli.output import (
    check_folders,
    check_paths,
    open_output,
    open_report,
    write_json,
)
from client.cli.progress import documents_with_progress, work_with_progress
from client.cli.scoring_options import zeros_option
from client.cli.strategy_options import complete_spec
from client.cli.tagger_options import TaggerChoice, tagger_options
from client.evaluation.agreement.bootstrap import Resampling
from client.evaluation.comparison.checkpoint import OutcomeCheckpoint, checkpoint_files
from client.evaluation.comparison.contenders import Contender, StrategyContender, attempt
from client.evaluation.comparison.data import BOUNDS, CEILING, FLOOR, Comparison, Setup, StrategyOutcomes
from client.evaluation.comparison.failures import shared_failures
from client.evaluation.comparison.peak_memory import reset_peak
from client.evaluation.comparison.render import as_markdown, as_text
from client.evaluation.comparison.render_data import as_data
from client.evaluation.comparison.summary import choose_baseline, compare
from client.evaluation.comparison.task import Task, make_task
from client.evaluation.scoring.mention_matching import EXACT, Matching
from client.evaluation.scoring.pairing import ById
from client.report.page import as_html, check_available
from merger.document import Document
from merger.formats import find_inputs
from merger.formats.open_inputs import STDIN, readable_name
from merger.formats.part_names import look_like_parts
from merger.notices import Policy
from merger.split import Cut, cut_text, split_document
from merger.taggers import Tagging


@click.command(short_help="compare strategies on the same documents")
@click.argument("key")
@click.option(
    "-s",
    "--strategy",
    "specs",
    multiple=True,
    metavar="[LABEL=]NAME[:OPTION=VALUE,...]",
    shell_complete=complete_spec,
    help="A strategy, or file:PATH for documents merged elsewhere; can be repeated. LABEL is its name in the tables.",
)
@cut_options
@click.option("--parts", "parts_path", metavar="PATH", help="The documents before merging. Nothing is cut.")
@singletons_option(
    "Singletons, here mentions that are alone in their part: keep leaves them in parts and key and scores them, "
    "although no strategy can merge them; drop removes them from both.",
)
@click.option("--no-bounds", is_flag=True, help="Leave out the floor (none) and the ceiling (oracle).")
@click.option(
    "--baseline",
    metavar="NAME",
    help="The strategy that the others are tested against: its label, or its --strategy. Default: the first one apart "
    "from none.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Number of resamples; 0 for no tests.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the resampling.")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=Folder(),
    help="Write the outcome of every document to this folder, so that --resume can continue.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run with the outcomes in --output.")
@click.option("--overwrite", is_flag=True, help="Discard the outcomes in --output and run everything again.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Print all tables, among them agreement, groups, distances and signatures, not only the main ones.",
)
@click.option("--markdown", "markdown_path", metavar="PATH", help="Also write the tables as Markdown.")
@click.option(
    "--report",
    "report_path",
    metavar="PATH",
    help="Also write an HTML page with tables, plots, and a document browser that marks every wrong decision.",
)
@zeros_option
@tagger_options
@json_option
@reading_options
def command(
    key: str,
    specs: tuple[str, ...],
    tokens: int | None,
    sentences: int | None,
    into: int | None,
    keep_parts: bool,
    parts_path: str | None,
    singletons: str,
    no_bounds: bool,
    baseline: str | None,
    resamples: int,
    seed: int,
    output: str | None,
    resume: bool,
    overwrite: bool,
    everything: bool,
    markdown_path: str | None,
    report_path: str | None,
    zeros: str,
    tagging: TaggerChoice,
    as_json: bool,
    reading: Reading,
) -> int:
    """Run strategies on the same documents, score them against the gold merges in KEY, and test the differences.

    KEY is whole-document annotation, which is cut as `split` cuts it; with --keep-parts or --parts PATH it is merged
    documents. A document that a strategy fails on is listed and left out of that strategy's scores. A document that
    cannot be read or cut is left out of all scores. In both cases the exit code is 1.

    \b
    Examples:
      merge-baseline compare ontogum/ --tokens 400 -s greedy -s greedy:match=mention --report report.html
      merge-baseline compare key.conll --parts parts.conll -s file:merged.conll --json > out.json
    """
    if resume and output is None:
        raise click.UsageError("--resume needs --output DIR, the folder of the interrupted run")
    if overwrite and output is None:
        raise click.UsageError("--overwrite needs --output DIR, the folder whose outcomes it discards")
    if resume and overwrite:
        raise click.UsageError("--resume and --overwrite exclude each other")
    output_to = _Outputs(as_json, markdown_path, report_path, everything=everything)
    specs = specs if no_bounds else (FLOOR, *(each for each in specs if each not in BOUNDS), CEILING)
    named = labelled(specs)
    files = [path for path in (path_of(spec) for _, spec in named) if path is not None]
    check_stdin(key, parts_path)
    read = (file for path in (key, parts_path, *files) if path is not None for file in find_inputs(path))
    check_paths({"--markdown": markdown_path, "--report": report_path}, read)
    check_folders([markdown_path, report_path])
    baseline = None if baseline is None else readable_name(baseline)
    choose_baseline([readable_name(name) for name, _ in named], baseline)
    cutting = _Cutting(reading, tokens, sentences, into, parts_path, keep=keep_parts, singletons=singletons == "keep")
    cutting.tagging = tagging.start()
    cutting.matching = Matching(zeros=zeros)
    options = {
        "tagger": tagging.text,
        "singletons": singletons,
        "baseline": baseline,
        "resamples": str(resamples),
        "seed": str(seed),
        "zeros": zeros if is_given("zeros") else None,
    }
    command_line = _command(key, specs, cutting.arguments, options, reading, bounds=not no_bounds)
    command_line += " --retag" if tagging.retag else ""
    with ExitStack() as stack:
        if cutting.tagging is not None:
            stack.enter_context(cutting.tagging)
        contenders = [make_contender(name, spec, reading, stack, cutting.tagging) for name, spec in named]
        folder = None if output is None else Path(output)
        signatures = [_checkpoint_signature(each, cutting.text) for each in contenders]
        if folder is not None and not resume and not overwrite:
            _check_empty(folder, signatures)
        tasks = list(cutting.tasks(documents_with_progress(reading.gold(key), "cutting")))
        if (cutting.keeps_parts or parts_path is not None) and all(each.facts.parts == 1 for each in tasks):
            alike = look_like_parts(each.facts.id for each in tasks)
            if alike is not None:
                reading.notices.add("nothing to merge", f"no document has two parts; {alike}")
        checkpoints: list[OutcomeCheckpoint | None] = [None] * len(contenders)
        if folder is not None:
            checkpoints = [OutcomeCheckpoint(folder, signature, resume=resume) for signature in signatures]
        stack.enter_context(_resumable(folder))
        by_strategy = _run(contenders, tasks, checkpoints, reading)
    kept = "kept" if singletons == "keep" else "dropped"
    paired = next((each.zeros for each in tasks if each.zeros is not None), None)
    setup = Setup(readable_name(key), cutting.text, kept, readable_name(command_line), paired)
    comparison = compare(
        [each.facts for each in tasks],
        by_strategy,
        setup,
        gold_merges=[each.known_gold for each in tasks],
        baseline=baseline,
        resampling=Resampling(resamples, seed),
    )
    comparison = replace(comparison, failures=tuple(reading.failures))
    output_to.write(comparison, reading)
    code = reading.print_problems()
    return EXIT_INPUT if any(strategy.failures for strategy in comparison.strategies) else code


class _Outputs:
    """The outputs of the comparison: tables on standard output, unless another output is written there."""

    def __init__(self, as_json: bool, markdown: str | None, report: str | None, *, everything: bool) -> None:
        self._json, self._markdown, self._report, self._everything = as_json, markdown, report, everything
        to_stdout = {"--json": as_json, "--markdown -": markdown == STDIN, "--report -": report == STDIN}
        self._to_stdout = [name for name, used in to_stdout.items() if used]
        if len(self._to_stdout) > 1:
            raise click.UsageError(f"{' and '.join(self._to_stdout)} both need standard output")
        if everything and self._to_stdout:
            raise click.UsageError(f"--all is for the printed tables; {self._to_stdout[0]} has everything anyway")
        if report is not None:
            check_available()

    def write(self, comparison: Comparison, reading: Reading) -> None:
        """Write all outputs."""
        # Standard output first: it is not lost if the disk is full.
        if self._json:
            write_json({**as_data(comparison), **reading.problems_data()})
        elif not self._to_stdout:
            with open_report() as stream:
                stream.write(with_flags(as_text(comparison, everything=self._everything)))
        if self._markdown is not None:
            with open_output(self._markdown) as stream:
                stream.write(as_markdown(comparison))
        if self._report is not None:
            with open_output(self._report) as stream:
                stream.write(as_html(comparison))
        for failure in shared_failures(comparison.strategies):
            print_error(failure)


class _Cutting:
    """Makes tasks out of the documents of the key."""

    def __init__(
        self,
        reading: Reading,
        tokens: int | None,
        sentences: int | None,
        into: int | None,
        parts_path: str | None,
        *,
        keep: bool,
        singletons: bool,
    ) -> None:
        self._reading = reading
        self._singletons = singletons
        self.matching = EXACT
        self._parts_path = parts_path
        self.tagging: Tagging | None = None
        """The tagger for the documents that strategies get, if any."""
        self._cut = None
        if parts_path is None:
            self._cut = chosen_cut(tokens, sentences, into, keep=keep)
        elif keep or any(size is not None for size in (tokens, sentences, into)):
            raise click.UsageError("--parts PATH has the parts already: leave out the options that cut")

    @property
    def text(self) -> str:
        """The cut, as signatures have it."""
        return "given" if self._cut is None else cut_text(*self._cut)

    @property
    def keeps_parts(self) -> bool:
        """Whether the key has the parts already."""
        return self._cut is not None and self._cut[0] is Cut.KEEP

    @property
    def arguments(self) -> list[str]:
        """The cut, as command-line arguments."""
        if self._parts_path is not None:
            return ["--parts", self._parts_path]
        cut, size = self._cut or (Cut.KEEP, 0)
        option = {Cut.TOKENS: "--tokens", Cut.SENTENCES: "--sentences", Cut.PARTS: "--into"}.get(cut)
        return ["--keep-parts"] if option is None else [option, str(size)]

    def tasks(self, keys: Iterator[Document]) -> Iterator[Task]:
        """A task for every document that can be read and cut and has parts; the others are left out.

        Raises :class:`~client.cli.failures.NothingLeftError` if none is left.
        """
        unmerged_by_id = None
        if self._parts_path is not None:
            unmerged_by_id = ById(self._reading.parts(self._parts_path), self._reading.failures)
        return self._reading.each(keys, lambda key: self._task(key, unmerged_by_id))

    def _task(self, key: Document, unmerged_by_id: ById | None) -> Task:
        unmerged = None if unmerged_by_id is None else unmerged_by_id.take(key.id)
        if unmerged_by_id is not None and unmerged is None:
            raise unmerged_by_id.why_missing(key, "the parts lack this document")
        notices = self._reading.notices
        if self.tagging is not None and unmerged is not None:
            unmerged = self.tagging.tag(unmerged, notices).document
        elif self.tagging is not None:
            key = self.tagging.tag(key, notices).document
        if self._cut is not None:
            cut, size = self._cut
            task = split_document(key, cut, size, keep_singletons=self._singletons, notices=notices)
            return make_task(task.parts, task.key, keep_singletons=self._singletons, matching=self.matching)
        assert unmerged is not None  # noqa: S101  # without a cut there are parts
        return make_task(unmerged, key, keep_singletons=self._singletons, notices=notices, matching=self.matching)


def _checkpoint_signature(contender: Contender, split: str) -> str:
    """The signature of the contender's checkpoint."""
    return f"{contender.signature}|split:{split}"


def _check_empty(folder: Path, signatures: Sequence[str]) -> None:
    """Raise ``click.UsageError`` if outcomes would be lost."""
    kept = checkpoint_files(folder, signatures)
    if kept:
        strategies = f"{len(kept)} of these {len(signatures)} strategies"
        raise click.UsageError(
            f"--output {folder} has outcomes of {strategies}: --resume takes them, --overwrite runs everything again"
        )


@contextmanager
def _resumable(folder: Path | None) -> Iterator[None]:
    """After an interrupt, print how to continue with the outcomes in the folder."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is not None:
            name = readable_name(str(folder))
            print_note(f"finished outcomes are kept in {name}; --resume continues with them")
        raise


def _run(
    contenders: Sequence[Contender],
    tasks: Sequence[Task],
    checkpoints: Sequence[OutcomeCheckpoint | None],
    reading: Reading,
) -> list[StrategyOutcomes]:
    """Run one strategy after the other, so that times and memory are measured apart."""
    by_strategy = []
    with work_with_progress(len(contenders) * sum(task.facts.tokens for task in tasks)) as progress:
        for contender, checkpoint in zip(contenders, checkpoints, strict=True):
            reset_peak()
            outcomes = []
            with ExitStack() as stack:
                if isinstance(contender, StrategyContender):
                    stack.callback(contender.strategy.close)
                warm = False
                for task in tasks:
                    done = None if checkpoint is None else checkpoint.get(task.facts.id, task.fingerprint)
                    if done is None:
                        if not warm and isinstance(contender, StrategyContender):
                            contender.strategy.warm()
                            warm = True
                        done = attempt(contender, task, reading.notices)
                        if checkpoint is not None:
                            checkpoint.add(done, task.fingerprint)
                    outcomes.append(done)
                    progress(contender.name, task.facts.tokens)
            seen = (task.parts for task in tasks)
            by_strategy.append(
                StrategyOutcomes(contender.name, contender.signature + contender.conditions(seen), tuple(outcomes))
            )
    return by_strategy


def _command(
    key: str,
    specs: Sequence[str],
    cut: Sequence[str],
    options: dict[str, str | None],
    reading: Reading,
    *,
    bounds: bool,
) -> str:
    """The command line that repeats this comparison."""
    words = ["merge-baseline", "compare", key, *cut]
    for spec in specs:
        if not bounds or spec not in BOUNDS:
            words += ["--strategy", spec]
    words += [] if bounds else ["--no-bounds"]
    for name, value in options.items():
        words += [] if value is None else [f"--{name}", value]
    words += [] if reading.format_name is None else ["--format", reading.format_name]
    policy = reading.notices.policy
    words += [] if policy is Policy.NORMAL else [f"--{policy.value}"]
    pattern = reading.options.part_pattern
    words += [] if pattern is None else ["--part-pattern", pattern.pattern]
    field = reading.options.clusters_field
    words += [] if field is None else ["--clusters-field", field]
    words += ["--columns", reading.options.columns] if reading.options.columns else []
    return shlex.join(words)
