"""Changes only the ``Entity``, ``Bridge`` and ``SplitAnte`` values of a sentence that was read from CoNLL-U."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from merger.document import Sentence, SentenceSource, make_mention
from merger.errors import Location
from merger.formats.conllu.entity import REPAIRED, Fields, RawMention, brackets_of, parse_entities
from merger.formats.conllu.entity_cells import (
    CellBracket,
    Placed,
    Spans,
    bracket_pair,
    join_cell,
    make_cells,
    order_cell,
    reads_back,
)
from merger.formats.conllu.links import LINK_ATTRIBUTES
from merger.formats.conllu.misc import get_attribute, set_attribute
from merger.notices import Notices

Attributes = tuple[tuple[str, str], ...]
"""Fields of an opening bracket and their values."""


class MentionUpdate(NamedTuple):
    """A mention as the chains have it: its entity as written, and the fields that it must show.

    ``defaults`` are for a mention that had no bracket.
    """

    spans: Spans
    entity: str
    overrides: Attributes = ()
    defaults: Attributes = ()


class LinkRewriter(Protocol):
    """Rewrites the entity ids of one ``Bridge`` or ``SplitAnte`` value.

    ``here`` maps raw ids to written ones (``None``: gone) for the mentions that begin at the word.
    """

    def __call__(self, name: str, value: str, here: Mapping[str, str | None]) -> str: ...  # noqa: D102  # the class says it


def is_unchanged(source: SentenceSource, updates: Sequence[MentionUpdate], target: Fields) -> bool:
    """Whether the sentence's ``Entity`` values already agree with the chains."""
    if REPAIRED in source.details or len(updates) != len(source.details) or (updates and source.layout != target.text):
        return False
    for spans, entity, overrides, _ in updates:
        content = source.details.get(spans)
        if content is None or target.entity(content) != entity:
            return False
        if overrides and not shows(content, overrides, target):
            return False
    return True


def shows(content: str, attributes: Attributes, fields: Fields) -> bool:
    """Whether an opening bracket's text has these values, for those that have a field."""
    return all(
        fields.get(content, index) == value for name, value in attributes if (index := fields.index_of(name)) >= 0
    )


def new_content(sentence: Sentence, update: MentionUpdate, fields: Fields) -> str:
    """The text of an opening bracket for a mention that had none: id, type and head as far as known."""
    # udapi does not read discontinuous mentions without a head.
    head = "1" if len(update.spans) > 1 else ""
    if sentence.heads is not None and "head" in fields.names:
        tokens = make_mention(0, 0, update.spans).tokens
        inside = set(tokens)
        position = next((place for place, token in enumerate(tokens) if sentence.heads[token] not in inside), 0)
        head = str(position + 1)
    return fields.make(eid=update.entity, head=head, **dict(update.defaults))


