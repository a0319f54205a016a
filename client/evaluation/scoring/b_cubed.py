"""B³: the share of its chain that each mention is together with."""

from __future__ import annotations

from collections import defaultdict

from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.exact_sums import sum_of_fractions
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Overlap


def count_b_cubed(overlap: Overlap) -> Counts:
    """B³ (Bagga and Baldwin 1998), weighting all mentions alike.

    recall = Σ_m |K(m) ∩ R(m)| / |K(m)| / number of key mentions, over the mentions m of the key, K(m) and
    R(m) being its chains; a mention that the response lacks adds 0. Precision the same with key and response
    exchanged. No mention is added or dropped for system mentions, as in the official scorer since v6 (Pradhan
    et al. 2014). The n mentions of a cell add n / |K| each, n² / |K| together. Singletons count in full.
    """
    by_key_size: dict[int, int] = defaultdict(int)
    by_response_size: dict[int, int] = defaultdict(int)
    key_sizes, response_sizes = overlap.key_sizes, overlap.response_sizes
    for key, response, shared in overlap.cells:
        square = shared * shared
        by_key_size[key_sizes[key]] += square
        by_response_size[response_sizes[response]] += square
    return Counts(
        sum_of_fractions(by_key_size),
        overlap.key_mentions,
        sum_of_fractions(by_response_size),
        overlap.response_mentions,
    )


B_CUBED = Metric("bcub", "B³", "Bagga and Baldwin 1998", count_b_cubed, compared=True)
