"""Joins the parts of one document that a file keeps in separate blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from merger.document import Chain, ChainScope, Document, Mention
from merger.errors import FormatError, InputError, Location
from merger.formats.base import Unreadable
from merger.formats.conll2012.lines import parse_begin
from merger.notices import Notices

_NUMBERS = "`#begin document (ID); part 001`"


def group_parts(
    blocks: Iterable[Document | Unreadable], notices: Notices, failures: list[InputError] | None = None
) -> Iterator[Document]:
    """Join consecutive one-part documents of the same id, whose part numbers rise, into one document.

    Chains stay local to their parts. Raises :class:`~merger.errors.FormatError` if a document comes twice or its parts
    are out of order; a gap in the numbers is a notice. With ``failures`` such errors and those of unreadable blocks go
    there, and the whole document is left out if one of its parts is bad or can be missing.
    """
    grouping = _Grouping(notices, failures)
    for block in blocks:
        yield from grouping.take(block)
    yield from grouping.end()


class _Grouping:
    """The blocks of the current document, and the documents seen before."""

    def __init__(self, notices: Notices, failures: list[InputError] | None) -> None:
        self._notices = notices
        self._failures = failures
        self._seen: dict[str, Location] = {}
        self._id: str | None = None
        self._blocks: list[Document] = []
        # Set once a part of the document is bad: its other parts are skipped.
        self._is_bad = False
        # An error in text after the last block whose document is unknown.
        self._doubt: InputError | None = None

    def take(self, block: Document | Unreadable) -> Iterator[Document]:
        """Add a block; yields the document before it if that is over."""
        if isinstance(block, Unreadable) and block.document is None:
            self._fail(block.error)
            if block.may_be_part:
                self._doubt = block.error
                if self._may_go_on_in(block.error.location.file):
                    self._leave_out()
            return
        name = block.document if isinstance(block, Unreadable) else block.id
        if name != self._id:
            yield from self.end()
            self._id, self._is_bad = name, False
        elif self._doubt is not None:
            self._leave_out()
        if isinstance(block, Unreadable):
            self._fail(block.error)
            self._blocks, self._is_bad = [], True
        elif not self._is_bad:
            self._add(block)
        self._doubt = None
        self._seen.setdefault(name or "", block.error.location if isinstance(block, Unreadable) else _place(block))

    def end(self) -> Iterator[Document]:
        """End the current document."""
        if self._blocks:
            yield _join(self._blocks)
        self._blocks = []

    def _add(self, block: Document) -> None:
        try:
            if self._blocks:
                _check_next(self._blocks[-1], block, self._notices)
            elif block.id in self._seen:
                raise _came_before(block, self._seen[block.id], "every document once, its parts together")
        except InputError as error:
            self._fail(error)
            self._blocks, self._is_bad = [], True
            return
        self._blocks.append(block)
        if self._doubt is not None and len(self._blocks) == 1 and block.parts[0].number > 0:
            self._leave_out()

    def _may_go_on_in(self, file: str | None) -> bool:
        """Whether the document may have parts in a file: its own, or any if it has parts in several."""
        return bool(self._blocks) and (self._blocks[-1].file == file or self._blocks[0].file != self._blocks[-1].file)

    def _leave_out(self) -> None:
        """Leave out the document, because a part of it can be in text whose document is unknown."""
        if self._blocks and self._doubt is not None:
            where = str(self._doubt.location)
            self._fail(
                FormatError(
                    f"a part of this document may be in text that cannot be read ({where})", _place(self._blocks[0])
                )
            )
        self._blocks, self._is_bad = [], True

    def _fail(self, error: InputError) -> None:
        if self._failures is None:
            raise error
        self._failures.append(error)


def _place(block: Document) -> Location:
    lines = (s.source.line for part in block.parts for s in part.sentences if s.source is not None)
    line = next(lines, block.first_line) if block.first_line is None else block.first_line
    return Location(block.file, line, block.id, block.parts[0].number if block.parts else None)


def _without_number(block: Document) -> bool:
    """Whether a CoNLL-2012 block begins with a line that has no part number."""
    begin = block.parts[0].head.rstrip().rpartition("\n")[2]
    found = parse_begin(begin)
    return found is not None and found[1] is None


def _begin(block: Document) -> Location:
    """The place of the line that starts a CoNLL-2012 block: before its first sentence."""
    place = _place(block)
    return place if place.line is None else replace(place, line=place.line - 1)


def _came_before(block: Document, first: Location, expected: str) -> FormatError:
    where = f"at line {first.line}" if first.line is not None else "earlier"
    if first.file != block.file:
        where = f"in {first.file}" + (f", line {first.line}" if first.line is not None else "")
    return FormatError(f"this document came before, {where}", _place(block), expected=expected)


def _check_next(last: Document, block: Document, notices: Notices) -> None:
    if len(last.parts) != 1 or len(block.parts) != 1 or block.parts[0].number == last.parts[0].number:
        if _without_number(last) and _without_number(block):
            first, again = _begin(last), _begin(block)
            where = f"line {first.line}" if first.file == again.file else f"{first.file}, line {first.line}"
            raise FormatError(
                f"`#begin document` names the document of {where} again, and both lines are without a part number",
                again,
                expected=f"{_NUMBERS}, as the document's second part",
                hint="number the parts of a document 000, 001, ..., or give each document a different id",
            )
        raise _came_before(block, _place(last), "every document and part once")
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
