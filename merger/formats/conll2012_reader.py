"""Reads CoNLL-2012 files, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from merger.document import Document
from merger.errors import FormatError
from merger.formats.base import Lines, ReadOptions
from merger.formats.conll2012_block import Block
from merger.formats.conll2012_cells import ParsedCells
from merger.formats.conll2012_lines import parse_begin
from merger.formats.pieces import comments_first, paragraphs, split_lines


def read_conll2012(source: Lines, options: ReadOptions) -> Iterator[Document]:
    """Yield one document per block; see :mod:`merger.formats.conll2012`."""
    before: list[str] = []
    block: Block | None = None
    blocks = 0
    cells = ParsedCells()
    number = 0
    for text in chain.from_iterable(map(comments_first, paragraphs(source.texts))):
        if block is not None and text.endswith("\n\n") and (taken := block.add_sentence(number + 1, text)):
            number += taken
            continue
        for line in split_lines(text):
            number += 1
            begin = parse_begin(line) if line.startswith("#") else None
            if begin is not None:
                if block is not None:
                    block.check_ended(number)
                    yield block.document()
                block = Block(source, options, begin, "".join([*before, line]), number, blocks, cells)
                blocks += 1
            elif block is not None and not block.ended:
                block.add(number, line)
            elif line.strip() and not line.startswith("#"):
                expected = "a line `#begin document (ID); part NNN`"
                raise FormatError("text outside a document", source.place(number), expected=expected)
            elif block is not None:
                block.tail += line
            else:
                before.append(line)
    if block is None:
        raise FormatError("no document", source.place(None), expected="a line `#begin document (ID); part NNN`")
    block.check_ended(number)
    yield block.document()
