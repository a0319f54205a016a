"""The coreference column of CoNLL-2012: ``(0|(1)``, ``1)``, ``-``."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

EMPTY_CELLS = frozenset({"", "-", "_", "*"})

_BRACKET = re.compile(r"\(([^()|\s]+)(\)?)|([^()|\s]+)\)|\|")
_CELLS_KEPT = 1 << 14
_DISCONTINUOUS = re.compile(r"\[\d+/\d+\]")


class Bracket(NamedTuple):
    """One bracket of a cell: a chain id that opens (``(``), closes (``)``) or does both on this token (``()``)."""

    kind: Literal["(", ")", "()"]
    chain: str


def parse_cell(cell: str) -> tuple[Bracket, ...] | str:
    """The brackets of a cell in their order, or a description of the fault in it.

    Bars between brackets are optional. Ids are any strings without brackets, bars and blanks.
    """
    # Cells with one bracket are the most frequent by far, and the expression is slow.
    if cell[1:-1].isalnum() and cell[0] == "(" and cell[-1] == ")":
        return (Bracket("()", cell[1:-1]),)
    if cell[1:].isalnum() and cell[0] == "(":
        return (Bracket("(", cell[1:]),)
    if cell[:-1].isalnum() and cell[-1] == ")":
        return (Bracket(")", cell[:-1]),)
    brackets: list[Bracket] = []
    end = 0
    for match in _BRACKET.finditer(cell):
        if match.start() != end:
            break
        end = match.end()
        opened, both, closed = match.groups()
        if opened is not None:
            brackets.append(Bracket("()" if both else "(", opened))
        elif closed is not None:
            brackets.append(Bracket(")", closed))
    if _DISCONTINUOUS.search(cell):
        return f"a piece of a discontinuous mention ({cell}), which CoNLL-2012 cannot carry"
    if end != len(cell) or not brackets:
        return f"{cell!r} in the coreference column"
    return tuple(brackets)


class ParsedCells(dict[str, tuple[Bracket, ...]]):
    """A cache of the brackets of cells, some thousands. Raises ``ValueError`` for an invalid cell."""

    def __missing__(self, cell: str) -> tuple[Bracket, ...]:
        if len(self) >= _CELLS_KEPT:
            self.clear()
        brackets = parse_cell(cell)
        if isinstance(brackets, str):
            raise ValueError(brackets)  # noqa: TRY004  # the text says what is wrong with the value
        self[cell] = brackets
        return brackets
