"""``merge-baseline stats``."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import click

from client.cli.options import Reading, check_stdin, json_option, reading_options
from client.cli.output import open_report, write_json
from client.cli.progress import documents_with_progress
from client.evaluation.statistics import TextCounts, count_parts, count_whole, sum_up
from client.evaluation.statistics.render import as_data, as_text
from merger.document import ChainScope, Document
from merger.errors import AlignmentError, Location


@click.command(short_help="count documents, chains and antecedent distances")
@click.argument("path", metavar="INPUT")
@click.argument("merged_path", metavar="[MERGED]", required=False)
@json_option
@reading_options
def command(path: str, merged_path: str | None, as_json: bool, reading: Reading) -> int:
    """Count what is in a corpus: documents, tokens, chains, mentions, and how far antecedents are, by genre.

    With MERGED, the columns compare the parts of INPUT with the merged documents; every part counts as a document, as
    in OntoNotes. Without MERGED, each part counts as a document if the chains are local to parts; otherwise each
    document counts once.

    \b
    Examples:
      merge-baseline stats parts.conll merged.conll
      merge-baseline stats corpus/ --json
    """
    check_stdin(path, merged_path)
    sides: dict[str, list[TextCounts]] = {}
    read = reading.documents if merged_path is None else reading.gold
    documents = documents_with_progress(read(path), "counting")
    if merged_path is None:
        sides["input"] = [text for texts in reading.each(documents, _own_texts) for text in texts]
    else:
        parts = [text for texts in reading.each(documents, count_parts) for text in texts]
        several = {text.document: text.merged for text in parts}
        merged = documents_with_progress(reading.response(merged_path), "counting")
        wholes = list(reading.each(merged, lambda each: count_whole(each, merged=several.get(each.id))))
        failed = {error.location.document for error in reading.failures}
        # Both sides must have the same documents.
        sides["parts"] = [text for text in parts if text.document not in failed]
        sides["merged"] = [text for text in wholes if text.document not in failed]
        reading.check_left(len(sides["merged"]))
        _warn_of_differences(several.keys() - failed, sides["merged"], reading)
    corpora = {name: sum_up(texts) for name, texts in sides.items()}
    if as_json:
        write_json({**as_data(corpora), **reading.problems_data()})
    else:
        with open_report() as stream:
            stream.write(as_text(corpora if merged_path is not None else {"": corpora["input"]}))
    return reading.print_problems()


def _own_texts(document: Document) -> list[TextCounts]:
    return count_parts(document) if document.scope is ChainScope.PART else [count_whole(document)]


def _warn_of_differences(in_parts: AbstractSet[str], merged: Sequence[TextCounts], reading: Reading) -> None:
    """Warn of documents that only one of the two corpora has."""
    for text in merged:
        if text.document not in in_parts:
            error = AlignmentError("INPUT lacks this document", Location(document=text.document))
            reading.notices.warn("document only in MERGED", error)
    for missing in in_parts - {text.document for text in merged}:
        error = AlignmentError("MERGED lacks this document", Location(document=missing))
        reading.notices.warn("document only in INPUT", error)
