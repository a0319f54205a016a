"""Reads CoNLL-U with CorefUD entities, one document (``# newdoc``) at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from merger.document import (
    Chain,
    ChainScope,
    Document,
    Mention,
    Part,
    Sentence,
    SentenceSource,
    Span,
    chain_order,
    make_chain,
)
from merger.errors import AnnotationError, FormatError, InputError, Location
from merger.formats.base import Lines, ReadOptions, Unreadable, genre_of
from merger.formats.conllu_comments import PART_DIGITS, Comment, name_from_file, parse_comment, parse_part
from merger.formats.conllu_misc import Values, get_attribute
from merger.formats.conllu_rows import RowError, Rows, read_rows
from merger.formats.corefud_entity import (
    NO_FIRST_STRETCH,
    NO_LAST_STRETCH,
    REPAIRED,
    SYNTAX,
    UNCLOSED,
    UNOPENED,
    Fields,
    Problem,
    RawMention,
    parse_entities,
    unique_id,
)
from merger.shown import shorten, shown

_DIGITS = frozenset("0123456789")
_NO_DETAILS: Mapping[tuple[Span, ...], str] = {}
_REPAIRED_ONLY: Mapping[tuple[Span, ...], str] = {REPAIRED: ""}


@dataclass(slots=True)
class _Block:
    """The lines of one sentence as they come: comments before it, rows (and comments between them), blank lines."""

    start: int
    head: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    tail: list[str] = field(default_factory=list)
    newdoc: str | None = None
    part: int | None = None
    speaker: str = ""
    genre: str | None = None
    inner_comments: bool = False
    error: InputError | None = None

    @property
    def text(self) -> str:
        """All lines."""
        return "".join([*self.head, *self.body, *self.tail])

    @property
    def rows(self) -> list[str]:
        """The lines that are not comments."""
        return [line for line in self.body if line[0] != "#"] if self.inner_comments else self.body

    def line_of_row(self, row: int) -> int:
        """The line number of a row."""
        at = [index for index, line in enumerate(self.body) if line[0] != "#"]
        return self.start + len(self.head) + at[row]

    def line_of_token(self, token: int) -> int:
        """The line number of a word or empty node."""
        tokens = [row for row, line in enumerate(self.rows) if "-" not in line.partition("\t")[0]]
        return self.line_of_row(tokens[token])


class _Unclosed(NamedTuple):
    line: int
    problem: Problem


def read_conllu(source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
    """Yield the documents of one input; see :class:`merger.formats.conllu.ConlluFormat`.

    Behind a document that cannot be read it goes on with the next ``# newdoc``.
    """
    reader = _Reader(source, options)
    block = _Block(1)
    # Bound outside the loop that every row goes through.
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
                block = _Block(number)
                add_row = block.body.append
                ended = False
            if comment is not None:
                reader.note(block, comment, number)
            if first != "#":
                # Not a row, if it has no digit in front: reading the rows says what is wrong with it.
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
        self._document: _Document | None = None
        # In the place of the document, once that cannot be read.
        self._lost: Unreadable | None = None
        self._start_line = 1

    def note_unended(self, block: _Block, line: int) -> None:
        """A document begins at a line before the block ends."""
        message = "a document begins inside a sentence"
        self._note_error(
            block, FormatError(message, self._source.place(line), expected="a blank line after every sentence")
        )

    def _note_error(self, block: _Block, error: InputError) -> None:
        if self._options.failures is None:
            raise error
        block.error = block.error or error

    def note(self, block: _Block, comment: Comment, line: int) -> None:
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

    def add(self, block: _Block) -> Iterator[Document | Unreadable]:
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

    def _add_to(self, document: _Document, block: _Block) -> None:
        if block.error is not None:
            raise block.error
        if self._header_error is not None and "Entity=" in block.text:
            # Of its own, as it will get the document's name.
            raise copy(self._header_error)
        if block.genre:
            document.genre = block.genre
        if not block.body:
            document.head = block.text
            return
        if block.part is not None and block.part != document.number and document.has_sentences:
            document.start_part(block.part, block.start)
        document.add_sentence(block, self._fields)

    def _begin(self, block: _Block) -> None:
        self._start_line = block.start
        self._lost = None
        try:
            self._document = self._start(block)
        except InputError as error:
            self._lose(error, None)

    def _finished(self, last: int | None) -> Iterator[Document | Unreadable]:
        """What the document came to whose last line that is; ``None`` for the end of the input."""
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
            # The name itself may be what is not decoded.
            lost = self._options.unreadable(error, None if name is None or "\ufffd" in name else name)
        if lost is not None:
            yield lost

    def _start(self, block: _Block) -> _Document:
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
        return _Document(self._source, self._options, name, number, self._values, has_fields=self._has_fields)

    def end(self, block: _Block, last_line: int) -> Iterator[Document | Unreadable]:
        """Add what is left and yield the last document."""
        if block.body or block.newdoc is not None:
            yield from self.add(block)
        elif self._document is not None:
            self._document.tail = block.text
        elif self._lost is None:
            message = "no document" if last_line else "the file is empty"
            raise FormatError(message, self._source.place(None), expected="at least one sentence or `# newdoc` line")
        yield from self._finished(None)


class _Document:
    """Collects one document."""

    def __init__(
        self, source: Lines, options: ReadOptions, name: str, number: int, values: Values, *, has_fields: bool
    ) -> None:
        self._source = source
        self._notices = options.notices
        self._id = name
        self.number = self._first_number = number
        self.genre: str | None = None
        self.head = ""
        self.tail = ""
        self._has_entities = has_fields
        self._parts: list[Part] = []
        self._numbers = {number}
        self._sentences: list[Sentence] = []
        self._chains: dict[str, list[Mention]] = {}
        self._unclosed: dict[str, list[_Unclosed]] = {}
        self._unordered: set[str] = set()
        self._are_unique = True
        self._values = values

    @property
    def id(self) -> str:
        """Its id."""
        return self._id

    @property
    def has_sentences(self) -> bool:
        return bool(self._sentences)

    def _place(self, line: int) -> Location:
        return self._source.place(line, self._id, self.number)

    def start_part(self, number: int, line: int) -> None:
        """Begin the next part."""
        self._parts.append(Part(tuple(self._sentences), self.number))
        self._sentences = []
        if number in self._numbers:
            raise FormatError(f"part {number} comes twice", self._place(line), expected="every part once")
        if number < self.number:
            message = f"part {number} comes after part {self.number}"
            raise FormatError(message, self._place(line), expected="parts in order")
        self._numbers.add(number)
        self.number = number

    def add_sentence(self, block: _Block, fields: Fields) -> None:
        """Add a sentence with its mentions."""
        try:
            rows = read_rows(block.rows)
        except RowError as error:
            place = self._place(block.line_of_row(error.row))
            raise FormatError(error.message, place, expected=error.expected, hint=error.hint) from None
        text = block.text
        details = _NO_DETAILS
        if "Entity=" in text:
            details = self._read_entities(block, rows, fields)
        speakers: tuple[str, ...] | None = None
        if "Speaker=" in text:
            cells = [get_attribute(cell, "Speaker") or block.speaker for cell in rows.misc]
            speakers = tuple(cells) if any(cells) else None
        elif block.speaker:
            speakers = (block.speaker,) * len(rows.forms)
        source = SentenceSource("conllu", text, block.start, fields.text, details)
        self._sentences.append(Sentence(rows.forms, rows.xpos, rows.upos, speakers, rows.heads, rows.empty, source))

    def _read_entities(self, block: _Block, rows: Rows, fields: Fields) -> Mapping[tuple[Span, ...], str]:
        values = self._values
        with_entity = [(token, misc) for token, misc in enumerate(rows.misc) if misc != "_" and "Entity=" in misc]
        cells = [(token, value) for token, misc in with_entity if (value := values[misc])]
        repaired = False
        for row, misc in rows.ranges:
            if get_attribute(misc, "Entity"):
                repaired = True
                self._warn_of_range(block.line_of_row(row))
        if not cells:
            return _REPAIRED_ONLY if repaired else _NO_DETAILS
        self._has_entities = True
        self._are_unique = self._are_unique and fields.are_unique
        parsed = parse_entities(cells, fields)
        for problem in parsed.problems:
            self._report(problem, block.line_of_token(problem.token))
        mentions = parsed.mentions
        details = {mention.spans: mention.content for mention in mentions}
        if len(details) < len(mentions):
            mentions = self._one_per_span(mentions, block)
            details = {mention.spans: mention.content for mention in mentions}
            repaired = True
        if repaired or parsed.problems:
            details[REPAIRED] = ""
        part, sentence, chains = len(self._parts), len(self._sentences), self._chains
        make = tuple.__new__  # The constructor of a named tuple takes longer than all else here.
        for entity, _, spans, _ in mentions:
            pieces = spans if len(spans) > 1 else ()
            place = make(Mention, (part, sentence, spans[0][0], spans[-1][1], pieces))
            if entity not in chains:
                chains[entity] = [place]
                continue
            chain = chains[entity]
            if chain[-1] >= (part, sentence, place.first):
                self._unordered.add(entity)
            chain.append(place)
        return details

    def _one_per_span(self, mentions: Sequence[RawMention], block: _Block) -> list[RawMention]:
        """Leave one mention for every span: that of the entity that begins first in the document."""
        rank = {entity: rank for rank, entity in enumerate(dict.fromkeys([*self._chains, *(m.id for m in mentions)]))}
        owners: dict[tuple[Span, ...], RawMention] = {}
        for mention in mentions:
            owner = owners.setdefault(mention.spans, mention)
            if owner is mention:
                continue
            place = self._place(block.line_of_token(mention.spans[0][0]))
            if mention.id == owner.id:
                error = AnnotationError(f"one span is a mention of entity {shown(owner.id)} twice", place)
                self._notices.warn("span twice in a chain", error)
                continue
            message = f"one span is a mention of entity {shown(owner.id)} and of entity {shown(mention.id)}"
            error = AnnotationError(message, place, expected="every span in one entity")
            self._notices.repair("span in two chains", error, "it stays in the entity that begins first")
            if rank[mention.id] < rank[owner.id]:
                owners[mention.spans] = mention
        return list(owners.values())

    def _warn_of_range(self, line: int) -> None:
        message = "Entity on the row of a multiword token is not read, and left out in writing"
        error = FormatError(message, self._place(line), expected="brackets on the rows of words")
        self._notices.warn("entity on a multiword token", error)

    def _report(self, problem: Problem, line: int) -> None:
        if problem.kind is SYNTAX:
            message = f"Entity {problem.key!r} is {SYNTAX.text}"
            raise FormatError(message, self._place(line), expected="brackets such as (e1-person-1(e2)e3)")
        if problem.kind in {UNCLOSED, NO_LAST_STRETCH}:
            # A closing bracket in a later sentence would make it a mention over a sentence boundary.
            self._unclosed.setdefault(problem.key, []).append(_Unclosed(line, problem))
            return
        earlier = self._unclosed.get(problem.key)
        if earlier:
            opened = earlier.pop().line
            error = AnnotationError(
                f"a mention of entity {shown(problem.key)} that opened at line {opened} goes on in another sentence",
                self._place(line),
                expected="mentions inside one sentence",
            )
            self._notices.repair("mention over a sentence boundary", error, "the mention is dropped")
            return
        kind = "mention never opened" if problem.kind is UNOPENED else "stretch of a mention missing"
        self._drop(kind, problem, line)

    def _drop(self, kind: str, problem: Problem, line: int) -> None:
        error = AnnotationError(f"a mention of entity {shown(problem.key)} {problem.kind.text}", self._place(line))
        repair = "the bracket is dropped" if problem.kind in {UNOPENED, NO_FIRST_STRETCH} else "the mention is dropped"
        self._notices.repair(kind, error, repair)

    def _names(self) -> Iterable[str]:
        """The ids of the chains: the entities', without document and part where all have both in front."""
        prefix = unique_id(self._id, self._first_number, "")
        if not self._are_unique or not all(entity.startswith(prefix) for entity in self._chains):
            return self._chains
        return [entity.removeprefix(prefix).replace("%2E", ".") for entity in self._chains]

    def finish(self) -> Document:
        """The document."""
        left = sorted((each for several in self._unclosed.values() for each in several), key=lambda each: each.line)
        for line, problem in left:
            kind = "mention never closed" if problem.kind is UNCLOSED else "stretch of a mention missing"
            self._drop(kind, problem, line)
        if not self._has_entities:
            message = "no Entity annotation: neither `# global.Entity` nor Entity= in MISC"
            self._notices.add("no entity annotation", message, self._source.place(None, self._id))
        self._parts.append(Part(tuple(self._sentences), self.number, self.head, self.tail))
        unordered = self._unordered
        names = self._names()
        chains = [
            make_chain(name, mentions) if entity in unordered else Chain(name, tuple(mentions))
            for (entity, mentions), name in zip(self._chains.items(), names, strict=True)
        ]
        chains.sort(key=chain_order)
        return Document(
            self._id,
            tuple(self._parts),
            tuple(chains),
            ChainScope.DOCUMENT if len(self._parts) > 1 else ChainScope.PART,
            self.genre or genre_of(self._id),
            self._source.name,
        )
