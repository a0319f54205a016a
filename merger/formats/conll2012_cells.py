"""The coreference column of CoNLL-2012: ``(0|(1)``, ``1)``, ``-``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

EMPTY_CELLS = frozenset({"", "-", "_", "*"})

_BRACKET = re.compile(r"\(([^()|\s]+)(\)?)|([^()|\s]+)\)|\|")
_DISCONTINUOUS = re.compile(r"\[\d+/\d+\]")


class Bracket(NamedTuple):
    """One bracket of a cell: a chain id that opens (``(``), closes (``)``) or does both on this token (``()``)."""

    kind: Literal["(", ")", "()"]
    chain: str


def parse_cell(cell: str) -> tuple[Bracket, ...] | str:
    """The brackets of a cell in their order, or a text that says what is wrong with it.

    Bars between brackets are optional. Ids are any strings without brackets, bars and blanks.
    """
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


def format_cell(brackets: Iterable[Bracket]) -> str:
    """The text of a cell, ``-`` if there is nothing to say."""
    pieces = []
    for kind, chain in brackets:
        pieces.append(f"({chain})" if kind == "()" else f"({chain}" if kind == "(" else f"{chain})")
    return "|".join(pieces) or "-"
