"""Scores of a strategy by group of documents, and gold links found by distance."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import add

from client.evaluation.breakdown_bins import LENGTH_BINS, LONG, MANY, bin_group, genre_group
from client.evaluation.comparison.data import DistanceBin, DocumentFacts, DocumentOutcome, Group
from client.evaluation.comparison.decision_errors import JudgedDecision
from client.evaluation.scoring.evaluate import Result
from client.evaluation.statistics.corpus import DISTANCE_BINS

PART_BINS = (1, 2, 3, 4, 5, 10)
"""Upper ends of the bins of parts per document."""


def _parts(facts: DocumentFacts) -> tuple[int, str]:
    place = bisect_left(PART_BINS, facts.parts)
    if place < len(PART_BINS) and (not place or PART_BINS[place] == PART_BINS[place - 1] + 1):
        return place, "1 part" if facts.parts == 1 else f"{PART_BINS[place]} parts"
    return bin_group(facts.parts, PART_BINS, "parts")


GROUPINGS: Mapping[str, Callable[[DocumentFacts], tuple[int, str]]] = {
    "genre": lambda facts: genre_group(facts.genre),
    "length": lambda facts: bin_group(facts.tokens, (LONG,), "tokens"),
    "length_bins": lambda facts: bin_group(facts.tokens, LENGTH_BINS, "tokens"),
    "chains": lambda facts: bin_group(facts.chains, (MANY,), "chains"),
    "parts": _parts,
}
"""For each kind of group, the order and the name of a document's group."""


def add_results(outcomes: Iterable[DocumentOutcome]) -> Result | None:
    """The sum of the results without failures; ``None`` if all failed."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    return reduce(add, results) if results else None


def by_group(documents: Sequence[DocumentFacts], outcomes: Sequence[DocumentOutcome]) -> dict[str, dict[str, Group]]:
    """One strategy's results by kind and name of group; a group without results is included."""
    kinds = {}
    for kind, group_of in GROUPINGS.items():
        members: dict[tuple[int, str], list[DocumentOutcome]] = {}
        for facts, outcome in zip(documents, outcomes, strict=True):
            members.setdefault(group_of(facts), []).append(outcome)
        kinds[kind] = {
            key[1]: Group(sum(each.result is not None for each in members[key]), add_results(members[key]))
            for key in sorted(members)
        }
    return kinds


def by_distance(decisions: Iterable[JudgedDecision]) -> tuple[DistanceBin, ...]:
    """Gold links, and how many of them were found, in bins of distance."""
    ends: list[int | None] = [*DISTANCE_BINS, None]
    made, found = [0] * len(ends), [0] * len(ends)
    for decision in decisions:
        if decision.distance is not None:
            place = bisect_left(DISTANCE_BINS, decision.distance)
            made[place] += 1
            found[place] += decision.found
    names = [bin_group(end or DISTANCE_BINS[-1] + 1, DISTANCE_BINS, "tokens")[1] for end in ends]
    return tuple(DistanceBin(*each) for each in zip(names, ends, made, found, strict=True))
