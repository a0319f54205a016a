"""Decisions shown in their context, coloured for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from merger.decisions.model import Decision, read_decisions
from merger.document import Chain, ChainRef, Document, Mention, part_chains
from merger.resegment import with_boundaries_of

if TYPE_CHECKING:
    from rich.text import Text


class Verdict(Enum):
    """What a decision is beside the human one; the value is how it is shown."""

    RIGHT = "right"
    WRONG = "spurious link"
    MISSED = "missed link"


_STYLES = {Verdict.RIGHT: "bold green", Verdict.WRONG: "bold red", Verdict.MISSED: "bold yellow"}


def judge(parts: Document, key: Document, decisions: Sequence[Decision]) -> list[tuple[Decision, Verdict | None]]:
    """Each decision with its verdict; ``None`` where both leave the chain new, or link it differently."""
    key = with_boundaries_of(parts, key)
    human = {decision.chain: decision for decision in read_decisions(parts, key)}
    number = {mention: number for number, chain in enumerate(key.chains) for mention in chain.mentions}
    group = {ref: number[chain.mentions[0]] for ref, chain in part_chains(parts).items() if ref in human}
    return [(decision, _verdict(human[decision.chain], decision, group)) for decision in decisions]


def _verdict(human: Decision, decision: Decision, group: dict[ChainRef, int]) -> Verdict | None:
    if decision.antecedent is None:
        return None if human.antecedent is None else Verdict.MISSED
    if group[decision.antecedent] == group[decision.chain]:
        return Verdict.RIGHT
    return Verdict.WRONG if human.antecedent is None else None


def show_decision(parts: Document, key: Document, decision: Decision, verdict: Verdict) -> Text:
    """The chain decided on and the chain it was linked to, each in its sentence, with the evidence.

    For a missed link the antecedent is the human one.
    """
    from rich.text import Text

    chains = part_chains(parts)
    antecedent = decision.antecedent
    if antecedent is None:
        human = read_decisions(parts, with_boundaries_of(parts, key))
        antecedent = next(each.antecedent for each in human if each.chain == decision.chain)
    text = Text()
    text.append(f"{verdict.value}", style=_STYLES[verdict])
    text.append(f"  {parts.id}, a chain of part {decision.chain.part}")
    mention, earlier = chains[decision.chain].mentions[0], None
    evidence = decision.evidence
    if evidence is not None and evidence.pairs:
        mention, earlier = evidence.pairs[0].mention, evidence.pairs[0].antecedent
        text.append(f", linked through {evidence.text!r}")
    text.append("\n")
    if antecedent is not None:
        before = chains[antecedent]
        text.append_text(_in_context(parts, before, earlier or before.mentions[0]))
    text.append_text(_in_context(parts, chains[decision.chain], mention))
    return text


def _in_context(document: Document, chain: Chain, mention: Mention) -> Text:
    from rich.text import Text

    others = {
        token
        for other in chain.mentions
        if (other.part, other.sentence) == (mention.part, mention.sentence)
        for token in other.tokens
    }
    line = Text()
    line.append(f"  part {mention.part}  ", style="dim")
    tokens = mention.tokens
    for index, form in enumerate(document.sentence(mention).forms):
        opened = "[" if index in tokens and index - 1 not in tokens else ""
        closed = "]" if index in tokens and index + 1 not in tokens else ""
        style = "bold cyan" if index in tokens else "cyan" if index in others else "default"
        line.append(f"{opened}{form}{closed}", style=style)
        line.append(" ")
    line.append("\n")
    return line
