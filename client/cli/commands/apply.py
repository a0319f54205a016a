"""``merge-baseline apply``."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import click

from client.cli.decision_files import DecisionFiles
from client.cli.messages import print_status
from client.cli.options import (
    FORMAT_NAMES,
    Reading,
    TargetFormat,
    check_stdin,
    json_option,
    output_option,
    overwrite_option,
    reading_options,
    singletons_option,
)
from client.cli.output import STDOUT, check_paths, counted, open_output, write_json
from client.cli.progress import documents_with_progress
from merger.decisions.checked import apply_records
from merger.document import Document
from merger.formats import find_inputs, write_document


@click.command(short_help="turn parts and decisions into merged documents")
@click.argument("parts")
@click.argument("decisions")
@output_option
@overwrite_option
@click.option("--to", "target", type=FORMAT_NAMES, help="Format of the output. Default: the format of the input.")
@singletons_option(
    "Chains of one mention without a decision: keep copies them to the output, drop leaves them out.",
)
@json_option
@reading_options
def command(
    parts: str,
    decisions: str,
    output: str,
    overwrite_input: bool,
    target: str | None,
    singletons: str,
    as_json: bool,
    reading: Reading,
) -> int:
    """Turn PARTS and DECISIONS into merged documents.

    DECISIONS are JSON Lines as `merge --decisions`, `split`, `decisions` and `vote` write them, with one decision for
    every chain of two or more mentions. With --json, a report goes to standard output, and documents are written to
    --output only.

    \b
    Example:
      merge-baseline apply parts.conll decisions.jsonl -o merged.conll
    """
    check_stdin(parts, decisions)
    check_paths({"--output": output}, (*find_inputs(parts), decisions), overwrite_input=overwrite_input)
    given = DecisionFiles(decisions)
    formats = TargetFormat(target, output)
    report: list[dict[str, Any]] = []
    is_written = not as_json or output != STDOUT

    def merge(document: Document) -> tuple[dict[str, Any], str] | None:
        """Counts and text of the merged document; ``None`` if it is left out."""
        records = given.take(document, reading.notices)
        if records is None:
            return None
        merged = apply_records(document, records, keep_singletons=singletons == "keep", notices=reading.notices)
        counts = {
            "id": document.id,
            "parts": len(document.parts),
            "part_chains": len(document.chains),
            "merged_chains": len(merged.chains),
            "links": sum(record.decision.antecedent is not None for record in records),
        }
        if not is_written:
            return counts, ""
        written_as = formats.of(document, reading.notices)
        return counts, "".join(write_document(merged, written_as, reading.notices))

    with ExitStack() as stack:
        merged_to = stack.enter_context(open_output(output)) if is_written else None
        documents = documents_with_progress(reading.documents(parts), "applying")
        for counts, text in filter(None, reading.each(documents, merge)):
            report.append(counts)
            if merged_to is not None:
                merged_to.write(text)
        given.check_all_taken(reading.failures)
    if as_json:
        write_json({"made_by": given.makers, "documents": report, **reading.problems_data()})
    else:
        total = {name: sum(each[name] for each in report) for name in ("part_chains", "links", "merged_chains")}
        print_status(
            f"{counted(len(report), 'document')}, {total['part_chains']} part chains: {total['links']} linked to an "
            f"earlier chain, {total['merged_chains']} merged chains; decisions of {', '.join(given.makers) or 'nobody'}"
        )
    return reading.print_problems()
