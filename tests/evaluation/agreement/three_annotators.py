"""One document of three parts with two chains each, merged by three annotators.

::

            part 1          part 2
            c      d        e       f          as sets of part chains, each at the time of the decision
    first   a      new      a, c    b
    second  a      b        a, c    b, d
    third   new    new      a       c

Every part chain has two mentions of one token.
"""

from __future__ import annotations

from collections.abc import Mapping

from merger.document import Document
from tests.support.building import parts_of, whole

PARTS = ("ab", "cd", "ef")
MERGES: tuple[Mapping[str, str], ...] = (
    {"a": "1", "b": "2", "c": "1", "d": "3", "e": "1", "f": "2"},
    {"a": "1", "b": "2", "c": "1", "d": "2", "e": "1", "f": "2"},
    {"a": "1", "b": "2", "c": "3", "d": "4", "e": "1", "f": "3"},
)


def before() -> Document:
    """The part chains."""
    return parts_of(*(_text(chains, {}) for chains in PARTS))


def merged(names: Mapping[str, str]) -> Document:
    """The part chains under the names of merged chains."""
    return whole(*(_text(chains, names) for chains in PARTS))


def _text(chains: str, names: Mapping[str, str]) -> str:
    return " ".join(f"[{names.get(chain, chain)} {chain}{token}/NN ]" for chain in chains for token in (0, 1))
