"""From predicted clusters to decisions: with which earlier merged chain does a part chain share its clusters?

A *link* is a pair of mentions of two chains that match predicted mentions of one cluster. LongtoNotes 3.2
leaves the mapping open; the policies are this project's readings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from merger.backends.mention_matching import Match
from merger.decisions.model import Decision, Evidence, MentionPair, MergedChains
from merger.document import Chain, ChainRef, Mention, text_order

POLICIES = ("majority-one-to-one", "majority", "any-link")

SHOWN_PAIRS = 5
"""How many linked mention pairs a decision's evidence shows; the number of links is the evidence's score."""


@dataclass(slots=True)
class _ClusterCounts:
    """How many mentions a part chain has in each predicted cluster, and the first and last of them."""

    counts: Counter[int] = field(default_factory=Counter)
    first: dict[int, Mention] = field(default_factory=dict)
    last: dict[int, Mention] = field(default_factory=dict)


class LinkMapper:
    """Turns matched mentions into decisions, part by part.

    ``majority`` links a chain to the merged chain with which it shares the most links, ties to the nearest.
    ``majority-one-to-one`` lets only one chain of a part link to a merged chain: the one with more links, then the
    earlier one; the other goes to its next best. ``any-link`` joins all chains that share a link, also earlier merged
    chains with each other, but never two chains of one part unless ``within_part`` allows it.
    """

    def __init__(self, policy: str, *, within_part: bool = False) -> None:
        self._policy = policy
        self._within_part = within_part
        self._known: dict[ChainRef, _ClusterCounts] = {}
        self._end: dict[ChainRef, Mention] = {}
        self._by_cluster: dict[int, list[ChainRef]] = {}

    def decide(
        self, part: int, chains: Sequence[Chain], matches: Mapping[Mention, Match], merged: MergedChains
    ) -> list[Decision]:
        """Decide on the chains of the next part; ``matches`` has the predicted mention of each mention that has one."""
        refs = [ChainRef(part, chain.id) for chain in chains]
        own = {ref: _in_clusters(chain, matches) for ref, chain in zip(refs, chains, strict=True)}
        links = {ref: self._links(own[ref], merged) for ref in refs}
        if self._policy == "any-link":
            decisions = self._join_all(refs, own, links, merged)
        else:
            chosen = self._best(refs, links, merged, one_to_one=self._policy == "majority-one-to-one")
            decisions = [self._decision(ref, own[ref], chosen.get(ref), links[ref], merged) for ref in refs]
        self.learn(chains, matches)
        return decisions

    def learn(self, chains: Sequence[Chain], matches: Mapping[Mention, Match]) -> None:
        """Make part chains available as antecedents; :meth:`decide` does so for those it decided on."""
        for chain in chains:
            ref = ChainRef(chain.mentions[0].part, chain.id)
            self._known[ref] = _in_clusters(chain, matches)
            self._end[ref] = chain.mentions[-1]
            for cluster in self._known[ref].counts:
                self._by_cluster.setdefault(cluster, []).append(ref)

    def _links(self, own: _ClusterCounts, merged: MergedChains) -> Counter[ChainRef]:
        links: Counter[ChainRef] = Counter()
        for cluster, count in own.counts.items():
            for other in self._by_cluster.get(cluster, ()):
                links[merged.root(other)] += count * self._known[other].counts[cluster]
        return links

    def _nearness(self, root: ChainRef, merged: MergedChains) -> tuple[object, ...]:
        return max(text_order(self._end[member]) for member in merged.members(root))

    def _best(
        self,
        refs: Sequence[ChainRef],
        links: Mapping[ChainRef, Counter[ChainRef]],
        merged: MergedChains,
        *,
        one_to_one: bool,
    ) -> dict[ChainRef, ChainRef]:
        wishes = [
            (count, -order, self._nearness(root, merged), ref, root)
            for order, ref in enumerate(refs)
            for root, count in links[ref].items()
        ]
        chosen: dict[ChainRef, ChainRef] = {}
        taken: set[ChainRef] = set()
        for _, _, _, ref, root in sorted(wishes, reverse=True):
            if ref not in chosen and not (one_to_one and root in taken):
                chosen[ref] = root
                taken.add(root)
        return chosen

    def _decision(
        self, ref: ChainRef, own: _ClusterCounts, root: ChainRef | None, links: Counter[ChainRef], merged: MergedChains
    ) -> Decision:
        if root is None:
            return Decision(ref)
        return Decision(ref, root, self._evidence(own, [root], links[root], merged))

    def _evidence(self, own: _ClusterCounts, roots: Iterable[ChainRef], links: int, merged: MergedChains) -> Evidence:
        pairs = []
        for root in roots:
            for cluster in own.counts:
                ends = [self._known[each].last.get(cluster) for each in merged.members(root) if each in self._known]
                earlier = max((mention for mention in ends if mention is not None), key=text_order, default=None)
                if earlier is not None:
                    pairs.append(MentionPair(own.first[cluster], earlier))
        return Evidence("link", "", tuple(pairs[:SHOWN_PAIRS]), float(links))

    def _join_all(
        self,
        refs: Sequence[ChainRef],
        own: Mapping[ChainRef, _ClusterCounts],
        links: Mapping[ChainRef, Counter[ChainRef]],
        merged: MergedChains,
    ) -> list[Decision]:
        groups = _Groups({root: {member.part for member in merged.members(root)} for root in merged})
        decisions = []
        for order, ref in enumerate(refs):
            groups.add(ref)
            # Strongest first, so that the one-chain-a-part rule drops the weakest.
            ranked = sorted(links[ref], key=lambda root: (links[ref][root], self._nearness(root, merged)), reverse=True)
            if self._within_part:
                ranked += [other for other in refs[:order] if own[other].counts.keys() & own[ref].counts.keys()]
            joined = [other for other in ranked if groups.join(ref, other, within_part=self._within_part)]
            earlier = [other for other in joined if other.part < ref.part]
            evidence = None
            if joined:
                count = sum(links[ref][root] for root in earlier)
                evidence = self._evidence(own[ref], earlier, count, merged)
                evidence = _with_links_beside(
                    evidence, own[ref], [own[other] for other in joined if other not in earlier]
                )
            also = tuple(other for other in joined if other != earlier[0]) if earlier else tuple(joined)
            decisions.append(Decision(ref, earlier[0] if earlier else None, evidence, also))
        return decisions


class _Groups:
    """Union of merged chains while a part is being decided on; each group knows the parts it has chains in."""

    def __init__(self, parts: dict[ChainRef, set[int]]) -> None:
        self._parts = parts
        self._up: dict[ChainRef, ChainRef] = {}

    def add(self, ref: ChainRef) -> None:
        self._parts[ref] = {ref.part}

    def _top(self, ref: ChainRef) -> ChainRef:
        while ref in self._up:
            ref = self._up[ref]
        return ref

    def join(self, ref: ChainRef, other: ChainRef, *, within_part: bool) -> bool:
        """Join two groups if the rule allows it; return whether they are one group now."""
        one, two = self._top(ref), self._top(other)
        if one == two:
            return True
        if not within_part and self._parts[one] & self._parts[two]:
            return False
        self._up[two] = one
        self._parts[one] |= self._parts.pop(two)
        return True


def _with_links_beside(evidence: Evidence, own: _ClusterCounts, beside: Sequence[_ClusterCounts]) -> Evidence:
    """Add the links to chains of the same part."""
    shared = [(cluster, other) for other in beside for cluster in own.counts if cluster in other.counts]
    if not shared:
        return evidence
    pairs = (*evidence.pairs, *(MentionPair(own.first[cluster], other.last[cluster]) for cluster, other in shared))
    count = sum(own.counts[cluster] * other.counts[cluster] for cluster, other in shared)
    return replace(evidence, pairs=pairs[:SHOWN_PAIRS], score=(evidence.score or 0.0) + count)


def _in_clusters(chain: Chain, matches: Mapping[Mention, Match]) -> _ClusterCounts:
    found = _ClusterCounts()
    for mention in chain.mentions:
        match = matches.get(mention)
        if match is not None:
            found.counts[match.cluster] += 1
            found.first.setdefault(match.cluster, mention)
            found.last[match.cluster] = mention
    return found
