"""Random decisions on a document's part chains."""

from __future__ import annotations

from hypothesis import strategies as st

from merger.decisions.model import Decision
from merger.document import ChainRef, Document, chains_by_part


@st.composite
def decisions_on(draw: st.DrawFn, document: Document) -> tuple[Decision, ...]:
    """A decision on each chain, which names the first part chain of its antecedent."""
    decisions: list[Decision] = []
    root: dict[ChainRef, ChainRef] = {}
    for part, chains in enumerate(chains_by_part(document)):
        earlier = [None, *dict.fromkeys(root.values())]
        decided = [Decision(ChainRef(part, chain.id), draw(st.sampled_from(earlier))) for chain in chains]
        root.update((each.chain, each.antecedent or each.chain) for each in decided)
        decisions += decided
    return tuple(decisions)
