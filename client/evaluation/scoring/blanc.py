"""BLANC: pairs of mentions that are rightly linked, and pairs that are rightly not linked."""

from __future__ import annotations

from collections.abc import Iterable

from client.evaluation.scoring.counts import BlancCounts, Counts
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Overlap


def count_blanc(overlap: Overlap) -> BlancCounts:
    """BLANC (Recasens and Hovy 2011), extended to system mentions by Luo et al. (2014).

    Two mentions of one clustering are a coreference link if they share a chain, else a non-coreference link.
    Recall and precision of each kind are the links of that kind in both clusterings, over those of the key
    and of the response; summed over documents before dividing (official scorer, v8.01). Singletons make no
    coreference link, but a non-coreference link to every other mention.

    Pairs are not enumerated. With pairs(n) = n (n - 1) / 2: the coreference links in both are Σ pairs(n) over
    cells. Non-coreference links in both are all pairs of shared mentions, less those linked in the key, less
    those linked in the response, plus those linked in both (subtracted twice).
    """
    shared_of_key = [0] * len(overlap.key_sizes)
    shared_of_response = [0] * len(overlap.response_sizes)
    for key, response, shared in overlap.cells:
        shared_of_key[key] += shared
        shared_of_response[response] += shared
    key_links = _pairs(overlap.key_sizes)
    response_links = _pairs(overlap.response_sizes)
    linked = _pairs(shared for _, _, shared in overlap.cells)
    apart = _pairs([overlap.shared_mentions]) - _pairs(shared_of_key) - _pairs(shared_of_response) + linked
    key_apart = _pairs([overlap.key_mentions]) - key_links
    response_apart = _pairs([overlap.response_mentions]) - response_links
    return BlancCounts(
        coreference=Counts(linked, key_links, linked, response_links),
        non_coreference=Counts(apart, key_apart, apart, response_apart),
    )


BLANC = Metric("blanc", "BLANC", "Recasens and Hovy 2011; Luo et al. 2014", count_blanc)


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)
