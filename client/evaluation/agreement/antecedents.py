"""The antecedent of every part chain, by which decisions are compared."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from client.evaluation.scoring.links import read_linking, unseen_chains
from merger.document import Chain, ChainRef, Document

Antecedent: TypeAlias = frozenset[ChainRef]
"""An antecedent as a set of part chains; empty for *new*."""

Antecedents: TypeAlias = Mapping[ChainRef, Antecedent]
"""The antecedent of every chain after the first part; chains of the first part have no decision."""

NEW: Antecedent = frozenset()


class Compare(Enum):
    """How antecedents are compared; LongtoNotes 3.3 leaves this open.

    ``CHAIN``: by all part chains of the merged chain at the time of the decision, so that an early difference shows in
    later decisions too. ``ROOT``: by the first part chain of that merged chain.
    """

    CHAIN = "chain"
    ROOT = "root"


def read_antecedents(
    chains: Mapping[ChainRef, Chain], merged: Document, compare: Compare = Compare.CHAIN
) -> Antecedents:
    """The antecedents of part chains in a merged document that has their parts and tokens.

    Part chains of nothing but empty nodes that it lacks are left out: the annotator did not see them.

    Raises :class:`~merger.errors.DecisionError` if the merged document does not keep a part chain together.
    """
    last = None if compare is Compare.CHAIN else 1
    unseen = unseen_chains(chains, merged)
    found = read_linking(chains, merged).antecedents
    return {chain: frozenset(antecedent[:last]) for chain, antecedent in found.items() if chain not in unseen}
