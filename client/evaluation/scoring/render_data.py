"""An evaluation as JSON data, as docs/score.schema.json describes it.

All scores are fractions from 0 to 1 in full precision, and ``None`` where they are 0/0.
"""

from __future__ import annotations

from typing import Any

from client.evaluation.scoring.counts import MetricCounts, Undefined
from client.evaluation.scoring.evaluate import Evaluation, Result
from client.evaluation.scoring.scores import Scores


def as_data(evaluation: Evaluation) -> dict[str, Any]:
    """The evaluation, in total and by document."""
    return {
        "signature": str(evaluation.signature),
        "total": result_data(evaluation.total),
        "documents": [
            {
                "id": document.id,
                "genre": document.genre,
                "parts": document.parts,
                "tokens": document.tokens,
                "in_response": document.in_response,
                **result_data(document.result),
            }
            for document in evaluation.documents
        ],
        "left_out": list(evaluation.left_out),
    }


def result_data(result: Result) -> dict[str, Any]:
    """The scores of one document or of many; ``None`` for unknown values."""
    links = result.links
    return {
        "conll_f1": result.conll_f1,
        "gain": result.gain,
        "metrics": _scores_data(result.scores),
        "floor": None
        if result.floor is None
        else {"conll_f1": result.floor_conll_f1, "metrics": _scores_data(result.floor)},
        "links": None if links is None else _counts_data(links.links),
        "decisions": None
        if links is None
        else {
            "count": links.decisions,
            "matching": links.matching,
            "strict_match": links.strict_match if links.decisions else None,
        },
    }


def _scores_data(scores: Scores) -> dict[str, Any]:
    return {name: _counts_data(counts) for name, counts in scores.counts.items()}


def _counts_data(counts: MetricCounts) -> dict[str, Any]:
    undefined = counts.undefined
    return {
        "recall_numerator": counts.recall_numerator,
        "recall_denominator": counts.recall_denominator,
        "recall": None if Undefined.RECALL in undefined else counts.recall,
        "precision_numerator": counts.precision_numerator,
        "precision_denominator": counts.precision_denominator,
        "precision": None if Undefined.PRECISION in undefined else counts.precision,
        "f1": None if undefined is Undefined.F1 else counts.f1,
        **({"undefined": undefined.reason} if undefined else {}),
    }
