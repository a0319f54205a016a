"""Writes CoNLL-2012: the coreference column changes, and nothing else where the text came from CoNLL-2012."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.errors import Location, UnsupportedError
from merger.formats.conll2012_cells import EMPTY_CELLS, Bracket, format_cell, parse_cell
from merger.formats.conll2012_head import is_head_of, new_head, tail_of, writable_id
from merger.formats.conll2012_rows import (
    PADDED,
    PART_COLUMN_FROM,
    has_blanks_between,
    is_end,
    is_row,
    parse_begin,
    part_number,
    part_starts,
    split_line,
)
from merger.notices import Notices
from merger.shown import shown

_UNWRITABLE = re.compile(r"[()|\s]")
_BREAKS = re.compile(r"[\t\n\r]")
_BLANK_END = re.compile(r"(?:^|\n)[ \t\r]*\n$")

SentenceMentions = dict[tuple[int, int], list[tuple[int, int, str]]]
"""From (part, sentence) to its mentions as (first, last, chain id)."""


_EMPTY = "-"


class _Target(NamedTuple):
    """What the rows of a document have in common: ``name`` is the document's id as it is written."""

    document: Document
    notices: Notices
    name: str
    newline: str

    def note(self, kind: str, message: str) -> None:
        self.notices.add(kind, message, Location(self.document.file, document=self.document.id))


def write_document(document: Document, notices: Notices) -> Iterator[str]:
    """Yield a block per part, or a single one if the chains are over the whole document.

    In a single block the second column keeps the part numbers.
    Raises :class:`~merger.errors.UnsupportedError` for mentions of one chain that cross each other, and for
    discontinuous mentions unless the policy is lenient.
    """
    mentions = _mentions_by_sentence(document, notices)
    newline = _newline(document)
    target = _Target(document, notices, writable_id(document, notices), newline)
    whole = document.scope is ChainScope.DOCUMENT and len(document.parts) > 1
    if whole:
        _check_part_column(document, notices)
        _check_empty_parts(document, notices)
        _check_comments(document, notices)
    ending = ""
    for index, part in enumerate(document.parts):
        has_head = is_head_of(part.head, document.id, part)
        # Under the head it was read with, a block may have in its second column what says nothing about parts.
        number = None if has_head and not whole and not _says_parts(part) else part.number
        if index == 0 or not whole:
            yield _line(part.head if has_head else new_head(target.name, part), newline)
            ending = ""
        for position, sentence in enumerate(part.sentences):
            if ending and not _BLANK_END.search(ending):
                yield newline if ending.endswith("\n") else newline * 2
            written = mentions.get((index, position), [])
            text = "".join(_sentence(target, part, sentence, written, number))
            yield text
            ending = text[-4:]
        if index + 1 == len(document.parts) or not whole:
            if ending and not ending.endswith("\n"):
                yield newline
            yield _line(tail_of(part), newline)


def _says_parts(part: Part) -> bool:
    """Whether the second columns of a part would be read as several parts."""
    rows = (next(filter(is_row, s.source.text.split("\n")), "") for s in part.sentences if s.source is not None)
    columns = [split_line(row) for row in rows]
    seconds = [row[1] if len(row) >= PART_COLUMN_FROM else None for row in columns]
    return len(part_starts(seconds, part.number)) > 1


def _newline(document: Document) -> str:
    for part in document.parts:
        for sentence in part.sentences:
            return "\r\n" if sentence.source is not None and sentence.source.text.endswith("\r\n") else "\n"
    return "\n"


def _line(text: str, newline: str) -> str:
    """The text with a line end: without one, what comes next would stand on its last line."""
    return text if text.endswith("\n") else text + newline


def _check_comments(document: Document, notices: Notices) -> None:
    """Tell if a comment stands around the ends of parts, which a merged document does not have."""
    around = [part.tail for part in document.parts[:-1]] + [part.head for part in document.parts[1:]]
    lines = [line for text in around for line in text.split("\n") if line.strip()]
    lost = [line.strip() for line in lines if not is_end(line) and parse_begin(line) is None]
    if lost:
        message = f"lines between the parts are left out, such as {lost[0]!r}"
        notices.add("lines between parts", message, Location(document.file, document=document.id), len(lost))


def _check_part_column(document: Document, notices: Notices) -> None:
    """Tell if rows that stay as they are have no column for the part numbers of a merged document."""
    for part in document.parts:
        for sentence in part.sentences:
            source = sentence.source
            if source is None or source.format != "conll2012":
                continue
            columns = next((split_line(line) for line in source.text.split("\n") if is_row(line)), [])
            if len(columns) < PART_COLUMN_FROM or part_number(columns[1]) is None:
                message = f"no part boundaries: rows of {len(columns)} columns have no part number in the second"
                place = Location(document.file, source.line, document.id, part.number)
                notices.add("part boundaries left out", message, place)
                return


