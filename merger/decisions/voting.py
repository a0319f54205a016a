"""Votes: one set of decisions from those of several annotators (LongtoNotes 3.2).

For every chain the majority decides; without one, the preferred annotator. Each annotator builds their own merged
chains: one chain for "the mayor" can be two chains for another annotator. So votes are compared as the set of part
chains of the annotator's antecedent at the time of the decision, and *new* is the empty set. The winning set is not
always one of the voted merged chains. The chain then joins the voted merged chain with most of the set's part chains;
of several such, the one with the latest of them in the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from merger.decisions.checked import antecedent_sets, decisions_by_part
from merger.decisions.model import Decision, MergedChains
from merger.decisions.records import Decided, Vote
from merger.document import ChainRef, Document, part_chains
from merger.errors import DecisionError, Location, OptionError

PartChains = frozenset[ChainRef]


@dataclass(frozen=True, slots=True)
class Voted:
    """The voted decision on a chain, how it was decided, and each annotator's vote in order.

    ``supporters`` is the number of votes for the set of part chains that won.
    """

    decision: Decision
    decided: Decided
    votes: tuple[Vote, ...]
    supporters: int


def vote(parts: Document, decisions: Mapping[str, Sequence[Decision]], prefer: str | None = None) -> tuple[Voted, ...]:
    """One set of decisions on the chains of ``parts`` out of those of several annotators, in the order of the chains.

    ``decisions`` has each annotator's decisions by name, with one on each chain of two or more mentions
    (:func:`~merger.decisions.checked.checked_decisions`). A majority is more than half of those who decided on the
    chain. Without a majority ``prefer`` decides. If that is empty or has no vote, the first annotator with one does.

    The voted antecedent is named by the first part chain of its merged chain. Votes have one antecedent: raises
    :class:`~merger.errors.DecisionError` for a decision that joins more (``also``), and
    :class:`~merger.errors.OptionError` if there is no annotator of the preferred name.
    """
    if prefer is not None and prefer not in decisions:
        raise OptionError(f"no decisions of {prefer!r} to prefer; there are those of {', '.join(decisions)}")
    names = sorted(decisions, key=lambda name: name != prefer)
    order = {ref: position for position, ref in enumerate(part_chains(parts))}
    sets: dict[str, dict[ChainRef, PartChains]] = {}
    said: dict[ChainRef, list[Vote]] = {}
    for name, each in decisions.items():
        for decision in each:
            if decision.also:
                raise _joins_more(parts, name, decision)
            said.setdefault(decision.chain, []).append(Vote(name, decision.antecedent))
        sets[name] = antecedent_sets(parts, each)
    merged = MergedChains()
    voted: list[Voted] = []
    for part, chains, everyone in decisions_by_part(parts, [Decision(ref) for ref in said]):
        here: list[Voted] = []
        for ref in (decision.chain for decision in everyone):
            ballots = [sets[name][ref] for name in names if ref in sets[name]]
            chosen, supporters, decided = _count(ballots)
            antecedent = _antecedent(merged, chosen, order)
            here.append(Voted(Decision(ref, antecedent), decided, tuple(said[ref]), supporters))
        merged.apply(part, chains, [each.decision for each in here], parts.id)
        voted += here
    return tuple(voted)


def _count(ballots: Sequence[PartChains]) -> tuple[PartChains, int, Decided]:
    """The winner, its number of votes, and how it won. The first ballot is the preferred annotator's."""
    (most, count), *_ = Counter(ballots).most_common(1)
    if 2 * count > len(ballots):
        return most, count, Decided.MAJORITY
    return ballots[0], ballots.count(ballots[0]), Decided.PREFERENCE


def _antecedent(merged: MergedChains, part_chains: PartChains, order: Mapping[ChainRef, int]) -> ChainRef | None:
    """The voted merged chain that represents a set of part chains."""
    if not part_chains:
        return None
    shared: Counter[ChainRef] = Counter()
    latest: dict[ChainRef, int] = {}
    for ref in part_chains:
        root = merged.root(ref)
        shared[root] += 1
        latest[root] = max(latest.get(root, -1), order[ref])
    return max(shared, key=lambda root: (shared[root], latest[root]))


def _joins_more(parts: Document, name: str, decision: Decision) -> DecisionError:
    return DecisionError(
        f"{name} joins chain {decision.chain.chain} with more than its antecedent",
        Location(document=parts.id, part=decision.chain.part),
        expected="one antecedent a chain, without `also`, to vote on",
    )
