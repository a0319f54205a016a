from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from merger.backends.link_policies import POLICIES
from merger.backends.mention_matching import Cluster
from merger.decisions.model import MergedChains
from merger.document import (
    ChainRef,
    ChainScope,
    Document,
    Mention,
    Part,
    Sentence,
    chains_by_part,
    make_chain,
    text_order,
)
from tests.backends.one_word_mentions import map_clusters


@st.composite
def documents_and_clusters(draw: st.DrawFn) -> tuple[Document, tuple[Cluster, ...]]:
    """Up to four parts with up to three chains each, whose one-word mentions are in some of four clusters."""
    parts, chains = [], []
    clusters: dict[int, list[Mention]] = {}
    for part in range(draw(st.integers(1, 4))):
        owners = draw(st.lists(st.integers(0, 2), min_size=1, max_size=6))
        mentions = [Mention(part, 0, index, index) for index in range(len(owners))]
        parts.append(Part((Sentence(tuple(f"{part}.{index}" for index in range(len(owners)))),), part))
        for chain in sorted(set(owners)):
            own = [mention for mention, owner in zip(mentions, owners, strict=True) if owner == chain]
            chains.append(make_chain(str(chain), own))
        for mention in mentions:
            cluster = draw(st.integers(0, 4))
            if cluster < 4:
                clusters.setdefault(cluster, []).append(mention)
    document = Document("d", tuple(parts), tuple(chains), ChainScope.PART)
    return document, tuple(map(tuple, clusters.values()))


class Recount:
    """Counts links by looking at every pair of mentions."""

    def __init__(self, document: Document, clusters: tuple[Cluster, ...]) -> None:
        self._cluster = {mention: index for index, cluster in enumerate(clusters) for mention in cluster}
        self.mentions = {
            ChainRef(part, chain.id): chain.mentions
            for part, chains in enumerate(chains_by_part(document))
            for chain in chains
        }

    def linked(self, one: Mention, other: Mention) -> bool:
        return one in self._cluster and self._cluster[one] == self._cluster.get(other)

    def links(self, ref: ChainRef, earlier: tuple[ChainRef, ...]) -> int:
        return sum(
            self.linked(one, other)
            for one in self.mentions[ref]
            for member in earlier
            for other in self.mentions[member]
        )

    def last(self, members: tuple[ChainRef, ...]) -> Mention:
        return max((mention for member in members for mention in self.mentions[member]), key=text_order)


def of_earlier_parts(merged: MergedChains, part: int) -> dict[ChainRef, tuple[ChainRef, ...]]:
    """The merged chains as they were before a part; right for policies that never join merged chains."""
    before = {root: tuple(each for each in merged.members(root) if each.part < part) for root in merged}
    return {root: members for root, members in before.items() if members}


def has_two_of_a_part(merged: MergedChains) -> bool:
    return any(one.part == other.part for root in merged for one, other in pairwise(sorted(merged.members(root))))


@given(documents_and_clusters())
def test_majority_chooses_the_most_links_and_then_the_nearest(given_: tuple[Document, tuple[Cluster, ...]]) -> None:
    document, clusters = given_
    recount = Recount(document, clusters)
    decisions, merged = map_clusters(document, clusters, "majority")

    for decision in decisions:
        wishes = [
            (recount.links(decision.chain, members), text_order(recount.last(members)), root)
            for root, members in of_earlier_parts(merged, decision.chain.part).items()
        ]
        best = max(wishes, default=None)
        if best is None or best[0] == 0:
            assert decision.antecedent is None
        else:
            assert decision.antecedent == best[2]
            assert decision.evidence is not None
            assert decision.evidence.score == best[0]


@given(documents_and_clusters())
def test_one_to_one_never_joins_two_chains_of_a_part(given_: tuple[Document, tuple[Cluster, ...]]) -> None:
    _, merged = map_clusters(*given_, "majority-one-to-one")

    assert not has_two_of_a_part(merged)


@given(documents_and_clusters())
def test_one_to_one_leaves_no_chain_that_should_have_had_a_merged_chain(
    given_: tuple[Document, tuple[Cluster, ...]],
) -> None:
    document, clusters = given_
    recount = Recount(document, clusters)
    decisions, merged = map_clusters(document, clusters, "majority-one-to-one")

    for part, chains in enumerate(chains_by_part(document)):
        earlier = of_earlier_parts(merged, part)
        order = {ChainRef(part, chain.id): -place for place, chain in enumerate(chains)}
        chosen = {each.chain: each.antecedent for each in decisions if each.chain.part == part}
        holder = {root: ref for ref, root in chosen.items() if root is not None}
        for ref, root in chosen.items():
            has = recount.links(ref, earlier[root]) if root is not None else 0
            for other, members in earlier.items():
                wish = recount.links(ref, members)
                if wish > has:
                    assert other in holder
                    taken_with = recount.links(holder[other], members)
                    assert (taken_with, order[holder[other]]) > (wish, order[ref])


@given(documents_and_clusters())
def test_any_link_never_joins_two_chains_of_a_part_without_within_part(
    given_: tuple[Document, tuple[Cluster, ...]],
) -> None:
    _, merged = map_clusters(*given_, "any-link")

    assert not has_two_of_a_part(merged)


@given(documents_and_clusters())
def test_any_link_within_parts_joins_exactly_what_links_connect(
    given_: tuple[Document, tuple[Cluster, ...]],
) -> None:
    document, clusters = given_
    recount = Recount(document, clusters)
    connected = [{ref} for ref in recount.mentions]
    for one in recount.mentions:
        for other in recount.mentions:
            if recount.links(one, (other,)):
                joined = set().union(*(group for group in connected if group & {one, other}))
                connected = [group for group in connected if not group & joined] + [joined]

    _, merged = map_clusters(document, clusters, "any-link", within_part=True)

    assert {frozenset(merged.members(root)) for root in merged} == {frozenset(group) for group in connected}


@given(documents_and_clusters(), st.sampled_from(POLICIES))
def test_the_evidence_of_every_link_is_linked_pairs(given_: tuple[Document, tuple[Cluster, ...]], policy: str) -> None:
    document, clusters = given_
    recount = Recount(document, clusters)
    decisions, merged = map_clusters(document, clusters, policy)

    for decision in decisions:
        assert (decision.evidence is None) == (decision.antecedent is None)
        if decision.evidence is not None:
            assert decision.evidence.pairs
            for mention, antecedent in decision.evidence.pairs:
                assert mention in recount.mentions[decision.chain]
                assert antecedent.part < mention.part
                assert recount.linked(mention, antecedent)
                owner = next(ref for ref, mentions in recount.mentions.items() if antecedent in mentions)
                assert merged.root(owner) == merged.root(decision.chain)
