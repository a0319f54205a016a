"""Puts the parts of one document together that a file keeps in blocks of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from merger.document import Chain, ChainScope, Document, Mention
from merger.errors import FormatError, Location
from merger.notices import Notices


def group_parts(blocks: Iterable[Document], notices: Notices) -> Iterator[Document]:
    """Join consecutive one-part documents of the same id, whose part numbers rise, into one document.

    Chains stay local to their parts. Raises :class:`~merger.errors.FormatError` if a document comes twice or its parts
    are out of order; a gap in the numbers is a notice.
    """
    seen: set[str] = set()
    pending: list[Document] = []
    for block in blocks:
        if pending and block.id == pending[0].id:
            _check_next(pending[-1], block, notices)
            pending.append(block)
            continue
        if pending:
            yield _join(pending)
        if block.id in seen:
            raise FormatError(
                "this document came before", _place(block), expected="every document once, its parts together"
            )
        seen.add(block.id)
        pending = [block]
    if pending:
        yield _join(pending)


def _place(block: Document) -> Location:
    line = next((s.source.line for part in block.parts for s in part.sentences if s.source is not None), None)
    return Location(block.file, line, block.id, block.parts[0].number if block.parts else None)


def _check_next(last: Document, block: Document, notices: Notices) -> None:
    if len(last.parts) != 1 or len(block.parts) != 1 or block.parts[0].number == last.parts[0].number:
        raise FormatError("this document came before", _place(block), expected="every document and part once")
    before, number = last.parts[0].number, block.parts[0].number
    if number < before:
        raise FormatError(f"part {number} comes after part {before}", _place(block), expected="parts in order")
    if number > before + 1:
        error = FormatError(f"part {number} comes after part {before}", _place(block), expected=f"part {before + 1}")
        notices.warn("gap in the parts", error)


def _join(blocks: list[Document]) -> Document:
    if len(blocks) == 1:
        return blocks[0]
    make = tuple.__new__  # `_replace` takes several times as long, and this is every mention of a document.
    chains = [
        Chain(chain.id, tuple([make(Mention, (index, *mention[1:])) for mention in chain.mentions])) if index else chain
        for index, block in enumerate(blocks)
        for chain in block.chains
    ]
    parts = tuple(part for block in blocks for part in block.parts)
    return replace(blocks[0], parts=parts, chains=tuple(chains), scope=ChainScope.PART)
