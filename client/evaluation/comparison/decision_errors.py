"""Decisions beside the human ones: which are wrong, in what way, and what they went by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from client.evaluation.scoring.links import antecedents_of
from merger.decisions.model import Evidence
from merger.decisions.records import evidence_data
from merger.document import ChainRef, Document, Mention, part_chains


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
    human: tuple[ChainRef, ...]
    made: tuple[ChainRef, ...]
    distance: int | None = None
    found: bool = False
    evidence: Evidence | None = None

    @property
    def error(self) -> LinkError | None:
        """What is wrong, ``None`` if the decision is people's."""
        if self.human == self.made:
            return None
        if not self.human:
            return LinkError.SPURIOUS_LINK
        return LinkError.WRONG_ANTECEDENT if self.made else LinkError.MISSED_LINK

    @property
    def shared(self) -> int:
        """How many part chains both antecedents have: a wrong antecedent that shares some is partly right."""
        return len(set(self.human) & set(self.made))


def judge(
    parts: Document, key: Document, response: Document, evidence: Mapping[ChainRef, Evidence] | None = None
) -> tuple[JudgedDecision, ...]:
    """The decisions on every chain after the first part, in annotation order; all three have the same parts and tokens.

    Raises :class:`~merger.errors.DecisionError` if key or response does not keep a part chain together.
    """
    evidence = evidence or {}
    offset = token_offsets(parts)
    chains = part_chains(parts)
    last = {ref: max(map(offset, chain.mentions)) for ref, chain in chains.items()}
    made = antecedents_of(parts, response)
    judged = []
    for ref, human in antecedents_of(parts, key).items():
        distance, found = None, False
        if human:
            nearest = max(human, key=last.__getitem__)
            distance = min(map(offset, chains[ref].mentions)) - last[nearest]
            found = nearest in made[ref]
        judged.append(JudgedDecision(ref, human, made[ref], distance, found, evidence.get(ref)))
    return tuple(judged)


def decision_data(decision: JudgedDecision) -> dict[str, Any]:
    """A decision beside the human one as JSON data."""
    return {
        "part": decision.chain.part,
        "chain": decision.chain.chain,
        "human": [ref._asdict() for ref in decision.human],
        "made": [ref._asdict() for ref in decision.made],
        "error": None if decision.error is None else decision.error.value,
        "distance": decision.distance,
        "found": decision.found,
        "evidence": None if decision.evidence is None else evidence_data(decision.evidence),
    }


def token_offsets(document: Document) -> Callable[[Mention], int]:
    """From a mention to the 0-based place of its first token in the document, empty nodes not counted."""
    starts: dict[tuple[int, int], int] = {}
    position = 0
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            starts[part, index] = position
            position += len(sentence.forms) - len(sentence.empty)

    def offset(mention: Mention) -> int:
        empty = document.sentence(mention).empty
        start = starts[mention.part, mention.sentence]
        return start + mention.first - sum(node < mention.first for node in empty)

    return offset
