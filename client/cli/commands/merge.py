"""``merge-baseline merge``."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import click

from client.cli.entry import EXIT_INPUT, EXIT_OK
from client.cli.options import (
    FORMAT_NAMES,
    Reading,
    TargetFormat,
    check_stdin,
    inputs_argument,
    json_option,
    output_option,
    reading_options,
)
from client.cli.output import STDOUT, check_paths, counted, notices_data, open_output, say, show_notices, write_json
from client.cli.progress import documents_with_progress
from client.cli.strategy_options import checked_spec, chosen_strategy, strategy_options
from client.scoring.pairing import ById
from merger.decision_records import decision_record
from merger.document import Document
from merger.errors import AlignmentError, BackendError, InputError, Location, OptionError, UnsupportedError
from merger.formats import find_inputs, write_document
from merger.merge import MergeResult, merge_document
from merger.notices import Notices
from merger.strategies import STRATEGIES, OptionValue, make_strategy
from merger.taggers.base import Tagger
from merger.watch import Watch

_LONGEST = 1e6
"""Seconds; more than eleven days."""

MergeOne = Callable[[Document, Document | None], MergeResult]


def _seconds(context: click.Context, parameter: click.Parameter, value: float) -> float:
    if not 0 < value <= _LONGEST:
        raise click.BadParameter(f"{value:g} is not a number above 0 and up to {_LONGEST:g}", context, parameter)
    return value


@click.command(short_help="merge the part chains of documents")
@inputs_argument
@strategy_options
@click.option("--key", "key_path", metavar="PATH", help="The human merges, for strategy oracle.")
@output_option
@click.option("--to", "target", type=FORMAT_NAMES, help="Format of the output; the input's by default.")
@click.option(
    "--decisions", "decisions_path", metavar="PATH", help="Write the decisions with their evidence, as JSON Lines."
)
@click.option(
    "--singletons",
    type=click.Choice(["drop", "keep"]),
    default="drop",
    show_default=True,
    help="What to do with one-mention chains: they are never merged, but keep passes them through.",
)
@click.option("--server", metavar="HOST:PORT", help="Let a server merge (`merge-baseline serve`); here by default.")
@click.option(
    "--timeout",
    type=float,
    default=600,
    show_default=True,
    callback=_seconds,
    help="With --server: seconds a document may take.",
)
@click.option(
    "--tagger",
    "tagger_spec",
    metavar="NAME[:OPTION=VALUE,...]",
    help="Tag documents that have no part-of-speech tags first: corenlp or stanza. The tags are not written.",
)
@json_option
@reading_options
def command(
    inputs: tuple[str, ...],
    spec: str,
    pairs: tuple[str, ...],
    key_path: str | None,
    output: str,
    target: str | None,
    decisions_path: str | None,
    singletons: str,
    server: str | None,
    timeout: float,
    tagger_spec: str | None,
    as_json: bool,
    reading: Reading,
    **flags: OptionValue | None,
) -> int:
    """Merge the part chains of documents into chains over the whole document.

    Parts go in as CoNLL-2012 blocks with the same document id, CoNLL-U newdocs with `# part = N`, or jsonlines with
    `part_ids`; the merged document comes out as one block that keeps the part boundaries. With --json a report with all
    decisions goes to standard output, and the documents only to --output.

    \b
    Examples:
      merge-baseline merge parts.conll -o merged.conll --decisions decisions.jsonl
      merge-baseline merge parts.conll --strategy greedy:match=mention,one-to-one -o merged.conll
      merge-baseline merge parts.conll --server localhost:50051 > merged.conll
    """
    if decisions_path == STDOUT and (as_json or output == STDOUT):
        raise click.UsageError("--decisions - needs standard output for itself: give --output PATH, and no --json")
    check_stdin(*inputs, key_path)
    read = (file for path in (*inputs, *([] if key_path is None else [key_path])) for file in find_inputs(path))
    check_paths({"--output": output, "--decisions": decisions_path}, read)
    name, options = chosen_strategy(spec, pairs, flags)
    if name in STRATEGIES and STRATEGIES[name].needs_key and key_path is None:
        raise OptionError(f"strategy {name} needs the human merges: --key PATH")
    keys = None
    if key_path is not None:
        keys = ById(reading.documents(key_path))
    formats = TargetFormat(target)
    report = _Report(name, with_decisions=as_json)
    with ExitStack() as stack:
        merge_one = _merger(
            stack, name, options, server, timeout, reading.notices, keep_singletons=singletons == "keep"
        )
        tag = _tagger(stack, tagger_spec)
        merged_to = None if as_json and output == STDOUT else stack.enter_context(open_output(output))
        decisions_to = None if decisions_path is None else stack.enter_context(open_output(decisions_path))
        for document in documents_with_progress(reading.documents(*inputs), "merging"):
            key = _key_of(document, keys)
            try:
                result = merge_one(tag.document(document), key)
                text: list[str] = []
                if merged_to is not None:
                    target = formats.of(document, reading.notices)
                    text.extend(write_document(result.document, target, reading.notices))
            except (BackendError, UnsupportedError) as error:
                # A document that a system fails on, or that the format can't carry, must not cost the others.
                report.failed(document, error)
                continue
            records = report.done(document, result, tag.signature)
            if merged_to is not None:
                merged_to.writelines(text)
            if decisions_to is not None:
                decisions_to.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    if as_json:
        write_json({**report.data(), "notices": notices_data(reading.notices)})
    else:
        report.say()
    show_notices(reading.notices)
    return EXIT_INPUT if report.failures else EXIT_OK


def _merger(
    stack: ExitStack,
    name: str,
    options: dict[str, OptionValue],
    server: str | None,
    timeout: float,
    notices: Notices,
    *,
    keep_singletons: bool,
) -> MergeOne:
    if server is None:
        strategy = make_strategy(name, options)
        stack.callback(strategy.close)
        stack.callback(lambda: notices.extend(strategy.notices))
        return lambda document, key: merge_document(
            document, strategy, key=key, keep_singletons=keep_singletons, notices=notices
        )
    from client.remote import RemoteMerger

    remote = stack.enter_context(RemoteMerger(server, timeout=timeout))

    def merge_there(document: Document, key: Document | None) -> MergeResult:
        try:
            return remote.merge(document, name, options, key=key, keep_singletons=keep_singletons, notices=notices)
        except InputError as error:
            # A server knows no files.
            if error.location.file is None and error.location.document in {None, document.id}:
                error.location = replace(error.location, file=document.file)
            raise

    return merge_there


class _Tagging:
    """Tags documents that have no tags, if there is a tagger."""

    def __init__(self, tagger: Tagger | None) -> None:
        self._tagger = tagger

    @property
    def signature(self) -> str:
        """What goes behind the strategy's signature."""
        return "" if self._tagger is None else f"+tagger:{self._tagger.signature}"

    def document(self, document: Document) -> Document:
        return document if self._tagger is None else self._tagger.tag(document, Watch())


