"""The meaning of each column of a CoNLL-like file: recognised from the first rows, or given by the user.

The last column is always coreference. Layouts that are recognised:

- CoNLL-2012 (the shared task's data format): the first column is the document, the same in all rows.
- Columns whose first one counts the words of a sentence: there the second is the word. Of them, CoNLL-X and CoNLL-U
  have HEAD in the seventh (Buchholz and Marsi, 2006; universaldependencies.org/format), CoNLL-2009 and SemEval-2010
  in the ninth (Hajič et al., 2009; Recasens et al., 2010): ID TOKEN LEMMA PLEMMA POS PPOS FEAT PFEAT HEAD PHEAD ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from merger.errors import OptionError
from merger.formats.conll2012.cells import EMPTY_CELLS

Columns = Sequence[tuple[str, ...]]

EXAMPLE = "word=2,tag=5"
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
_NARROW = 4
"""With fewer columns the word is in the last but one in every layout."""
_TAGGED, _FULL, _NUMBERED = 6, 11, 5
"""The numbers of columns from which CoNLL-2012 rows have a tag, a speaker, a part number."""
_ENOUGH = 20
"""The fewest words by which lemmas are distinguished from words."""
_NO_WORD = re.compile(r"\d+[-.]\d+")


class ColumnLayout(NamedTuple):
    """The 0-based index of each column; ``None`` if there is no such column.

    ``tag`` are tags of the language's own set, ``upos`` universal ones, ``head`` the number of a word's syntactic head
    in its sentence, counted from 1.
    """

    word: int
    tag: int | None = None
    upos: int | None = None
    lemma: int | None = None
    speaker: int | None = None
    part: int | None = None
    head: int | None = None

    def __str__(self) -> str:
        """The columns counted from 1, as :func:`parse_columns` takes them: ``word=2,tag=5,speaker=-``."""
        return ",".join(f"{name}={'-' if at is None else at + 1}" for name, at in zip(NAMES, self, strict=True))


NAMES = ColumnLayout._fields


def parse_columns(text: str) -> dict[str, int | None]:
    """The 0-based columns that a text like ``word=2,tag=5,speaker=-`` names; ``-`` is none.

    Raises :class:`~merger.errors.OptionError` for other names and values, and for two names of one column.
    """
    found: dict[str, int | None] = {}
    for item in text.split(","):
        name, equals, value = (each.strip() for each in item.partition("="))
        if name not in NAMES or not equals:
            raise OptionError(f"columns: {item[:60]!r} is not NAME=NUMBER; names are {', '.join(NAMES)}")
        if name in found:
            raise OptionError(f"columns: {name} comes twice")
        if value == "-" and name != "word":
            found[name] = None
        elif _NUMBER.fullmatch(value):
            found[name] = int(value) - 1
        else:
            none = "" if name == "word" else ", or - for none"
            raise OptionError(f"columns: {item[:60]!r}; expected the number of a column, counted from 1{none}")
    named = [index for index in found.values() if index is not None]
    if len(set(named)) < len(named):
        raise OptionError(f"columns: {text[:60]!r} names a column twice")
    return found


def conll2012_layout(width: int) -> ColumnLayout:
    """The layout of CoNLL-2012 rows with this many columns, coreference among them."""
    has_tags, has_all = width >= _TAGGED, width >= _FULL
    return ColumnLayout(
        word=3 if has_tags else max(width - 2, 0),
        tag=4 if has_tags else None,
        lemma=6 if has_all else None,
        speaker=9 if has_all else None,
        part=1 if width >= _NUMBERED else None,
    )


class LayoutError(Exception):
    """The layout of the rows is not known; the message gives the reason."""


def find_layout(sentences: Sequence[Sequence[Sequence[str]]], named: Mapping[str, int | None]) -> ColumnLayout | None:
    """The layout of a file by the rows of its first sentences; ``None`` for CoNLL-2012, which depends on the row.

    ``named`` are columns that the user names; they override the recognised ones. Raises :class:`LayoutError` for
    rows of no known layout, unless the word is named, and for named columns that the rows don't have.
    """
    rows = [row for sentence in sentences for row in sentence]
    if not rows:
        return None
    width = min(map(len, rows))
    found: ColumnLayout | None = None
    # If the user names the column of the word, the rows are not checked; other columns are still recognised.
    counting = width >= _NARROW and any(counts([row[0] for row in sentence]) for sentence in sentences)
    if counting:
        if "word" not in named:
            _check_counting(sentences)
        found = _counting_layout(list(zip(*rows, strict=False)))
    if not named:
        return found
    _check_width(named, max(map(len, rows)))
    taken = set(named.values()) - {None}
    base = found or conll2012_layout(width)
    if "word" not in named and base.word in taken:
        other = next(name for name, index in named.items() if index == base.word)
        raise LayoutError(f"column {base.word + 1}, named as {other}, is that of the words")
    kept = {name: index for name in NAMES if (index := getattr(base, name)) is not None and index not in taken}
    return ColumnLayout(base.word)._replace(**{**kept, **named})


def _check_width(named: Mapping[str, int | None], width: int) -> None:
    """Check that the named columns stand before coreference in the longest row."""
    for name, index in named.items():
        # The reader reports a row without a word.
        if name != "word" and index is not None and index >= width - 1:
            what = "is the last one, which has coreference" if index == width - 1 else "does not exist"
            raise LayoutError(f"column {index + 1}, named as {name}, {what}: rows have up to {width} columns")


def counts(cells: Sequence[str]) -> bool:
    """Whether two or more cells are numbers that count up from 0 or 1, apart from ids such as 1-2 and 1.1."""
    numbers = [cell for cell in cells if not _NO_WORD.fullmatch(cell)]
    return len(numbers) > 1 and numbers[0] in {"0", "1"} and _count_up(numbers)


def _count_up(cells: Sequence[str]) -> bool:
    start = int(cells[0])
    return all(cell == str(number) for number, cell in enumerate(cells, start))


def _check_counting(sentences: Sequence[Sequence[Sequence[str]]]) -> None:
    for sentence in sentences:
        firsts = [row[0] for row in sentence]
        odd = next((cell for cell in firsts if _NO_WORD.fullmatch(cell)), None)
        if odd is not None:
            raise LayoutError(
                f"the first column counts words, and {odd} is a multiword token or an empty node: a row must be a token"
            )
        if not counts(firsts) and firsts not in (["0"], ["1"]):
            raise LayoutError("the first column counts the words of some sentences, and not of others")
    seconds = {row[1] for sentence in sentences for row in sentence}
    if all(cell.isdecimal() for cell in seconds) or (len(seconds) == 1 and len(sentences) > 1):
        raise LayoutError(f"the first column counts words, and the second has no words, but {min(seconds)!r}")


def _counting_layout(columns: Columns) -> ColumnLayout:
    from merger.tag_sets import UPOS_TAGS

    def has(index: int, test: Callable[[str], bool]) -> bool:
        """Whether a column has values and all of them pass."""
        if index >= len(columns) - 1:
            return False
        values = set(columns[index]) - EMPTY_CELLS
        return bool(values) and all(map(test, values))

    def anything(index: int) -> bool:
        return has(index, bool)

    def first(*indexes: int) -> int | None:
        return next(filter(anything, indexes), None)

    if has(6, str.isdecimal):
        upos = 3 if has(3, UPOS_TAGS.__contains__) else None
        tag = first(4) if upos is not None else first(4, 3)
        return ColumnLayout(1, tag=tag, upos=upos, lemma=first(2), head=6)
    if has(8, str.isdecimal) or has(9, str.isdecimal):
        return ColumnLayout(1, tag=first(4, 5), lemma=first(2, 3), head=8 if has(8, str.isdecimal) else 9)
    return ColumnLayout(1)


def lemmas_for_words(columns: Columns, word: int) -> int | None:
    """The column that seems to have the words if the column ``word`` has their lemmas; otherwise ``None``.

    That is a column with more different cells, of which half equal the word ignoring case, and three in four start with
    the same letters.
    """
    words = columns[word]
    if len(words) < _ENOUGH:
        return None
    for index, cells in enumerate(columns[:-1]):
        if index == word or len(set(cells)) <= len(set(words)):
            continue
        same = sum(one.casefold() == other.casefold() for one, other in zip(words, cells, strict=True))
        if 2 * same >= len(words) and 4 * alike_cells(words, cells) >= 3 * len(words):
            return index
    return None


def alike_cells(words: Sequence[str], cells: Sequence[str]) -> int:
    """The number of cells with the same first two letters as the word in their row, ignoring case."""
    return sum(one[:2].casefold() == other[:2].casefold() for one, other in zip(words, cells, strict=True))
