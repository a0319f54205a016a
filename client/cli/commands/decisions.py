"""``merge-baseline decisions``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from client.cli.decision_files import write_records
from client.cli.options import Reading, check_stdin, output_option, reading_options
from client.cli.output import check_paths, counted, say, show_notices
from client.cli.progress import documents_with_progress
from client.scoring.pairing import ById
from merger.boundaries import with_boundaries_of
from merger.decision_records import DecisionRecord
from merger.decisions import read_decisions
from merger.document import Document
from merger.errors import AlignmentError, Location
from merger.formats import find_inputs
from merger.formats.inputs import readable_name
from merger.notices import Notices


def _name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("an annotator needs a name", context, parameter)
    return readable_name(value)


@click.command(short_help="read the decisions off merged documents")
@click.argument("parts")
@click.argument("merged")
@click.option("--annotator", required=True, metavar="NAME", callback=_name, help="Who made the merges.")
@output_option
@reading_options
def command(parts: str, merged: str, annotator: str, output: str, reading: Reading) -> None:
    """Read the decisions off MERGED, the documents of PARTS with chains over the whole text.

    MERGED may come from any tool, in another format, with other part and sentence boundaries or none. Every chain of
    PARTS must be whole in one of its chains.

    \b
    Example:
      merge-baseline decisions parts.conll ann.conllu --annotator ann -o ann.jsonl
    """
    check_stdin(parts, merged)
    check_paths({"-o": output}, (file for path in (parts, merged) for file in find_inputs(path)))
    counts = {"documents": 0, "links": 0, "decisions": 0}

    def records() -> Iterator[DecisionRecord]:
        documents = documents_with_progress(reading.gold(parts), "reading")
        for document, whole in _pairs(documents, ById(reading.response(merged)), reading.notices):
            decisions = read_decisions(document, with_boundaries_of(document, whole, reading.notices))
            counts["documents"] += 1
            counts["decisions"] += len(decisions)
            counts["links"] += sum(decision.antecedent is not None for decision in decisions)
            yield from (DecisionRecord(document.id, decision, annotator=annotator) for decision in decisions)
            _tell_singletons(document, reading.notices)

    write_records(output, records())
    say(
        f"{counted(counts['documents'], 'document')}, {counted(counts['decisions'], 'decision')} of {annotator}: "
        f"{counts['links']} linked to an earlier chain"
    )
    show_notices(reading.notices)


def _pairs(documents: Iterator[Document], by_id: ById, notices: Notices) -> Iterator[tuple[Document, Document]]:
    """Each document with its merged one; those that have none are left out with a notice, unless none has."""
    found = False
    missing: AlignmentError | None = None
    for document in documents:
        whole = by_id.take(document.id)
        if whole is not None:
            found = True
            yield document, whole
            continue
        error = AlignmentError("MERGED lacks this document", Location(document.file, document=document.id))
        if by_id.passed_over is not None:
            error.hint = f"it has {by_id.passed_over!r}"
        missing = missing or error
        notices.warn("document that is not merged", error)
    if missing is not None and not found:
        raise missing
    for extra in by_id.rest():
        place = Location(extra.file, document=extra.id)
        notices.warn("merged document without parts", AlignmentError("PARTS lacks this document", place))


def _tell_singletons(document: Document, notices: Notices) -> None:
    singletons = sum(len(chain.mentions) == 1 for chain in document.chains)
    if singletons:
        message = "one-mention chains take no part in merging and got no decision"
        notices.add("singletons without decisions", message, Location(document.file, document=document.id), singletons)