def _tagger(stack: ExitStack, spec: str | None) -> _Tagging:
    if spec is None:
        return _Tagging(None)
    from merger.taggers import make_tagger

    return _Tagging(stack.enter_context(make_tagger(*checked_spec(spec))))


class _Report:
    """What was done, document by document."""

    def __init__(self, strategy: str, *, with_decisions: bool) -> None:
        self._strategy = strategy
        self._with_decisions = with_decisions
        self._documents: list[dict[str, Any]] = []
        self.failures: list[dict[str, str]] = []

    def done(self, document: Document, result: MergeResult, tagging: str) -> list[dict[str, Any]]:
        """Count a merged document; its decisions as records."""
        self._strategy = result.strategy + tagging
        records = [decision_record(document.id, decision, strategy=self._strategy) for decision in result.decisions]
        data: dict[str, Any] = {
            "id": document.id,
            "parts": len(document.parts),
            "part_chains": len(document.chains),
            "merged_chains": len(result.document.chains),
            "links": sum(decision.antecedent is not None for decision in result.decisions),
            "singletons": result.singletons,
        }
        if self._with_decisions:
            data["decisions"] = records
        self._documents.append(data)
        return records

    def failed(self, document: Document, error: InputError) -> None:
        """Count a document that could not be merged or written."""
        self.failures.append({"id": document.id, "error": str(error)})
        say(f"merge-baseline: error: {error}")

    def data(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {"strategy": self._strategy, "documents": self._documents, "failed": self.failures}

    def say(self) -> None:
        """The report as a line on standard error."""
        names = ("part_chains", "merged_chains", "links")
        total = {name: sum(each[name] for each in self._documents) for name in names}
        failed = f"; {counted(len(self.failures), 'document')} failed and left out" if self.failures else ""
        done = counted(len(self._documents), "document")
        say(
            f"{done}, {total['part_chains']} part chains: {total['links']} linked to an earlier chain, "
            f"{total['merged_chains']} merged chains; {self._strategy}{failed}"
        )


def _key_of(document: Document, keys: ById | None) -> Document | None:
    if keys is None:
        return None
    key = keys.take(document.id)
    if key is None:
        raise AlignmentError("the key lacks this document", Location(document.file, document=document.id))
    return key
