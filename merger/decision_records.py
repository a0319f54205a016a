"""Decisions as JSON data, one record a decision (JSON Lines)."""

from __future__ import annotations

import json
from typing import Any

from merger.decisions import Decision, Evidence
from merger.document import ChainRef, Mention
from merger.errors import DecisionError, FormatError, Location
from merger.formats.inputs import display_name, open_bytes, read_lines


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


def read_strategy(path: str) -> str:
    """Who made the decisions of a file of records: the strategy's signature, or the annotator.

    Raises :class:`~merger.errors.FormatError` for lines that are no records, and :class:`~merger.errors.DecisionError`
    if the records are of several strategies or say nothing about it.
    """
    makers: dict[str, int] = {}
    name = display_name(path)
    with open_bytes(path) as stream:
        for number, line in enumerate(read_lines(stream, name), start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict) or "document" not in record:
                raise FormatError(
                    "no decision", Location(name, number), expected="a record as `merge --decisions` writes"
                )
            makers.setdefault(str(record.get("strategy") or record.get("annotator") or ""), number)
    if len(makers) != 1 or "" in makers:
        found = ", ".join(makers) or "nothing"
        raise DecisionError(f"decisions of {found}", Location(name), expected="those of one strategy or annotator")
    return next(iter(makers))


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
