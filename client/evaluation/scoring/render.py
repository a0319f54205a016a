"""An evaluation as text."""

from __future__ import annotations

from client.evaluation.scoring.counts import MetricCounts
from client.evaluation.scoring.evaluate import DocumentResult, Evaluation, Result
from client.evaluation.scoring.metrics import COMPARED_METRICS, METRICS
from client.evaluation.text_table import table


def percent(value: float | None) -> str:
    """A fraction as a percentage, rounded to two digits, ``-`` for ``None``. The official scorer truncates instead."""
    # Adding 0 turns -0.0 into 0.0.
    return "-" if value is None else f"{rounded(value) + 0:.2f}"


def points(value: float | None) -> str:
    """A difference of fractions in percentage points, with its sign; ``-`` for ``None``."""
    return "-" if value is None else f"{rounded(value) + 0:+.2f}"


def points_between(one: float, other: float) -> str:
    """The difference of two fractions that are shown beside it, from their rounded percentages."""
    return f"{rounded(one) - rounded(other) + 0:+.2f}"


def rounded(value: float) -> float:
    """A fraction as a percentage, rounded to a multiple of 0.01."""
    return round(100 * value, 2)


def as_text(evaluation: Evaluation, *, per_document: bool = False) -> str:
    """The evaluation as lines of text, the signature last."""
    lines = _metric_lines(evaluation.total)
    lines += _summary_lines(evaluation.total)
    if per_document:
        lines += ["", *_document_lines(evaluation.documents)]
    return "\n".join([headline(evaluation), "", *lines, "", f"signature: {evaluation.signature}"]) + "\n"


def headline(evaluation: Evaluation) -> str:
    """The number of scored documents, and how many of them the response lacks."""
    scored, left_out = len(evaluation.documents), len(evaluation.left_out)
    missing = sum(not document.in_response for document in evaluation.documents)
    total = scored + left_out
    parts = [f"{scored:,} document{'' if scored == 1 else 's'}"]
    if left_out:
        parts = [f"{scored:,} of {total:,} documents", f"{left_out:,} left out on both sides"]
    if missing:
        counts = "counts" if missing == 1 else "count"
        parts.append(f"{missing:,} of them missing in the response, which {counts} as without chains")
    return "; ".join(parts)


def _metric_lines(result: Result) -> list[str]:
    rows = [("", "recall", "", "precision", "", "F1")]
    for name, counts in result.scores.counts.items():
        recall = _fraction(counts.recall_numerator, counts.recall_denominator)
        precision = _fraction(counts.precision_numerator, counts.precision_denominator)
        f1 = percent(counts.f1) + (" (undefined)" if counts.undefined else "")
        rows.append((METRICS[name].label, percent(counts.recall), recall, percent(counts.precision), precision, f1))
    return table(rows)


def _fraction(numerator: float, denominator: float) -> str:
    return f"({_number(numerator)} / {_number(denominator)})"


def _share(numerator: float, denominator: float) -> str:
    value = percent(numerator / denominator) if denominator else "-"
    return f"{value} {_fraction(numerator, denominator)}"


def _f1(counts: MetricCounts) -> str:
    return "-" if counts.undefined else percent(counts.f1)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.4f}".rstrip("0").rstrip(".")


def _summary_lines(result: Result) -> list[str]:
    lines = []
    if result.conll_f1 is not None:
        lines += ["", f"CoNLL F1 {percent(result.conll_f1)}  (mean of MUC, B³ and CEAFe F1)"]
    if result.floor_conll_f1 is not None:
        gain = "none possible" if result.gain is None else percent(result.gain)
        lines.append(f"floor    {percent(result.floor_conll_f1)}  (nothing merged); gain over the floor {gain}")
    if result.links is not None:
        links = result.links.links
        lines.append(
            f"links    recall {_share(links.recall_numerator, links.recall_denominator)}, "
            f"precision {_share(links.precision_numerator, links.precision_denominator)}, F1 {_f1(links)}"
        )
        decisions = result.links
        lines.append(f"decisions {_share(decisions.matching, decisions.decisions)} as in the key")
    if result.floor is None:
        needed = "the documents before merging (--parts), or a merged key that has part boundaries"
        lines.append(f"no floor and no links: they need {needed}")
    return lines


def _document_lines(documents: tuple[DocumentResult, ...]) -> list[str]:
    names = [name for name in COMPARED_METRICS if documents and name in documents[0].result.scores.counts]
    rows = [("document", "parts", *(METRICS[name].label for name in names), "CoNLL", "floor", "links")]
    for document in documents:
        result = document.result
        rows.append(
            (
                document.id,
                str(document.parts),
                *(percent(result.scores[name].f1) for name in names),
                percent(result.conll_f1),
                percent(result.floor_conll_f1),
                "-" if result.links is None else _f1(result.links.links),
            )
        )
    return table(rows)