class SentenceChange:
    """Rewrites one sentence's rows in place, given as the sentence's lines without their LF."""

    def __init__(
        self, lines: list[str], sentence: Sentence, source: SentenceSource, target: Fields, notices: Notices
    ) -> None:
        self._lines = lines
        self._sentence = sentence
        # Fields cache the values they have read.
        self._source = target if source.layout == target.text else Fields(source.layout)
        self._details = source.details
        self._target = target
        self._notices = notices
        self._rows = [
            index
            for index, line in enumerate(lines)
            if line and line[0] != "#" and not line.isspace() and "-" not in line.partition("\t")[0]
        ]
        if REPAIRED in source.details:
            self._leave_one_of_each()
        self._raw_cells = {token: value for token in range(len(self._rows)) if (value := self._get(token, "Entity"))}

    def _get(self, token: int, name: str) -> str:
        misc = self._misc(token)
        return get_attribute(misc, name) if f"{name}=" in misc else ""

    def _misc(self, token: int) -> str:
        return self._lines[self._rows[token]].split("\t", 9)[9]

    def _set(self, token: int, name: str, value: str) -> None:
        columns = self._lines[self._rows[token]].split("\t", 9)
        columns[9] = set_attribute(columns[9], name, value)
        self._lines[self._rows[token]] = "\t".join(columns)

    def apply(self, updates: Sequence[MentionUpdate], rewrite_links: LinkRewriter | None, place: Location) -> None:
        """Change the rows so that they agree with the chains.

        Raises :class:`~merger.errors.UnsupportedError` if brackets cannot express them.
        """
        raw = parse_entities(self._raw_cells.items(), self._source).mentions
        matched = _match(raw, updates, self._source, self._details)
        if REPAIRED in self._details:
            self._clear_ranges()
        if rewrite_links is not None:
            self._rewrite_links(raw, matched, rewrite_links)
        placed = self._placed(raw, matched, updates)
        cells = self._edited(raw, matched, updates)
        if not reads_back(cells, placed, self._target):
            cells = make_cells(placed, self._target, place)
        for token in sorted(self._raw_cells.keys() | cells.keys()):
            value = cells.get(token, "")
            if value != self._raw_cells.get(token, ""):
                self._set(token, "Entity", value)

    def _leave_one_of_each(self) -> None:
        """Remove repeated attributes, of which only the first one was read."""
        for token in range(len(self._rows)):
            for name in ("Entity", *LINK_ATTRIBUTES):
                if self._misc(token).count(f"{name}=") > 1 and (value := self._get(token, name)):
                    self._set(token, name, value)

    def _clear_ranges(self) -> None:
        """Remove entities from the rows of multiword tokens, where they are not read."""
        for index, line in enumerate(self._lines):
            number, tab, _ = line.partition("\t")
            if "-" in number and tab and line[0] != "#" and get_attribute(misc := line.split("\t", 9)[9], "Entity"):
                self._lines[index] = line[: len(line) - len(misc)] + set_attribute(misc, "Entity", "")

    def _content(self, content: str, key: str, overrides: Attributes) -> str:
        """An opening bracket's text with another id, other values where needed, and the fields in the block's order."""
        if self._source.text != self._target.text and (self._source.text or self._target.id_index):
            content, lost = self._source.convert(content, self._target)
            if lost:
                message = f"fields {', '.join(lost)} are left out: the document's first part has another global.Entity"
                self._notices.add("entity fields left out", message)
        content = self._target.put(content, self._target.id_index, key)
        for name, value in overrides:
            if (index := self._target.index_of(name)) >= 0:
                content = self._target.put(content, index, value)
        return content

    def _placed(
        self, raw: Sequence[RawMention], matched: Mapping[int, MentionUpdate], updates: Sequence[MentionUpdate]
    ) -> list[Placed]:
        kept = [
            Placed(match.spans, match.entity, self._content(raw[index].content, match.entity, match.overrides))
            for index, match in matched.items()
        ]
        return kept + [
            Placed(each.spans, each.entity, new_content(self._sentence, each, self._target))
            for each in _unmatched(matched, updates)
        ]

    def _edited(
        self, raw: Sequence[RawMention], matched: Mapping[int, MentionUpdate], updates: Sequence[MentionUpdate]
    ) -> dict[int, str]:
        """The values with the brackets that stay in their old order."""
        owner = {number: index for index, mention in enumerate(raw) for number in mention.brackets}
        starts = {(index, token): span for index, mention in enumerate(raw) for span in mention.spans for token in span}
        cells: dict[int, list[CellBracket]] = {}
        number = 0
        for token, value in self._raw_cells.items():
            for opens, closes, content in brackets_of(value):
                index = owner.get(number, -1)
                number += 1
                match = matched.get(index)
                if match is None:
                    continue
                key = self._source.entity(content) if opens else self._source.key(content)
                key = match.entity + key[len(raw[index].id) :]
                text = f"({self._content(content, key, match.overrides)}" if opens else key
                # Touching stretches were joined in reading: then the mention's own ends order the cell.
                first, last = starts.get((index, token), (raw[index].spans[0][0], raw[index].spans[-1][1]))
                bracket = CellBracket(text + (")" if closes else ""), first, last, opens, closes)
                cells.setdefault(token, []).append(bracket)
        grown = {token for token, brackets in cells.items() if _wrong_openings(brackets, self._target)}
        for new in _unmatched(matched, updates):
            for count, span in enumerate(new.spans, 1):
                key = new.entity if len(new.spans) == 1 else f"{new.entity}[{count}/{len(new.spans)}]"
                content = new_content(self._sentence, new, self._target)
                content = self._target.put(content, self._target.id_index, key)
                for token, bracket in bracket_pair(content, key, span):
                    cells.setdefault(token, []).append(bracket)
                    grown.add(token)
        return {
            token: join_cell(order_cell(brackets) if token in grown else brackets) for token, brackets in cells.items()
        }

    def _rewrite_links(
        self, raw: Sequence[RawMention], matched: Mapping[int, MentionUpdate], rewrite: LinkRewriter
    ) -> None:
        starting: dict[int, dict[str, str | None]] = {}
        for index, mention in enumerate(raw):
            here = starting.setdefault(mention.spans[0][0], {})
            match = matched.get(index)
            if match is not None and here.get(mention.id) is None:
                here[mention.id] = match.entity
            here.setdefault(mention.id, None)
        for token in range(len(self._rows)):
            for name in LINK_ATTRIBUTES:
                value = self._get(token, name)
                if value and (changed := rewrite(name, value, starting.get(token, {}))) != value:
                    self._set(token, name, changed)


def _wrong_openings(brackets: Sequence[CellBracket], fields: Fields) -> bool:
    """Whether openings of one entity are in order inner before outer, which would swap the attributes of the two."""
    last_of: dict[str, int] = {}
    for each in brackets:
        if each.opens and not each.closes:
            key = fields.entity(each.text[1:])
            if last_of.get(key, each.last) < each.last:
                return True
            last_of[key] = each.last
    return False


def _match(
    raw: Sequence[RawMention], updates: Sequence[MentionUpdate], fields: Fields, details: Mapping[Spans, str]
) -> dict[int, MentionUpdate]:
    """The update for each raw mention that stays; mentions that the reader dropped in favour of another have none."""
    todo: dict[Spans, list[MentionUpdate]] = {}
    for each in updates:
        todo.setdefault(each.spans, []).append(each)
    matched: dict[int, MentionUpdate] = {}
    for same_entity in (True, False):
        for index, mention in enumerate(raw):
            spans = mention.spans
            stays = index not in matched and details.get(spans) == mention.content
            for each in todo.get(spans, ()) if stays else ():
                if not same_entity or fields.entity(mention.content) == each.entity:
                    matched[index] = each
                    todo[spans].remove(each)
                    break
    return dict(sorted(matched.items()))


def _unmatched(matched: Mapping[int, MentionUpdate], updates: Sequence[MentionUpdate]) -> list[MentionUpdate]:
    left = list(updates)
    for match in matched.values():
        left.remove(match)
    return left