def _check_empty_parts(document: Document, notices: Notices) -> None:
    """Tell if a part has no rows that could say where it is."""
    for part in document.parts:
        if not part.token_count:
            place = Location(document.file, document=document.id, part=part.number)
            message = "a part without tokens leaves no trace in a merged document: its boundaries are lost"
            notices.add("part without tokens", message, place)


def _mentions_by_sentence(document: Document, notices: Notices) -> SentenceMentions:
    by_sentence: SentenceMentions = {}
    names = _writable_names(document, notices)
    for chain in document.chains:
        for mention in _without_crossing(document, chain, notices):
            written = _span(document, mention, notices)
            if written is not None:
                place = (mention.part, mention.sentence)
                by_sentence.setdefault(place, []).append((*written, names.get(chain.id, chain.id)))
    return by_sentence


def _writable_names(document: Document, notices: Notices) -> dict[str, str]:
    """New names for chain ids that would break the column."""
    names: dict[str, str] = {}
    used = {chain.id for chain in document.chains}
    for chain in document.chains:
        if chain.id in names or (chain.id and not _UNWRITABLE.search(chain.id)):
            continue
        name = _UNWRITABLE.sub("_", chain.id) or "_"
        while name in used:
            name += "_"
        used.add(name)
        names[chain.id] = name
        message = f"chain id {chain.id!r} is written as {name}: CoNLL-2012 ids have no blanks, bars or brackets"
        notices.add("chain renamed", message, Location(document.file, document=document.id))
    return names


def _span(document: Document, mention: Mention, notices: Notices) -> tuple[int, int] | None:
    """The mention's first and last token, counted without empty nodes; ``None`` if it has no other tokens."""
    place = Location(document.file, document=document.id, part=mention.part, sentence=mention.sentence)
    if mention.pieces:
        words = " ".join(document.forms(mention))
        error = UnsupportedError(
            f"discontinuous mention {words!r}", place, expected="continuous mentions in CoNLL-2012"
        )
        notices.repair("discontinuous mention", error, "it is written from its first to its last token")
    empty = document.sentence(mention).empty
    if not empty:
        return mention.first, mention.last
    tokens = [token for token in range(mention.first, mention.last + 1) if token not in empty]
    if len(tokens) < mention.last + 1 - mention.first:
        notices.add("empty nodes left out of mentions", "CoNLL-2012 has no empty nodes: mentions lose them", place)
    if not tokens:
        notices.add("mention of empty nodes only", "CoNLL-2012 has no empty nodes: the mention is left out", place)
        return None
    return tuple(token - sum(node < token for node in empty) for token in (tokens[0], tokens[-1]))  # type: ignore[return-value]


def _without_crossing(document: Document, chain: Chain, notices: Notices) -> Iterator[Mention]:
    """The mentions that brackets of one id can tell apart: of two that cross, the later one cannot be written."""
    open_mentions: list[Mention] = []
    for mention in chain.mentions:
        while open_mentions and (open_mentions[-1][:2] != mention[:2] or open_mentions[-1].last <= mention.first):
            open_mentions.pop()
        if open_mentions and open_mentions[-1].last < mention.last:
            place = Location(document.file, document=document.id, part=mention.part, sentence=mention.sentence)
            first, second = (" ".join(document.forms(crossing)) for crossing in (open_mentions[-1], mention))
            message = f"mentions {first!r} and {second!r} of chain {shown(chain.id)} cross"
            error = UnsupportedError(
                message,
                place,
                expected="nested or separate mentions in CoNLL-2012",
                hint="--to conllu or jsonlines can carry them; with --lenient: the later one is left out",
            )
            notices.repair("crossing mentions", error, "the later one is left out")
            continue
        open_mentions.append(mention)
        yield mention


def _cells(mentions: Sequence[tuple[int, int, str]]) -> dict[int, list[Bracket]]:
    """The brackets at each token, nested from outside in and back out: opening, one-token, closing."""
    closing: dict[int, list[Bracket]] = {}
    opening: dict[int, list[Bracket]] = {}
    single: dict[int, list[Bracket]] = {}
    for first, last, chain in sorted(mentions, key=lambda mention: (mention[0], -mention[1])):
        if first == last:
            single.setdefault(first, []).append(Bracket("()", chain))
        else:
            opening.setdefault(first, []).append(Bracket("(", chain))
            closing.setdefault(last, []).insert(0, Bracket(")", chain))
    cells = {}
    for token in opening.keys() | single.keys() | closing.keys():
        opened, closed = opening.get(token, []), closing.get(token, [])
        if {bracket.chain for bracket in opened} & {bracket.chain for bracket in closed}:
            # A mention begins on the last token of another one of its chain: the one that ends must close first.
            cells[token] = closed + opened + single.get(token, [])
        else:
            cells[token] = opened + single.get(token, []) + closed
    return cells


