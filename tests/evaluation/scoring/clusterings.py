"""Random clusterings: some mentions on both sides, some on one; chains of all sizes, singletons often."""

from __future__ import annotations

from hypothesis import strategies as st

Clusters = list[frozenset[int]]


def clusterings(mentions: int = 9, chains: int = 5) -> st.SearchStrategy[Clusters]:
    """Chains over the mentions 0, 1, ...; each mention is in one of the chains or in none."""
    labels = st.lists(st.none() | st.integers(0, chains - 1), min_size=mentions, max_size=mentions)
    return labels.map(_group)


def _group(labels: list[int | None]) -> Clusters:
    chains: dict[int, set[int]] = {}
    for mention, label in enumerate(labels):
        if label is not None:
            chains.setdefault(label, set()).add(mention)
    return [frozenset(chain) for chain in chains.values()]
