"""What two annotators' decisions are compared by: the antecedent of every part chain."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

from client.scoring.links import antecedents_of
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

    Raises :class:`~merger.errors.DecisionError` if the merged document does not keep a part chain together.
    """
    last = None if compare is Compare.CHAIN else 1
    return {chain: frozenset(found[:last]) for chain, found in antecedents_of(parts, merged).items()}
