"""CoNLL-2012 (OntoNotes 5): a row a token, columns by tabs or blanks, the last column is coreference.

Source: CoNLL-2012 shared task data format; variants read as well are those of the official scorer's test files, of
LitBank (empty cells are ``_`` or nothing) and files with only some columns. With six or more columns the fourth is the
word and the fifth its tag, and with eleven or more the tenth is the speaker; with fewer the word is the last but one.

Every ``#begin document (ID); part NNN`` block is a document for this reader. Blocks of one document are put together by
:func:`merger.formats.group_parts`. A block whose second column counts up (0, 0, 1, 1, ...) from the block's own part
number is a merged document that keeps its part boundaries there; so are the merged documents that the writer makes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from merger.document import (
    ChainScope,
    Document,
    Mention,
    Part,
    Sentence,
    SentenceSource,
    chain_order,
    make_chain,
)
from merger.errors import AnnotationError, FormatError, Location
from merger.formats.base import Format, Lines, ReadOptions, genre_of
from merger.formats.conll2012_cells import EMPTY_CELLS, Bracket, parse_cell
from merger.formats.conll2012_rows import MOST_DIGITS, is_end, is_row, parse_begin, part_number, part_starts, split_rows
from merger.formats.conll2012_writer import write_document
from merger.notices import Notices

_LONG = 60


class Conll2012Format(Format):
    """CoNLL-2012 files."""

    name = "conll2012"
    title = "CoNLL-2012"
    besides = "lemmas, parse bits, named entities, predicates"
    suffixes = (".conll", "_conll", ".key", ".response", ".conll2012", ".v4_auto_conll")

    def recognises(self, head: str) -> bool:
        """A ``#begin document`` line, with whatever blank lines or comments before it."""
        for line in head.split("\n"):
            if parse_begin(line):
                return True
            if line.strip() and not line.startswith("#"):
                return False
        return False

    def read(self, source: Lines, options: ReadOptions) -> Iterator[Document]:
        """Yield one document per block."""
        before: list[str] = []
        block: _Block | None = None
        blocks = 0
        line_number = 0
        for line_number, line in enumerate(source.lines, start=1):
            begin = parse_begin(line) if line.startswith("#") else None
            if begin is not None:
                if block is not None:
                    block.check_ended(line_number)
                    yield block.document()
                block = _Block(source, options, begin, "".join([*before, line]), line_number, blocks)
                blocks += 1
            elif block is not None and not block.ended:
                block.add(line_number, line)
            elif line.strip() and not line.startswith("#"):
                expected = "a line `#begin document (ID); part NNN`"
                raise FormatError("text outside a document", source.place(line_number), expected=expected)
            elif block is not None:
                block.tail += line
            else:
                before.append(line)
        if block is None:
            raise FormatError("no document", source.place(None), expected="a line `#begin document (ID); part NNN`")
        block.check_ended(line_number)
        yield block.document()

    def write(self, document: Document, notices: Notices) -> Iterator[str]:
        """Yield the blocks: one per part, or a single one if the chains are over the whole document."""
        return write_document(document, notices)


def _shortened(text: str | None) -> str:
    """The text in quotes, its middle left out if it is long."""
    shown = repr(text)
    return shown if len(shown) <= _LONG else f"{shown[: _LONG // 2]}...{shown[-_LONG // 2 :]}"


class _Open(NamedTuple):
    sentence: int
    token: int
    line: int


class _Found(NamedTuple):
    sentence: int
    first: int
    last: int


