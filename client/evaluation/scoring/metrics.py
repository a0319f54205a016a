"""The registry of metrics. A new metric is a file with a function from `Overlap` to counts, and an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from client.evaluation.scoring.b_cubed import count_b_cubed
from client.evaluation.scoring.blanc import count_blanc
from client.evaluation.scoring.ceaf import count_ceaf_entity, count_ceaf_mention
from client.evaluation.scoring.counts import MetricCounts
from client.evaluation.scoring.lea import count_lea
from client.evaluation.scoring.mention_identification import count_mentions
from client.evaluation.scoring.muc import count_muc
from client.evaluation.scoring.overlap import Clustering, Overlap, measure_overlap
from client.evaluation.scoring.scores import Scores


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: `name` for options and JSON, `label` and `citation` for people, `count` to compute it."""

    name: str
    label: str
    citation: str
    count: Callable[[Overlap], MetricCounts]


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        metric.name: metric
        for metric in (
            Metric("mentions", "Mentions", "Pradhan et al. 2014", count_mentions),
            Metric("muc", "MUC", "Vilain et al. 1995", count_muc),
            Metric("bcub", "B³", "Bagga and Baldwin 1998", count_b_cubed),
            Metric("ceafe", "CEAFe", "Luo 2005", count_ceaf_entity),
            Metric("ceafm", "CEAFm", "Luo 2005", count_ceaf_mention),
            Metric("blanc", "BLANC", "Recasens and Hovy 2011; Luo et al. 2014", count_blanc),
            Metric("lea", "LEA", "Moosavi and Strube 2016", count_lea),
        )
    }
)
"""All metrics by name, in the order of display."""


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
