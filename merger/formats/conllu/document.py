"""One document of a CoNLL-U file as it is read, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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
from merger.formats.base import Lines, ReadOptions, genre_of
from merger.formats.conllu.checks import LinkCheck, check_head, check_misc, needs_check
from merger.formats.conllu.entity import (
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
from merger.formats.conllu.links import has_links
from merger.formats.conllu.misc import Values, get_attribute
from merger.formats.conllu.rows import RowError, Rows, read_rows
from merger.message_text import printable

_NO_DETAILS: Mapping[tuple[Span, ...], str] = {}
_REPAIRED_ONLY: Mapping[tuple[Span, ...], str] = {REPAIRED: ""}


@dataclass(slots=True)
class SentenceLines:
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


class DocumentBuilder:
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
        self._lacks_fields = False
        self._noted_fields: Fields | None = None
        self._links = LinkCheck(options.notices)
        self._values = values

    @property
    def id(self) -> str:
        """Its id."""
        return self._id

    @property
    def has_sentences(self) -> bool:
        """Whether its part has one yet."""
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

    def add_sentence(self, block: SentenceLines, fields: Fields) -> None:
        """Add a sentence with its mentions."""
        try:
            rows = read_rows(block.rows)
        except RowError as error:
            place = self._place(block.line_of_row(error.row))
            raise FormatError(error.message, place, expected=error.expected, hint=error.hint) from None
        text = block.text
        details = _NO_DETAILS
        is_checked = needs_check(rows.misc)
        repaired = is_checked and self._check_misc(block, rows)
        if "Entity=" in text or repaired:
            details = self._read_entities(block, rows, fields, repaired=repaired)
        if is_checked and has_links(text):
            self._check_links(block, rows, fields, details)
        speakers: tuple[str, ...] | None = None
        if "Speaker=" in text:
            cells = [get_attribute(cell, "Speaker") or block.speaker for cell in rows.misc]
            speakers = tuple(cells) if any(cells) else None
        elif block.speaker:
            speakers = (block.speaker,) * len(rows.forms)
        source = SentenceSource("conllu", text, block.start, fields.text, details)
        self._sentences.append(Sentence(rows.forms, rows.xpos, rows.upos, speakers, rows.heads, rows.empty, source))

    def _check_misc(self, block: SentenceLines, rows: Rows) -> bool:
        def find_place(token: int) -> Location:
            return self._place(block.line_of_token(token))

        cells = [(token, misc) for token, misc in enumerate(rows.misc) if misc != "_"]
        found = [check_misc(misc, self._notices, partial(find_place, token)) for token, misc in cells]
        return True in found

    def _check_links(
        self, block: SentenceLines, rows: Rows, fields: Fields, details: Mapping[tuple[Span, ...], str]
    ) -> None:
        starting: dict[int, list[str]] = {}
        for spans, content in details.items():
            if spans != REPAIRED:
                starting.setdefault(spans[0][0], []).append(fields.entity(content))
        for token, misc in enumerate(rows.misc):
            if has_links(misc):
                self._links.add(self._place(block.line_of_token(token)), misc, starting.get(token, ()))

    def _cells(self, rows: Rows) -> list[tuple[int, str]]:
        values = self._values
        with_entity = [(token, misc) for token, misc in enumerate(rows.misc) if misc != "_" and "Entity=" in misc]
        return [(token, value) for token, misc in with_entity if (value := values[misc])]

    def _note_fields(self, block: SentenceLines, token: int, fields: Fields) -> None:
        if fields is self._noted_fields:
            return
        self._noted_fields = fields
        self._are_unique = self._are_unique and fields.are_unique
        if fields.text or self._lacks_fields:
            return
        self._lacks_fields = True
        message = "Entity= without `# global.Entity` above it: the order of its fields is not known"
        expected = "a line such as `# global.Entity = eid-etype-head-other`"
        error = FormatError(message, self._place(block.line_of_token(token)), expected=expected)
        self._notices.repair("no field order", error, "the first field is taken for the entity")

    def _read_entities(
        self, block: SentenceLines, rows: Rows, fields: Fields, *, repaired: bool
    ) -> Mapping[tuple[Span, ...], str]:
        cells = self._cells(rows)
        for row, misc in rows.ranges:
            if get_attribute(misc, "Entity"):
                repaired = True
                self._warn_of_range(block.line_of_row(row))
        if not cells:
            return _REPAIRED_ONLY if repaired else _NO_DETAILS
        self._has_entities = True
        self._note_fields(block, cells[0][0], fields)
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
        self._check_heads(block, fields, mentions)
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

    def _check_heads(self, block: SentenceLines, fields: Fields, mentions: Sequence[RawMention]) -> None:
        if fields.index_of("head") < 0:
            return
        heads = fields.heads
        for mention in mentions:
            first, last = mention.spans[0]
            # Most mentions have one span.
            if heads[mention.content] > last - first + 1:
                check_head(mention, fields, self._notices, self._place(block.line_of_token(first)))

    def _one_per_span(self, mentions: Sequence[RawMention], block: SentenceLines) -> list[RawMention]:
        """Keep one mention for every span: that of the entity that starts first in the document."""
        rank = {entity: rank for rank, entity in enumerate(dict.fromkeys([*self._chains, *(m.id for m in mentions)]))}
        owners: dict[tuple[Span, ...], RawMention] = {}
        for mention in mentions:
            owner = owners.setdefault(mention.spans, mention)
            if owner is mention:
                continue
            place = self._place(block.line_of_token(mention.spans[0][0]))
            if mention.id == owner.id:
                error = AnnotationError(f"one span is a mention of entity {printable(owner.id)} twice", place)
                self._notices.warn("span twice in a chain", error)
                continue
            message = f"one span is a mention of entity {printable(owner.id)} and of entity {printable(mention.id)}"
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
                f"a mention of entity {printable(problem.key)} that opened at line {opened} "
                "goes on in another sentence",
                self._place(line),
                expected="mentions inside one sentence",
            )
            self._notices.repair("mention over a sentence boundary", error, "the mention is dropped")
            return
        kind = "mention never opened" if problem.kind is UNOPENED else "stretch of a mention missing"
        self._drop(kind, problem, line)

    def _drop(self, kind: str, problem: Problem, line: int) -> None:
        error = AnnotationError(f"a mention of entity {printable(problem.key)} {problem.kind.text}", self._place(line))
        repair = "the bracket is dropped" if problem.kind in {UNOPENED, NO_FIRST_STRETCH} else "the mention is dropped"
        self._notices.repair(kind, error, repair)

    def _names(self) -> Iterable[str]:
        """The ids of the chains: the entity ids, without document and part if all start with both."""
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
        self._links.finish(self._chains)
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
