"""``merge-baseline decisions``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from client.cli.decision_files import write_records
from client.cli.messages import print_status
from client.cli.options import Reading, check_stdin, output_option, reading_options
from client.cli.output import check_paths, counted
from client.cli.progress import documents_with_progress
from client.evaluation.scoring.pairing import ById
from merger.decisions.model import read_decisions
from merger.decisions.records import DecisionRecord
from merger.document import Document
from merger.errors import AlignmentError, Location
from merger.formats import find_inputs
from merger.formats.open_inputs import readable_name
from merger.notices import Notices
from merger.resegment import with_boundaries_of


def _name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("an annotator needs a name", context, parameter)
    return readable_name(value)


@click.command(short_help="derive the decisions from merged documents")
@click.argument("parts")
@click.argument("merged")
@click.option("--annotator", required=True, metavar="NAME", callback=_name, help="The annotator who made the merges.")
@output_option
@reading_options
def command(parts: str, merged: str, annotator: str, output: str, reading: Reading) -> int:
    """Derive the decisions from MERGED, which has the documents of PARTS with chains over the whole text.

    MERGED can come from any tool. Its format and its part and sentence boundaries can differ from PARTS. All mentions
    of a chain of PARTS must be in the same chain of MERGED.

    \b
    Example:
      merge-baseline decisions parts.conll ann.conllu --annotator ann -o ann.jsonl
    """
    check_stdin(parts, merged)
    check_paths({"-o": output}, (file for path in (parts, merged) for file in find_inputs(path)))
    counts = {"documents": 0, "links": 0, "decisions": 0, "choices": 0}

    by_id = ById(reading.response(merged), reading.failures)
    missing: list[AlignmentError] = []

    def read(document: Document) -> Sequence[DecisionRecord]:
        whole = by_id.take(document.id)
        if whole is None:
            if by_id.failure_of(document.id) is None:
                missing.append(_missing(document, by_id))
                reading.notices.warn("document that is not merged", missing[-1])
            return ()
        decisions = read_decisions(document, with_boundaries_of(document, whole, reading.notices))
        counts["documents"] += 1
        counts["decisions"] += len(decisions)
        counts["links"] += sum(decision.antecedent is not None for decision in decisions)
        counts["choices"] += sum(decision.chain.part > 0 for decision in decisions)
        _note_singletons(document, reading.notices)
        return [DecisionRecord(document.id, decision, annotator=annotator) for decision in decisions]

    def records() -> Iterator[DecisionRecord]:
        for several in reading.each(documents_with_progress(reading.parts(parts, option="PARTS"), "reading"), read):
            yield from several
        if not counts["documents"] and missing:
            raise missing[0]
        reading.check_left(counts["documents"])
        _note_extra(by_id, reading)

    write_records(output, records())
    if counts["choices"] and not counts["links"]:
        message = "no chain is linked to an earlier part: is MERGED merged, or is it PARTS again?"
        reading.notices.add("nothing is linked", message)
    print_status(
        f"{counted(counts['documents'], 'document')}, {counted(counts['decisions'], 'decision')} of {annotator}: "
        f"{counts['links']} linked to an earlier chain"
    )
    return reading.print_problems()


def _missing(document: Document, by_id: ById) -> AlignmentError:
    """The error for a document that is not merged."""
    error = AlignmentError("MERGED lacks this document", Location(document.file, document=document.id))
    if by_id.passed_over is not None:
        error.hint = f"it has {by_id.passed_over!r}"
    return error


def _note_extra(by_id: ById, reading: Reading) -> None:
    failed = {error.location.document for error in reading.failures}
    for extra in by_id.rest():
        if extra.id not in failed:
            place = Location(extra.file, document=extra.id)
            error = AlignmentError("PARTS lacks this document", place)
            reading.notices.warn("merged document without parts", error)


def _note_singletons(document: Document, notices: Notices) -> None:
    singletons = sum(len(chain.mentions) == 1 for chain in document.chains)
    if singletons:
        message = "singletons are not merged and have no decision"
        notices.add("singletons without decisions", message, Location(document.file, document=document.id), singletons)
