"""Matches the mentions of key and response one to one: exactly, in part or by their heads; zeros by dependency too.

The rules are those of corefud-scorer 1.2 (Novák et al. 2024: Findings of the third shared task on multilingual
coreference resolution, CRAC), and give the same figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from client.evaluation.scoring.alignment import best_alignment
from client.evaluation.scoring.overlap import connected
from merger.errors import OptionError

Position: TypeAlias = tuple[int, int, int]
"""A token's position on both sides: its sentence, its word there (from 1), and 0 for the word itself, or the number of
an
empty node after that word (from 1). Word 0 is the start of the sentence. Positions sort in text order."""

MATCHES = ("exact", "partial", "head")
"""How mentions match. ``exact``: the same tokens. ``partial``: the response's tokens are among the key's, and the
key's head is among the response's. ``head``: the same head token."""

ZERO_PAIRINGS = ("dependent", "linear")
"""How zeros (mentions whose head is an empty node) are paired. ``linear``: by position, as other mentions.
``dependent``: first by their enhanced dependencies, inside a sentence; the rest by position."""

LARGEST_TABLE = 1 << 24
"""The largest table of candidates that is solved as a whole, in cells; it takes 128 MiB."""


@dataclass(frozen=True, slots=True)
class Matching:
    """How mentions match, one of :data:`MATCHES`, and how zeros are paired, one of :data:`ZERO_PAIRINGS`.

    Raises :class:`~merger.errors.OptionError` for anything else.
    """

    mentions: str = "exact"
    zeros: str = "dependent"

    def __post_init__(self) -> None:
        for name, value, choices in (("match", self.mentions, MATCHES), ("zeros", self.zeros, ZERO_PAIRINGS)):
            if value not in choices:
                raise OptionError(f"option {name}: {value!r} is not one of {', '.join(choices)}")

    @property
    def needs_heads(self) -> bool:
        """Whether mentions match by more than their tokens."""
        return self.mentions != "exact"


EXACT = Matching()


Dependencies: TypeAlias = frozenset[tuple[Position, str]]
"""The dependencies of an empty node: parents (the root of a sentence is word 0, node -1) and relations."""


class Comparable(NamedTuple):
    """A mention in comparable form: its tokens in text order, its head, and the dependencies of a zero.

    ``dependencies`` are the head's if it is an empty node, and none for all other mentions.
    """

    tokens: tuple[Position, ...]
    head: Position
    dependencies: Dependencies = frozenset()

    @property
    def is_zero(self) -> bool:
        """Whether the head is an empty node."""
        return self.head[2] > 0


Pair: TypeAlias = tuple[int, int]
"""Indexes of a key mention and a response mention that match."""


def match_mentions(key: Sequence[Comparable], response: Sequence[Comparable], matching: Matching) -> list[Pair]:
    """Match key mentions with response mentions, each with one at most; no two mentions of a side may be the same.

    First zeros match by their dependencies (``dependent``), then equal mentions, then, for ``partial`` and ``head``,
    the others so that the summed share of the key mentions' tokens is as large as possible.
    """
    key_left, response_left = dict(enumerate(key)), dict(enumerate(response))
    pairs: list[Pair] = []

    def take(found: Sequence[Pair]) -> None:
        for one, other in found:
            del key_left[one], response_left[other]
        pairs.extend(found)

    if matching.zeros == "dependent":
        key_zeros = {index: each for index, each in key_left.items() if each.is_zero}
        response_zeros = {index: each for index, each in response_left.items() if each.is_zero}
        take(_assign(key_zeros, response_zeros, _zero_candidates))
    take(_same(key_left, response_left, by_head=matching.mentions == "head"))
    if matching.mentions == "partial":
        take(_assign(key_left, response_left, _partial_candidates))
    elif matching.mentions == "head":
        take(_assign(key_left, response_left, _head_candidates))
    return pairs


Mentions: TypeAlias = Mapping[int, Comparable]
Candidates: TypeAlias = dict[Pair, float]
"""How well a key and a response mention match, above 0; other pairs do not match."""


def _same(key: Mentions, response: Mentions, *, by_head: bool) -> list[Pair]:
    def identity(mention: Comparable) -> object:
        return (mention.tokens, mention.head) if by_head else mention.tokens

    found = {identity(mention): index for index, mention in response.items()}
    pairs = ((index, found.pop(identity(mention), None)) for index, mention in key.items())
    return [(index, other) for index, other in pairs if other is not None]


def _zero_candidates(key: Mentions, response: Mentions) -> Candidates:
    by_sentence: dict[int, list[int]] = {}
    for index, mention in response.items():
        by_sentence.setdefault(mention.head[0], []).append(index)
    candidates: Candidates = {}
    for index, mention in key.items():
        parents = frozenset(parent for parent, _ in mention.dependencies)
        for other in by_sentence.get(mention.head[0], ()):
            theirs = response[other].dependencies
            # As in corefud-scorer: the parents alone only break ties.
            score = 10 * _f_score(mention.dependencies, theirs)
            score += _f_score(parents, frozenset(parent for parent, _ in theirs))
            if score > 0:
                candidates[index, other] = score
    return candidates


def _f_score(one: frozenset[object], other: frozenset[object]) -> float:
    common = len(one & other)
    if not common:
        return 0.0
    precision, recall = common / len(one), common / len(other)
    return 2 * precision * recall / (precision + recall)


def _partial_candidates(key: Mentions, response: Mentions) -> Candidates:
    having: dict[Position, list[int]] = {}
    for index, mention in response.items():
        for token in mention.tokens:
            having.setdefault(token, []).append(index)
    candidates: Candidates = {}
    for index, mention in key.items():
        tokens = frozenset(mention.tokens)
        for other in having.get(mention.head, ()):
            theirs = response[other].tokens
            if tokens.issuperset(theirs):
                candidates[index, other] = len(theirs) / len(tokens)
    return candidates


def _head_candidates(key: Mentions, response: Mentions) -> Candidates:
    by_head: dict[Position, list[int]] = {}
    for index, mention in response.items():
        by_head.setdefault(mention.head, []).append(index)
    return {
        (index, other): len(frozenset(mention.tokens).intersection(response[other].tokens)) / len(mention.tokens)
        for index, mention in key.items()
        for other in by_head.get(mention.head, ())
    }


def _assign(
    key: Mentions, response: Mentions, find_candidates: Callable[[Mentions, Mentions], Candidates]
) -> list[Pair]:
    """The heaviest one-to-one choice of candidates."""
    if not key or not response:
        return []
    candidates = find_candidates(key, response)
    if not candidates:
        return []
    keys, responses = _in_text_order(key), _in_text_order(response)
    row_of = {index: row for row, index in enumerate(keys)}
    column_of = {index: column for column, index in enumerate(responses)}
    scores = {(row_of[one], column_of[other]): score for (one, other), score in candidates.items()}
    if len(keys) * len(responses) <= LARGEST_TABLE:
        chosen = _solve_table(len(keys), len(responses), scores)
    else:
        cells = sorted((row, column, 1) for row, column in scores)
        chosen = [cell[:2] for cell in best_alignment(connected(cells, len(responses)), lambda cell: scores[cell[:2]])]
    return [(keys[row], responses[column]) for row, column in chosen]


def _in_text_order(mentions: Mentions) -> list[int]:
    """The mentions by their first token, then their last one, then their length."""

    def order(index: int) -> tuple[Position, Position, int]:
        tokens = mentions[index].tokens
        return tokens[0], tokens[-1], len(tokens)

    return sorted(mentions, key=order)


def _solve_table(rows: int, columns: int, scores: Candidates) -> list[Pair]:
    """Choose with SciPy's dense solver, on the whole table in text order.

    Which of several equally heavy choices it makes depends on the whole table, which corefud-scorer gives it too.
    """
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((rows, columns))
    for place, score in scores.items():
        table[place] = -score
    chosen = zip(*(each.tolist() for each in linear_sum_assignment(table)), strict=True)
    return [place for place in chosen if place in scores]
