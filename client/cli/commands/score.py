"""``merge-baseline score``."""

from __future__ import annotations

import gc

import click

from client.cli.options import Reading, check_stdin, json_option, reading_options, singletons_option
from client.cli.output import open_report, write_json
from client.cli.progress import documents_with_progress
from client.cli.scoring_options import zeros_option
from client.evaluation.scoring.evaluate import Evaluation, evaluate
from client.evaluation.scoring.mention_matching import MATCHES, Matching
from client.evaluation.scoring.metrics import METRICS, find_metric
from client.evaluation.scoring.render import as_text
from client.evaluation.scoring.render_data import as_data
from client.evaluation.scoring.render_tables import as_brief, as_csv, as_latex
from merger.formats.part_names import look_like_parts


def _names(context: click.Context, parameter: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    try:
        return tuple(dict.fromkeys(map(find_metric, names))) or tuple(METRICS)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001  # click's signature
    return [name for name in METRICS if name.startswith(incomplete.casefold())]


@click.command(short_help="score merged documents against the gold merges")
@click.argument("key")
@click.argument("response")
@click.option(
    "--parts",
    "parts_path",
    metavar="PATH",
    help="The documents before merging, for the floor (nothing merged), link scores and decisions. By default a key "
    "that has part boundaries is cut there.",
)
@click.option(
    "--decisions",
    "decisions_path",
    metavar="PATH",
    help="The decisions that `merge` wrote for RESPONSE; the signature then names the strategy. Decisions of another "
    "response are an error. With --parts they are compared chain by chain.",
)
@click.option(
    "--metric",
    "metrics",
    metavar="NAME",
    callback=_names,
    shell_complete=_complete,
    multiple=True,
    help=f"A metric to compute, of {', '.join(METRICS)}, in any case; can be repeated. Default: all.",
)
@singletons_option(
    "Singletons, here chains of one mention in KEY and RESPONSE: keep counts them, as the official scorer does; drop "
    "removes them from both.",
    default="keep",
)
@click.option(
    "--match",
    type=click.Choice(MATCHES),
    default="exact",
    show_default=True,
    help="When mentions match: exact: same tokens; partial: the response's tokens are among the key's and include the "
    "key's head; head: same head token. Heads are taken from CorefUD's Entity.",
)
@zeros_option
@click.option("--per-document", is_flag=True, help="Also print the F1 of every document (--json always has them).")
@click.option("--brief", "shown", flag_value="brief", help="Print only the CoNLL F1, in percent.")
@click.option("--csv", "shown", flag_value="csv", help="Print CSV with fractions, numerators and denominators.")
@click.option("--latex", "shown", flag_value="latex", help="Print a LaTeX table.")
@json_option
@reading_options
def command(
    key: str,
    response: str,
    parts_path: str | None,
    decisions_path: str | None,
    metrics: tuple[str, ...],
    singletons: str,
    match: str,
    zeros: str,
    per_document: bool,
    shown: str | None,
    as_json: bool,
    reading: Reading,
) -> int:
    """Score RESPONSE (merged by a strategy) against KEY (the gold merges).

    Prints each metric and the CoNLL F1, with the numerators and denominators of the official scorer (v8.01), added up
    over documents. Key and response can have different formats and part boundaries; their tokens must be the same. A
    document that the response lacks counts as one without chains, with a note (with --strict it is an error). A
    document that cannot be read or aligned is left out on both sides, and the exit code is 1.

    \b
    Examples:
      merge-baseline score key.conll merged.conll --parts parts.conll
      merge-baseline score key.conll system.jsonl --metric muc --metric bcub --json
    """
    check_stdin(key, response, parts_path, decisions_path)
    if as_json and shown is not None:
        raise click.UsageError(f"--json and --{shown} exclude each other")
    # Documents have no reference cycles, and the search for them takes a quarter of the time of a long document.
    gc.disable()
    parts = None if parts_path is None else reading.parts(parts_path)
    strategy = decisions = None
    if decisions_path is not None:
        from merger.decisions.reader import only_maker, read_decision_records

        decisions = list(read_decision_records(decisions_path))
        strategy = only_maker(decisions, decisions_path)
    evaluation = evaluate(
        documents_with_progress(reading.gold(key), "scoring"),
        reading.response(response),
        parts=parts,
        metrics=metrics,
        drop_singletons=singletons == "drop",
        notices=reading.notices,
        strategy=strategy,
        decisions=decisions,
        matching=Matching(match, zeros),
        failures=reading.options.failures,
    )
    reading.check_left(len(evaluation.documents))
    if parts is not None and all(each.parts == 1 for each in evaluation.documents):
        alike = look_like_parts(each.id for each in evaluation.documents)
        if alike is not None:
            reading.notices.add("nothing to merge", f"no document has two parts; {alike}")
    if as_json:
        write_json({**as_data(evaluation), **reading.problems_data()})
    # Notices come before the table that they qualify.
    code = reading.print_problems()
    if not as_json:
        with open_report() as stream:
            stream.write(_text(evaluation, shown, per_document=per_document))
    return code


def _text(evaluation: Evaluation, shown: str | None, *, per_document: bool) -> str:
    match shown:
        case "brief":
            return as_brief(evaluation)
        case "csv":
            return as_csv(evaluation, per_document=per_document)
        case "latex":
            return as_latex(evaluation)
        case _:
            return as_text(evaluation, per_document=per_document)
