"""MUC: the links that are missing or superfluous between the chains of key and response."""

from __future__ import annotations

from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.metric import Metric
from client.evaluation.scoring.overlap import Overlap


def count_muc(overlap: Overlap) -> Counts:
    """MUC (Vilain et al. 1995).

    recall = Σ_K (|K| - |p(K)|) / Σ_K (|K| - 1), over key chains K; p(K) is the partition of K by the
    response, in which every mention that the response lacks is a part of its own. Precision the same with key
    and response exchanged. A part of n mentions that share key and response chain holds n - 1 right links, so
    both numerators are Σ (n - 1) over the cells of the overlap. Singletons hold no link: they change nothing.
    """
    right = overlap.shared_mentions - len(overlap.cells)
    key_links = overlap.key_mentions - len(overlap.key_sizes)
    response_links = overlap.response_mentions - len(overlap.response_sizes)
    return Counts(right, key_links, right, response_links)


MUC = Metric("muc", "MUC", "Vilain et al. 1995", count_muc, compared=True)
