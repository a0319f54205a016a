from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz, process

from merger.strategies.greedy_alike import AlikeStrings

# Few letters and few beginnings, so that strings are often alike; some letters take more than two bytes.
_TEXTS = st.one_of(
    st.text("ab", max_size=40),
    st.text("abcdefgh ß𝒳", max_size=25),
    st.tuples(st.sampled_from(["the man who ", "Mr. ", ""]), st.text("abcd ", max_size=14)).map("".join),
)
_THRESHOLDS = st.one_of(st.sampled_from([0.0, 1.0, 50.0, 66.0, 80.0, 85.0, 90.0, 95.0, 99.0, 100.0]), st.floats(1, 100))


def _all_with_all(texts: Sequence[str], threshold: float) -> set[tuple[int, int]]:
    return {
        (later, earlier)
        for later, text in enumerate(texts)
        for _, _, earlier in process.extract(text, texts[:later], scorer=fuzz.ratio, score_cutoff=threshold, limit=None)
    }


def _in_batches(texts: Sequence[str], threshold: float, size: int) -> list[tuple[int, int]]:
    strings = AlikeStrings(threshold)
    return [pair for start in range(0, len(texts), size) for pair in strings.add(texts[start : start + size])]


@settings(max_examples=500)
@given(texts=st.lists(_TEXTS, max_size=30, unique=True), threshold=_THRESHOLDS, size=st.integers(1, 30))
@example(texts=["", "a"], threshold=0.0, size=1)
def test_finds_what_comparing_all_with_all_finds(texts: list[str], threshold: float, size: int) -> None:
    found = _in_batches(texts, threshold, size)

    assert len(set(found)) == len(found)
    assert set(found) == _all_with_all(texts, threshold)


@pytest.mark.parametrize("threshold", [50, 75, 80, 90, 95])
def test_finds_them_all_among_strings_that_were_made_alike(threshold: int) -> None:
    # Strings of every length up to 60, and of each some with 1, 2, 3, ... letters changed at random places.
    draw = random.Random(threshold)
    texts = {}
    for length in range(61):
        base = "".join(draw.choices("etaoin shrdlu", k=length))
        for changes in range(length // 4 + 1):
            letters = list(base)
            for _ in range(changes):
                place = draw.randrange(len(letters) + 1)
                letters[place : place + draw.randint(0, 1)] = draw.choices("etaoin ", k=draw.randint(0, 1))
            texts["".join(letters)] = True
    expected = _all_with_all(list(texts), threshold)

    assert len(expected) > 100
    assert set(_in_batches(list(texts), threshold, 50)) == expected


def test_many_strings_are_compared_in_several_batches() -> None:
    # 800 strings of two letters: 319,600 pairs, none of which can be left out at a threshold of 0.
    texts = [chr(97 + number // 26 % 26) + chr(97 + number % 26) + "x" * (number // 676) for number in range(800)]

    assert len(_in_batches(texts, 0, 800)) == 800 * 799 // 2
