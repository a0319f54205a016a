"""``merge-baseline merge``."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO

import click

from client.cli.engine_options import ENGINES, EngineChoice, engine_options
from client.cli.failures import NothingLeftError, show_failures
from client.cli.main import EXIT_INPUT, EXIT_OK
from client.cli.merge_outputs import (
    CHECKPOINT_SUFFIX,
    FolderOutput,
    MergedOutput,
    StreamOutput,
    is_folder,
    open_without_leftovers,
    output_names,
)
from client.cli.merge_summary import MergeReport
from client.cli.options import (
    FORMAT_NAMES,
    Reading,
    Seconds,
    TargetFormat,
    check_stdin,
    inputs_argument,
    is_given,
    json_option,
    output_option,
    overwrite_folder_option,
    overwrite_option,
    reading_options,
    singletons_option,
)
from client.cli.output import STDOUT, check_paths, notices_data, show_notices, write_json
from client.cli.progress import Stage, documents_with_progress
from client.cli.server_options import ServerChoice, server_options
from client.cli.strategy_options import chosen_strategy, strategy_options
from client.cli.tagger_options import TaggerChoice, tagger_options
from client.engines.folder_checkpoint import FolderCheckpoint
from client.engines.job_source import Inputs, made_by
from client.engines.jobs import Engine, Outcome
from client.engines.stream_checkpoint import StreamCheckpoint
from client.engines.worker import InProcess, MergeOne, Plan, Work
from client.folder_owners import run_text
from merger.document import Document
from merger.errors import InputError, OptionError
from merger.formats import find_inputs
from merger.formats.open_inputs import STDIN
from merger.merge import MergeResult
from merger.notices import Notices
from merger.progress import WorkContext
from merger.strategies import STRATEGIES, OptionValue

_ALLOCATIONS = 1_000_000
"""New objects before the garbage collector runs; Python's default is 700."""
_SERVER_JOBS = 4
"""Documents that a server merges at a time, unless ``--jobs`` is given."""


