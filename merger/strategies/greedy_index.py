"""Finds merged chains by the strings in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from merger.document import Chain, ChainRef, Mention, text_order
from merger.strategies.greedy_keys import Key


class Hit(NamedTuple):
    """A merged chain: its root, the latest mention in it that matches, for fuzzy matches a similarity from 0 to 100."""

    root: ChainRef
    mention: Mention
    score: float | None


@dataclass(slots=True)
class _Posting:
    """How one merged chain matches one string: the latest mention with it, and in how many mentions it stands."""

    mention: Mention
    mentions: int


class ChainIndex:
    """From a string to the merged chains that have it.

    ``tie`` chooses among several (``recent``, ``first``, ``overlap``). With ``threshold`` strings match if their
    rapidfuzz ratio reaches it, else if they are equal.
    """

    def __init__(self, tie: str, threshold: float | None = None) -> None:
        self._tie = tie
        self._threshold = threshold
        self._postings: dict[str, dict[ChainRef, _Posting]] = {}
        self._first: dict[ChainRef, Mention] = {}
        self._last: dict[ChainRef, Mention] = {}

    def add(self, root: ChainRef, chain: Chain, keys: Iterable[Key]) -> None:
        """Add a part chain to a merged chain. Parts must come in order."""
        self._first.setdefault(root, chain.mentions[0])
        last = self._last.get(root)
        if last is None or text_order(last) < text_order(chain.mentions[-1]):
            self._last[root] = chain.mentions[-1]
        # A mention may have a string twice ("boys will be boys"), and it counts once.
        for key, mention in dict.fromkeys(keys):
            posting = self._postings.setdefault(key, {}).get(root)
            if posting is None:
                self._postings[key][root] = _Posting(mention, 1)
            else:
                # Of two chains of a part that join the same merged chain, the second may end before the first.
                posting.mention = max(posting.mention, mention, key=text_order)
                posting.mentions += 1

    def find(self, key: str, taken: Collection[ChainRef] = ()) -> Hit | None:
        """The merged chain that the string belongs to by the tie rule, without those in ``taken``."""
        if self._threshold is not None:
            return self._find_alike(key, self._threshold, taken)
        return self._choose(self._postings.get(key, {}), taken)

    def _choose(self, postings: dict[ChainRef, _Posting], taken: Collection[ChainRef]) -> Hit | None:
        candidates = [root for root in postings if root not in taken] if taken else postings
        if not candidates:
            return None
        if self._tie == "first":
            root = min(candidates, key=lambda ref: text_order(self._first[ref]))
        elif self._tie == "recent":
            root = max(candidates, key=lambda ref: text_order(self._last[ref]))
        else:
            root = max(candidates, key=lambda ref: (postings[ref].mentions, text_order(self._last[ref])))
        return Hit(root, postings[root].mention, None)

    def _find_alike(self, key: str, threshold: float, taken: Collection[ChainRef]) -> Hit | None:
        from rapidfuzz import fuzz, process

        alike = process.extract(key, self._postings.keys(), scorer=fuzz.ratio, score_cutoff=threshold, limit=None)
        postings: dict[ChainRef, _Posting] = {}
        best: dict[ChainRef, float] = {}
        for text, score, _ in alike:
            for root, posting in self._postings[text].items():
                postings[root] = _joined(posting, postings.get(root))
                best[root] = max(score, best.get(root, 0.0))
        hit = self._choose(postings, taken)
        return None if hit is None else hit._replace(score=best[hit.root])


def _joined(posting: _Posting, other: _Posting | None) -> _Posting:
    if other is None:
        return posting
    latest = max(posting.mention, other.mention, key=text_order)
    return _Posting(latest, posting.mentions + other.mentions)