def _sentence(
    target: _Target, part: Part, sentence: Sentence, mentions: Sequence[tuple[int, int, str]], number: int | None
) -> Iterator[str]:
    """The text of a sentence; ``number`` goes to the second column of rows that had another one."""
    cells = _cells(mentions)
    source = sentence.source
    if source is None or source.format != "conll2012":
        yield from _new_rows(target, part, sentence, cells)
        return
    token = 0
    lines = source.text.split("\n")
    rows = [line for line in lines if is_row(line)]
    blank = next((cell for cell in map(partial(_cell, layout=source.layout), rows) if cell in EMPTY_CELLS), "-")
    was = _part_column(rows[0]) if rows else None
    renumbered = None if was is None or number is None or was == number else (was, number)
    for index, line in enumerate(lines):
        if is_row(line):
            lines[index] = _changed_row(line, source.layout, renumbered, cells.get(token), blank)
            token += 1
    yield "\n".join(lines)


def _part_column(row: str) -> int | None:
    """The part number in a row's second column."""
    columns = split_line(row)
    return part_number(columns[1]) if len(columns) >= PART_COLUMN_FROM else None


def _cell_span(row: str, layout: str) -> tuple[int, int]:
    """Where the coreference cell of a row begins and ends."""
    if has_blanks_between(row):
        end = len(row.rstrip("\t \r"))
        return row.rfind(" ", 0, end) + 1, end
    end = len(row.rstrip(" \r"))
    if layout == PADDED and row[end - 1] == "\t":
        end -= 1
    return row.rfind("\t", 0, end) + 1, end


def _cell(row: str, layout: str) -> str:
    start, end = _cell_span(row, layout)
    return row[start:end]


def _changed_row(
    row: str, layout: str, renumbered: tuple[int, int] | None, brackets: list[Bracket] | None, blank: str
) -> str:
    """The row with these brackets; ``renumbered``: the sentence's part number as it was, and as it becomes.

    A row with another part number than its sentence's first keeps it: readers look at the first only.
    """
    start, end = _cell_span(row, layout)
    cell = row[start:end]
    if brackets is None:
        if cell not in EMPTY_CELLS:
            row = row[:start] + blank + row[end:]
    elif cell in EMPTY_CELLS or not _same_meaning(parse_cell(cell), brackets):
        row = row[:start] + format_cell(brackets) + row[end:]
    if renumbered is None or _part_column(row) != renumbered[0]:
        return row
    columns = split_line(row)
    at = row.index(columns[1], row.index(columns[0]) + len(columns[0]))
    return row[:at] + str(renumbered[1]) + row[at + len(columns[1]) :]


def _same_meaning(cell: tuple[Bracket, ...] | str, brackets: list[Bracket]) -> bool:
    """Whether a cell as it was read has these brackets, in whatever order."""
    if isinstance(cell, str):
        return False
    meant: list[Bracket] = []
    for bracket in cell:
        opened = Bracket("(", bracket.chain)
        if bracket.kind == ")" and opened in meant:
            # Opened and closed on the same token, as in (1|1).
            meant.remove(opened)
            meant.append(Bracket("()", bracket.chain))
        else:
            meant.append(bracket)
    return sorted(meant) == sorted(brackets)


def _new_rows(target: _Target, part: Part, sentence: Sentence, cells: dict[int, list[Bracket]]) -> Iterator[str]:
    token = 0
    for index, form in enumerate(sentence.forms):
        if index in sentence.empty:
            target.note("empty nodes left out", "CoNLL-2012 has no empty nodes: they are left out")
            continue
        if not form:
            target.note("token without text", f"a token without text is written as {_EMPTY!r}")
        tag = (sentence.xpos[index] if sentence.xpos else "") or (sentence.upos[index] if sentence.upos else "")
        speaker = sentence.speakers[index] if sentence.speakers else ""
        columns = [target.name, str(part.number), str(token), form, tag, *[_EMPTY] * 4, speaker, "*"]
        row = "\t".join(_column(target, column) for column in columns)
        yield f"{row}\t{format_cell(cells.get(token, []))}{target.newline}"
        token += 1
    yield target.newline


def _column(target: _Target, text: str) -> str:
    written = _BREAKS.sub("_", text)
    if written != text:
        message = f"{text!r} is written as {written!r}: cells of CoNLL-2012 have no tabs or line ends"
        target.note("tab or line end in a cell", message)
    return written or _EMPTY
