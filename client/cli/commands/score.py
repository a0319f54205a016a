"""``merge-baseline score``."""

from __future__ import annotations

import gc

import click

from client.cli.options import Reading, check_stdin, json_option, reading_options
from client.cli.output import notices_data, open_report, show_notices, write_json
from client.cli.progress import documents_with_progress
from client.scoring import METRICS
from client.scoring.evaluation import evaluate
from client.scoring.render import as_text
from client.scoring.render_data import as_data


@click.command(short_help="score merged documents against the human merges")
@click.argument("key")
@click.argument("response")
@click.option(
    "--parts",
    "parts_path",
    metavar="PATH",
    help="The documents before merging. Gives the floor (nothing merged), link scores and decisions; without it they "
    "are read off a key that has part boundaries.",
)
@click.option(
    "--decisions",
    "decisions_path",
    metavar="PATH",
    help="The decisions that `merge` wrote beside RESPONSE: the signature then names the strategy.",
)
@click.option(
    "--metric",
    "metrics",
    type=click.Choice(list(METRICS)),
    multiple=True,
    help="A metric to compute; may be repeated. All by default.",
)
@click.option(
    "--singletons",
    type=click.Choice(["score", "drop"]),
    default="score",
    show_default=True,
    help="Whether one-mention chains count: score is what the official scorer does, drop leaves them out everywhere.",
)
@click.option("--per-document", is_flag=True, help="Show every document's F1 too (--json always has them).")
@json_option
@reading_options
def command(
    key: str,
    response: str,
    parts_path: str | None,
    decisions_path: str | None,
    metrics: tuple[str, ...],
    singletons: str,
    per_document: bool,
    as_json: bool,
    reading: Reading,
) -> None:
    """Score RESPONSE (merged by a strategy) against KEY (merged by people).

    MUC, B³, CEAFe, CEAFm, BLANC and LEA, mention identification and the CoNLL F1, with the numerators and denominators
    that the official scorer (v8.01) prints; they are added up over documents. Key and response may have different
    formats and part boundaries; tokens must be the same. A document missing in the response counts as empty, with a
    note (--strict: an error).

    \b
    Examples:
      merge-baseline score key.conll merged.conll --parts parts.conll
      merge-baseline score key.conll system.jsonl --metric muc --metric bcub --json
    """
    check_stdin(key, response, parts_path, decisions_path)
    # Documents have no cycles; looking for some takes a quarter of the time of a long one.
    gc.disable()
    parts = None
    if parts_path is not None:
        parts = reading.gold(parts_path)
    evaluation = evaluate(
        documents_with_progress(reading.gold(key), "scoring"),
        reading.response(response),
        parts=parts,
        metrics=tuple(dict.fromkeys(metrics)) or tuple(METRICS),
        drop_singletons=singletons == "drop",
        notices=reading.notices,
        strategy=None if decisions_path is None else _strategy(decisions_path),
    )
    if as_json:
        write_json({**as_data(evaluation), "notices": notices_data(reading.notices)})
    # Before the table, which they qualify.
    show_notices(reading.notices)
    if not as_json:
        with open_report() as stream:
            stream.write(as_text(evaluation, per_document=per_document))


def _strategy(decisions_path: str) -> str | None:
    from merger.decision_reader import read_strategy

    return read_strategy(decisions_path)