class _Block:
    """Collects one block."""

    def __init__(
        self,
        source: Lines,
        options: ReadOptions,
        begin: tuple[str, str | None],
        head: str,
        line: int,
        earlier_blocks: int,
    ) -> None:
        self._source = source
        self._notices = options.notices
        self._head = head
        self.tail = ""
        self.ended = False
        name, number = begin
        if not name:
            # Two nameless blocks in a file must not become one document.
            name = PurePath(source.name).stem + (f"-{earlier_blocks}" if earlier_blocks else "")
        found = part_number(number or "0")
        if found is None:
            expected = f"a part number such as 000, of at most {MOST_DIGITS} digits"
            raise FormatError(f"part {_shortened(number)}", source.place(line, name), expected=expected)
        self._id = name
        if options.part_pattern is not None and (match := options.part_pattern.fullmatch(name)):
            found = part_number(match["part"])
            if found is None:
                message = f"the part pattern finds part {_shortened(match['part'])} in {_shortened(name)}"
                expected = f"a part number of at most {MOST_DIGITS} digits"
                raise FormatError(message, source.place(line, name), expected=expected)
            self._id = match["document"] or name
        self._number = found
        self._sentences: list[Sentence] = []
        self._numbers: list[str | None] = []
        self._lines: list[str] = []
        self._lines_start = line + 1
        self._has_rows = False
        self._open: dict[str, list[_Open]] = {}
        self._chains: dict[str, list[_Found]] = {}
        self._owner: dict[_Found, str] = {}
        self._rank: dict[str, int] = {}
        self._cells: dict[str, tuple[Bracket, ...] | str] = {}

    def _place(self, line: int | None) -> Location:
        return self._source.place(line, self._id, self._number)

    def check_ended(self, line: int) -> None:
        """Complain if the block had no end before the given line."""
        if self.ended:
            return
        error = FormatError(
            "no `#end document` before this line", self._place(line), expected="one after every document"
        )
        self._notices.repair("no end of document", error, "the document ends here")
        if self._lines and not self._lines[-1].endswith("\n"):
            self._lines[-1] += "\n"
        self.tail = "#end document"

    def add(self, line_number: int, line: str) -> None:
        """Take the next line of the block."""
        if is_end(line):
            self.ended = True
            self.tail = line
            return
        blank = not line.strip()
        if not blank and self._has_rows and self._lines[-1].strip() == "":
            self._finish_sentence(line_number)
        self._lines.append(line)
        if not blank and is_row(line):
            self._has_rows = True

    def _finish_sentence(self, next_line: int) -> None:
        lines, start = self._lines, self._lines_start
        self._lines, self._lines_start, self._has_rows = [], next_line, False
        rows = split_rows(lines)
        if rows.short is not None:
            message = f"only one column: {lines[rows.short].strip()!r}"
            raise FormatError(message, self._place(start + rows.short), expected="a word and a coreference column")
        sentence = len(self._sentences)
        for token, cell in enumerate(rows.cells):
            if cell not in EMPTY_CELLS:
                self._read_cell(cell, sentence, token, start + rows.lines[token])
        source = SentenceSource("conll2012", "".join(lines), start, rows.layout)
        self._sentences.append(Sentence(forms=tuple(rows.words), xpos=rows.xpos, speakers=rows.speakers, source=source))
        self._numbers.append(rows.part)

    def _read_cell(self, cell: str, sentence: int, token: int, line: int) -> None:
        brackets = self._cells.get(cell)
        if brackets is None:
            brackets = self._cells[cell] = parse_cell(cell)
        if isinstance(brackets, str):
            error = FormatError(brackets, self._place(line), expected="chain ids in brackets such as (0|(1)|2) or -")
            raise error
        for kind, chain in brackets:
            self._rank.setdefault(chain, len(self._rank))
            if kind == "()":
                self._found(chain, _Found(sentence, token, token), line)
            elif kind == "(":
                self._open.setdefault(chain, []).append(_Open(sentence, token, line))
            else:
                self._close(chain, sentence, token, line)

    def _close(self, chain: str, sentence: int, token: int, line: int) -> None:
        stack = self._open.get(chain)
        if not stack:
            error = AnnotationError(f"a mention of chain {chain} is closed but was never opened", self._place(line))
            self._notices.repair("mention never opened", error, "the bracket is dropped")
            return
        opened = stack.pop()
        if opened.sentence != sentence:
            error = AnnotationError(
                f"a mention of chain {chain} that opened at line {opened.line} closes in another sentence",
                self._place(line),
                expected="mentions inside one sentence",
            )
            self._notices.repair("mention over a sentence boundary", error, "the mention is dropped")
            return
        self._found(chain, _Found(sentence, opened.token, token), line)

    def _found(self, chain: str, found: _Found, line: int) -> None:
        owner = self._owner.get(found)
        if owner == chain:
            error = AnnotationError(f"one span is a mention of chain {chain} twice", self._place(line))
            self._notices.warn("span twice in a chain", error)
            return
        if owner is not None:
            error = AnnotationError(
                f"one span is a mention of chain {owner} and of chain {chain}",
                self._place(line),
                expected="every span in one chain",
            )
            self._notices.repair("span in two chains", error, "it stays in the chain that begins first")
            if self._rank[owner] < self._rank[chain]:
                return
            self._chains[owner].remove(found)
        self._owner[found] = chain
        self._chains.setdefault(chain, []).append(found)

    def document(self) -> Document:
        """The finished block as a document."""
        if self._has_rows:
            self._finish_sentence(self._lines_start + len(self._lines))
        self.tail = "".join(self._lines) + self.tail
        for chain, stack in self._open.items():
            for opened in stack:
                error = AnnotationError(
                    f"a mention of chain {chain} is opened but never closed", self._place(opened.line)
                )
                self._notices.repair("mention never closed", error, "the mention is dropped")
        starts = part_starts(self._numbers, self._number)
        numbers = [part_number(self._numbers[start]) or 0 for start in starts] if len(starts) > 1 else [self._number]
        place_of: list[tuple[int, int]] = []
        parts = []
        for index, start in enumerate(starts):
            sentences = self._sentences[start : starts[index + 1] if index + 1 < len(starts) else None]
            place_of.extend((index, local) for local in range(len(sentences)))
            is_last = index + 1 == len(starts)
            parts.append(
                Part(
                    tuple(sentences),
                    numbers[index],
                    "" if index else self._head,
                    self.tail if is_last else "",
                )
            )
        chains = [
            make_chain(chain, [Mention(*place_of[found.sentence], found.first, found.last) for found in mentions])
            for chain, mentions in self._chains.items()
            if mentions
        ]
        chains.sort(key=chain_order)
        scope = ChainScope.DOCUMENT if len(parts) > 1 else ChainScope.PART
        return Document(self._id, tuple(parts), tuple(chains), scope, genre_of(self._id), self._source.name)
