"""Decisions beside the gold ones: the kind of error, and the evidence."""

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
    """The kind of error of a decision."""

    SPURIOUS_LINK = "spurious_link"
    """The gold decision is *new*."""
    MISSED_LINK = "missed_link"
    """The gold decision is an antecedent, the strategy's *new*."""
    WRONG_ANTECEDENT = "wrong_antecedent"
    """Both are antecedents, with other sets of part chains."""


@dataclass(frozen=True, slots=True)
class JudgedDecision:
    """The ``gold`` antecedent of a part chain, and the one in the ``response`` of a strategy.

    An antecedent is the merged chain at the time of the decision, as its part chains in text order; none for *new*.
    ``distance`` counts the tokens from the first token of the gold antecedent's last mention to that of the chain's
    first mention, ``None`` if the chain is new. ``found`` tells whether the response also links the chain with the part
    chain of that last mention. ``evidence`` is the strategy's reason for its link.
    """

    chain: ChainRef
    gold: tuple[ChainRef, ...]
    response: tuple[ChainRef, ...]
    distance: int | None = None
    found: bool = False
    evidence: Evidence | None = None

    @property
    def error(self) -> LinkError | None:
        """The kind of error, ``None`` for the gold decision."""
        if self.gold == self.response:
            return None
        if not self.gold:
            return LinkError.SPURIOUS_LINK
        return LinkError.WRONG_ANTECEDENT if self.response else LinkError.MISSED_LINK

    @property
    def shared(self) -> int:
        """The number of part chains in both antecedents: a wrong antecedent that shares some is partly right."""
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
    """A decision beside the gold one as JSON data."""
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
