"""Reads CoNLL-2012 files, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from merger.document import Document
from merger.errors import FormatError, InputError
from merger.formats.base import Lines, ReadOptions, Unreadable
from merger.formats.column_layout import ColumnLayout
from merger.formats.conll2012.block import Block
from merger.formats.conll2012.cells import ParsedCells
from merger.formats.conll2012.columns import recognise_columns
from merger.formats.conll2012.lines import parse_begin
from merger.formats.open_inputs import take_head
from merger.formats.paragraphs import comments_first, paragraphs, split_lines

_BEGINNING = "a line `#begin document (ID); part NNN`"


def read_conll2012(source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
    """Yield one document per block; see :mod:`merger.formats.conll2012.format`.

    After a block that cannot be read it continues with the next ``#begin document`` line.
    """
    head, texts = take_head(iter(source.texts))
    layout = recognise_columns(head, source, options)
    before: list[str] = []
    block: _BlockReader | None = None
    blocks = 0
    cells = ParsedCells()
    number = 0
    for text in chain.from_iterable(map(comments_first, paragraphs(texts))):
        if block is not None and text.endswith("\n\n") and (taken := block.add_sentence(number + 1, text)):
            number += taken
            continue
        for line in split_lines(text):
            number += 1
            if line.startswith("#") and (begin := parse_begin(line)) is not None:
                if block is not None:
                    yield block.finish(number)
                block = _BlockReader(source, options, number, layout)
                block.begin(begin, "".join([*before, line]), number, blocks, cells)
                blocks += 1
            elif block is not None and block.takes(number, line):
                continue
            elif line.strip() and not line.startswith("#"):
                outside = _BlockReader.outside(source, options, number)
                if block is not None:
                    yield block.finish(number)
                block = outside
            else:
                before.append(line)
    if block is None:
        raise FormatError("no document", source.place(None), expected=_BEGINNING)
    yield block.finish(number, at_end=True)


class _BlockReader:
    """Reads one block; after a fault it skips lines until the next block starts."""

    def __init__(self, source: Lines, options: ReadOptions, start: int, layout: ColumnLayout | None = None) -> None:
        self._source = source
        self._options = options
        self._start = start
        self._layout = layout
        self._id: str | None = None
        self._block: Block | None = None
        self._lost: Unreadable | None = None

    @classmethod
    def outside(cls, source: Lines, options: ReadOptions, line: int) -> _BlockReader:
        """A reader for lines outside a document. Raises if failures are not collected."""
        it = cls(source, options, line)
        it.lose(FormatError("text outside a document", source.place(line), expected=_BEGINNING))
        return it

    def lose(self, error: InputError) -> None:
        """Read no more of it. Raises ``error`` if failures are not collected."""
        self._lost = self._options.unreadable(error, self._id)
        self._block = None

    def begin(self, begin: tuple[str, str | None], head: str, line: int, earlier: int, cells: ParsedCells) -> None:
        """Take the line that begins the block; as :class:`Block`."""
        if not earlier:
            # The lines before the first block belong to it.
            self._start = 1
        try:
            self._block = Block(self._source, self._options, begin, head, line, earlier, cells, self._layout)
            self._id = self._block.id
        except InputError as error:
            self.lose(error)

    def add_sentence(self, line: int, text: str) -> int:
        """As :meth:`Block.add_sentence`."""
        if self._block is None:
            return 0
        try:
            return self._block.add_sentence(line, text)
        except InputError as error:
            self.lose(error)
            return 0

    def takes(self, number: int, line: str) -> bool:
        """Take the next line; return whether it belongs to the block: all up to its end, then comments and blanks."""
        block = self._block
        if block is None:
            return True
        if block.ended:
            if line.strip() and not line.startswith("#"):
                return False
            block.tail += line
            return True
        try:
            block.add(number, line)
        except InputError as error:
            self.lose(error)
        return True

    def finish(self, line: int, *, at_end: bool = False) -> Document | Unreadable:
        """The finished block, which ends before ``line``, or with it ``at_end`` of the input."""
        try:
            if fault := self._source.fault(self._start, None if at_end else line - 1):
                if self._source.fault(self._start, self._start):
                    # The name itself can be the text that was not decoded.
                    self._id = None
                raise fault
            if self._block is not None:
                self._block.check_ended(line)
                return self._block.document()
        except InputError as error:
            self.lose(error)
        assert self._lost is not None  # noqa: S101  # without a block it is lost
        return self._lost
