"""``merge-baseline stats``."""

from __future__ import annotations

from collections.abc import Iterator

import click

from client.cli.options import Reading, check_stdin, json_option, reading_options
from client.cli.output import notices_data, open_report, show_notices, write_json
from client.cli.progress import documents_with_progress
from client.statistics import Corpus, TextCounts, count_parts, count_whole, sum_up
from client.statistics.render import as_data, as_text
from merger.document import ChainScope, Document
from merger.errors import AlignmentError, Location


@click.command(short_help="count documents, chains and antecedent distances")
@click.argument("path", metavar="INPUT")
@click.argument("merged_path", metavar="[MERGED]", required=False)
@json_option
@reading_options
def command(path: str, merged_path: str | None, as_json: bool, reading: Reading) -> None:
    """Count what is in a corpus: documents, tokens, chains, mentions, and how far antecedents are, by genre.

    With MERGED, the parts of INPUT and the merged documents stand side by side; every part counts as a document of its
    own, as in OntoNotes. Without it, INPUT is counted by parts or by documents, as its chains are local to the former
    or not.

    \b
    Examples:
      merge-baseline stats parts.conll merged.conll
      merge-baseline stats corpus/ --json
    """
    check_stdin(path, merged_path)
    sides: dict[str, Corpus] = {}
    read = reading.documents if merged_path is None else reading.gold
    documents = documents_with_progress(read(path), "counting")
    if merged_path is None:
        sides[""] = sum_up(text for document in documents for text in _own_texts(document))
    else:
        several: dict[str, bool] = {}
        sides["parts"] = sum_up(_part_texts(documents, several))
        merged = documents_with_progress(reading.response(merged_path), "counting")
        sides["merged"] = sum_up(_merged_texts(merged, several, reading))
    if as_json:
        named = {name or "input": corpus for name, corpus in sides.items()}
        write_json({**as_data(named), "notices": notices_data(reading.notices)})
    else:
        with open_report() as stream:
            stream.write(as_text(sides))
    show_notices(reading.notices)


def _own_texts(document: Document) -> list[TextCounts]:
    return count_parts(document) if document.scope is ChainScope.PART else [count_whole(document)]


def _part_texts(documents: Iterator[Document], several: dict[str, bool]) -> Iterator[TextCounts]:
    for document in documents:
        several[document.id] = len(document.parts) > 1
        yield from count_parts(document)


def _merged_texts(documents: Iterator[Document], several: dict[str, bool], reading: Reading) -> Iterator[TextCounts]:
    """The merged documents; what only one of the two corpora has is told of, since the two are compared."""
    seen = set()
    for document in documents:
        seen.add(document.id)
        if document.id not in several:
            error = AlignmentError("INPUT lacks this document", Location(document.file, document=document.id))
            reading.notices.warn("document only in MERGED", error)
        yield count_whole(document, merged=several.get(document.id))
    for missing in several.keys() - seen:
        error = AlignmentError("MERGED lacks this document", Location(document=missing))
        reading.notices.warn("document only in INPUT", error)
