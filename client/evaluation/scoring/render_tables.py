"""An evaluation for other programs and for papers: one number, CSV, LaTeX."""

from __future__ import annotations

import io
from collections.abc import Iterator

from client.evaluation.scoring.evaluate import Evaluation, Result
from client.evaluation.scoring.metrics import METRICS
from client.evaluation.scoring.render import percent
from client.evaluation.scoring.render_data import result_data
from client.evaluation.scoring.scores import CONLL_METRICS

_COLUMNS = (
    "recall_numerator",
    "recall_denominator",
    "recall",
    "precision_numerator",
    "precision_denominator",
    "precision",
    "f1",
)


def as_brief(evaluation: Evaluation) -> str:
    """The score alone, in percent: CoNLL F1, or without its three metrics the F1 of each metric, one a line."""
    if set(CONLL_METRICS) <= set(evaluation.total.scores.counts):
        return f"{percent(evaluation.total.conll_f1)}\n"
    metrics = result_data(evaluation.total)["metrics"]
    return "".join(f"{percent(counts['f1'])}\n" for counts in metrics.values())


def as_csv(evaluation: Evaluation, *, per_document: bool = False) -> str:
    """A row for each metric and one for CoNLL F1, for all documents (without an id) and, if asked, for each.

    Scores are fractions from 0 to 1 in full precision, empty where they are 0/0.
    """
    import csv

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["document", "metric", *_COLUMNS])
    writer.writerows(_rows("", evaluation.total))
    if per_document:
        for document in evaluation.documents:
            writer.writerows(_rows(document.id, document.result))
    return stream.getvalue()


def _rows(document: str, result: Result) -> Iterator[list[object]]:
    data = result_data(result)
    for name, counts in data["metrics"].items():
        yield [document, name, *(counts[column] for column in _COLUMNS)]
    if data["conll_f1"] is not None:
        yield [document, "conll_f1", *([None] * (len(_COLUMNS) - 1)), data["conll_f1"]]


def as_latex(evaluation: Evaluation) -> str:
    """A table for a paper (with the package booktabs): recall, precision and F1 of each metric, and CoNLL F1."""
    metrics = result_data(evaluation.total)["metrics"]
    conll = evaluation.total.conll_f1
    heads = [rf"\multicolumn{{3}}{{c}}{{{METRICS[name].label.replace('³', '$^3$')}}}" for name in metrics]
    cells = [percent(counts[side]) for counts in metrics.values() for side in ("recall", "precision", "f1")]
    columns = ["R", "P", "F1"] * len(metrics)
    if conll is not None:
        heads.append("CoNLL")
        columns.append("F1")
        cells.append(percent(conll))
    rows = [" & ".join(each) + r" \\" for each in (heads, columns, cells)]
    return "\n".join(
        [
            f"% {evaluation.signature}",
            rf"\begin{{tabular}}{{{'r' * len(columns)}}}",
            r"\toprule",
            *rows[:2],
            r"\midrule",
            rows[2],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
