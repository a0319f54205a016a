"""Merging: ask a strategy about one part after the other and apply its decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from merger.boundaries import with_boundaries_of
from merger.decisions import Decision, MergedChains, build_merged
from merger.document import Chain, ChainRef, Document, Part, chains_by_part
from merger.errors import InputError
from merger.notices import Notices
from merger.strategies.base import Strategy


@dataclass(frozen=True, slots=True)
class MergeResult:
    """What merging a document gave.

    ``document`` is the merged document (scope ``DOCUMENT``), ``decisions`` one per part chain in order, ``singletons``
    the number of one-mention chains that took no part in merging, ``strategy`` the strategy's signature.
    """

    document: Document
    decisions: tuple[Decision, ...]
    singletons: int
    strategy: str


class PartMerger:
    """Merges the parts of one document as they come.

    One-mention chains take no part (LongtoNotes 3.1, A.4): they get no decision and are never an antecedent.
    """

    def __init__(
        self,
        strategy: Strategy,
        document_id: str = "",
        *,
        document: Document | None = None,
        key: Document | None = None,
    ) -> None:
        self._run = strategy.start(document, key)
        self._document_id = document_id
        self._next_part = 0
        self.merged = MergedChains()

    def add(self, part: Part, chains: Sequence[Chain]) -> tuple[Decision, ...]:
        """Decide on the next part's chains, given in annotation order with mentions that carry the part's index."""
        index = self._next_part
        longer = [chain for chain in chains if len(chain.mentions) > 1]
        try:
            decisions = self._run.decide(index, part, longer, self.merged)
        except InputError as error:
            # A strategy that was given no document does not know its name.
            if error.location.document is None:
                error.location = replace(error.location, document=self._document_id or None)
            raise
        self.merged.apply(index, longer, decisions, self._document_id)
        self._next_part += 1
        return tuple(decisions)


def merge_document(
    document: Document,
    strategy: Strategy,
    *,
    key: Document | None = None,
    keep_singletons: bool = False,
    notices: Notices | None = None,
    on_part: Callable[[int], None] | None = None,
) -> MergeResult:
    """Merge a document's part chains.

    One-mention chains are left out of the result, with a notice, or with ``keep_singletons`` passed through unmerged.
    ``on_part`` is called with the number of parts done.

    ``key`` may have other part boundaries than the document, or none.

    Raises :class:`~merger.errors.AnnotationError` if a chain crosses parts, :class:`~merger.errors.AlignmentError` if
    the key has other tokens, and what the strategy raises.
    """
    if key is not None:
        key = with_boundaries_of(document, key)
    merger = PartMerger(strategy, document.id, document=document, key=key)
    decisions: list[Decision] = []
    singletons: list[tuple[int, Chain]] = []
    for index, (part, chains) in enumerate(zip(document.parts, chains_by_part(document), strict=True)):
        decisions.extend(merger.add(part, chains))
        singletons.extend((index, chain) for chain in chains if len(chain.mentions) == 1)
        if on_part is not None:
            on_part(index + 1)
    if keep_singletons:
        for index, chain in singletons:
            merger.merged.apply(index, [chain], [Decision(ChainRef(index, chain.id))], document.id)
    elif singletons and notices is not None:
        notices.add(
            "singletons left out",
            "chains of one mention were left out of merging and of the output (--singletons keep passes them through)",
            count=len(singletons),
        )
    return MergeResult(build_merged(document, merger.merged), tuple(decisions), len(singletons), strategy.signature)
