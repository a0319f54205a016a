"""Coreference metrics as pure functions on chains of hashable mentions; equal to the official scorer (v8.01).

    scores = score_document(key=[["a", "b"], ["c"]], response=[["a", "b", "c"]])
    scores["muc"].recall, conll_f1(scores)

References:
    Bagga and Baldwin 1998: Algorithms for scoring coreference chains. LREC workshop on linguistic
    coreference. Luo 2005: On coreference resolution performance metrics. HLT/EMNLP.
    Luo, Pradhan, Recasens and Hovy 2014: An extension of BLANC to system mentions. ACL.
    Moosavi and Strube 2016: Which coreference evaluation metric do you trust? A proposal for a link-based
        entity aware metric. ACL.
    Pradhan, Luo, Recasens, Hovy, Ng and Strube 2014: Scoring coreference partitions of predicted mentions: a
        reference implementation. ACL. (The official scorer, v8.)
    Recasens and Hovy 2011: BLANC: implementing the Rand index for coreference evaluation. Natural Language
        Engineering 17(4).
    Vilain, Burger, Aberdeen, Connolly and Hirschman 1995: A model-theoretic coreference scoring scheme.
        MUC-6.
"""

from client.evaluation.scoring.counts import BlancCounts, Counts, MetricCounts, Undefined
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.metrics import COMPARED_METRICS, METRICS, score_document, score_documents
from client.evaluation.scoring.overlap import Clustering, Overlap, measure_overlap
from client.evaluation.scoring.scores import CONLL_METRICS, Scores, conll_f1

__all__ = [
    "COMPARED_METRICS",
    "CONLL_METRICS",
    "METRICS",
    "BlancCounts",
    "Clustering",
    "Counts",
    "Metric",
    "MetricCounts",
    "Overlap",
    "Scores",
    "Undefined",
    "conll_f1",
    "measure_overlap",
    "score_document",
    "score_documents",
]
