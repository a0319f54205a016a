"""The input of every coreference metric: chain sizes, and the mentions that chains share."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as chained
from typing import TypeAlias

Clustering: TypeAlias = Sequence[Collection[Hashable]]
"""Chains of one document; each chain a collection of mentions, each mention in at most one chain, once."""

Cell: TypeAlias = tuple[int, int, int]
"""(index of a key chain, index of a response chain, number of mentions they share, at least 1)."""


@dataclass(frozen=True)
class Overlap:
    """Sizes and shared mentions of the chains of one document, key against response.

    The table of shared mentions is sparse: `cells` has only pairs of chains with a mention in common, sorted
    by key chain, so its length is at most the number of mentions. Chains without mentions are left out before
    indices are given, as the official scorer (v8.01) does not count them either.
    """

    key_sizes: tuple[int, ...]
    response_sizes: tuple[int, ...]
    cells: tuple[Cell, ...]

    @property
    def key_mentions(self) -> int:
        """Number of mentions in the key."""
        return sum(self.key_sizes)

    @property
    def response_mentions(self) -> int:
        """Number of mentions in the response."""
        return sum(self.response_sizes)

    @property
    def shared_mentions(self) -> int:
        """Number of mentions in both."""
        return sum(shared for _, _, shared in self.cells)

    @cached_property
    def components(self) -> list[list[Cell]]:
        """The cells, grouped so that no chain is in two groups: connected parts of the graph of chains."""
        return connected(self.cells, len(self.response_sizes))


def measure_overlap(key: Clustering, response: Clustering) -> Overlap:
    """Count, in time linear in the number of mentions, what the chains of key and response share.

    Raises ValueError if a mention is in two chains of one clustering, or twice in a chain: every metric would
    be silently wrong (over 100%, even).
    """
    key = [chain for chain in key if chain]
    response = [chain for chain in response if chain]
    key_sizes = tuple(map(len, key))
    response_sizes = tuple(map(len, response))
    response_index = {mention: index for index, chain in enumerate(response) for mention in chain}
    if len(response_index) != sum(response_sizes):
        raise _repeated(response, "response")
    if len(set(chained.from_iterable(key))) != sum(key_sizes):
        raise _repeated(key, "key")
    cells: list[Cell] = []
    for index, chain in enumerate(key):
        row: dict[int, int] = {}
        for mention in chain:
            other = response_index.get(mention)
            if other is not None:
                row[other] = row.get(other, 0) + 1
        cells.extend((index, other, shared) for other, shared in row.items())
    return Overlap(key_sizes, response_sizes, tuple(cells))


def _repeated(clustering: Clustering, side: str) -> ValueError:
    chain_of: dict[Hashable, int] = {}
    for index, chain in enumerate(clustering):
        for mention in chain:
            if mention in chain_of:
                return ValueError(
                    f"mention {mention!r} occurs twice in the {side}, in chains number "
                    f"{chain_of[mention]} and {index} (from 0, empty ones left out); it may only once"
                )
            chain_of[mention] = index
    return ValueError(f"a chain of the {side} has another length than the number of its mentions")


def connected(cells: Sequence[Cell], response_chains: int) -> list[list[Cell]]:
    """Group cells, sorted by key chain, so that no chain is in two groups."""
    parent = list(range(response_chains))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = index = parent[parent[index]]
        return index

    last_key = last_response = -1
    for key, response, _ in cells:
        if key == last_key:
            parent[root(response)] = root(last_response)
        last_key, last_response = key, response
    groups: dict[int, list[Cell]] = {}
    for cell in cells:
        groups.setdefault(root(cell[1]), []).append(cell)
    return list(groups.values())
