"""What two annotators' decisions are compared by: the antecedent of every part chain."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from client.evaluation.scoring.links import antecedents_of, unseen_chains
from merger.document import ChainRef, Document

Antecedent: TypeAlias = frozenset[ChainRef]
"""An antecedent as a set of part chains; empty for *new*."""

Antecedents: TypeAlias = Mapping[ChainRef, Antecedent]
"""The antecedent of every chain after the first part, which has none to choose from."""

NEW: Antecedent = frozenset()


class Compare(Enum):
    """What makes two antecedents the same; LongtoNotes 3.3 does not say which.

    ``CHAIN``: the merged chain at the time of the decision, with all its part chains, so that an early difference
    shows in later decisions too. ``ROOT``: the first part chain of that merged chain.
    """

    CHAIN = "chain"
    ROOT = "root"


def read_antecedents(parts: Document, merged: Document, compare: Compare = Compare.CHAIN) -> Antecedents:
    """The antecedents that a merged document shows on the chains of ``parts``, which has the same parts and tokens.

    Chains of nothing but empty nodes that it lacks have none: there is no telling what the annotator would say.

    Raises :class:`~merger.errors.DecisionError` if the merged document does not keep a part chain together.
    """
    last = None if compare is Compare.CHAIN else 1
    unseen = unseen_chains(parts, merged)
    found = antecedents_of(parts, merged)
    return {chain: frozenset(antecedent[:last]) for chain, antecedent in found.items() if chain not in unseen}
