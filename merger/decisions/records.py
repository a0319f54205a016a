"""Decisions as JSON data, one record per decision (JSON Lines): the records and their writer.

docs/decisions.md describes the format, docs/decisions.schema.json is its JSON Schema.
:mod:`merger.decisions.reader` reads it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from merger.decisions.model import Decision, Evidence
from merger.document import ChainRef, Mention
from merger.errors import Location


class Decided(Enum):
    """How a vote was decided: by more than half of the votes, or by those of the preferred annotator."""

    MAJORITY = "majority"
    PREFERENCE = "preference"


@dataclass(frozen=True, slots=True)
class Vote:
    """The vote of one annotator or strategy (``by``); ``antecedent`` is ``None`` for *new*."""

    by: str
    antecedent: ChainRef | None


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision on a chain of ``document``, who made it, and how.

    ``annotator`` names a person, ``strategy`` is the signature of a strategy, which names its options; exactly one of
    the two is set. ``split`` says how the parts were cut (``tokens=400``). ``seconds`` is the time that the decision
    took, ``confidence`` how sure its maker is, 0 to 1. ``decided`` and ``votes`` come with the decisions of a vote.
    ``location`` is where the record was read.
    """

    document: str
    decision: Decision
    annotator: str | None = None
    strategy: str | None = None
    split: str | None = None
    seconds: float | None = None
    confidence: float | None = None
    decided: Decided | None = None
    votes: tuple[Vote, ...] = ()
    location: Location = field(default_factory=Location, compare=False)

    @property
    def maker(self) -> str:
        """The annotator, or the strategy's signature."""
        return self.annotator or self.strategy or ""

    def data(self) -> dict[str, Any]:
        """The record as JSON data."""
        about = {
            "annotator": self.annotator,
            "strategy": self.strategy,
            "split": self.split,
            "seconds": self.seconds,
            "confidence": self.confidence,
        }
        record = decision_record(
            self.document, self.decision, **{name: value for name, value in about.items() if value is not None}
        )
        if self.decided is not None:
            record["decided"] = self.decided.value
            record["votes"] = [{"by": vote.by, "antecedent": _ref(vote.antecedent)} for vote in self.votes]
        return record


def decision_record(document: str, decision: Decision, **about: str | float) -> dict[str, Any]:
    """One decision as data.

    ``antecedent`` is ``null`` for *new*. Mentions are ``[part, sentence, [[first, last], ...]]``, 0-based and
    inclusive. ``about`` says who decided and how (``annotator`` or ``strategy``, ``split``, ``seconds``,
    ``confidence``).
    """
    # `merger.formats` knows files of decisions by their first key: the document.
    record: dict[str, Any] = {
        "document": document,
        "part": decision.chain.part,
        "chain": decision.chain.chain,
        "antecedent": _ref(decision.antecedent),
    }
    if decision.also:
        record["also"] = [_ref(other) for other in decision.also]
    return {**record, **about, "evidence": None if decision.evidence is None else evidence_data(decision.evidence)}


def decision_line(record: DecisionRecord) -> str:
    """A record as a line of a file of decisions."""
    return json.dumps(record.data(), ensure_ascii=False, allow_nan=False) + "\n"


def _ref(ref: ChainRef | None) -> dict[str, Any] | None:
    return None if ref is None else {"part": ref.part, "chain": ref.chain}


def evidence_data(evidence: Evidence) -> dict[str, Any]:
    """Evidence as a record has it."""
    data: dict[str, Any] = {"rule": evidence.rule}
    if evidence.text:
        data["text"] = evidence.text
    if evidence.pairs:
        data["pairs"] = [
            {"mention": _mention(pair.mention), "antecedent": _mention(pair.antecedent)} for pair in evidence.pairs
        ]
    if evidence.score is not None:
        data["score"] = evidence.score
    return data


def _mention(mention: Mention) -> list[Any]:
    return [mention.part, mention.sentence, [list(span) for span in mention.spans]]
