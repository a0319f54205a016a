"""Writes CoNLL-2012: text that was read from CoNLL-2012 changes only in its coreference column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, SentenceSource, text_order
from merger.errors import Location, UnsupportedError
from merger.formats.conll2012.cells import EMPTY_CELLS, Bracket, parse_cell
from merger.formats.conll2012.head import is_head_of, is_nameless, new_head, tail_of, writable_id
from merger.formats.conll2012.lines import is_end, parse_begin, part_number
from merger.formats.conll2012.rows import (
    cell_end,
    first_row,
    has_blanks_between,
    is_row,
    part_span,
    part_starts,
    split_line,
    written_part,
)
from merger.formats.word_mentions import WordMentions
from merger.message_text import printable
from merger.notices import Notices

_UNWRITABLE = re.compile(r"[()|\s]")
_BREAKS = re.compile(r"[\t\n\r]")
_BLANK_END = re.compile(r"(?:^|\n)[ \t\r]*\n$")

SentenceMentions = dict[tuple[int, int], list[tuple[int, int, str]]]
"""From (part, sentence) to its mentions as (first, last, chain id)."""


_EMPTY = "-"
_BAR = frozenset("|")


class _Target(NamedTuple):
    """Shared by the rows of a document: ``name`` is the document's id as it is written."""

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
        # Under its original head, the second column of a block can have other values than part numbers.
        number = None if has_head and not whole and not _says_parts(part) else part.number
        if index == 0 or not whole:
            if is_nameless(part.head):
                target.note("name written", f"a document without a name gets that of its file, {target.name}")
            yield _line(part.head if has_head else new_head(target.name, part), newline)
            ending = ""
        for position, sentence in enumerate(part.sentences):
            if ending and not _BLANK_END.search(ending):
                yield newline if ending.endswith("\n") else newline * 2
            written = mentions.get((index, position), [])
            text = _sentence(target, part, sentence, written, number)
            yield text
            ending = text[-4:]
        if index + 1 == len(document.parts) or not whole:
            if ending and not ending.endswith("\n"):
                yield newline
            yield _line(tail_of(part), newline)


def _says_parts(part: Part) -> bool:
    """Whether the second columns of a part would be read as several parts."""
    written = [written_part(sentence.source) for sentence in part.sentences if sentence.source is not None]
    return len(part_starts(written, part.number)) > 1


def _newline(document: Document) -> str:
    for part in document.parts:
        for sentence in part.sentences:
            return "\r\n" if sentence.source is not None and sentence.source.text.endswith("\r\n") else "\n"
    return "\n"


def _line(text: str, newline: str) -> str:
    """The text with a line end at its end, so that later text starts on a new line."""
    return text if text.endswith("\n") else text + newline


def _check_comments(document: Document, notices: Notices) -> None:
    """Report comments around the ends of parts, which a merged document does not have."""
    around = [part.tail for part in document.parts[:-1]] + [part.head for part in document.parts[1:]]
    lines = [line for text in around for line in text.split("\n") if line.strip()]
    lost = [line.strip() for line in lines if not is_end(line) and parse_begin(line) is None]
    if lost:
        message = f"lines between the parts are left out, such as {lost[0]!r}"
        notices.add("lines between parts", message, Location(document.file, document=document.id), len(lost))


def _check_part_column(document: Document, notices: Notices) -> None:
    """Report unchanged rows without a column for the part numbers of a merged document."""
    for part in document.parts:
        for sentence in part.sentences:
            source = sentence.source
            if source is None or source.format != "conll2012":
                continue
            if part_number(written_part(source)) is None:
                columns = split_line(first_row(source.text))
                message = f"no part boundaries: rows of {len(columns)} columns have no part number in the second"
                place = Location(document.file, source.line, document.id, part.number)
                notices.add("part boundaries left out", message, place)
                return


def _check_empty_parts(document: Document, notices: Notices) -> None:
    """Report a part without rows, which leaves no boundary."""
    for part in document.parts:
        if not part.token_count:
            place = Location(document.file, document=document.id, part=part.number)
            message = "a part without tokens leaves no trace in a merged document: its boundaries are lost"
            notices.add("part without tokens", message, place)


