"""CorefUD's ``Entity`` attribute: brackets in MISC, such as ``(e1-person-2(e2--1)`` and ``e3[1/2])e1)``.

Source: CorefUD 1.x format description. An opening bracket carries the entity's id and the mention's attributes in the
order that ``# global.Entity`` gives (``eid-etype-head-other``); ``GRP`` and ``entity`` are older names of ``eid`` and
``etype``. A closing bracket carries the id alone. ``[2/3]`` after the id marks the second of three stretches of a
discontinuous mention. A closing bracket belongs to the last opened one with the same id and stretch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from sys import intern
from typing import NamedTuple

from merger.document import Span, make_mention

DEFAULT_FIELDS = "eid-etype-head-other"
"""The field order for a text without one. CorefUD's tools take ids under ``eid`` as unique in the file (see
:func:`unique_id`). Under ``GRP`` ids are local to their ``# newdoc``, but udvalidate refuses that older name."""

REPAIRED: tuple[Span, ...] = ()
"""A key of a sentence's details that no mention has, as every mention has spans. It marks a sentence whose brackets the
reader repaired, so that they cannot stay."""

_OLD_NAMES = {"GRP": "eid", "entity": "etype"}
_BRACKET = re.compile(r"\(([^()]+)(\)?)|([^()]+)\)")
_MARK = re.compile(r"(.+)\[([0-9]{1,9})/([0-9]{1,9})\]", re.DOTALL)
_CELLS_KEPT = 1 << 14
_HEAD_DIGITS = 9
NO_HEAD = 10**_HEAD_DIGITS
"""The value for a head that is not a number."""
_BRACKETS_OF = itemgetter(3)
_FORBIDDEN = re.compile(r"[\s()\-|=\[\]<,]")
_ESCAPED_IN_NAMES = re.compile(r"[\s()\-|=\[\]<>,:%]")


class Bracket(NamedTuple):
    """One bracket of a cell: ``(content``, ``content)`` or ``(content)``."""

    opens: bool
    closes: bool
    content: str


class RawMention(NamedTuple):
    """A mention as read from its brackets.

    ``id`` is the entity's, ``content`` the first opening bracket's text without a stretch mark. ``spans`` are the
    stretches in order, touching ones joined; ``brackets`` the numbers of its brackets, counted over the sentence.
    """

    id: str
    content: str
    spans: tuple[Span, ...]
    brackets: tuple[int, ...]


class ProblemKind(NamedTuple):
    """A kind of fault in the brackets of a sentence."""

    name: str
    text: str


SYNTAX = ProblemKind("syntax", "not a list of brackets")
UNOPENED = ProblemKind("unopened", "is closed but was never opened")
UNCLOSED = ProblemKind("unclosed", "is opened but never closed")
NO_FIRST_STRETCH = ProblemKind("no first stretch", "has a later stretch without the one before it")
NO_LAST_STRETCH = ProblemKind("no last stretch", "lacks its last stretch")


class Problem(NamedTuple):
    """Something wrong at a token; ``key`` is the entity id with its stretch mark."""

    kind: ProblemKind
    token: int
    key: str


class Parsed(NamedTuple):
    """The mentions of one sentence in the order in which they open, and the faults."""

    mentions: list[RawMention]
    problems: list[Problem]


_Read = tuple[tuple[str, bool, str], ...]
"""The brackets of a cell: key (id and stretch mark), whether it closes, and the text if it opens."""


class _Values(dict[str, list[str]]):
    """A cache from a bracket's text to its fields."""

    def __missing__(self, content: str) -> list[str]:
        if len(self) >= _CELLS_KEPT:
            self.clear()
        values = self[content] = content.split("-")
        return values


class _MentionHeads(dict[str, int]):
    """A cache from a bracket's text to its head."""

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self._fields = fields
        self._index = fields.index_of("head")

    def __missing__(self, content: str) -> int:
        if len(self) >= _CELLS_KEPT:
            self.clear()
        text = self._fields.get(content, self._index)
        is_number = text.isascii() and text.isdecimal() and text[0] != "0" and len(text) <= _HEAD_DIGITS
        head = self[content] = (int(text) if is_number else NO_HEAD) if text else 0
        return head


