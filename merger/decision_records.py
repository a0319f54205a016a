"""Decisions as JSON data, one record a decision (JSON Lines)."""

from __future__ import annotations

from typing import Any

from merger.decisions import Decision, Evidence
from merger.document import ChainRef, Mention


def decision_record(document: str, decision: Decision, **about: str) -> dict[str, Any]:
    """One decision as data.

    ``antecedent`` is ``null`` for *new*. Mentions are ``[part, sentence, [[first, last], ...]]``, 0-based and
    inclusive. ``about`` says who decided and how (``annotator``, ``strategy``, ``split``).
    """
    return {
        "document": document,
        "part": decision.chain.part,
        "chain": decision.chain.chain,
        "antecedent": _ref(decision.antecedent),
        **about,
        "evidence": None if decision.evidence is None else _evidence(decision.evidence),
    }


def _ref(ref: ChainRef | None) -> dict[str, Any] | None:
    return None if ref is None else {"part": ref.part, "chain": ref.chain}


def _evidence(evidence: Evidence) -> dict[str, Any]:
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
