"""Finds merged chains by similar strings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from merger.document import text_order
from merger.errors import Location, WorkLimitError
from merger.progress import WorkContext
from merger.strategies.greedy.alike import COMPARISON, AlikeStrings
from merger.strategies.greedy.index import Bucket, ChainIndex, Hit, Place

MOST_WORK = 2_000_000_000
"""The most work on one document: 200 million comparisons of short strings: about 20 seconds.

A document of 1,000,000 tokens in natural proportions takes a tenth of it.
"""

_CHECK_WORK = 1 << 22


class WorkMeter:
    """Counts the work on a document, and stops it at the limit or when the call ends."""

    def __init__(self, document_id: str | None, watch: WorkContext | None, most: int) -> None:
        self.part = 0
        self._document_id = document_id
        self._watch = watch or WorkContext()
        self._most = most
        self._done = 0
        self._checked = 0

    def spend(self, work: int) -> None:
        """Count the next work. Raises :class:`~merger.errors.WorkLimitError`, and what ``watch.check`` raises."""
        self._done += work
        if self._done > self._most:
            raise WorkLimitError(
                "match=fuzzy would need more comparisons than it allows for one document",
                Location(document=self._document_id, part=self.part),
                expected=f"mention strings of which at most {self._most // COMPARISON} pairs have so much in common "
                "that they must be compared (long strings count more)",
                hint="match=mention compares no pairs; a higher threshold compares fewer",
            )
        if self._done - self._checked > _CHECK_WORK:
            self._checked = self._done
            self._watch.check()


class FuzzyChainIndex(ChainIndex):
    """From a string to the merged chains that have one whose rapidfuzz ratio with it reaches the threshold.

    Every string keeps its similar strings, so that two strings are compared at most once.
    """

    def __init__(self, tie: str, threshold: float, effort: WorkMeter) -> None:
        super().__init__(tie)
        self._effort = effort
        self._strings = AlikeStrings(threshold, effort.spend)
        self._by_number: list[Bucket] = []
        self._alike: dict[str, list[Bucket]] = {}
        """By string: its own bucket and those of similar strings."""

    def prepare(self, part: int, keys: Iterable[str]) -> None:
        """Compare the strings of the next part, which are new, with all that came before and with each other.

        Raises :class:`~merger.errors.WorkLimitError`.
        """
        self._effort.part = part
        new = [key for key in dict.fromkeys(keys) if key not in self._buckets]
        for key in new:
            bucket = self._bucket(key)
            self._by_number.append(bucket)
            self._alike[key] = [bucket]
        for later, earlier in self._strings.add(new):
            one, other = self._by_number[later], self._by_number[earlier]
            self._alike[one.text].append(other)
            self._alike[other.text].append(one)

    def find(self, key: str) -> Hit | None:
        """The merged chain that the string belongs to by the tie rule, of those that are not taken."""
        buckets = self._alike[key]
        self._effort.spend(COMPARISON * len(buckets))
        if len(buckets) > 1 and self._tie == "overlap":
            places = self._totals(buckets)
        else:
            places = [place for bucket in buckets if (place := self._best(bucket)) is not None]
        if not places:
            return None
        from rapidfuzz import fuzz

        number = min(places)[2]
        having = [bucket for bucket in buckets if number in bucket.mentions]
        mention = max((bucket.mentions[number] for bucket in having), key=text_order)
        return Hit(self._roots[number], mention, max(fuzz.ratio(key, bucket.text) for bucket in having))

    def _totals(self, buckets: Sequence[Bucket]) -> list[Place]:
        """The places by mentions of all buckets together, without some that cannot be the first."""
        largest = max(buckets, key=lambda bucket: len(bucket.mentions))
        totals: dict[int, int] = defaultdict(int)
        for bucket in buckets:
            if bucket is not largest:
                for number, count in (bucket.counts or {}).items():
                    totals[number] += count
        more = largest.counts or {}
        for number in totals.keys() & more.keys():
            totals[number] += more[number]
        places = [self._place(number, total) for number, total in totals.items() if number not in self._taken]
        # Of the chains that only the largest bucket has, no other can come before this one.
        best = self._best(largest)
        return places if best is None else [*places, best]
