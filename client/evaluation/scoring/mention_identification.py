"""Mention identification: the mentions that key and response share, whatever their chains."""

from __future__ import annotations

from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Overlap


def count_mentions(overlap: Overlap) -> Counts:
    """Mentions in both, over the mentions of the key (recall) and of the response (precision).

    Singletons count as mentions. "Identification of Mentions" of the official scorer (v8.01; Pradhan et al.
    2014), with exact spans.
    """
    right = overlap.shared_mentions
    return Counts(right, overlap.key_mentions, right, overlap.response_mentions)


MENTIONS = Metric("mentions", "Mentions", "Pradhan et al. 2014", count_mentions)
