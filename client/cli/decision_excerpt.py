"""Decisions in their context, coloured for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from client.evaluation.comparison.decision_errors import JudgedDecision, LinkError
from client.evaluation.comparison.gold_merges import GoldMerges
from merger.document import Chain, Document, Mention

if TYPE_CHECKING:
    from rich.text import Text

_STYLES = {
    None: "bold green",
    LinkError.SPURIOUS_LINK: "bold red",
    LinkError.MISSED_LINK: "bold yellow",
    LinkError.WRONG_ANTECEDENT: "bold red",
}


def show_decision(gold: GoldMerges, decision: JudgedDecision) -> Text:
    """The chain and its antecedent, each in its sentence, with the evidence; for a missed link the gold antecedent."""
    from rich.text import Text

    parts, error = gold.parts, decision.error
    text = Text()
    text.append("right" if error is None else error.value.replace("_", " "), style=_STYLES[error])
    text.append(f"  {parts.id}, a chain of part {decision.chain.part}")
    chain = gold.chains[decision.chain]
    mention, earlier = chain.mentions[0], None
    evidence = decision.evidence
    if evidence is not None and evidence.pairs:
        mention, earlier = evidence.pairs[0].mention, evidence.pairs[0].antecedent
        text.append(f", linked through {evidence.text!r}")
    text.append("\n")
    antecedents = [gold.chains[ref] for ref in decision.response or decision.gold]
    if antecedents:
        shown = next((each for each in antecedents if earlier in each.mentions), antecedents[0])
        text.append_text(_in_context(parts, shown, earlier or shown.mentions[0]))
    text.append_text(_in_context(parts, chain, mention))
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
