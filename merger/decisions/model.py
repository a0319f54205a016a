"""Decisions: for a chain of part i+1, its antecedent among the merged chains of parts 1..i, or *new* (LongtoNotes 3.1).

Decisions are plain data. :class:`MergedChains` applies them in order and keeps the current merged chains;
:func:`read_decisions` goes the other way, from a merged document and its parts to the decisions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from merger.document import (
    Chain,
    ChainRef,
    ChainScope,
    Document,
    Mention,
    chains_by_part,
    make_chain,
    part_chains,
    text_order,
)
from merger.empty_nodes import deciding_mentions
from merger.errors import DecisionError, Location

_COREFUD_ID = re.compile(r"e\d+")


class MentionPair(NamedTuple):
    """A mention of the chain decided on, and the earlier mention it was linked to."""

    mention: Mention
    antecedent: Mention


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a chain was linked.

    ``rule`` names what matched (``noun``, ``token``, ``mention``, ``head``, ``fuzzy``, ``human``, ...), ``text`` the
    matching string, ``pairs`` the mentions with that string, ``score`` a similarity or count where the rule has one.
    """

    rule: str
    text: str = ""
    pairs: tuple[MentionPair, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The antecedent of one part chain: the first part chain of the merged chain it joins, or ``None`` for *new*.

    ``also`` names further chains that the decision joins: other merged chains of earlier parts, or chains that
    come before it in the same part. Only some strategies use it.
    """

    chain: ChainRef
    antecedent: ChainRef | None = None
    evidence: Evidence | None = None
    also: tuple[ChainRef, ...] = ()


class MergedMembers(NamedTuple):
    """A merged chain: its id, and the part chains in it in the text order of their first mentions."""

    id: str
    members: tuple[ChainRef, ...]


class MergedChains:
    """The merged chains of the parts seen so far.

    A merged chain is named by its root, its first part chain. Members are kept in the order in which they joined.
    """

    def __init__(self) -> None:
        self._root: dict[ChainRef, ChainRef] = {}
        self._members: dict[ChainRef, list[ChainRef]] = {}
        self._rank: dict[ChainRef, int] = {}

    def __len__(self) -> int:
        return len(self._members)

    def __contains__(self, chain: ChainRef) -> bool:
        return chain in self._root

    def __iter__(self) -> Iterator[ChainRef]:
        return iter(self._members)

    def root(self, chain: ChainRef) -> ChainRef:
        """The name of the merged chain that a part chain belongs to. Raises ``KeyError`` for an unknown chain."""
        return self._root[chain]

    def members(self, root: ChainRef) -> tuple[ChainRef, ...]:
        """The part chains of a merged chain. Raises ``KeyError`` if ``root`` is not the name of one."""
        return tuple(self._members[root])

    def apply(self, part: int, chains: Sequence[Chain], decisions: Iterable[Decision], document: str = "") -> None:
        """Add a part: every chain of ``chains`` joins its antecedent or starts a merged chain.

        Raises :class:`~merger.errors.DecisionError` if a chain has no decision or two, or if an antecedent does not
        lie in an earlier part.
        """
        place = Location(document=document or None, part=part)
        chosen: dict[ChainRef, Decision] = {}
        for decision in decisions:
            if decision.chain in chosen:
                raise DecisionError(f"two decisions on chain {decision.chain.chain}", place, expected="one a chain")
            chosen[decision.chain] = decision
        for ref in [ChainRef(part, chain.id) for chain in chains]:
            if ref not in chosen:
                raise DecisionError(f"no decision on chain {ref.chain}", place, expected="one a chain")
            self._add(ref, chosen.pop(ref), place)
        if chosen:
            extra = next(iter(chosen))
            raise DecisionError(
                f"a decision on chain {extra.chain} of part {extra.part}", place, expected="a chain here"
            )

    def _add(self, ref: ChainRef, decision: Decision, place: Location) -> None:
        antecedent = decision.antecedent
        if antecedent is not None and (antecedent.part >= ref.part or antecedent not in self._root):
            raise DecisionError(
                f"chain {ref.chain} is linked to chain {antecedent.chain} of part {antecedent.part}",
                place,
                expected="a chain of an earlier part",
            )
        root = ref if antecedent is None else self._root[antecedent]
        self._root[ref] = root
        self._rank[ref] = len(self._rank)
        self._members.setdefault(root, []).append(ref)
        for other in decision.also:
            if other not in self._root:
                message = f"chain {ref.chain} is joined with chain {other.chain} of part {other.part}"
                raise DecisionError(message, place, expected="a chain that was decided on before")
            self._join(self._root[ref], self._root[other])

    def _join(self, one: ChainRef, other: ChainRef) -> None:
        if one == other:
            return
        root, joining = sorted((one, other), key=self._rank.__getitem__)
        members = self._members.pop(joining)
        self._members[root].extend(members)
        for member in members:
            self._root[member] = root


def build_merged(document: Document, merged: MergedChains) -> Document:
    """The merged document: all mentions of linked chains in one chain, ids unique in the document.

    A merged chain keeps the id of its first part chain where the ids of the parts don't collide; otherwise chains are
    numbered in text order, from 0, or as ``e1``, ``e2`` and so on where all part chains have such ids (CorefUD).
    """
    return document.with_chains(join_chains(part_chains(document), merged), ChainScope.DOCUMENT)


def join_chains(by_ref: Mapping[ChainRef, Chain], merged: MergedChains) -> tuple[Chain, ...]:
    """The merged chains with all their mentions, in text order, with the ids of :func:`build_merged`."""
    return tuple(
        make_chain(name, [mention for ref in members for mention in by_ref[ref].mentions])
        for name, members in merged_members(by_ref, merged)
    )


def merged_members(by_ref: Mapping[ChainRef, Chain], merged: MergedChains) -> list[MergedMembers]:
    """The merged chains of :func:`join_chains` as the part chains in them, both in the text order of first mentions."""
    begins = {ref: text_order(by_ref[ref].mentions[0]) for root in merged for ref in merged.members(root)}
    joined = [(root, sorted(merged.members(root), key=begins.__getitem__)) for root in merged]
    joined.sort(key=lambda each: (begins[each[1][0]], each[0].chain))
    ids = {chain.id for chain in by_ref.values()}
    if len(ids) == len(by_ref):
        return [MergedMembers(root.chain, tuple(members)) for root, members in joined]
    prefix, first = ("e", 1) if all(map(_COREFUD_ID.fullmatch, ids)) else ("", 0)
    return [MergedMembers(f"{prefix}{number}", tuple(members)) for number, (_, members) in enumerate(joined, first)]


def apply_decisions(document: Document, decisions: Iterable[Decision]) -> Document:
    """Merge a document's part chains by decisions given in any order.

    Singletons take no part in merging (LongtoNotes 3.1, A.4): without a decision they pass through unmerged.

    Raises :class:`~merger.errors.DecisionError` as :meth:`MergedChains.apply` does.
    """
    by_part: list[list[Decision]] = [[] for _ in document.parts]
    for decision in decisions:
        if not 0 <= decision.chain.part < len(by_part):
            raise DecisionError(
                f"a decision on chain {decision.chain.chain} of part {decision.chain.part}",
                Location(document=document.id),
                expected=f"a part from 0 to {len(by_part) - 1}",
            )
        by_part[decision.chain.part].append(decision)
    merged = MergedChains()
    for part, chains in enumerate(chains_by_part(document)):
        decided = {decision.chain for decision in by_part[part]}
        lone = [ChainRef(part, chain.id) for chain in chains if len(chain.mentions) == 1]
        by_part[part].extend(Decision(ref) for ref in lone if ref not in decided)
        merged.apply(part, chains, by_part[part], document.id)
    return build_merged(document, merged)


class MergesReader:
    """Reads decisions off a merged document, part by part.

    A part chain belongs to the merged chain that holds its mentions; its antecedent is the earliest part chain there.
    """

    def __init__(self, merged: Document) -> None:
        """Raises :class:`~merger.errors.DecisionError` if a mention is in two merged chains."""
        self._merged = merged
        self._owner: dict[Mention, int] = {}
        for index, chain in enumerate(merged.chains):
            for mention in chain.mentions:
                other = self._owner.setdefault(mention, index)
                if other != index:
                    message = f"one mention is in merged chains {merged.chains[other].id} and {chain.id}"
                    raise DecisionError(message, Location(merged.file, document=merged.id, part=mention.part))
        self._first: dict[int, ChainRef] = {}
        self._unseen = count(-1, -1)

    def decide(self, part: int, chains: Sequence[Chain]) -> list[Decision]:
        """The decisions on the chains of the next part.

        Raises :class:`~merger.errors.DecisionError` if the mentions of a part chain are in several merged chains or in
        none, or if two chains of the part start a merged chain together, which no decision can express.
        """
        place = Location(self._merged.file, document=self._merged.id, part=part)
        decisions = []
        opened: dict[int, ChainRef] = {}
        for chain in chains:
            owners = {self._owner.get(mention) for mention in deciding_mentions(chain, self._owner, self._merged)}
            # A chain of only empty nodes that the merged document lacks is new.
            owner = next(iter(owners)) if owners else next(self._unseen)
            if owner is None or len(owners) > 1:
                found = "no merged chain" if owners == {None} else "different merged chains"
                message = f"the mentions of part chain {chain.id} are in {found}"
                raise DecisionError(message, place, expected="all of them in one merged chain")
            ref = ChainRef(part, chain.id)
            antecedent = self._first.get(owner)
            if antecedent is None and opened.setdefault(owner, ref) != ref:
                message = f"part chains {opened[owner].chain} and {chain.id} are one chain in the merged document"
                raise DecisionError(message, place, expected="new chains of one part to stay apart")
            decisions.append(Decision(ref, antecedent, None if antecedent is None else Evidence("human")))
        self._first.update(opened)
        return decisions


def read_decisions(parts: Document, merged: Document) -> tuple[Decision, ...]:
    """The decisions that a merged document shows on the chains of ``parts``, which has the same tokens and parts.

    Singletons take no part in merging and get no decision (LongtoNotes 3.1, A.4).
    Raises :class:`~merger.errors.DecisionError` as :meth:`MergesReader.decide` does.
    """
    reader = MergesReader(merged)
    by_part = (
        reader.decide(part, [chain for chain in chains if len(chain.mentions) > 1])
        for part, chains in enumerate(chains_by_part(parts))
    )
    return tuple(decision for decisions in by_part for decision in decisions)
