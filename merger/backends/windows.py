"""Cuts documents that are too long for a backend into overlapping windows, and stitches the clusters together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from merger.backends.mention_matching import Cluster
from merger.document import Mention, text_order


def cut_windows(lengths: Sequence[int], limit: int, overlap: int) -> list[range]:
    """Ranges of sentences, each of at most ``limit`` tokens (or one longer sentence), that cover all of them.

    ``lengths`` are the sentences' sizes, in whatever unit the limit has. Neighbours share whole sentences of at most
    ``overlap``, and at least one where the limit allows two. Raises ``ValueError`` unless 0 <= overlap < limit.
    """
    if not 0 <= overlap < limit:
        raise ValueError(f"overlap {overlap} is not from 0 to below the limit {limit}")
    windows: list[range] = []
    start = 0
    while start < len(lengths):
        end, size = start, 0
        while end < len(lengths) and (end == start or size + lengths[end] <= limit):
            size += lengths[end]
            end += 1
        windows.append(range(start, end))
        if end == len(lengths):
            break
        start = _step_back(lengths, start, end, limit, overlap)
    return windows


def cut_runs(sizes: Sequence[int], limit: int) -> Iterator[range]:
    """Ranges of neighbours, each of at most ``limit`` in size (or one larger thing), without overlap."""
    start, total = 0, 0
    for index, size in enumerate(sizes):
        if index > start and total + size > limit:
            yield range(start, index)
            start, total = index, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))


def _step_back(lengths: Sequence[int], start: int, end: int, limit: int, overlap: int) -> int:
    """The start of the next window: some sentences before ``end``, but after ``start``, so that windows advance."""
    first, shared = end, 0
    while first - 1 > start and (shared + lengths[first - 1] <= overlap or first == end):
        shared += lengths[first - 1]
        if shared + lengths[end] > limit:
            break
        first -= 1
    return first


def stitch(windows: Iterable[Sequence[Cluster]]) -> tuple[Cluster, ...]:
    """Join clusters of different windows that share a mention.

    Clusters of one window are joined too if both share mentions with one cluster of a neighbour, but not for a mention
    that both have: it stays in the first. The result is in text order, each mention once.
    """
    parent: dict[int, int] = {}
    owner: dict[Mention, int] = {}
    members: list[Cluster] = []

    def top(index: int) -> int:
        while parent[index] != index:
            parent[index] = index = parent[parent[index]]
        return index

    for clusters in windows:
        seen: set[Mention] = set()
        for cluster in clusters:
            index = len(members)
            parent[index] = index
            own = tuple(mention for mention in cluster if mention not in seen)
            members.append(own)
            seen.update(own)
            for mention in own:
                other = owner.setdefault(mention, index)
                parent[top(other)] = top(index)
    joined: dict[int, set[Mention]] = {}
    for index, cluster in enumerate(members):
        joined.setdefault(top(index), set()).update(cluster)
    ordered = (tuple(sorted(mentions, key=text_order)) for mentions in joined.values() if mentions)
    return tuple(sorted(ordered, key=lambda cluster: text_order(cluster[0])))
