"""Shows an evaluation: as a table for people, and as data."""

from __future__ import annotations

from typing import Any

from client.scoring.counts import MetricCounts
from client.scoring.evaluation import DocumentResult, Evaluation, Result
from client.scoring.metrics import METRICS
from client.scoring.scores import CONLL_METRICS
from client.text_table import table


def percent(value: float | None) -> str:
    """A fraction as a percentage cut, not rounded, after two digits, as the official scorer prints it."""
    return "-" if value is None else f"{int(value * 10000) / 100:.2f}"


def as_text(evaluation: Evaluation, *, per_document: bool = False) -> str:
    """The evaluation as lines of text, the signature last."""
    lines = _metric_lines(evaluation.total)
    lines += _summary_lines(evaluation.total)
    if per_document:
        lines += ["", *_document_lines(evaluation.documents)]
    count = len(evaluation.documents)
    lines += ["", f"{count} document{'' if count == 1 else 's'}", f"signature: {evaluation.signature}"]
    return "\n".join(lines) + "\n"


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
    return str(int(value)) if value == int(value) else f"{int(value * 10000) / 10000:.4f}".rstrip("0").rstrip(".")


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
        lines.append("no floor and no links: they need the documents before merging (--parts) or a key with parts")
    return lines


def _document_lines(documents: tuple[DocumentResult, ...]) -> list[str]:
    names = [name for name in (*CONLL_METRICS, "lea") if documents and name in documents[0].result.scores.counts]
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


def as_data(evaluation: Evaluation) -> dict[str, Any]:
    """The evaluation as JSON data.

    Percentages have full precision. ``undefined`` names what is 0/0 in a metric and so 0 by convention only.
    """
    return {
        "signature": str(evaluation.signature),
        "total": _result_data(evaluation.total),
        "documents": [
            {
                "id": document.id,
                "genre": document.genre,
                "parts": document.parts,
                "tokens": document.tokens,
                **_result_data(document.result),
            }
            for document in evaluation.documents
        ],
    }


def _result_data(result: Result) -> dict[str, Any]:
    data: dict[str, Any] = {
        "conll_f1": _percent_data(result.conll_f1),
        "metrics": {name: _counts_data(counts) for name, counts in result.scores.counts.items()},
    }
    if result.floor is not None:
        data["floor"] = {
            "conll_f1": _percent_data(result.floor_conll_f1),
            "metrics": {name: _counts_data(counts) for name, counts in result.floor.counts.items()},
        }
        data["gain_over_floor"] = _percent_data(result.gain)
    if result.links is not None:
        data["links"] = _counts_data(result.links.links)
        data["decisions"] = {
            "count": result.links.decisions,
            "matching": result.links.matching,
            "strict_match": _percent_data(result.links.strict_match) if result.links.decisions else None,
        }
    return data


def _percent_data(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _counts_data(counts: MetricCounts) -> dict[str, Any]:
    data: dict[str, Any] = {
        "recall": _ratio_data(counts.recall_numerator, counts.recall_denominator, counts.recall),
        "precision": _ratio_data(counts.precision_numerator, counts.precision_denominator, counts.precision),
        "f1": 100 * counts.f1,
    }
    if counts.undefined:
        data["undefined"] = counts.undefined.reason
    return data


def _ratio_data(numerator: float, denominator: float, value: float) -> dict[str, float]:
    return {"numerator": numerator, "denominator": denominator, "percent": 100 * value}
