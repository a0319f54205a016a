"""Decisions beside the human ones: which are wrong, in what way, and what they went by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.scoring.links import Linking
from merger.decisions.model import Evidence
from merger.decisions.records import evidence_data
from merger.document import ChainRef


class LinkError(Enum):
    """What is wrong with a decision."""

    SPURIOUS_LINK = "spurious_link"
    """People chose *new*."""
    MISSED_LINK = "missed_link"
    """People chose an antecedent, the strategy *new*."""
    WRONG_ANTECEDENT = "wrong_antecedent"
    """Both chose an antecedent, not the same set of part chains."""


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """The antecedents that people (``human``) and a strategy (``made``) chose for a part chain.

    Antecedents are the part chains that the merged chain held when it was chosen, in text order; none for *new*.
    ``distance`` is that from the human antecedent in tokens, ``None`` if the chain is new: from the first token of the
    antecedent's last mention to that of the chain's first mention. ``found`` tells whether the strategy, too, has the
    chain together with the part chain that holds this last mention. ``evidence`` is what the strategy went by.
    """

    chain: ChainRef
    gold: tuple[ChainRef, ...]
    response: tuple[ChainRef, ...]
    distance: int | None = None
    found: bool = False
    evidence: Evidence | None = None

    @property
    def error(self) -> LinkError | None:
        """What is wrong, ``None`` if the decision is people's."""
        if self.gold == self.response:
            return None
        if not self.gold:
            return LinkError.SPURIOUS_LINK
        return LinkError.WRONG_ANTECEDENT if self.response else LinkError.MISSED_LINK

    @property
    def shared(self) -> int:
        """How many part chains both antecedents have: a wrong antecedent that shares some is partly right."""
        return len(set(self.gold) & set(self.response))


def judge(
    gold: GoldMerges, response: Linking, evidence: Mapping[ChainRef, Evidence] | None = None
) -> tuple[JudgedDecision, ...]:
    """A strategy's decisions on every chain after the first part beside the gold ones, in annotation order."""
    evidence = evidence or {}
    made = response.antecedents
    return tuple(
        JudgedDecision(ref, each.antecedent, made[ref], each.distance, each.nearest in made[ref], evidence.get(ref))
        for ref, each in gold.decisions.items()
    )


def decision_data(decision: JudgedDecision) -> dict[str, Any]:
    """A decision beside the human one as JSON data."""
    return {
        "part": decision.chain.part,
        "chain": decision.chain.chain,
        "human": [ref._asdict() for ref in decision.gold],
        "made": [ref._asdict() for ref in decision.response],
        "error": None if decision.error is None else decision.error.value,
        "distance": decision.distance,
        "found": decision.found,
        "evidence": None if decision.evidence is None else evidence_data(decision.evidence),
    }
