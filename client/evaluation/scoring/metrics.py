"""The registry of metrics: options, tables, JSON and reports list them from here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from client.evaluation.scoring import b_cubed, blanc, ceaf, lea, mention_identification, muc
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Clustering, measure_overlap
from client.evaluation.scoring.scores import Scores

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            mention_identification.MENTIONS,
            muc.MUC,
            b_cubed.B_CUBED,
            ceaf.CEAF_ENTITY,
            ceaf.CEAF_MENTION,
            blanc.BLANC,
            lea.LEA,
        )
    }
)
"""All metrics by name, in the order of display."""

COMPARED_METRICS = tuple(name for name, metric in METRICS.items() if metric.compared)
"""The names of the metrics that have a column in tables of documents and strategies."""

_OTHER_NAMES = {"mention": "mentions", "b3": "bcub", "bcubed": "bcub"}


def find_metric(name: str) -> str:
    """The name in :data:`METRICS` of a metric in any case, or as papers write it (``B³``, ``b3``, ``CEAF-e``).

    Raises ValueError for an unknown one.
    """
    plain = re.sub("[-_ ]", "", name.casefold().replace("³", "3"))
    found = _OTHER_NAMES.get(plain, plain)
    if found not in METRICS:
        raise ValueError(f"no such metric: {name}; there are {', '.join(METRICS)}")
    return found


def score_document(key: Clustering, response: Clustering, metrics: Iterable[str] = tuple(METRICS)) -> Scores:
    """Score the chains of one document. Whether singletons are among them is the caller's decision.

    A document of which one side has no annotation is scored against an empty clustering, `()`. Two empty ones
    give zero counts, the neutral element when documents are added up.

    Raises ValueError for a name that is not in `METRICS`, and for a mention in two chains of one side.
    """
    chosen = list(metrics)
    unknown = [name for name in chosen if name not in METRICS]
    if unknown:
        raise ValueError(f"no such metric: {', '.join(unknown)}; there are {', '.join(METRICS)}")
    overlap = measure_overlap(key, response)
    return Scores({name: METRICS[name].count(overlap) for name in chosen})


def score_documents(
    documents: Iterable[tuple[Clustering, Clustering]], metrics: Iterable[str] = tuple(METRICS)
) -> Scores:
    """Score (key, response) pairs of documents as one: counts are added up first, and divided once.

    Raises ValueError as `score_document` does.
    """
    chosen = list(metrics)
    total = score_document((), (), chosen)
    for key, response in documents:
        total += score_document(key, response, chosen)
    return total
