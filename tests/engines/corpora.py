"""Documents for the engines: small ones, and one that takes seconds to merge and little to read."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

FUZZY = ("--strategy", "greedy:match=fuzzy")
_LETTERS = 1000

# Mentions of one entity that cross each other: CoNLL-2012 cannot carry them.
CROSSING = {"sentences": [["a", "b", "c", "d"], ["e"]], "clusters": [[[0, 2], [1, 3]]], "part_ids": [0, 1]}
PLAIN = {"sentences": [["a", "b", "c", "d"], ["e"]], "clusters": [[[0, 0], [1, 2]]], "part_ids": [0, 1]}


def small(name: str) -> str:
    """Two parts that share a noun, and a mention that is a chain of its own."""
    return _document(
        name, [["fish", "it", "fish", "cat"], ["fish", "it"]], [["(a)", "(a)", "-", "(s)"], ["(c)", "(c)"]]
    )


def small_ones(count: int, prefix: str = "nw/small") -> str:
    """``count`` of them."""
    return "".join(small(f"{prefix}_{number}") for number in range(count))


def long(name: str, chains: int) -> str:
    """Two parts with that many chains each, of long nouns at random: each is compared with all, and none is alike."""
    cells = [f"({chain})" for chain in range(chains) for _ in range(2)]
    return _document(name, [list(_nouns(part, chains)) for part in range(2)], [cells, cells])


def jsonlines(*lines: tuple[str, dict[str, object]]) -> str:
    """Lines with these document ids."""
    return "".join(json.dumps({"doc_key": name, **line}) + "\n" for name, line in lines)


def _nouns(seed: int, chains: int) -> Iterator[str]:
    letters = random.Random(seed)
    for _ in range(chains):
        noun = "".join(letters.choices("abcd", k=_LETTERS))
        yield noun
        yield noun


def _document(name: str, words: list[list[str]], cells: list[list[str]]) -> str:
    lines = []
    for part, (forms, chains) in enumerate(zip(words, cells, strict=True)):
        lines.append(f"#begin document ({name}); part {part:03}")
        for token, (form, cell) in enumerate(zip(forms, chains, strict=True)):
            lines.append(f"{name}\t{part}\t{token}\t{form}\tNN\t{cell}")
        lines += ["", "#end document"]
    return "\n".join(lines) + "\n"