@dataclass(frozen=True)
class Fields:
    """The order of a bracket's fields. With an empty ``text`` only the id is known, and it comes first.

    Raises ``ValueError`` on first use if there is no id among them.
    """

    text: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The fields by their newer names."""
        return tuple(_OLD_NAMES.get(name, name) for name in self.text.split("-")) if self.text else ("eid",)

    @cached_property
    def id_index(self) -> int:
        """The index of the entity id."""
        return self.names.index("eid")

    def index_of(self, name: str) -> int:
        """The index of a field, -1 if it is absent."""
        return self._indexes.get(name, -1)

    @cached_property
    def _indexes(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def are_unique(self) -> bool:
        """Whether ids are unique in the file, not in their ``# newdoc`` only."""
        return "eid" in self.text.split("-")

    @cached_property
    def heads(self) -> Mapping[str, int]:
        """From a bracket's text to the mention's head, counted from 1: 0 without one, ``NO_HEAD`` for no number."""
        return _MentionHeads(self)

    @cached_property
    def cells(self) -> dict[str, _Read]:
        """A cache of the values that were read with this order."""
        return {}

    @cached_property
    def _values(self) -> _Values:
        return _Values()

    def get(self, content: str, index: int) -> str:
        """One field of a bracket's text, empty if it is not there."""
        if index < 0:
            return ""
        values = self._values[content]
        return values[index] if index < len(values) else ""

    def entity(self, content: str) -> str:
        """The entity id in an opening bracket's text."""
        return content if "-" not in content else self.get(content, self.id_index)

    def key(self, closing: str) -> str:
        """The entity id and stretch mark in a closing bracket, which in old files has the fields before the id too."""
        return closing if "-" not in closing else self.get(closing, self.id_index)

    def put(self, content: str, index: int, value: str) -> str:
        """A bracket's text with one field changed."""
        values = content.split("-")
        values.extend([""] * (index + 1 - len(values)))
        values[index] = value
        return "-".join(values)

    def make(self, **values: str) -> str:
        """A bracket's text from named fields; empty ones at the end are left out."""
        texts = [values.get(name, "") for name in self.names]
        while texts and not texts[-1]:
            texts.pop()
        return "-".join(texts)

    def convert(self, content: str, target: Fields) -> tuple[str, list[str]]:
        """A bracket's text in another field order, and the fields that have no place there.

        What the other order lacks goes into its ``other`` field as ``name:value``.
        """
        names = self.names if self.text else Fields(DEFAULT_FIELDS).names
        values = dict(zip(names, content.split("-", len(names) - 1), strict=False))
        foreign = [name for name in names if values.get(name) and name not in target.names]
        if "other" in target.names and foreign:
            extra = [values["other"]] if values.get("other") else []
            extra += [f"{name}:{values[name].replace(',', '%2C')}" for name in foreign]
            values["other"] = ",".join(extra)
            foreign = []
        return target.make(**values), foreign


def brackets_of(value: str) -> list[Bracket]:
    """The brackets of a cell whose value was parsed without a syntax problem."""
    return [Bracket(not closing, bool(closing or both), opening or closing) for opening, both, closing in _found(value)]


def _found(value: str) -> list[tuple[str, str, str]]:
    return _BRACKET.findall(value)


def parse_entities(cells: Iterable[tuple[int, str]], fields: Fields) -> Parsed:
    """Find the mentions in the ``Entity`` values of one sentence, given as (token, value)."""
    sentence = _Sentence(fields)
    sentence.read(cells)
    return sentence.finish()


class _Stretches:
    """A discontinuous mention that is not complete yet. A broken one never will be and has been reported."""

    __slots__ = ("brackets", "broken", "content", "following", "id", "missing", "spans")

    def __init__(self, entity: str, content: str, count: int, *, broken: bool = False) -> None:
        self.id = entity
        self.content = content
        self.missing = count
        self.following = 2
        self.broken = broken
        self.spans: list[Span] = []
        self.brackets: list[int] = []


_Open = tuple[int, int, str, _Stretches | None]
"""An open bracket: its token, its number, its text, and the discontinuous mention that it opens a stretch of."""


def _read_cell(value: str, fields: Fields) -> _Read:
    """The brackets of a cell; empty if it has other text."""
    found = _found(value)
    # The expression skips unknown text, so the lengths show whether it matched everything.
    if sum([len(opening) + len(both) + len(closing) + 1 for opening, both, closing in found]) != len(value):
        return ()
    brackets = []
    for opening, both, closing in found:
        key = fields.key(closing) if closing else fields.entity(opening)
        if not key:
            return ()
        brackets.append((intern(key), bool(closing or both), intern(opening)))
    return tuple(brackets)