def _mentions_by_sentence(document: Document, notices: Notices) -> SentenceMentions:
    by_sentence: SentenceMentions = {}
    names = _writable_names(document, notices)
    special = any(mention.pieces for mention in document.mentions()) or any(
        sentence.empty for part in document.parts for sentence in part.sentences
    )
    words = WordMentions(document, "CoNLL-2012", notices) if special else None
    for chain in document.chains:
        name = names.get(chain.id, chain.id)
        mentions = chain.mentions if words is None else _without_empty(chain, words)
        for part, sentence, first, last, _ in _without_crossing(document, chain.id, mentions, notices):
            by_sentence.setdefault((part, sentence), []).append((first, last, name))
    return by_sentence


def _without_empty(chain: Chain, words: WordMentions) -> list[Mention]:
    """The mentions as the format can carry them, with indexes that count no empty nodes."""
    found = ((mention, words.span(mention, chain)) for mention in chain.mentions)
    return sorted((Mention(*mention[:2], *span) for mention, span in found if span is not None), key=text_order)


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


def _without_crossing(
    document: Document, chain: str, mentions: Iterable[Mention], notices: Notices
) -> Iterator[Mention]:
    """The mentions that brackets of one id can distinguish: of two that cross, the later one cannot be written.

    Their indexes count no empty nodes.
    """
    open_mentions: list[Mention] = []
    for mention in mentions:
        while open_mentions and (open_mentions[-1][:2] != mention[:2] or open_mentions[-1].last <= mention.first):
            open_mentions.pop()
        if open_mentions and open_mentions[-1].last < mention.last:
            place = Location(document.file, document=document.id, part=mention.part, sentence=mention.sentence)
            sentence = document.sentence(mention)
            words = [form for index, form in enumerate(sentence.forms) if index not in sentence.empty]
            first, second = (" ".join(words[each.first : each.last + 1]) for each in (open_mentions[-1], mention))
            message = f"mentions {first!r} and {second!r} of chain {printable(chain)} cross"
            error = UnsupportedError(
                message,
                place,
                expected="nested or separate mentions in CoNLL-2012",
                hint="formats conllu and jsonlines can carry them; with policy lenient: the later one is left out",
            )
            notices.repair("crossing mentions", error, "the later one is left out")
            continue
        open_mentions.append(mention)
        yield mention


def _cells(mentions: Sequence[tuple[int, int, str]]) -> dict[int, str]:
    """The cell of each token that has one, nested from outside in and back out: opening, one-token, closing."""
    closing: dict[int, list[str]] = {}
    opening: dict[int, list[str]] = {}
    single: dict[int, list[str]] = {}
    for first, last, chain in sorted(mentions, key=_outer_first) if len(mentions) > 1 else mentions:
        if first == last:
            single.setdefault(first, []).append(chain)
        else:
            opening.setdefault(first, []).append(chain)
            closing.setdefault(last, []).insert(0, chain)
    cells = {}
    for token in {*opening, *single, *closing}:
        opened = opening.get(token, ())
        closed = closing.get(token, ())
        middle = [f"({chain})" for chain in single.get(token, ())]
        before = [f"({chain}" for chain in opened]
        after = [f"{chain})" for chain in closed]
        if opened and not set(opened).isdisjoint(closed):
            # A mention begins on the last token of another one of its chain: the one that ends must close first.
            before, middle, after = after, before, middle
        cells[token] = "|".join([*before, *middle, *after])
    return cells


def _outer_first(mention: tuple[int, int, str]) -> tuple[int, int]:
    return mention[0], -mention[1]


def _sentence(
    target: _Target, part: Part, sentence: Sentence, mentions: Sequence[tuple[int, int, str]], number: int | None
) -> str:
    """The text of a sentence; ``number`` goes to the second column of rows that had another one."""
    cells = _cells(mentions)
    source = sentence.source
    if source is None or source.format != "conll2012":
        return "".join(_new_rows(target, part, sentence, cells))
    text = source.text
    was = None if number is None else part_number(written_part(source))
    renumbered = None if was is None or number is None or was == number else (was, number)
    if renumbered is None and (changed := _with_plain_cells(sentence, source, cells)) is not None:
        return changed
    token = 0
    lines = text.split("\n")
    rows = [line for line in lines if is_row(line)]
    blank = next((cell for cell in map(partial(_cell, layout=source.layout), rows) if cell in EMPTY_CELLS), _EMPTY)
    for index, line in enumerate(lines):
        if is_row(line):
            lines[index] = _changed_row(line, source, renumbered, cells.get(token), blank)
            token += 1
    return "\n".join(lines)


