"""Scores that depend on the merges alone: links between part chains, decisions, and the gain over the floor.

Mention-level scores of a merge start high, because most chains never leave their part. A merge only changes which part
chains are together. That is counted here, with part chains in the role of mentions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

from client.evaluation.scoring.counts import Counts
from merger.document import Chain, ChainRef, ChainScope, Document, chain_order, part_chains
from merger.empty_nodes import deciding_mentions
from merger.errors import DecisionError, Location


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Counts of links and decisions, added up over documents.

    ``links`` counts pairs of part chains in one merged chain. ``decisions`` is the number of decisions (chains of all
    parts but the first), ``matching`` how many of them have the same antecedent, as a set of part chains, in both.
    """

    links: Counts
    decisions: int
    matching: int

    def __add__(self, other: LinkCounts) -> LinkCounts:
        return LinkCounts(self.links + other.links, self.decisions + other.decisions, self.matching + other.matching)

    @property
    def strict_match(self) -> float:
        """Share of decisions with the same antecedent, 0 to 1 (LongtoNotes 3.3); 0 if there are none."""
        return self.matching / self.decisions if self.decisions else 0.0


NO_LINKS = LinkCounts(Counts(0, 0, 0, 0), 0, 0)
"""Nothing to link: the neutral element."""


@dataclass(frozen=True)
class Linking:
    """Which part chains of a document are together in a merged one.

    ``owners`` has the number of the merged chain for every part chain, in annotation order.
    """

    owners: Mapping[ChainRef, int]

    @cached_property
    def antecedents(self) -> dict[ChainRef, tuple[ChainRef, ...]]:
        """The antecedent of every chain after the first part, in annotation order.

        The antecedent is the merged chain at the time of the decision: its part chains of earlier parts, in order;
        empty for *new*.
        """
        so_far: dict[int, list[ChainRef]] = {}
        antecedents: dict[ChainRef, tuple[ChainRef, ...]] = {}
        for part, group in groupby(self.owners, key=itemgetter(0)):
            refs = list(group)
            if part > 0:
                antecedents.update((ref, tuple(so_far.get(self.owners[ref], ()))) for ref in refs)
            for ref in refs:
                so_far.setdefault(self.owners[ref], []).append(ref)
        return antecedents

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """The merged chain of every part chain; merged chains are numbered from 0 by their first part chains."""
        numbers: dict[int, int] = {}
        return tuple(numbers.setdefault(owner, len(numbers)) for owner in self.owners.values())


def mergeable_chains(parts: Document) -> dict[ChainRef, Chain]:
    """The part chains that decisions are about, in annotation order: those with two mentions or more (3.1)."""
    return {ref: chain for ref, chain in part_chains(parts).items() if len(chain.mentions) > 1}


def read_linking(chains: Mapping[ChainRef, Chain], merged: Document) -> Linking:
    """How a merged document links these part chains; it has their parts and tokens.

    A part chain that no merged chain holds is linked to nothing. Raises :class:`~merger.errors.DecisionError` if the
    mentions of a part chain are in several merged chains.
    """
    chain_of = {mention: number for number, chain in enumerate(merged.chains) for mention in chain.mentions}
    owners: dict[ChainRef, int] = {}
    for ref, chain in chains.items():
        numbers = {chain_of.get(mention) for mention in deciding_mentions(chain, chain_of, merged)} or {None}
        owner = numbers.pop() if len(numbers) == 1 else None
        if owner is None and not numbers:
            # The merged document has none of its mentions, as in a response that lacks the document.
            owner = len(merged.chains) + len(owners)
        if owner is None:
            raise DecisionError(
                f"the mentions of part chain {ref.chain} are not together",
                Location(merged.file, document=merged.id, part=ref.part),
                expected="every part chain whole in one merged chain",
            )
        owners[ref] = owner
    return Linking(owners)


def unseen_chains(chains: Mapping[ChainRef, Chain], merged: Document) -> set[ChainRef]:
    """The part chains that a merged document cannot decide on: it lacks the empty nodes in all their mentions."""
    known = set(merged.mentions())
    return {ref for ref, chain in chains.items() if not any(deciding_mentions(chain, known, merged))}


def count_links(parts: Document, key: Document, response: Document) -> LinkCounts:
    """Compare the merges of key and response over the chains of ``parts``; all three have the same parts and tokens.

    Raises :class:`~merger.errors.DecisionError` if a merged document does not keep a part chain together.
    """
    chains = mergeable_chains(parts)
    return compare_linkings(read_linking(chains, key), read_linking(chains, response))


def compare_linkings(key: Linking, response: Linking) -> LinkCounts:
    """Count the links and decisions that two merges of the same part chains share."""
    shared = _pairs((owner, response.owners[ref]) for ref, owner in key.owners.items())
    links = Counts(shared, _pairs(key.owners.values()), shared, _pairs(response.owners.values()))
    return LinkCounts(links, *_decisions(key.owners, response.owners))


def gain(f1: float, floor: float) -> float | None:
    """(f1 - floor) / (1 - floor): negative below the floor, ``None`` if the floor is 1."""
    return (f1 - floor) / (1 - floor) if floor < 1 else None


def part_chains_of(merged: Document) -> Document:
    """The part chains that a merged document implies: each chain cut at the part boundaries.

    Two chains of one part that were merged into one stay one chain; only the documents before merging have both.
    """
    cut = [
        Chain(chain.id, tuple(mentions))
        for chain in merged.chains
        for _, mentions in groupby(chain.mentions, key=itemgetter(0))
    ]
    return merged.with_chains(tuple(sorted(cut, key=chain_order)), ChainScope.PART)


def _pairs(groups: Iterable[Hashable]) -> int:
    """The pairs of things in one group, from the group of each thing."""
    return sum(size * (size - 1) // 2 for size in Counter(groups).values())


def _decisions(key_owner: Mapping[ChainRef, int], response_owner: Mapping[ChainRef, int]) -> tuple[int, int]:
    """The number of decisions, and how many have the same antecedent in both.

    Two sets are equal if each is as large as their intersection, so sizes are enough. The sets themselves would take
    memory in the square of a long chain.
    """
    decisions = matching = 0
    in_key, in_response, in_both = Counter[int](), Counter[int](), Counter[tuple[int, int]]()
    for part, refs in groupby(key_owner, key=itemgetter(0)):
        owners = [(key_owner[ref], response_owner[ref]) for ref in refs]
        if part > 0:
            decisions += len(owners)
            matching += sum(in_key[key] == in_both[key, other] == in_response[other] for key, other in owners)
        in_both.update(owners)
        in_key.update(key for key, _ in owners)
        in_response.update(other for _, other in owners)
    return decisions, matching
