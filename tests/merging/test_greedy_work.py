"""The work of ``match=fuzzy`` on a document, and its limits."""

from __future__ import annotations

import random

import pytest

from merger import Chain, Document, Mention, Part, Sentence
from merger.errors import WorkLimitError
from merger.merge import merge_document
from merger.progress import WorkContext
from merger.strategies import STRATEGIES
from merger.strategies.greedy import strategy as greedy

_LETTERS = "abcdefghijklmnop"


class _OverError(Exception):
    pass


def _alike_document(chains: int, letters: int) -> Document:
    """Two parts whose chains all have strings that share most of their letters, though none is alike to another."""
    draw = random.Random(1)
    base = draw.choices(_LETTERS, k=letters)

    def word() -> str:
        changed = list(base)
        for place in draw.sample(range(letters), letters // 6):
            changed[place] = draw.choice(_LETTERS)
        return "".join(changed)

    parts, found = [], []
    for part in range(2):
        words = [word() for _ in range(chains // 2)]
        parts.append(Part(tuple(Sentence((each, each), ("NN", "NN")) for each in words), part))
        found += [
            Chain(str(index), (Mention(part, index, 0, 0), Mention(part, index, 1, 1))) for index in range(len(words))
        ]
    return Document("alike", tuple(parts), tuple(found))


def _merge(document: Document, watch: WorkContext | None = None) -> None:
    merge_document(document, STRATEGIES["greedy"]({"match": "fuzzy"}), watch=watch)


@pytest.mark.parametrize(("chains", "letters"), [(600, 50), (8, 2_000)])
def test_too_much_work_is_an_error_that_names_document_and_part(
    monkeypatch: pytest.MonkeyPatch, chains: int, letters: int
) -> None:
    monkeypatch.setattr(greedy, "MOST_WORK", 100_000)
    with pytest.raises(WorkLimitError, match=r"match=fuzzy would need more comparisons") as raised:
        _merge(_alike_document(chains, letters))
    assert (raised.value.location.document, raised.value.location.part) == ("alike", 0)


@pytest.mark.parametrize(("chains", "letters"), [(1_000, 50), (10, 4_000)])
def test_it_hears_that_its_call_is_over(chains: int, letters: int) -> None:
    looks = 0

    def over() -> None:
        nonlocal looks
        looks += 1
        # Merging looks by itself before each of two parts.
        if looks > 3:
            raise _OverError

    with pytest.raises(_OverError):
        _merge(_alike_document(chains, letters), WorkContext(check=over))


def test_below_the_bound_nothing_is_different(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = STRATEGIES["greedy"]({"match": "fuzzy"})
    document = _alike_document(100, 12)
    free = merge_document(document, strategy)
    monkeypatch.setattr(greedy, "MOST_WORK", 10**15)
    assert merge_document(document, strategy).decisions == free.decisions
