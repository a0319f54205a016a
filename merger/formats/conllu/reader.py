"""Reads CoNLL-U with CorefUD entities, one document (``# newdoc``) at a time."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from merger.document import Document
from merger.errors import FormatError, InputError
from merger.formats.base import Lines, ReadOptions, Unreadable
from merger.formats.conllu.comments import PART_DIGITS, Comment, name_from_file, parse_comment, parse_part
from merger.formats.conllu.document import DocumentBuilder, SentenceLines
from merger.formats.conllu.entity import Fields
from merger.formats.conllu.misc import Values
from merger.message_text import shorten

_DIGITS = frozenset("0123456789")


def read_conllu(source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
    """Yield the documents of one input; see :class:`merger.formats.conllu.format.ConlluFormat`.

    After a document that cannot be read it continues with the next ``# newdoc``.
    """
    reader = _Reader(source, options)
    block = SentenceLines(1)
    # Bound outside the loop, which runs for every row.
    add_row = block.body.append
    ended = False
    number = 0
    for number, line in enumerate(source.lines, 1):
        first = line[0]
        if first in _DIGITS and not ended:
            add_row(line)
        elif first not in _DIGITS and line.isspace():
            ended = bool(block.body)
            (block.tail if ended else block.head).append(line)
        else:
            comment = parse_comment(line) if first == "#" else None
            is_newdoc = comment is not None and comment.name == "newdoc"
            if is_newdoc and block.body and not ended:
                reader.note_unended(block, number)
            if ended or (is_newdoc and (block.body or block.newdoc is not None)):
                yield from reader.add(block)
                block = SentenceLines(number)
                add_row = block.body.append
                ended = False
            if comment is not None:
                reader.note(block, comment, number)
            if first != "#":
                # Not a row if it does not start with a digit: reading the rows reports the fault.
                add_row(line)
            elif block.body:
                block.inner_comments = True
                add_row(line)
            else:
                block.head.append(line)
    yield from reader.end(block, number)


class _Reader:
    """Builds documents from blocks."""

    def __init__(self, source: Lines, options: ReadOptions) -> None:
        self._source = source
        self._options = options
        self._notices = options.notices
        self._fields = Fields()
        self._values = Values("Entity")
        self._has_fields = False
        self._header_error: InputError | None = None
        self._documents = 0
        self._document: DocumentBuilder | None = None
        # Replaces the document once it cannot be read.
        self._lost: Unreadable | None = None
        self._start_line = 1

    def note_unended(self, block: SentenceLines, line: int) -> None:
        """Report that a document starts at a line inside the block."""
        message = "a document begins inside a sentence"
        self._note_error(
            block, FormatError(message, self._source.place(line), expected="a blank line after every sentence")
        )

    def _note_error(self, block: SentenceLines, error: InputError) -> None:
        if self._options.failures is None:
            raise error
        block.error = block.error or error

    def note(self, block: SentenceLines, comment: Comment, line: int) -> None:
        """Take a comment into account."""
        if block.body:
            return
        if comment.name == "newdoc":
            block.newdoc = comment.value
        elif comment.name == "global.Entity":
            try:
                self._set_fields(comment.value, line)
            except InputError as error:
                self._header_error = error
                self._note_error(block, copy(error))
        elif comment.name == "speaker":
            block.speaker = comment.value
        elif comment.name == "meta::genre":
            block.genre = comment.value
        elif comment.name == "part":
            block.part = parse_part(comment.value)
            if block.part is None:
                message = f"part {shorten(comment.value)!r}"
                expected = f"a part number such as 0, of {PART_DIGITS} digits at most"
                self._note_error(block, FormatError(message, self._source.place(line), expected=expected))

    def _set_fields(self, text: str, line: int) -> None:
        if fault := self._source.fault(line, line):
            raise fault
        self._has_fields = True
        self._header_error = None
        if text == self._fields.text:
            return
        fields = Fields(text)
        if "eid" not in fields.names:
            message = f"no entity id among the fields {text!r}"
            raise FormatError(message, self._source.place(line), expected="eid (or GRP) in global.Entity")
        self._fields = fields

    def add(self, block: SentenceLines) -> Iterator[Document | Unreadable]:
        """Add a sentence; yields the document before it if it begins a new one."""
        if block.newdoc is not None or (self._document is None and self._lost is None):
            yield from self._finished(block.start - 1)
            self._begin(block)
        document = self._document
        if document is None:
            return
        try:
            self._add_to(document, block)
        except InputError as error:
            self._lose(error, document.id)

    def _lose(self, error: InputError, document: str | None) -> None:
        self._lost = self._options.unreadable(error, document)
        self._document = None

    def _add_to(self, document: DocumentBuilder, block: SentenceLines) -> None:
        if block.error is not None:
            raise block.error
        if self._header_error is not None and "Entity=" in block.text:
            # A copy, because it gets the document's name.
            raise copy(self._header_error)
        if block.genre:
            document.genre = block.genre
        if not block.body:
            document.head = block.text
            return
        if block.part is not None and block.part != document.number and document.has_sentences:
            document.start_part(block.part, block.start)
        document.add_sentence(block, self._fields)

    def _begin(self, block: SentenceLines) -> None:
        self._start_line = block.start
        self._lost = None
        try:
            self._document = self._start(block)
        except InputError as error:
            self._lose(error, None)

    def _finished(self, last: int | None) -> Iterator[Document | Unreadable]:
        """The finished document whose last line is ``last``; ``None`` for the end of the input."""
        document, lost = self._document, self._lost
        self._document = self._lost = None
        if document is None and lost is None:
            return
        name = document.id if document is not None else lost.document if lost is not None else None
        try:
            if fault := self._source.fault(self._start_line, last):
                raise fault
            if document is not None:
                yield document.finish()
        except InputError as error:
            # The name itself can be the text that was not decoded.
            lost = self._options.unreadable(error, None if name is None or "\ufffd" in name else name)
        if lost is not None:
            yield lost

    def _start(self, block: SentenceLines) -> DocumentBuilder:
        name = block.newdoc
        if not name:
            # Two nameless documents of a file must not become one.
            name = name_from_file(self._source.name) + (f"-{self._documents}" if self._documents else "")
        number = block.part or 0
        pattern = self._options.part_pattern
        if pattern is not None and (match := pattern.fullmatch(name)):
            found = parse_part(match["part"])
            if found is None:
                message = f"part {shorten(match['part'])!r} in the id {shorten(name)!r}"
                expected = f"a number of {PART_DIGITS} digits at most"
                raise FormatError(message, self._source.place(block.start), expected=expected)
            name, number = match["document"], found
        self._documents += 1
        return DocumentBuilder(self._source, self._options, name, number, self._values, has_fields=self._has_fields)

    def end(self, block: SentenceLines, last_line: int) -> Iterator[Document | Unreadable]:
        """Add the last lines and yield the last document."""
        if block.body or block.newdoc is not None:
            yield from self.add(block)
        elif self._document is not None:
            self._document.tail = block.text
        elif self._lost is None:
            message = "no document" if last_line else "the file is empty"
            raise FormatError(message, self._source.place(None), expected="at least one sentence or `# newdoc` line")
        yield from self._finished(None)