@click.command(short_help="merge the part chains of documents")
@inputs_argument
@strategy_options
@click.option("--key", "key_path", metavar="PATH", help="The gold merges, which the strategy oracle needs.")
@output_option
@overwrite_option
@overwrite_folder_option("Replace files in the folder --output that a run with other inputs or options made.")
@click.option("--to", "target", type=FORMAT_NAMES, help="Format of the output. Default: the format of the input.")
@click.option(
    "--decisions",
    "decisions_path",
    metavar="PATH",
    help="Also write the decisions, with their evidence, as JSON Lines.",
)
@singletons_option(
    "Chains of one mention are never merged: keep copies them to the output, drop leaves them out.",
)
@server_options("Merge on a server, which `merge-baseline serve` starts.")
@click.option(
    "--timeout",
    type=Seconds(),
    default=600,
    show_default=True,
    help="With --server: most seconds for a document, including the wait for the server.",
)
@click.option(
    "--retry-for",
    type=Seconds(zero=True),
    default=60,
    show_default=True,
    help="With --server: most seconds to wait for a server that is busy or went away.",
)
@tagger_options
@click.option(
    "--server-tagger",
    metavar="NAME",
    help="With --server: tag on the server, with a tagger that `strategies --server` lists.",
)
@engine_options
@json_option
@reading_options
def command(
    inputs: tuple[str, ...],
    spec: str,
    pairs: tuple[str, ...],
    key_path: str | None,
    output: str,
    overwrite_input: bool,
    overwrite: bool,
    target: str | None,
    decisions_path: str | None,
    singletons: str,
    server: ServerChoice,
    timeout: float,
    retry_for: float,
    tagging: TaggerChoice,
    server_tagger: str | None,
    as_json: bool,
    engine: EngineChoice,
    reading: Reading,
    **flags: OptionValue | None,
) -> int:
    """Merge the part chains of documents into chains over the whole document.

    The parts of a document are CoNLL-2012 blocks with the same document id, CoNLL-U newdocs with `# part = N`, or
    jsonlines with `part_ids`. The merged document is one block that keeps the part boundaries. With --json, a report
    with all decisions goes to standard output, and documents are written to --output only.

    \b
    Examples:
      merge-baseline merge parts.conll -o merged.conll --decisions decisions.jsonl
      merge-baseline merge parts.conll --strategy greedy:match=mention,one-to-one -o merged.conll
      merge-baseline merge untagged.conll --tagger spacy -o merged.conll
      merge-baseline merge parts.conll --server localhost:50051 > merged.conll
    """
    if decisions_path == STDOUT and (as_json or output == STDOUT):
        raise click.UsageError("--decisions - needs standard output for itself: expected --output PATH and no --json")
    _check_engine(engine, server, output)
    if overwrite and not is_folder(output):
        raise click.UsageError("--overwrite is for a folder of outputs: expected --output DIR/")
    _check_server_tagger(server_tagger, server, tagging)
    for option in ("timeout", "retry_for"):
        if server.address is None and is_given(option):
            raise click.UsageError(f"--{option.replace('_', '-')} is for merging on a server: --server is missing")
    check_stdin(*inputs, key_path)
    # Documents have no cycles, and looking for them would take half of the time. But backends can leave some.
    gc.set_threshold(_ALLOCATIONS, *gc.get_threshold()[1:])
    read = (file for path in (*inputs, *([] if key_path is None else [key_path])) for file in find_inputs(path))
    check_paths({"--output": output, "--decisions": decisions_path}, read, overwrite_input=overwrite_input)
    name, options = chosen_strategy(spec, pairs, flags)
    _check_key(name, key_path)
    written = None if as_json and output == STDOUT else output
    plan = Plan(
        name,
        options,
        tagging.spec,
        singletons == "keep",
        reading.notices.policy,
        with_text=written is not None,
        retag=tagging.retag,
        server_tagger=server_tagger,
    )
    report = MergeReport(name, with_decisions=as_json)
    strategy_notices = Notices()
    job_inputs = Inputs(
        inputs,
        partial(TargetFormat, target, None if written is None or is_folder(written) else written),
        reading.format_name,
        reading.notices.policy,
        reading.options.part_pattern,
        reading.options.clusters_field,
        key_path,
        columns=reading.options.columns,
    )
    try:
        with ExitStack() as stack:
            stage = Stage()
            runner = _engine(stack, engine, plan, stage, _merge_on_server(stack, server, plan, timeout, retry_for))
            merged_to = _output(stack, engine, job_inputs, plan, written, target, server.address, overwrite=overwrite)
            decisions_to = (
                None if decisions_path is None else stack.enter_context(open_without_leftovers(decisions_path))
            )
            outcomes = documents_with_progress(runner.run(merged_to.source), "merging", stage)
            _take(outcomes, merged_to, decisions_to, report, reading.notices, strategy_notices)
    except NothingLeftError:
        if not as_json:
            raise
    except BaseException:
        # The caller prints why the run ends.
        show_failures(report.failures)
        raise
    reading.notices.extend(strategy_notices)
    report.note_nothing_to_merge(reading.notices)
    if as_json:
        write_json({**report.data(), "notices": notices_data(reading.notices)})
    else:
        report.show()
    show_notices(reading.notices)
    show_failures(report.failures)
    return EXIT_INPUT if report.failures else EXIT_OK


def _take(
    outcomes: Iterable[Outcome],
    merged_to: MergedOutput,
    decisions_to: IO[str] | None,
    report: MergeReport,
    notices: Notices,
    strategy_notices: Notices,
) -> None:
    """Write and count the outcomes.

    Raises what ends the run, and :class:`~client.cli.failures.NothingLeftError` if all documents failed.
    """
    for outcome in outcomes:
        notices.extend(merged_to.notices(outcome))
        strategy_notices.extend(outcome.strategy_notices)
        if outcome.error is not None:
            raise outcome.error
        if outcome.failure is not None:
            report.failures.append(outcome.failure)
        for merged in merged_to.take(outcome):
            notices.extend(merged.notices)
            strategy_notices.extend(merged.strategy_notices)
            report.done(merged)
            if decisions_to is not None:
                decisions_to.write(merged.decisions)
    if report.failures and not report.documents:
        raise NothingLeftError(report.failures)


def _check_key(strategy: str, key: str | None) -> None:
    # A server can have other strategies, and checks the key itself.
    if strategy not in STRATEGIES:
        return
    if STRATEGIES[strategy].needs_key and key is None:
        raise OptionError(f"strategy {strategy} needs the gold merges: --key PATH")
    if key is not None and not STRATEGIES[strategy].needs_key:
        users = ", ".join(each.name for each in STRATEGIES.values() if each.needs_key)
        raise click.UsageError(f"strategy {strategy} does not use the gold merges: --key is for {users}")


