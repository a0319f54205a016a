"""One block of a CoNLL-2012 file, from ``#begin document`` to ``#end document``, as a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, SentenceSource, Span
from merger.errors import AnnotationError, FormatError, Location
from merger.formats.base import Lines, ReadOptions, genre_of
from merger.formats.column_layout import EXAMPLE, ColumnLayout
from merger.formats.conll2012.cells import EMPTY_CELLS, ParsedCells
from merger.formats.conll2012.lines import MOST_DIGITS, is_end, part_number
from merger.formats.conll2012.rows import Rows, is_row, part_starts, split_plain_rows, split_rows

_LONG = 60
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LETTERED = re.compile(r"[0-9]+[a-z]")
_NO_DETAILS: Mapping[tuple[Span, ...], str] = {}


def _shortened(text: str | None) -> str:
    """The text in quotes, its middle left out if it is long."""
    shown = repr(text)
    return shown if len(shown) <= _LONG else f"{shown[: _LONG // 2]}...{shown[-_LONG // 2 :]}"


_TokenSpan = tuple[int, int, int]
"""A mention: its sentence, its first token, and its negated last token, so that tuples sort in text order."""


class _Chain:
    """A chain as it is read. ``rank`` counts the chains that started earlier; ``open`` has sentence, token and line."""

    __slots__ = ("mentions", "name", "open", "rank", "was_open")

    def __init__(self, name: str, rank: int) -> None:
        self.name = name
        self.rank = rank
        self.open: list[tuple[int, int, int]] = []
        self.was_open = False
        self.mentions: list[_TokenSpan] = []


def _too_few_columns(line: str, place: Location, layout: ColumnLayout | None) -> FormatError:
    if layout is None:
        message = f"only one column: {line.strip()!r}"
        return FormatError(message, place, expected="a word and a coreference column")
    word = layout.word + 1
    message = f"no column {word} before the last one, which is coreference: {_shortened(line.strip())}"
    return FormatError(message, place, expected=f"the word in column {word}")


def unknown_layout(message: str, place: Location) -> FormatError:
    """An error for rows whose columns are not known."""
    hint = f"name the columns, counted from 1: option columns, such as {EXAMPLE}"
    return FormatError(message, place, expected="the columns of CoNLL-2012, SemEval-2010 or CoNLL-U", hint=hint)


class Block:
    """Collects one block."""

    def __init__(
        self,
        source: Lines,
        options: ReadOptions,
        begin: tuple[str, str | None],
        head: str,
        line: int,
        earlier_blocks: int,
        cells: ParsedCells,
        layout: ColumnLayout | None = None,
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
        # The rows of a sentence that was taken as a whole: its text is the first of the lines.
        self._rows: Rows | None = None
        self._chains: dict[str, _Chain] = {}
        self._opened: list[_Chain] = []
        self._owner: dict[_TokenSpan, _Chain] = {}
        self._cells = cells
        self._layout = layout
        self._is_named = bool(options.columns)

    @property
    def id(self) -> str:
        """The document's id."""
        return self._id

    def _place(self, line: int | None) -> Location:
        return self._source.place(line, self._id, self._number)

    def check_ended(self, line: int) -> None:
        """Report that the block had no end before the given line."""
        if self.ended:
            return
        error = FormatError(
            "no `#end document` before this line", self._place(line), expected="one after every document"
        )
        self._notices.repair("no end of document", error, "the document ends here")
        if self._lines and not self._lines[-1].endswith("\n"):
            self._lines[-1] += "\n"
        self.tail = "#end document"

    def add_sentence(self, line_number: int, text: str) -> int:
        """Take a sentence and the empty lines after it, if no blank line follows; return the number of lines taken.

        That is 0 if they must be added one by one: the sentence is unusual, or other lines come before it.
        """
        if self.ended or (self._lines and not self._is_complete()):
            return 0
        rows = split_plain_rows(text, self._layout)
        if rows is None:
            return 0
        if self._has_rows:
            self._finish_sentence(line_number)
        self._lines.append(text)
        self._rows = rows
        self._has_rows = True
        return len(rows.lines) + len(text) - len(text.rstrip("\n")) - 1

    def _is_complete(self) -> bool:
        """Whether the current sentence is complete, so that only a blank line can still belong to it."""
        return self._has_rows and (self._rows is not None or not self._lines[-1].strip())

    def add(self, line_number: int, line: str) -> None:
        """Take the next line of the block."""
        if is_end(line):
            self.ended = True
            self.tail = line
            return
        blank = not line.strip()
        if not blank and self._is_complete():
            self._finish_sentence(line_number)
        self._lines.append(line)
        if not blank and is_row(line):
            self._has_rows = True

    def _finish_sentence(self, next_line: int) -> None:
        lines, start, rows = self._lines, self._lines_start, self._rows
        self._lines, self._lines_start, self._has_rows, self._rows = [], next_line, False, None
        if rows is None:
            rows = split_rows(lines, self._layout)
        if rows.short is not None:
            raise _too_few_columns(lines[rows.short], self._place(start + rows.short), self._layout)
        if not self._is_named and rows.counted != (self._layout is not None):
            what = "counts words here, and does not" if rows.counted else "does not count words here, and does"
            raise unknown_layout(f"the first column {what} where the file begins", self._place(start))
        self._read_cells(rows, start)
        text = lines[0] if len(lines) == 1 else "".join(lines)
        source = SentenceSource("conll2012", text, start, rows.layout, _NO_DETAILS)
        self._sentences.append(Sentence(rows.words, rows.xpos, rows.upos, rows.speakers, rows.heads, source=source))
        self._numbers.append(rows.part)

    def _read_cells(self, rows: Rows, start: int) -> None:
        """Read the coreference cells of a sentence that begins at a line."""
        # About every fifth word starts a mention, so this loop avoids calls and objects.
        sentence, lines, chains, owner = len(self._sentences), rows.lines, self._chains, self._owner
        for token, cell in [(token, cell) for token, cell in enumerate(rows.cells) if cell not in EMPTY_CELLS]:
            try:
                brackets = self._cells[cell]
            except ValueError as error:
                place = self._place(start + lines[token])
                expected = "chain ids in brackets such as (0|(1)|2) or -"
                raise FormatError(str(error), place, expected=expected) from None
            for kind, name in brackets:
                chain = chains.get(name)
                if chain is None:
                    chain = chains[name] = _Chain(name, len(chains))
                if kind == "()":
                    found = (sentence, token, -token)
                elif kind == "(":
                    if not chain.was_open:
                        chain.was_open = True
                        self._opened.append(chain)
                    chain.open.append((sentence, token, start + lines[token]))
                    continue
                elif chain.open and chain.open[-1][0] == sentence:
                    found = (sentence, chain.open.pop()[1], -token)
                else:
                    self._report_close(chain, start + lines[token])
                    continue
                if found in owner:
                    self._report_second(chain, found, start + lines[token])
                else:
                    owner[found] = chain
                    chain.mentions.append(found)

    def _report_close(self, chain: _Chain, line: int) -> None:
        """Report a closing bracket without an opening one in its sentence."""
        if not chain.open:
            message = f"a mention of chain {chain.name} is closed but was never opened"
            error = AnnotationError(message, self._place(line))
            self._notices.repair("mention never opened", error, "the bracket is dropped")
            return
        _, _, opened = chain.open.pop()
        error = AnnotationError(
            f"a mention of chain {chain.name} that opened at line {opened} closes in another sentence",
            self._place(line),
            expected="mentions inside one sentence",
        )
        self._notices.repair("mention over a sentence boundary", error, "the mention is dropped")

    def _report_second(self, chain: _Chain, found: _TokenSpan, line: int) -> None:
        """Report a span that is a mention for the second time."""
        owner = self._owner[found]
        if owner is chain:
            error = AnnotationError(f"one span is a mention of chain {chain.name} twice", self._place(line))
            self._notices.warn("span twice in a chain", error)
            return
        error = AnnotationError(
            f"one span is a mention of chain {owner.name} and of chain {chain.name}",
            self._place(line),
            expected="every span in one chain",
        )
        self._notices.repair("span in two chains", error, "it stays in the chain that begins first")
        if chain.rank < owner.rank:
            owner.mentions.remove(found)
            chain.mentions.append(found)
            self._owner[found] = chain

    def document(self) -> Document:
        """The finished block as a document."""
        if self._has_rows:
            self._finish_sentence(self._lines_start + len(self._lines))
        self.tail = "".join(self._lines) + self.tail
        for chain in self._opened:
            for _, _, opened in chain.open:
                message = f"a mention of chain {chain.name} is opened but never closed"
                error = AnnotationError(message, self._place(opened))
                self._notices.repair("mention never closed", error, "the mention is dropped")
        self._check_letters()
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
        scope = ChainScope.DOCUMENT if len(parts) > 1 else ChainScope.PART
        chains = self._make_chains(place_of)
        return Document(self._id, tuple(parts), chains, scope, genre_of(self._id), self._source.name)

    def _check_letters(self) -> None:
        """Report ids that have the same number with and without a letter, or with several letters.

        The CRAFT corpus gives the pieces of a discontinuous mention of chain 32 a separate id, 32a.
        """
        lettered = [name for name in self._chains if not name.isdecimal() and _LETTERED.fullmatch(name)]
        numbers = Counter(name.rstrip(_LETTERS) for name in lettered)
        for name in lettered:
            number = name.rstrip(_LETTERS)
            if number in self._chains or numbers[number] > 1:
                other = number if number in self._chains else next(each for each in lettered if each != name)
                message = (
                    f"chains {other} and {name} are read as two; in CRAFT a letter marks the pieces of a discontinuous "
                    f"mention of chain {number}"
                )
                expected = "chain ids whose numbers differ"
                self._notices.warn(
                    "chain ids with letters", AnnotationError(message, self._place(None), expected=expected)
                )
                return

    def _make_chains(self, place_of: list[tuple[int, int]]) -> tuple[Chain, ...]:
        """The chains in annotation order. ``place_of`` has the part and the place in it of each sentence."""
        chains = []
        for chain in self._chains.values():
            if chain.mentions:
                chain.mentions.sort()
                chains.append((chain.mentions[0], chain.name, chain.mentions))
        chains.sort()
        make = tuple.__new__  # The constructor of a named tuple takes longer than all else here.
        return tuple(
            [
                Chain(name, tuple([make(Mention, place_of[at] + (first, -last, ())) for at, first, last in mentions]))
                for _, name, mentions in chains
            ]
        )
