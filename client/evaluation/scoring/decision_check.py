"""Checks that decisions made a response, before a signature names their strategy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from client.evaluation.scoring.links import read_linking, unseen_chains
from merger.decisions.checked import apply_records, by_document
from merger.decisions.records import DecisionRecord
from merger.document import ChainRef, ChainScope, Document, part_chains
from merger.empty_nodes import has_empty_nodes
from merger.errors import DecisionError, Location
from merger.notices import Notices
from merger.resegment import with_boundaries_of

_EXPECTED: Final = "the decisions that were written when this response was merged"


class DecisionCheck:
    """The decisions that are claimed to have made some responses."""

    def __init__(self, records: Iterable[DecisionRecord], notices: Notices) -> None:
        self._records = by_document(records)
        self._notices = notices

    def check(self, response: Document, parts: Document | None) -> None:
        """Check the decisions on a document against its response; ``parts`` is the document before merging, if known.

        With parts every part chain is compared. Without them, if the response has part boundaries, the parts of each
        merged chain are compared; otherwise nothing can be compared, and a notice says so.

        Raises :class:`~merger.errors.DecisionError` at the first chain that differs, for decisions that do not fit the
        parts, and for a document without decisions.
        """
        records = self._records.get(response.id, [])
        if parts is not None:
            _check_chains(response, parts, records)
        elif len(response.parts) > 1 and not has_empty_nodes(response):
            _check_spread(response, records)
        elif any(record.decision.chain.part > 0 for record in records) or (response.chains and not records):
            message = "it is not known whether the decisions made this response (option parts compares them)"
            self._notices.add("decisions that are not compared", message, Location(response.file, document=response.id))


def _check_chains(response: Document, parts: Document, records: Sequence[DecisionRecord]) -> None:
    merged = apply_records(parts, records, keep_singletons=True)
    whole = with_boundaries_of(parts, response)
    decided = {record.decision.chain for record in records}
    chains = {ref: chain for ref, chain in part_chains(parts).items() if ref in decided}
    unseen = unseen_chains(chains, whole)
    chains = {ref: chain for ref, chain in chains.items() if ref not in unseen}
    linkings = (read_linking(chains, merged), read_linking(chains, whole))
    firsts: tuple[dict[int, ChainRef], dict[int, ChainRef]] = ({}, {})
    for ref in chains:
        by_decisions, here = (
            known.setdefault(linking.owners[ref], ref) for known, linking in zip(firsts, linkings, strict=True)
        )
        if by_decisions != here:
            says, has = (_linked(ref, first) for first in (by_decisions, here))
            where = Location(response.file, document=response.id, part=ref.part)
            message = f"other decisions made this response: chain {ref.chain} is {has} here, {says} by the decisions"
            raise DecisionError(message, where, expected=_EXPECTED)


def _linked(ref: ChainRef, first: ChainRef) -> str:
    return "new" if ref == first else f"linked to chain {first.chain} of part {first.part}"


def _check_spread(response: Document, records: Sequence[DecisionRecord]) -> None:
    whole = response.scope is ChainScope.DOCUMENT
    chains = [frozenset(mention.part for mention in chain.mentions) for chain in response.chains if whole]
    found = Counter(parts for parts in chains if len(parts) > 1)
    by_decisions = Counter(parts for parts in _spread(records) if len(parts) > 1)
    for parts in sorted((found - by_decisions) | (by_decisions - found), key=sorted):
        message = (
            f"other decisions made this response: {found[parts]} of its chains lie in the parts "
            f"{', '.join(map(str, sorted(parts)))}, {by_decisions[parts]} by the decisions"
        )
        raise DecisionError(message, Location(response.file, document=response.id), expected=_EXPECTED)


def _spread(records: Sequence[DecisionRecord]) -> list[frozenset[int]]:
    """The parts of each merged chain."""
    above: dict[ChainRef, ChainRef] = {}

    def root(ref: ChainRef) -> ChainRef:
        while above.setdefault(ref, ref) != ref:
            above[ref] = ref = above[above[ref]]
        return ref

    for record in records:
        decision = record.decision
        for other in (decision.antecedent, *decision.also):
            if other is not None:
                above[root(decision.chain)] = root(other)
    groups: dict[ChainRef, set[int]] = {}
    for ref in list(above):
        groups.setdefault(root(ref), set()).add(ref.part)
    return [frozenset(parts) for parts in groups.values()]
