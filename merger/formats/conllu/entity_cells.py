"""Puts mentions into ``Entity`` values: the brackets of each token, in an order that reads back as the same mentions.

Order in a cell, as CorefUD's own tools write it: closing brackets (inner before outer), opening ones (outer before
inner), one-token mentions last; but one-token mentions first in a cell without opening brackets: ``(e3)e2)e1)``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from merger.document import Span
from merger.errors import Location, UnsupportedError
from merger.formats.conllu.entity import Fields, parse_entities

Spans = tuple[Span, ...]


class Placed(NamedTuple):
    """A mention to write: where, of which entity, and the text of its opening bracket."""

    spans: Spans
    entity: str
    content: str


class CellBracket(NamedTuple):
    """A bracket in a cell: its text and the stretch that it begins or ends."""

    text: str
    first: int
    last: int
    opens: bool
    closes: bool


def bracket_pair(content: str, key: str, span: Span) -> list[tuple[int, CellBracket]]:
    """The one or two brackets of a stretch, each with its token."""
    first, last = span
    if first == last:
        return [(first, CellBracket(f"({content})", first, last, opens=True, closes=True))]
    return [
        (first, CellBracket(f"({content}", first, last, opens=True, closes=False)),
        (last, CellBracket(f"{key})", first, last, opens=False, closes=True)),
    ]


def order_cell(brackets: Sequence[CellBracket]) -> list[CellBracket]:
    """The brackets of one cell in writing order."""
    closing = sorted((each for each in brackets if not each.opens), key=lambda each: -each.first)
    opening = sorted((each for each in brackets if not each.closes), key=lambda each: -each.last)
    single = [each for each in brackets if each.opens and each.closes]
    return [*closing, *opening, *single] if opening or not closing else [*single, *closing]


def make_cells(mentions: Sequence[Placed], fields: Fields, place: Location) -> dict[int, str]:
    """The values for the mentions of one sentence, by token.

    Raises :class:`~merger.errors.UnsupportedError` if reading them would not give these mentions: discontinuous
    mentions of one entity whose stretches alternate, and one span twice in an entity.
    """
    cells = _make_cells(mentions, fields)
    if not reads_back(cells, mentions, fields):
        raise UnsupportedError(
            "mentions of one entity cross each other in a way that brackets cannot show",
            place,
            expected="nested or separate mentions of an entity inside a sentence",
        )
    return cells


def _make_cells(mentions: Sequence[Placed], fields: Fields) -> dict[int, str]:
    cells: dict[int, list[CellBracket]] = {}
    for mention, spans in _uncross(mentions):
        for number, span in enumerate(spans, 1):
            key = mention.entity if len(spans) == 1 else f"{mention.entity}[{number}/{len(spans)}]"
            content = fields.put(mention.content, fields.id_index, key)
            for token, bracket in bracket_pair(content, key, span):
                cells.setdefault(token, []).append(bracket)
    return {token: join_cell(order_cell(brackets)) for token, brackets in sorted(cells.items())}


def join_cell(brackets: Iterable[CellBracket]) -> str:
    """The value of a cell."""
    return "".join([bracket.text for bracket in brackets])


def _uncross(mentions: Sequence[Placed]) -> list[tuple[Placed, Spans]]:
    """The stretches to write for each mention.

    Stretches of one entity that cross would be paired wrongly by readers. The later one is cut where the earlier one
    ends, which makes two touching stretches with marks of their own; they read back as one.
    """
    result: list[tuple[Placed, Spans]] = []
    by_entity: dict[str, list[Spans]] = {}
    for mention in sorted(mentions, key=lambda each: (each.spans[0][0], -each.spans[-1][1], each.spans)):
        spans = mention.spans
        for earlier in by_entity.setdefault(mention.entity, []):
            for _, end in earlier:
                spans = tuple(piece for span in spans for piece in _cut(span, end, earlier))
        by_entity[mention.entity].append(spans)
        result.append((mention, spans))
    return result


def _cut(span: Span, end: int, earlier: Spans) -> Spans:
    first, last = span
    crosses = any(stretch[1] == end and stretch[0] < first <= end < last for stretch in earlier)
    return ((first, end), (end + 1, last)) if crosses else (span,)


def reads_back(cells: Mapping[int, str], mentions: Iterable[Placed], fields: Fields) -> bool:
    """Whether reading the cells gives exactly these mentions."""
    parsed = parse_entities(sorted(cells.items()), fields)
    found = Counter((raw.spans, raw.id) for raw in parsed.mentions)
    return not parsed.problems and found == Counter((mention.spans, mention.entity) for mention in mentions)