def _with_plain_cells(sentence: Sentence, source: SentenceSource, new_cells: Mapping[int, str]) -> str | None:
    """The text of a sentence with these cells, if each of its rows ends in a separator and a cell.

    ``None`` for all others, which are changed row by row, with the same result.
    """
    text = source.text
    has_tabs = "\t" in text
    if source.layout or "\r" in text or (has_tabs and " " in text):
        return None
    rows = text.rstrip("\n").split("\n")
    if len(rows) != len(sentence.forms) or max(new_cells, default=0) >= len(rows):
        # Comments or blank lines stand between the rows.
        return None
    separator = "\t" if has_tabs else " "
    cells = [row[row.rfind(separator) + 1 :] for row in rows]
    if not has_tabs and not all(cells):
        return None
    found = {token: cell for token, cell in enumerate(cells) if cell not in EMPTY_CELLS}
    if found == new_cells:
        return text
    blank = next((cell for cell in cells if cell in EMPTY_CELLS), _EMPTY)
    for token in {*found, *new_cells}:
        cell = new_cells.get(token, blank)
        if cells[token] != cell and not (token in found and token in new_cells and _same_meaning(cells[token], cell)):
            rows[token] = rows[token][: len(rows[token]) - len(cells[token])] + cell
    return "\n".join(rows) + text[len(text.rstrip("\n")) :]


def _cell_span(row: str, layout: str) -> tuple[int, int]:
    """Where the coreference cell of a row begins and ends."""
    if has_blanks_between(row):
        end = len(row.rstrip("\t \r"))
        return row.rfind(" ", 0, end) + 1, end
    end = cell_end(row, layout)
    return row.rfind("\t", 0, end) + 1, end


def _cell(row: str, layout: str) -> str:
    start, end = _cell_span(row, layout)
    return row[start:end]


def _changed_row(
    row: str, source: SentenceSource, renumbered: tuple[int, int] | None, new_cell: str | None, blank: str
) -> str:
    """The row with this cell; ``renumbered``: the sentence's part number as it was, and as it becomes.

    A row keeps a part number that differs from its sentence's first: readers use only the first.
    """
    start, end = _cell_span(row, source.layout)
    cell = row[start:end]
    if new_cell is None:
        if cell not in EMPTY_CELLS:
            row = row[:start] + blank + row[end:]
    elif cell in EMPTY_CELLS or not _same_meaning(cell, new_cell):
        row = row[:start] + new_cell + row[end:]
    if renumbered is None:
        return row
    start, end = part_span(row, source)
    if part_number(row[start:end]) != renumbered[0]:
        return row
    return row[:start] + str(renumbered[1]) + row[end:]


def _same_meaning(cell: str, new_cell: str) -> bool:
    """Whether a cell as it was read has the brackets of one to write, in whatever order."""
    if cell == new_cell:
        return True
    # Only bars can be omitted; most cells differ in an id and need no parsing.
    return frozenset(cell) ^ frozenset(new_cell) <= _BAR and _meaning(cell) == _meaning(new_cell) is not None


def _meaning(cell: str) -> list[Bracket] | None:
    """The brackets of a cell, sorted; ``None`` if it is wrong."""
    parsed = parse_cell(cell)
    if isinstance(parsed, str):
        return None
    meant: list[Bracket] = []
    for bracket in parsed:
        opened = Bracket("(", bracket.chain)
        if bracket.kind == ")" and opened in meant:
            # Opened and closed on the same token, as in (1|1).
            meant.remove(opened)
            meant.append(Bracket("()", bracket.chain))
        else:
            meant.append(bracket)
    return sorted(meant)


def _new_rows(target: _Target, part: Part, sentence: Sentence, cells: Mapping[int, str]) -> Iterator[str]:
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
        yield f"{row}\t{cells.get(token, _EMPTY)}{target.newline}"
        token += 1
    yield target.newline


def _column(target: _Target, text: str) -> str:
    written = _BREAKS.sub("_", text)
    if written != text:
        message = f"{text!r} is written as {written!r}: cells of CoNLL-2012 have no tabs or line ends"
        target.note("tab or line end in a cell", message)
    return written or _EMPTY
