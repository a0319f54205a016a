"""Scores that the merges alone answer for: links between part chains, decisions, and the gain over the floor.

Mention-level scores of a merge start high, since most chains never leave their part. What a merge can change is which
part chains are together: that is counted here, with part chains in the role of mentions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.overlap import measure_overlap
from merger.document import Chain, ChainRef, ChainScope, Document, chain_order, part_chains
from merger.empty_nodes import deciding_mentions
from merger.errors import DecisionError, Location

PartChains = dict[ChainRef, int]
"""For every part chain the number of the merged chain that holds it."""


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


def count_links(parts: Document, key: Document, response: Document) -> LinkCounts:
    """Compare the merges of key and response over the chains of ``parts``; all three have the same parts and tokens.

    Raises :class:`~merger.errors.DecisionError` if a merged document does not keep a part chain together.
    """
    refs = _refs(parts)
    key_owner, response_owner = (merged_owners(refs, merged) for merged in (key, response))
    overlap = measure_overlap(_grouped(key_owner), _grouped(response_owner))
    shared = _pairs(size for _, _, size in overlap.cells)
    links = Counts(shared, _pairs(overlap.key_sizes), shared, _pairs(overlap.response_sizes))
    return LinkCounts(links, *_decisions(key_owner, response_owner))


def antecedents_of(parts: Document, merged: Document) -> dict[ChainRef, tuple[ChainRef, ...]]:
    """For every chain of ``parts`` after the first part, in annotation order, its antecedent in a merged document.

    The antecedent is what its merged chain held when the decision was made: the part chains of earlier parts, in order;
    empty for *new*. Singletons take no part (LongtoNotes 3.1). Both documents have the same parts and tokens.
    Raises :class:`~merger.errors.DecisionError` if the merged document does not keep a part chain together.
    """
    return _antecedents(merged_owners(_refs(parts), merged))


def unseen_chains(parts: Document, merged: Document) -> set[ChainRef]:
    """Part chains that a merged document has nothing to say about: it lacks the empty nodes in all their mentions."""
    known = set(merged.mentions())
    return {ref for ref, chain in _refs(parts) if not any(deciding_mentions(chain, known, merged))}


def merged_numbers(parts: Document, merged: Document) -> tuple[int, ...]:
    """For every chain of ``parts`` with two or more mentions, in annotation order, which merged chain it is in.

    Merged chains are numbered from 0 in the order of their first part chains. Raises as :func:`antecedents_of` does.
    """
    numbers: dict[int, int] = {}
    return tuple(numbers.setdefault(owner, len(numbers)) for owner in merged_owners(_refs(parts), merged).values())


def merged_owners(refs: Sequence[tuple[ChainRef, Chain]], merged: Document) -> PartChains:
    """For each of these part chains the number of the merged chain that holds it; one that none holds has its own.

    Raises :class:`~merger.errors.DecisionError` if the mentions of a part chain are in several merged chains.
    """
    chain_of = {mention: number for number, chain in enumerate(merged.chains) for mention in chain.mentions}
    owners: PartChains = {}
    for ref, chain in refs:
        numbers = {chain_of.get(mention) for mention in deciding_mentions(chain, chain_of, merged)} or {None}
        owner = numbers.pop() if len(numbers) == 1 else None
        if owner is None and not numbers:
            # Nowhere in the merged document: not linked to anything, as in a response that lacks the document.
            owner = len(merged.chains) + len(owners)
        if owner is None:
            raise DecisionError(
                f"the mentions of part chain {ref.chain} are not together",
                Location(merged.file, document=merged.id, part=ref.part),
                expected="every part chain whole in one merged chain",
            )
        owners[ref] = owner
    return owners


def gain(f1: float, floor: float) -> float | None:
    """What share of the way from the floor to 1 a score makes: below 0 under the floor, ``None`` if the floor is 1."""
    return (f1 - floor) / (1 - floor) if floor < 1 else None


def part_chains_of(merged: Document) -> Document:
    """The part chains that a merged document implies: each chain cut at the part boundaries.

    Two chains of one part that were merged into one cannot be told apart this way; files from before the merge can.
    """
    cut = [
        Chain(chain.id, tuple(mentions))
        for chain in merged.chains
        for _, mentions in groupby(chain.mentions, key=itemgetter(0))
    ]
    return merged.with_chains(tuple(sorted(cut, key=chain_order)), ChainScope.PART)


def _refs(parts: Document) -> list[tuple[ChainRef, Chain]]:
    return [(ref, chain) for ref, chain in part_chains(parts).items() if len(chain.mentions) > 1]


def _pairs(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def _grouped(owners: PartChains) -> list[list[ChainRef]]:
    groups: dict[int, list[ChainRef]] = {}
    for ref, owner in owners.items():
        groups.setdefault(owner, []).append(ref)
    return list(groups.values())


def _decisions(key_owner: PartChains, response_owner: PartChains) -> tuple[int, int]:
    """The number of decisions, and how many have the same antecedent in both.

    Sets are the same if neither has more than what they have in common: counts tell, where the antecedents themselves
    would take space in the square of a long chain.
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


def _antecedents(owners: PartChains) -> dict[ChainRef, tuple[ChainRef, ...]]:
    """For every chain after the first part, the part chains of earlier parts in its merged chain."""
    so_far: dict[int, list[ChainRef]] = {}
    antecedents: dict[ChainRef, tuple[ChainRef, ...]] = {}
    waiting: list[tuple[int, ChainRef]] = []
    for ref, owner in owners.items():
        if waiting and waiting[0][1].part != ref.part:
            for its_owner, its_ref in waiting:
                so_far.setdefault(its_owner, []).append(its_ref)
            waiting = []
        if ref.part > 0:
            antecedents[ref] = tuple(so_far.get(owner, ()))
        waiting.append((owner, ref))
    return antecedents