class _Sentence:
    """The state of reading one sentence: open brackets by id and mark, and unfinished discontinuous mentions."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self._open: dict[str, list[_Open]] = {}
        self._stretched: dict[tuple[str, int], list[_Stretches]] = {}
        self._mentions: list[RawMention] = []
        self._problems: list[Problem] = []

    def read(self, cells: Iterable[tuple[int, str]]) -> None:
        """Read the cells of the sentence."""
        # About every fifth word starts a mention, so nearly all brackets pass without a call or an object.
        known, open_, mentions = self._fields.cells, self._open, self._mentions
        make = tuple.__new__  # The constructor of a named tuple takes longer than all else here.
        number = -1
        for token, value in cells:
            for key, closes, content in known.get(value) or self._read_cell(token, value):
                number += 1
                if content:
                    first, opened, text = token, number, content
                    stretches = self._stretch(token, content, key, number) if key[-1] == "]" else None
                    if not closes:
                        open_.setdefault(key, []).append((token, number, content, stretches))
                        continue
                elif stack := open_.get(key):
                    first, opened, text, stretches = stack.pop()
                else:
                    self._problems.append(Problem(UNOPENED, token, key))
                    continue
                if stretches is None:
                    mentions.append(make(RawMention, (key, text, ((first, token),), (opened, number))))
                else:
                    self._end_stretch(stretches, (first, token), number)

    def _read_cell(self, token: int, value: str) -> _Read:
        """The brackets of a cell that was not read before."""
        known = self._fields.cells
        if len(known) > _CELLS_KEPT:
            known.clear()
        brackets = _read_cell(value, self._fields)
        if brackets:
            known[value] = brackets
        else:
            self._problems.append(Problem(SYNTAX, token, value))
        return brackets

    def _stretch(self, token: int, content: str, key: str, number: int) -> _Stretches | None:
        """The discontinuous mention that an opening bracket belongs to, a new one for the first stretch."""
        mark = _MARK.fullmatch(key)
        if mark is None:
            return None
        entity, stretch, count = mark[1], int(mark[2]), int(mark[3])
        content = self._fields.put(content, self._fields.id_index, entity)
        unfinished = self._stretched.setdefault((entity, count), [])
        if stretch == 1 <= count:
            mention = _Stretches(intern(entity), intern(content), count)
            mention.brackets.append(number)
            unfinished.append(mention)
            return mention
        for mention in reversed(unfinished):
            if mention.following == stretch <= count:
                mention.following += 1
                mention.brackets.append(number)
                return mention
        kind = NO_FIRST_STRETCH if 0 < stretch <= count else SYNTAX
        self._problems.append(Problem(kind, token, key))
        return _Stretches(entity, content, count, broken=True)

    def _end_stretch(self, stretches: _Stretches, span: Span, number: int) -> None:
        stretches.brackets.append(number)
        stretches.spans.append(span)
        stretches.missing -= 1
        if not stretches.missing and not stretches.broken:
            self._stretched[stretches.id, len(stretches.spans)].remove(stretches)
            spans = make_mention(0, 0, tuple(stretches.spans)).spans
            brackets = tuple(sorted(set(stretches.brackets)))
            self._mentions.append(RawMention(stretches.id, stretches.content, spans, brackets))

    def finish(self) -> Parsed:
        """The mentions and problems of the sentence."""
        for key, stack in self._open.items():
            for token, _, _, stretches in stack:
                if stretches is None or not stretches.broken:
                    self._problems.append(Problem(UNCLOSED, token, key))
                    if stretches is not None:
                        stretches.broken = True
        for (entity, count), unfinished in self._stretched.items():
            for stretches in unfinished:
                if not stretches.broken:
                    key = f"{entity}[{stretches.following}/{count}]"
                    self._problems.append(Problem(NO_LAST_STRETCH, stretches.spans[-1][1], key))
        if len(self._mentions) > 1:
            self._mentions.sort(key=_BRACKETS_OF)
        if self._problems:
            self._problems.sort(key=_token)
        return Parsed(self._mentions, self._problems)


def _token(problem: Problem) -> int:
    return problem.token


def unique_id(document: str, part: int, entity: str) -> str:
    """An entity id that no other document or part of a file has: ``document.part.entity``.

    ``entity`` is an id that ``Entity`` can carry. Characters of the document's name that ``Entity`` cannot carry are
    written as ``%`` and the hexadecimal digits of their UTF-8 bytes, and so is a dot in ``entity``: different ids stay
    different.
    """
    return f"{unique_prefix(document)}{part}.{entity.replace('.', '%2E')}"


def unique_prefix(document: str) -> str:
    """The start of all ids of :func:`unique_id` for a document."""
    return _ESCAPED_IN_NAMES.sub(lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), document) + "."


def writable_ids(ids: Sequence[str]) -> list[str]:
    """Ids that ``Entity`` can carry, one for each given.

    Those without the format's own characters stay as they are; the others are changed and stay distinct.
    """
    used = {entity for entity in ids if entity and not _FORBIDDEN.search(entity)}
    names = {entity: entity for entity in used}
    for entity in ids:
        if entity in names:
            continue
        base = name = _FORBIDDEN.sub("_", entity) or "e"
        count = 1
        while name in used:
            count += 1
            name = f"{base}_{count}"
        used.add(name)
        names[entity] = name
    return [names[entity] for entity in ids]
