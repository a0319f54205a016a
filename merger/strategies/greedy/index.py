"""Finds merged chains by the strings in them, at a cost that hardly grows with the document.

Merged chains change often, and each change alters their order in the tie rule under every string that they contain.
Nothing is reordered before a query needs it. A string keeps a heap of the chains that have it, and a chain knows the
heaps that hold its current place. When the chain changes, it marks those heaps once, and the next query repairs them.
The cost of a change is paid by earlier queries, and that of a query by the changes since the last one. So neither a
string in every chain nor a chain with every string makes the cost quadratic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from merger.document import Chain, ChainRef, Mention, text_order
from merger.strategies.greedy.keys import Key

Place = tuple[int, int, int]
"""A merged chain's place in the order of the tie rule, the best one smallest; the last number is the chain's."""


class Hit(NamedTuple):
    """A merged chain: its root, the latest mention in it that matches, for fuzzy matches a similarity from 0 to 100."""

    root: ChainRef
    mention: Mention
    score: float | None


class Bucket:
    """One string and the merged chains that have it, by number."""

    __slots__ = ("aside", "counts", "heap", "mentions", "moved", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.mentions: dict[int, Mention] = {}
        """By chain: its latest mention with the string."""
        self.counts: dict[int, int] | None = None
        """By chain: the number of mentions with the string, if the tie rule needs it."""
        self.heap: list[Place] | None = None
        """Places of the chains, some of them outdated; ``None`` before the first query."""
        self.moved: list[int] | None = None
        """Chains whose present place is not in the heap."""
        self.aside: list[Place] | None = None
        """Present places of chains that are taken."""


class ChainIndex:
    """From a string to the merged chains that have it, part by part.

    ``tie`` chooses among several chains: ``recent``, ``first`` or ``overlap``. Chains that are equal by it (one mention
    in two chains) come in the order in which they began.
    """

    def __init__(self, tie: str) -> None:
        self._tie = tie
        self._buckets: dict[str, Bucket] = {}
        self._roots: list[ChainRef] = []
        """The merged chains by number, in the order in which they began."""
        self._number: dict[ChainRef, int] = {}
        self._stamp: list[int] = []
        """By chain: a number that is smaller the nearer its last mention is."""
        self._next_stamp = -1
        self._placed: dict[int, list[Bucket]] = {}
        """By chain: the buckets whose heaps have its present place."""
        self._taken: set[int] = set()
        self._with_aside: list[Bucket] = []

    def prepare(self, part: int, keys: Iterable[str]) -> None:
        """Announce the strings of the next part's chains before the first query."""

    def find(self, key: str) -> Hit | None:
        """The merged chain that the string belongs to by the tie rule, of those that are not taken."""
        bucket = self._buckets.get(key)
        place = None if bucket is None else self._best(bucket)
        if bucket is None or place is None:
            return None
        number = place[2]
        return Hit(self._roots[number], bucket.mentions[number], None)

    def take(self, root: ChainRef) -> None:
        """Offer this chain no more until the next part is added."""
        self._taken.add(self._number[root])

    def add_part(self, chains: Iterable[tuple[ChainRef, Chain, Sequence[Key]]]) -> None:
        """Add the chains of the next part, each to the merged chain of that root and under its strings.

        The strings of a mention come together, and those of a chain in the order of its mentions.
        """
        self._give_back()
        last: dict[int, Mention] = {}
        for root, chain, keys in chains:
            number = self._number_of(root)
            before = last.get(number)
            last[number] = chain.mentions[-1] if before is None else _later(chain.mentions[-1], before)
            self._post(number, keys)
        if self._tie != "first":
            self._restamp(last)

    def _best(self, bucket: Bucket) -> Place | None:
        """The place of the first chain by the tie rule that has the bucket's string and is not taken."""
        heap = bucket.heap
        if heap is None or bucket.moved:
            heap = self._settle(bucket)
        while heap:
            place = heap[0]
            number = place[2]
            current = place[1] == self._stamp[number]
            if current and number not in self._taken:
                return place
            heappop(heap)
            if current:
                if bucket.aside is None:
                    bucket.aside = []
                    self._with_aside.append(bucket)
                bucket.aside.append(place)
        return None

    def _number_of(self, root: ChainRef) -> int:
        number = self._number.get(root)
        if number is None:
            number = self._number[root] = len(self._roots)
            self._roots.append(root)
            self._stamp.append(0)
        return number

    def _post(self, number: int, keys: Sequence[Key]) -> None:
        buckets = self._buckets
        current: Mention | None = None
        texts: list[str] = []
        for text, mention, _, _ in keys:
            # A mention may have a string twice ("boys will be boys"), and it counts once.
            if mention is not current:
                current, texts = mention, [text]
            elif text in texts:
                continue
            else:
                texts.append(text)
            bucket = buckets.get(text) or self._bucket(text)
            before = bucket.mentions.get(number)
            if before is None:
                bucket.mentions[number] = mention
                if bucket.heap is not None:
                    self._move(bucket, number)
            else:
                bucket.mentions[number] = _later(mention, before)
            if bucket.counts is not None:
                bucket.counts[number] = bucket.counts.get(number, 0) + 1

    def _bucket(self, text: str) -> Bucket:
        bucket = self._buckets[text] = Bucket(text)
        if self._tie == "overlap":
            bucket.counts = {}
        return bucket

    def _restamp(self, last: Mapping[int, Mention]) -> None:
        # Parts come in order, so all that this one touched is nearer than all that it did not.
        for number in sorted(last, key=lambda number: (text_order(last[number]), -number)):
            self._stamp[number] = self._next_stamp
            self._next_stamp -= 1
            for bucket in self._placed.pop(number, ()):
                self._move(bucket, number)

    @staticmethod
    def _move(bucket: Bucket, number: int) -> None:
        if bucket.moved is None:
            bucket.moved = [number]
        else:
            bucket.moved.append(number)

    def _settle(self, bucket: Bucket) -> list[Place]:
        """Put the present places of all chains into the heap."""
        heap = bucket.heap
        if heap is None:
            heap = bucket.heap = []
            moved: Sequence[int] = list(bucket.mentions)
        else:
            moved = bucket.moved or ()
        bucket.moved = None
        counts = bucket.counts or {}
        places = [self._place(number, counts.get(number, 0)) for number in moved]
        if self._tie != "first":  # whose places never change
            for number in moved:
                self._placed.setdefault(number, []).append(bucket)
        if len(places) > len(heap):
            heap.extend(places)
            heapify(heap)
        else:
            for place in places:
                heappush(heap, place)
        if len(heap) > 2 * len(bucket.mentions) + 8:  # most of it is outdated
            heap[:] = [place for place in heap if place[1] == self._stamp[place[2]]]
            heapify(heap)
        return heap

    def _give_back(self) -> None:
        for bucket in self._with_aside:
            if bucket.heap is not None:
                for place in bucket.aside or ():
                    heappush(bucket.heap, place)
            bucket.aside = None
        self._with_aside = []
        self._taken = set()

    def _place(self, number: int, mentions: int) -> Place:
        """The place of a chain that matches in so many mentions."""
        if self._tie == "first":
            return (number, 0, number)
        return (-mentions, self._stamp[number], number)


def _later(one: Mention, other: Mention) -> Mention:
    """The one that comes later in the text; ``other`` if they are equal."""
    # Two chains of a part may join the same merged chain, and the second may end before the first. Mentions themselves
    # sort by their beginnings, too, which is enough for nearly all, and much faster.
    if one > other and one.first != other.first:
        return one
    return max(other, one, key=text_order)
