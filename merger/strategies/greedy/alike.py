"""Finds all strings that are similar by rapidfuzz's ratio, without comparing every pair.

The ratio is 100 * (1 - d / n), n the length of both strings and d the letters to leave out on both sides until they are
equal. So a threshold allows d up to a share of n, and three conditions, which must all hold, select the pairs to
compare:

- of d + 1 stretches of one string that don't overlap, one at least stands unchanged in the other one (the pigeonhole);
  the rarest stretches are looked up;
- the lengths differ by d at most;
- so do the letters, however they are ordered.

None of them leaves out a pair that reaches the threshold. At low thresholds there is no room for so many stretches;
then all strings are compared, in batches.

Some texts require comparing all pairs. The work is counted as it is done: see
:data:`COMPARISON`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONGEST_STRETCH = 3
_BATCH = 1 << 18
"""The number of candidate pairs per batch, which bounds memory."""
_NO_ROOM = 0.5
"""From this share of letters left out on, no string is long enough for the stretches."""
_ALL_BITS = 64
_BELOW = 0.01
"""The margin below the threshold for rapidfuzz, which keeps its cutoff in single precision."""
COMPARISON = 10
"""The work units of comparing two short strings, which takes about 0.1 microseconds."""
_ALIKE = 400
"""The additional work units of a similar pair, which is kept in about 100 bytes."""
_LETTERS_AT_A_TIME = 64
"""The number of letters of one string that rapidfuzz compares with a letter of the other one in one step."""
_AT_A_TIME = 1 << 22
"""Work of comparisons that are done together: some hundredths of a second."""
_ROUNDING = 1e-6
"""Allows for rounding in the limits, on the safe side."""


class _Plan(NamedTuple):
    """How to search for strings similar to one of a given length."""

    stretches: int
    """The number of stretches to look up; 0 if only an equal string can be similar."""
    size: int
    """Letters in each; 0 if there is no room for them."""
    longest: float
    """The greatest length of a similar string."""


class AlikeStrings:
    """Different strings, numbered from 0 as they come.

    ``threshold`` is the least ratio that counts, from 0 to 100.
    """

    def __init__(self, threshold: float, spend: Callable[[int], None] = lambda _: None) -> None:
        """``spend`` receives the amount of the next work every few hundredths of a second; it can raise to stop."""
        self._threshold = threshold
        self._spend = spend
        self._share = 1 - threshold / 100
        self._texts: list[str] = []
        self._lengths = array("i")
        self._letters = array("Q")
        self._with: dict[str, array[int]] = {}
        """By stretch: the numbers of the strings that have it, in order."""
        self._plans: dict[int, _Plan] = {}
        self._sizes: dict[int, tuple[int, ...]] = {}

    def add(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        """Add new strings; return all new similar pairs, each with the later one first."""
        if not texts:
            return []
        first = len(self._texts)
        self._texts.extend(texts)
        self._lengths.extend(map(len, texts))
        self._letters.frombytes(_letter_bits(texts).tobytes())
        for number, text in enumerate(texts, first):
            self._post(number, text)
        found: list[tuple[int, int]] = []
        later, counts, earlier = array("i"), array("i"), array("i")
        for number, text in enumerate(texts, first):
            before = len(earlier)
            self._collect(number, text, earlier)
            later.append(number)
            counts.append(len(earlier) - before)
            if len(earlier) >= _BATCH:
                found.extend(self._compare(later, counts, earlier))
                later, counts, earlier = array("i"), array("i"), array("i")
        found.extend(self._compare(later, counts, earlier))
        return found

    def _post(self, number: int, text: str) -> None:
        length = len(text)
        sizes = self._sizes_of(length)
        self._spend(COMPARISON * length * len(sizes))
        for size in sizes:
            for stretch in {text[start : start + size] for start in range(length - size + 1)}:
                numbers = self._with.get(stretch)
                if numbers is None:
                    self._with[stretch] = array("i", (number,))
                else:
                    numbers.append(number)

    def _collect(self, number: int, text: str, candidates: array[int]) -> None:
        """Append the numbers of earlier strings that share a stretch with the text, some of them several times."""
        stretches, size, _ = self._plan(len(text))
        if stretches == 0:
            return
        if size == 0:
            self._spend(number)
            candidates.extend(range(number))
            return
        having = [self._with[text[start : start + size]] for start in range(len(text) - size + 1)]
        for start in _rarest(list(map(len, having)), stretches, size, self._spend):
            numbers = having[start]
            if numbers[0] < number:
                # Those of the same batch come after this one.
                end = len(numbers) - 1 if numbers[-1] == number else bisect_left(numbers, number)
                self._spend(end)
                candidates.extend(numbers[:end])

    def _compare(self, later: array[int], counts: array[int], earlier: array[int]) -> list[tuple[int, int]]:
        """The similar pairs; ``counts`` has the number of earlier strings for each later one."""
        if not earlier:
            return []
        import numpy as np

        lengths, letters = np.frombuffer(self._lengths, np.int32), np.frombuffer(self._letters, np.uint64)
        numbers, repeats = np.frombuffer(later, np.int32), np.frombuffer(counts, np.int32)
        other = np.frombuffer(earlier, np.int32)
        # Nearly all candidates end here, so this line takes most of the time; the rest are compared in full.
        differing = np.bitwise_count(np.repeat(letters[numbers], repeats) ^ letters[other])
        most = np.array([min(self._plan(length).stretches - 1, _ALL_BITS) for length in lengths[numbers].tolist()])
        near = np.flatnonzero(differing <= np.repeat(most.astype(np.uint8), repeats))
        one, other = numbers[np.searchsorted(np.cumsum(repeats), near, side="right")], other[near]
        limit = np.floor(self._share * (lengths[one] + lengths[other]) + _ROUNDING)
        near = np.flatnonzero((np.abs(lengths[one] - lengths[other]) <= limit) & (differing[near] <= limit))
        pairs = np.unique((one[near].astype(np.int64) << 32) | other[near])
        ones, others = (pairs >> 32).tolist(), (pairs & 0xFFFFFFFF).tolist()
        work = COMPARISON + lengths[pairs >> 32] * (
            1 + lengths[pairs & 0xFFFFFFFF].astype(np.int64) // _LETTERS_AT_A_TIME
        )
        scores = self._ratios(ones, others, work)
        # rapidfuzz rounds on the way: 2 equal letters of 10 give 19.999999999999996. A ratio of 20 reaches 20.
        both = (lengths[pairs >> 32] + lengths[pairs & 0xFFFFFFFF]).astype(np.int64)
        common = np.rint(scores / 100 * both)
        alike = (scores >= self._threshold) | (100 * common / both >= self._threshold)
        found = np.flatnonzero(alike).tolist()
        self._spend(_ALIKE * len(found))
        return [(ones[pair], others[pair]) for pair in found]

    def _ratios(self, ones: Sequence[int], others: Sequence[int], work: NDArray[np.int64]) -> NDArray[np.float64]:
        """The ratios of pairs, 0 for those that are clearly below the threshold; ``work`` is what each pair takes."""
        import numpy as np
        from rapidfuzz import fuzz, process

        scores = np.empty(len(ones))
        done = np.cumsum(work)
        begin = 0
        while begin < len(ones):
            before = int(done[begin - 1]) if begin else 0
            end = max(begin + 1, int(np.searchsorted(done, before + _AT_A_TIME, side="right")))
            self._spend(int(done[end - 1]) - before)
            scores[begin:end] = process.cpdist(
                [self._texts[number] for number in ones[begin:end]],
                [self._texts[number] for number in others[begin:end]],
                scorer=fuzz.ratio,
                score_cutoff=max(0.0, self._threshold - _BELOW),
                dtype=np.float64,
            )
            begin = end
        return scores

    def _plan(self, length: int) -> _Plan:
        plan = self._plans.get(length)
        if plan is None:
            plan = self._plans[length] = self._new_plan(length)
        return plan

    def _new_plan(self, length: int) -> _Plan:
        if self._share >= 1:
            return _Plan(_ALL_BITS + 1, 0, float("inf"))
        longest = int(length * (1 + self._share) / (1 - self._share) + _ROUNDING)
        distance = max(self._distance(length + other) for other in (longest, longest - 1))
        if distance == 0:
            return _Plan(0, 0, longest)
        return _Plan(distance + 1, min(_LONGEST_STRETCH, length // (distance + 1)), longest)

    def _distance(self, both: int) -> int:
        """The greatest d for two strings of that length together: d is odd if the length is."""
        limit = int(self._share * both + _ROUNDING)
        return max(0, limit - (limit + both) % 2)

    def _sizes_of(self, length: int) -> tuple[int, ...]:
        """The sizes of stretches that strings of a length near this one ask for."""
        sizes = self._sizes.get(length)
        if sizes is None:
            sizes = self._sizes[length] = self._new_sizes(length)
        return sizes

    def _new_sizes(self, length: int) -> tuple[int, ...]:
        if self._share >= _NO_ROOM:
            return ()
        shortest = int(length * (1 - self._share) / (1 + self._share))
        plans = [self._plan(other) for other in range(shortest, int(self._plan(length).longest) + 1)]
        return tuple({plan.size for plan in plans if plan.longest >= length and plan.size})


def _rarest(counts: Sequence[int], stretches: int, size: int, spend: Callable[[int], None]) -> list[int]:
    """The starts of the stretches that do not overlap and have the smallest total count."""
    # The k-th stretch begins at k * size plus an offset that never falls from one stretch to the next.
    offsets = range(len(counts) + size - stretches * size)
    if len(offsets) == 1:
        return list(range(0, stretches * size, size))
    least = [0] * len(offsets)
    chosen: list[list[int]] = []
    for start in range(0, stretches * size, size):
        spend(COMPARISON * len(offsets))
        total, at = least[0] + counts[start], 0
        row = []
        for offset, before in enumerate(least):
            this = before + counts[start + offset]
            if this < total:
                total, at = this, offset
            least[offset] = total
            row.append(at)
        chosen.append(row)
    offset = len(offsets) - 1
    starts = []
    for index in range(stretches - 1, -1, -1):
        offset = chosen[index][offset]
        starts.append(index * size + offset)
    return starts


def _letter_bits(texts: Sequence[str]) -> NDArray[np.uint64]:
    """A number for each string: for each of 16 groups of letters as many of 4 bits as it has such letters, up to 4.

    So strings differ in no more bits than in letters.
    """
    import numpy as np

    letters = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    of = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    counts = np.bincount(of * 16 + letters % 16, minlength=len(texts) * 16).reshape(-1, 16)
    bits = (1 << np.minimum(counts, 4)) - 1
    placed = bits.astype(np.uint64) << np.arange(0, 64, 4, dtype=np.uint64)
    together: NDArray[np.uint64] = placed.sum(axis=1, dtype=np.uint64)
    return together
