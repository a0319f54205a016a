"""CEAF: chains aligned one to one with the largest total similarity."""

from __future__ import annotations

from collections import defaultdict

from client.evaluation.scoring.alignment import best_alignment
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.exact_sums import sum_of_fractions
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Overlap


def count_ceaf_mention(overlap: Overlap) -> Counts:
    """Mention-based CEAF (Luo 2005), similarity φ3(K, R) = |K ∩ R|.

    recall = Φ / Σ_K |K|, precision = Φ / Σ_R |R|, with Φ the sum of φ3 over the one-to-one alignment of key
    and response chains that makes it largest. φ3 of a chain with itself is its size, hence the denominators.
    Singletons are chains like others; official scorer v6 to v8 (Pradhan et al. 2014) adds and drops none.
    """
    aligned = best_alignment(overlap.components, lambda cell: cell[2])
    similarity = sum(shared for _, _, shared in aligned)
    return Counts(similarity, overlap.key_mentions, similarity, overlap.response_mentions)


def count_ceaf_entity(overlap: Overlap) -> Counts:
    """Entity-based CEAF (Luo 2005), similarity φ4(K, R) = 2 |K ∩ R| / (|K| + |R|).

    recall = Φ / number of key chains, precision = Φ / number of response chains, with Φ the sum of φ4 over
    the best one-to-one alignment. φ4 of a chain with itself is 1, hence the denominators. Singletons as in
    `count_ceaf_mention`.
    """
    key_sizes, response_sizes = overlap.key_sizes, overlap.response_sizes
    aligned = best_alignment(
        overlap.components, lambda cell: 2 * cell[2] / (key_sizes[cell[0]] + response_sizes[cell[1]])
    )
    by_sizes: dict[int, int] = defaultdict(int)
    for key, response, shared in aligned:
        by_sizes[key_sizes[key] + response_sizes[response]] += 2 * shared
    similarity = sum_of_fractions(by_sizes)
    return Counts(similarity, len(key_sizes), similarity, len(response_sizes))


CEAF_ENTITY = Metric("ceafe", "CEAFe", "Luo 2005", count_ceaf_entity, compared=True)
CEAF_MENTION = Metric("ceafm", "CEAFm", "Luo 2005", count_ceaf_mention)
