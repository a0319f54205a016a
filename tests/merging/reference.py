"""The greedy rule of docs/greedy.md by double loops over everything, to check the indexed one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from merger.document import Chain, ChainRef, Document, Mention, Span


@dataclass
class Merged:
    """A merged chain: its part chains, the first of which names it."""

    chains: list[tuple[ChainRef, Chain]]

    @property
    def root(self) -> ChainRef:
        return self.chains[0][0]

    @property
    def mentions(self) -> list[Mention]:
        return [mention for _, chain in self.chains for mention in chain.mentions]


@dataclass(frozen=True)
class Rule:
    match: str = "noun"
    tie: str = "recent"
    one_to_one: bool = False
    ignore_case: bool = False
    threshold: int = 90


class Link(NamedTuple):
    """An antecedent by its first part chain, and why: the string, who has it here and, last, there; how alike."""

    root: ChainRef
    text: str
    mention: Mention
    antecedent: Mention
    degree: Fraction


class _Match(NamedTuple):
    target: Merged
    text: str
    mention: Mention
    matches: list[tuple[Mention, Fraction]]


def reference_links(document: Document, rule: Rule) -> dict[ChainRef, Link | None]:
    """The link of every chain of two or more mentions, or ``None`` for new."""
    merged: list[Merged] = []
    links: dict[ChainRef, Link | None] = {}
    for part in range(len(document.parts)):
        chains = [chain for chain in document.chains if chain.mentions[0].part == part and len(chain.mentions) > 1]
        chains.sort(key=lambda chain: (_order(chain.mentions[0]), chain.id))
        found: list[tuple[Chain, _Match | None]] = []
        for chain in chains:
            taken = [match.target for _, match in found if match is not None] if rule.one_to_one else []
            found.append((chain, _antecedent(document, rule, chain, [each for each in merged if each not in taken])))
        for chain, match in found:
            ref = ChainRef(part, chain.id)
            if match is None:
                links[ref] = None
                continue
            last = max((mention for mention, _ in match.matches), key=_order)
            most = max(degree for _, degree in match.matches)
            links[ref] = Link(match.target.root, match.text, match.mention, last, most)
        for chain, match in found:
            ref = ChainRef(part, chain.id)
            if match is None:
                merged.append(Merged([(ref, chain)]))
            else:
                match.target.chains.append((ref, chain))
    return links


def _antecedent(document: Document, rule: Rule, chain: Chain, merged: list[Merged]) -> _Match | None:
    nouns = [
        (mention.sentence, token, order, mention)
        for order, mention in enumerate(chain.mentions)
        for token in mention.tokens
        if _is_noun(document, mention, token)
    ]
    for _, token, _, mention in sorted(nouns, key=lambda noun: noun[:3]):
        if rule.match == "head" and _head(document, mention) != token:
            continue
        forms = (
            document.forms(mention) if rule.match in {"mention", "fuzzy"} else [document.sentence(mention).forms[token]]
        )
        text = " ".join(forms).casefold() if rule.ignore_case else " ".join(forms)
        candidates = [
            _Match(target, text, mention, matches)
            for target in merged
            if (matches := _matches(document, rule, mention, token, target))
        ]
        if candidates:
            return _break_tie(rule.tie, candidates)
    return None


def _break_tie(tie: str, candidates: list[_Match]) -> _Match:
    if tie == "first":
        return min(candidates, key=lambda each: min(map(_order, each.target.mentions)))
    if tie == "overlap":
        most = max(len(each.matches) for each in candidates)
        candidates = [each for each in candidates if len(each.matches) == most]
    return max(candidates, key=lambda each: max(map(_order, each.target.mentions)))


def _order(mention: Mention) -> tuple[int, int, int, int, tuple[Span, ...]]:
    # By the first token, the longer mention first; where both ends are equal, one without gaps is longer.
    return (mention.part, mention.sentence, mention.first, -mention.last, mention.pieces)


def _matches(
    document: Document, rule: Rule, mention: Mention, token: int, target: Merged
) -> list[tuple[Mention, Fraction]]:
    """The mentions of the target that the noun overlaps with, and how much (1 for equal)."""
    degrees = ((earlier, _overlap(document, rule, mention, token, earlier)) for earlier in target.mentions)
    return [(earlier, degree) for earlier, degree in degrees if degree is not None]


def _overlap(document: Document, rule: Rule, mention: Mention, token: int, earlier: Mention) -> Fraction | None:
    def written(text: str) -> str:
        return text.casefold() if rule.ignore_case else text

    forms = document.sentence(earlier).forms
    noun = written(document.sentence(mention).forms[token])
    nouns = [written(forms[index]) for index in earlier.tokens if _is_noun(document, earlier, index)]
    whole, earlier_whole = (written(" ".join(document.forms(each))) for each in (mention, earlier))
    same = {
        "noun": noun in nouns,
        "token": noun in [written(forms[index]) for index in earlier.tokens],
        "mention": whole == earlier_whole,
        "head": _is_noun(document, earlier, _head(document, earlier))
        and noun == written(forms[_head(document, earlier)]),
        "fuzzy": 100 * ratio(whole, earlier_whole) >= rule.threshold,
    }[rule.match]
    if not same:
        return None
    return ratio(whole, earlier_whole) if rule.match == "fuzzy" else Fraction(1)


def _is_noun(document: Document, mention: Mention, token: int) -> bool:
    tags = document.sentence(mention).xpos
    assert tags is not None
    return tags[token].startswith(("NN", "NP"))


def _head(document: Document, mention: Mention) -> int:
    heads = document.sentence(mention).heads
    assert heads is not None
    return next(token for token in mention.tokens if heads[token] not in mention.tokens)


def ratio(one: str, other: str) -> Fraction:
    """Twice the length of the longest common subsequence over the length of both: what rapidfuzz calls a ratio."""
    lengths = [0] * (len(other) + 1)
    for letter in one:
        before = 0
        for index, its in enumerate(other, 1):
            before, lengths[index] = (
                lengths[index],
                before + 1 if letter == its else max(lengths[index], lengths[index - 1]),
            )
    return Fraction(2 * lengths[-1], len(one) + len(other)) if one or other else Fraction(1)
