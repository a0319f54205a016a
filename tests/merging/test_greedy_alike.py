from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rapidfuzz import fuzz

from merger.strategies.greedy.alike import AlikeStrings
from tests.merging.reference import ratio

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
        for earlier, other in enumerate(texts[:later])
        if fuzz.ratio(text, other) >= threshold
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


@st.composite
def _texts_and_a_ratio_of_theirs(draw: st.DrawFn) -> tuple[list[str], float]:
    texts = draw(st.lists(_TEXTS, min_size=2, max_size=12, unique=True))
    one, other = draw(st.sampled_from([(a, b) for a in texts for b in texts if a != b]))
    return texts, draw(st.sampled_from([fuzz.ratio(one, other), float(100 * ratio(one, other))]))


@settings(max_examples=300)
@given(_texts_and_a_ratio_of_theirs(), st.integers(1, 12))
@example((["x" + "a" * 4, "x" + "b" * 4], 20.0), 2)  # rapidfuzz says 19.999999999999996
@example((["x" * 17 + "a" * 8, "x" * 17 + "b" * 8], 68.0), 1)  # and 68 here, but 0 when it is given 68 as a cutoff
@example((["ab", "b"], 66.66666666666667), 2)  # 2 * 1 / 3, rounded up
def test_a_ratio_equal_to_the_threshold_counts(drawn: tuple[list[str], float], size: int) -> None:
    texts, threshold = drawn
    expected = {
        (later, earlier)
        for later, text in enumerate(texts)
        for earlier, other in enumerate(texts[:later])
        if fuzz.ratio(text, other) >= threshold or float(100 * ratio(text, other)) >= threshold
    }

    assert expected
    assert set(_in_batches(texts, threshold, size)) == expected
