"""Every metric once more: slow, in exact fractions, straight from the definitions in the papers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import combinations, permutations

Chain = AbstractSet[int]
Chains = Sequence[Chain]
Four = tuple[Fraction, Fraction, Fraction, Fraction]
"""Numerator and denominator of recall, then of precision."""


def all_mentions(chains: Chains) -> set[int]:
    return {mention for chain in chains for mention in chain}


def chain_of(mention: int, chains: Chains) -> Chain:
    return next((chain for chain in chains if mention in chain), frozenset())


def both_ways(one_way: Callable[[Chains, Chains], tuple[Fraction, Fraction]], key: Chains, response: Chains) -> Four:
    return (*one_way(key, response), *one_way(response, key))


def mentions(key: Chains, response: Chains) -> Four:
    return both_ways(
        lambda one, other: (
            Fraction(len(all_mentions(one) & all_mentions(other))),
            Fraction(len(all_mentions(one))),
        ),
        key,
        response,
    )


def muc(key: Chains, response: Chains) -> Four:
    """Vilain et al. (1995): a chain of n mentions, cut in p parts by the other side, keeps n - p links."""

    def recall(one: Chains, other: Chains) -> tuple[Fraction, Fraction]:
        numerator = denominator = 0
        for chain in one:
            parts = {frozenset(chain & chain_of(mention, other)) or mention for mention in chain}
            numerator += len(chain) - len(parts)
            denominator += len(chain) - 1
        return Fraction(numerator), Fraction(denominator)

    return both_ways(recall, key, response)


def b_cubed(key: Chains, response: Chains) -> Four:
    """Bagga and Baldwin (1998): mention by mention."""

    def recall(one: Chains, other: Chains) -> tuple[Fraction, Fraction]:
        found = all_mentions(one)
        shares = [
            Fraction(len(chain_of(mention, one) & chain_of(mention, other)), len(chain_of(mention, one)))
            for mention in found
        ]
        return sum(shares, Fraction()), Fraction(len(found))

    return both_ways(recall, key, response)


def phi3(one: Chain, other: Chain) -> Fraction:
    return Fraction(len(one & other))


def phi4(one: Chain, other: Chain) -> Fraction:
    return Fraction(2 * len(one & other), len(one) + len(other))


def ceaf(key: Chains, response: Chains, phi: Callable[[Chain, Chain], Fraction]) -> Four:
    """Luo (2005): the best of all one-to-one alignments, each tried."""
    few, many = sorted((key, response), key=len)
    similarity = max(
        sum((phi(one, other) for one, other in zip(few, order, strict=True)), Fraction())
        for order in permutations(many, len(few))
    )
    of_key = sum((phi(chain, chain) for chain in key), Fraction())
    of_response = sum((phi(chain, chain) for chain in response), Fraction())
    return similarity, of_key, similarity, of_response


def ceaf_mention(key: Chains, response: Chains) -> Four:
    return ceaf(key, response, phi3)


def ceaf_entity(key: Chains, response: Chains) -> Four:
    return ceaf(key, response, phi4)


def links(chains: Chains) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """All pairs of mentions, in two sets: of one chain, and of two."""
    pairs = set(combinations(sorted(all_mentions(chains)), 2))
    linked = {pair for pair in pairs if pair[1] in chain_of(pair[0], chains)}
    return linked, pairs - linked


def blanc_links(key: Chains, response: Chains) -> tuple[Four, Four]:
    """Luo et al. (2014): counts of coreference links, and of non-coreference links."""
    kinds = [
        (Fraction(len(one & other)), Fraction(len(one)), Fraction(len(one & other)), Fraction(len(other)))
        for one, other in zip(links(key), links(response), strict=True)
    ]
    return kinds[0], kinds[1]


def lea(key: Chains, response: Chains) -> Four:
    """Moosavi and Strube (2016): Σ size · share of links kept; a singleton's link is to itself."""

    def chain_links(chain: Chain) -> set[tuple[int, ...]]:
        if len(chain) == 1:
            return {(mention, mention) for mention in chain}
        return set(combinations(sorted(chain), 2))

    def recall(one: Chains, other: Chains) -> tuple[Fraction, Fraction]:
        kept = set().union(*(chain_links(chain) for chain in other))
        resolved = [len(chain) * Fraction(len(chain_links(chain) & kept), len(chain_links(chain))) for chain in one]
        return sum(resolved, Fraction()), Fraction(sum(map(len, one)))

    return both_ways(recall, key, response)


PLAIN: dict[str, Callable[[Chains, Chains], Four]] = {
    "mentions": mentions,
    "muc": muc,
    "bcub": b_cubed,
    "ceafe": ceaf_entity,
    "ceafm": ceaf_mention,
    "lea": lea,
}
"""All but BLANC, which is not one fraction."""
