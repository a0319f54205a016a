"""Counts of many texts added up, and the averages and histograms of the paper's tables and figures."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from client.evaluation.statistics.texts import TextCounts

FAR = 5000
"""An antecedent is far if it is more than so many tokens away (LongtoNotes 2.4)."""
CHAIN_BINS = (0, 5, 10, 20, 30, 40, 50, 100)
"""Upper ends of the bins of chains per document (Figure 3)."""
DISTANCE_BINS = (10, 50, 100, 500, 1000, 2000, 5000, 10000)
"""Upper ends of the bins of antecedent distances, in tokens (Figure 4)."""


@dataclass(slots=True)
class CorpusStatistics:
    """A set of texts; an average over nothing is ``None``.

    ``chains_per_text`` counts texts by their number of chains, ``distances`` mentions by the distance to the mention
    before in their chain, first token to first token.
    """

    texts: int = 0
    tokens: int = 0
    chains: int = 0
    mentions: int = 0
    singletons: int = 0
    longest_text: int = 0
    chains_per_text: Counter[int] = field(default_factory=Counter)
    distances: Counter[int] = field(default_factory=Counter)

    def add(self, text: TextCounts) -> None:
        """Add one text to the counts."""
        self.texts += 1
        self.tokens += text.tokens
        self.chains += text.chains
        self.mentions += text.mentions
        self.singletons += text.singletons
        self.longest_text = max(self.longest_text, text.tokens)
        self.chains_per_text[text.chains] += 1
        self.distances.update(text.distances)

    @property
    def tokens_per_text(self) -> float | None:
        """Table 1, Tokens/Doc."""
        return _ratio(self.tokens, self.texts)

    @property
    def mean_chains(self) -> float | None:
        """Chains per text: Table 1, # Chains."""
        return _ratio(self.chains, self.texts)

    @property
    def mentions_per_text(self) -> float | None:
        """Table 1, Ment./Chains: 65 mentions beside 14 chains can only be per document."""
        return _ratio(self.mentions, self.texts)

    @property
    def mentions_per_chain(self) -> float | None:
        """Mentions of the average chain."""
        return _ratio(self.mentions, self.chains)

    @property
    def longest_distance(self) -> int | None:
        """The farthest antecedent, in tokens (2.4)."""
        return max(self.distances, default=None)

    @property
    def far_mentions(self) -> int:
        """Mentions more than 5,000 tokens from their antecedent (2.4)."""
        return sum(count for distance, count in self.distances.items() if distance > FAR)

    @property
    def mean_distance(self) -> float | None:
        """The average distance to the antecedent, in tokens."""
        return _ratio(sum(distance * count for distance, count in self.distances.items()), self.distances.total())


@dataclass(frozen=True, slots=True)
class Corpus:
    """Statistics of a corpus: all of it, by genre, and the subset of documents that have several parts.

    ``points`` are the tokens and chains of each text (Figure 2).
    """

    total: CorpusStatistics
    genres: Mapping[str, CorpusStatistics]
    merged: CorpusStatistics
    points: tuple[tuple[str, int, int], ...]


def sum_up(texts: Iterable[TextCounts]) -> Corpus:
    """Add up texts, one at a time; genres in alphabetical order, those without one as ``unknown``."""
    total, merged = CorpusStatistics(), CorpusStatistics()
    genres: dict[str, CorpusStatistics] = {}
    points = []
    for text in texts:
        total.add(text)
        genres.setdefault(text.genre or "unknown", CorpusStatistics()).add(text)
        if text.merged:
            merged.add(text)
        points.append((text.document, text.tokens, text.chains))
    return Corpus(total, dict(sorted(genres.items())), merged, tuple(points))


def histogram(counts: Counter[int], ends: Sequence[int]) -> list[tuple[int, int | None, int]]:
    """(first value, last value, count) for each bin; ``ends`` are last values, ``None`` for the last bin."""
    sums = [0] * (len(ends) + 1)
    for value, count in counts.items():
        sums[bisect_left(ends, value)] += count
    firsts = [0, *(end + 1 for end in ends)]
    return list(zip(firsts, [*ends, None], sums, strict=True))


def _ratio(numerator: float, denominator: int) -> float | None:
    return numerator / denominator if denominator else None