def _check_engine(engine: EngineChoice, server: ServerChoice, output: str) -> None:
    if server.address is not None and engine.name != ENGINES[0]:
        raise click.UsageError(f"--server merges on the server: --engine {engine.name} is for merging without one")
    if engine.resume and output == STDOUT:
        raise click.UsageError("--resume needs --output PATH: finished documents are kept beside it")


def _check_server_tagger(name: str | None, server: ServerChoice, tagging: TaggerChoice) -> None:
    if name is not None and (server.address is None or tagging.spec is not None):
        raise click.UsageError("--server-tagger tags on the server: expected --server and no --tagger")


def _engine(
    stack: ExitStack, choice: EngineChoice, plan: Plan, stage: Stage, merge_on_server: MergeOne | None
) -> Engine:
    if merge_on_server is None and not choice.in_process:
        # Options are checked here, before anything is started.
        plan.signature()
        if choice.name == "ray":
            from client.engines.ray_engine import RayEngine

            return RayEngine(plan, choice.jobs)
        from client.engines.process_engine import ProcessEngine

        return ProcessEngine(plan, choice.jobs or 1)
    work = Work(plan, merge_on_server, WorkContext(progress=stage.report))
    stack.callback(work.close)
    if merge_on_server is None:
        return InProcess(work)
    from client.engines.server_engine import ServerEngine

    # Taggers are not thread-safe.
    return ServerEngine(work, 1 if plan.tagger is not None else choice.jobs or _SERVER_JOBS)


def _merge_on_server(
    stack: ExitStack, server: ServerChoice, plan: Plan, timeout: float, retry_for: float
) -> MergeOne | None:
    if server.address is None:
        return None
    from client.remote.errors import MessageTooLargeError

    remote = stack.enter_context(server.connect(timeout=timeout, retry_for=retry_for))

    def merge(
        way: Callable[..., MergeResult], document: Document, key: Document | None, notices: Notices
    ) -> MergeResult:
        return way(
            document,
            plan.strategy,
            plan.options,
            key=key,
            keep_singletons=plan.keep_singletons,
            tagger=plan.server_tagger,
            retag=plan.server_tagger is not None and plan.retag,
            notices=notices,
        )

    def merge_on_server(document: Document, key: Document | None, notices: Notices) -> MergeResult:
        try:
            try:
                return merge(remote.merge, document, key, notices)
            except MessageTooLargeError:
                return merge(remote.merge_in_parts, document, key, notices)
        except InputError as error:
            # The server does not know file names.
            if error.location.file is None and error.location.document in {None, document.id}:
                error.location = replace(error.location, file=document.file)
            raise

    return merge_on_server


def _output(
    stack: ExitStack,
    engine: EngineChoice,
    inputs: Inputs,
    plan: Plan,
    path: str | None,
    target: str | None,
    server: str | None,
    *,
    overwrite: bool,
) -> MergedOutput:
    if engine.name == "ray" and STDIN in {*inputs.paths, inputs.key_path}:
        from client.engines.ray_engine import spooled_stdin

        inputs = replace(inputs, stdin=stack.enter_context(spooled_stdin()))
    if path is not None and is_folder(path):
        names = output_names(inputs.paths, path, target)
        made = made_by(plan, inputs, target, whole_key=True, server=server)
        checkpoint = FolderCheckpoint(Path(path), made, resume=engine.resume)
        # A run with another policy, key or version makes the same outputs again.
        asked = {option: value for option, value in made.items() if option not in {"policy", "key", "version"}}
        runs = {name: run_text("merge", [file], asked) for file, name in names.items()}
        return FolderOutput(stack, path, inputs, names, checkpoint, runs, resume=engine.resume, overwrite=overwrite)
    kept = None
    if path not in {None, STDOUT} and (engine.resume or engine.name == "ray" or server is not None):
        kept = StreamCheckpoint(
            Path(f"{path}{CHECKPOINT_SUFFIX}"),
            made_by(plan, inputs, target, whole_key=False, server=server),
            resume=engine.resume,
        )
    return StreamOutput(stack, path, inputs, kept)
