"""``merge-baseline agreement``."""

from __future__ import annotations

from pathlib import Path

import click

from client.cli.decision_files import same_decisions
from client.cli.options import Reading, check_stdin, json_option, reading_options, singletons_option
from client.cli.output import open_report, write_json
from client.cli.progress import documents_with_progress
from client.evaluation.agreement import Annotator, Compare, Resampling, count_documents, summarise
from client.evaluation.agreement.render import as_data, as_text
from merger.decisions.checked import by_document
from merger.decisions.reader import read_decision_records
from merger.formats import DECISION_RECORD
from merger.formats.open_inputs import open_bytes, readable_name

_LEAST = 2


@click.command(short_help="measure how far annotators agree")
@click.argument("annotators", nargs=-1, required=True, metavar="A B [C]...")
@click.option("--parts", "parts_path", metavar="PATH", required=True, help="The documents before merging.")
@click.option(
    "--compare",
    type=click.Choice([each.value for each in Compare]),
    default=Compare.CHAIN.value,
    show_default=True,
    help="How antecedents are compared: chain: all part chains of the merged chain at the time of the decision, so "
    "that early differences affect later decisions; root: its first part chain only.",
)
@singletons_option(
    "Singletons, here chains of one mention, which have no decisions: keep counts them in label agreement (CoNLL F1); "
    "drop leaves them out.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Bootstrap resamples of the documents for the 95% intervals; 0 for none.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the resampling.")
@json_option
@reading_options
def command(
    annotators: tuple[str, ...],
    parts_path: str,
    compare: str,
    singletons: str,
    resamples: int,
    seed: int,
    as_json: bool,
    reading: Reading,
) -> int:
    """Measure how far two or more annotators, people or strategies, agree in merging the same part chains.

    A, B, ... are merged documents or files of decisions; a file with the decisions of several annotators stands for all
    of them. Prints strict and Jaccard match, new and not-new agreement, Krippendorff's alpha and label agreement, for
    each pair and on average, with bootstrap intervals over documents; also by genre, length, number of chains, and part
    of speech. A document counts for the annotators that have it. A document that cannot be read is left out, and the
    exit code is 1.

    \b
    Examples:
      merge-baseline agreement key.conll merged.conll --parts parts.conll
      merge-baseline agreement ann1/ ann2/ ann3/ --parts parts/ --json
    """
    check_stdin(*annotators, parts_path)
    compared = Compare(compare)
    given = [annotator for path in annotators for annotator in _annotators(path, reading)]
    if len(given) < _LEAST:
        raise click.UsageError("agreement needs the merges of two annotators or more")
    counted = count_documents(
        documents_with_progress(reading.parts(parts_path), "comparing"),
        given,
        compare=compared,
        drop_singletons=singletons == "drop",
        notices=reading.notices,
        failures=reading.options.failures,
    )
    report = summarise(
        # As a list, so that all failures are known before they are used.
        list(counted),
        [each.name for each in given],
        compare=compared,
        resampling=Resampling(resamples, seed),
        failures=reading.failures,
    )
    reading.check_left(len(report.documents))
    for one, other in report.identical:
        reading.notices.add(*same_decisions(one, other))
    code = reading.print_problems()
    if as_json:
        write_json({**as_data(report), **reading.problems_data()})
    else:
        with open_report() as stream:
            stream.write(as_text(report))
    return code


def _annotators(path: str, reading: Reading) -> list[Annotator]:
    """The annotators of a path: one for documents, one or several for a file of decisions."""
    if not _holds_decisions(path):
        return [Annotator(readable_name(path), reading.response(path))]
    records = list(read_decision_records(path))
    makers = dict.fromkeys(record.maker for record in records)
    return [
        Annotator(
            readable_name(path) if len(makers) == 1 else maker,
            decisions=by_document(record for record in records if record.maker == maker),
        )
        for maker in makers
    ]


def _holds_decisions(path: str) -> bool:
    # A pipe cannot be read twice.
    if not Path(path).is_file():
        return False
    with open_bytes(path) as stream:
        return stream.read(len(DECISION_RECORD)) == DECISION_RECORD
