"""Merging: get a strategy's decisions on one part after the other and apply them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from merger.decisions.model import Decision, MergedChains, MergedMembers, join_chains, merged_members
from merger.document import Chain, ChainRef, ChainScope, Document, Part, chains_by_part
from merger.errors import InputError, Location
from merger.notices import Notices
from merger.progress import WorkContext
from merger.resegment import with_boundaries_of
from merger.strategies.base import Strategy

PARTS = "parts"
"""The stage of progress that counts parts."""


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The result of merging a document.

    ``document`` is the merged document (scope ``DOCUMENT``), ``decisions`` one per part chain in order, ``singletons``
    the number of singletons that took no part in merging, ``strategy`` the strategy's signature with its conditions in
    this document (:attr:`PartMerger.signature`).
    """

    document: Document
    decisions: tuple[Decision, ...]
    singletons: int
    strategy: str


class PartMerger:
    """Merges the parts of one document as they come.

    Singletons take no part (LongtoNotes 3.1, A.4): they get no decision and are never an antecedent.
    """

    def __init__(
        self,
        strategy: Strategy,
        document_id: str = "",
        *,
        document: Document | None = None,
        key: Document | None = None,
        watch: WorkContext | None = None,
    ) -> None:
        self._watch = watch or WorkContext()
        self._strategy = strategy
        self._run = strategy.start(document, key, self._watch)
        self._document_id = document_id
        self._file = None if document is None else document.file
        self._parts = 0
        self._merged = MergedChains()
        self._chains: dict[ChainRef, Chain] = {}
        self._singletons: list[ChainRef] = []

    @property
    def singletons(self) -> int:
        """The number of singletons so far."""
        return len(self._singletons)

    @property
    def signature(self) -> str:
        """The strategy's signature, with the conditions found in the parts so far."""
        return self._strategy.signature + self._run.conditions

    def add(self, part: Part, chains: Sequence[Chain]) -> tuple[Decision, ...]:
        """Decide on the next part's chains, given in annotation order with mentions that carry the part's index."""
        index = self._parts
        longer = [chain for chain in chains if len(chain.mentions) > 1]
        try:
            decisions = self._run.decide(index, part, longer, self._merged)
        except InputError as error:
            # A strategy without a document does not know its name, and no strategy knows the file.
            place = error.location
            error.location = replace(
                place,
                document=(self._document_id or None) if place.document is None else place.document,
                file=self._file if place.file is None and place.document in {None, self._document_id} else place.file,
            )
            raise
        self._merged.apply(index, longer, decisions, self._document_id)
        self._chains.update([(ChainRef(index, chain.id), chain) for chain in chains])
        self._singletons.extend([ChainRef(index, chain.id) for chain in chains if len(chain.mentions) == 1])
        self._parts += 1
        return tuple(decisions)

    def add_all(self, parts: Sequence[tuple[Part, Sequence[Chain]]]) -> tuple[Decision, ...]:
        """Decide on all parts of a document. ``watch`` is checked before each part and receives the progress."""
        decisions: list[Decision] = []
        for done, (part, chains) in enumerate(parts, 1):
            self._watch.check()
            decisions.extend(self.add(part, chains))
            self._watch.progress(PARTS, done, len(parts))
        return tuple(decisions)

    def finish(self, *, keep_singletons: bool = False, notices: Notices | None = None) -> tuple[Chain, ...]:
        """The merged chains, in text order.

        Singletons are left out, with a notice, or with ``keep_singletons`` passed through unmerged.
        """
        self._close(keep_singletons, notices)
        return join_chains(self._chains, self._merged)

    def finish_members(
        self, *, keep_singletons: bool = False, notices: Notices | None = None
    ) -> Sequence[MergedMembers]:
        """The merged chains of :meth:`finish` as the part chains in them, for callers that have the mentions."""
        self._close(keep_singletons, notices)
        return merged_members(self._chains, self._merged)

    def _close(self, keep_singletons: bool, notices: Notices | None) -> None:  # noqa: FBT001
        if keep_singletons:
            for ref in self._singletons:
                self._merged.apply(ref.part, [self._chains[ref]], [Decision(ref)], self._document_id)
        elif self._singletons and notices is not None:
            notices.add(
                "singletons left out",
                "singletons were left out of merging and of the output (option keep_singletons passes them through)",
                count=len(self._singletons),
            )
        if notices is not None:
            self._run.report(notices, Location(self._file, document=self._document_id or None))


def merge_document(
    document: Document,
    strategy: Strategy,
    *,
    key: Document | None = None,
    keep_singletons: bool = False,
    notices: Notices | None = None,
    watch: WorkContext | None = None,
) -> MergeResult:
    """Merge a document's part chains.

    Singletons are left out of the result, with a notice, or with ``keep_singletons`` passed through unmerged.
    ``key`` may have other part boundaries than the document, or none. ``watch`` goes to the strategy, is checked before
    every part, and receives the progress in ``parts``.

    Raises :class:`~merger.errors.AnnotationError` if a chain crosses parts, :class:`~merger.errors.AlignmentError` if
    the key has other tokens, and what the strategy raises.
    """
    if key is not None:
        key = with_boundaries_of(document, key)
    merger = PartMerger(strategy, document.id, document=document, key=key, watch=watch)
    decisions = merger.add_all(list(zip(document.parts, chains_by_part(document), strict=True)))
    merged = merger.finish(keep_singletons=keep_singletons, notices=notices)
    return MergeResult(
        document.with_chains(merged, ChainScope.DOCUMENT), decisions, merger.singletons, merger.signature
    )
