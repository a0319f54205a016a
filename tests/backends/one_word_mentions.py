"""Documents whose mentions are single, different words, and clusters named by those words."""

from __future__ import annotations

from collections.abc import Sequence

from merger.backends.link_policies import LinkMapper
from merger.backends.mention_matching import Cluster, match_mentions
from merger.decisions.model import Decision, MergedChains
from merger.document import Document, Mention, chains_by_part


def clusters_of_words(document: Document, *clusters: str) -> tuple[Cluster, ...]:
    """``"a c"`` is the cluster of the mentions ``a`` and ``c``."""
    by_word: dict[str, Mention] = {document.forms(mention)[0]: mention for mention in document.mentions()}
    return tuple(tuple(by_word[word] for word in cluster.split()) for cluster in clusters)


def map_clusters(
    document: Document, clusters: Sequence[Cluster], policy: str, *, within_part: bool = False
) -> tuple[list[Decision], MergedChains]:
    """Decide on all parts, applying each part's decisions before the next."""
    matches = match_mentions(document, document.mentions(), clusters, "exact")
    mapper = LinkMapper(policy, within_part=within_part)
    merged = MergedChains()
    decisions: list[Decision] = []
    for part, chains in enumerate(chains_by_part(document)):
        decided = mapper.decide(part, chains, matches, merged)
        merged.apply(part, chains, decided)
        decisions += decided
    return decisions, merged


def groups(merged: MergedChains) -> set[frozenset[str]]:
    """The merged chains as sets of ``part:chain``."""
    return {frozenset(f"{ref.part}:{ref.chain}" for ref in merged.members(root)) for root in merged}
