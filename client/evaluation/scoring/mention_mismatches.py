"""Mentions that one side has and the other cannot have: they lower the score although no merge is wrong."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import cached_property
from operator import itemgetter
from typing import Final

from merger.document import ChainScope, Document, Mention
from merger.errors import AlignmentError, Location
from merger.notices import Notices
from merger.resegment import with_boundaries_of

_PART: Final = itemgetter(0)


class MentionMismatches:
    """Counts such mentions over the documents of a corpus, because a single document can lack them by chance."""

    def __init__(self) -> None:
        self._has_singletons = [False, False]
        """Keys, and responses."""
        self._unknown = [0, 0]
        """Singletons that the other side has in no chain."""
        self._alone = 0
        self._alone_found = 0
        self._first_alone: Location | None = None

    def count(self, key: Document, response: Document, *, with_parts: bool) -> None:
        """Count the mismatches of a document; ``with_parts`` if its parts are given, which limit a merge."""
        if not key.chains or not response.chains or len(key.parts) == len(response.parts) == 1:
            # A document in one part is not a merge.
            return
        sides = _Sides(key, response)
        # If the texts differ, scoring reports it.
        with suppress(AlignmentError):
            self._count_singletons(sides)
            if not with_parts and len(response.parts) > 1 and response.scope is ChainScope.DOCUMENT:
                self._count_alone(sides)

    def _count_singletons(self, sides: _Sides) -> None:
        given = [any(len(chain.mentions) == 1 for chain in each.chains) for each in sides.given]
        for side, has in enumerate(given):
            self._has_singletons[side] |= has
        for side, has in enumerate(given):
            if has and not self._has_singletons[1 - side]:
                chains, known = sides.same_text[side].chains, sides.known(1 - side)
                self._unknown[side] += sum(len(each.mentions) == 1 and each.mentions[0] not in known for each in chains)

    def _count_alone(self, sides: _Sides) -> None:
        key, response = sides.given
        alone = _alone_in_part(key if len(key.parts) >= len(response.parts) else sides.same_text[0])
        if alone:
            known = sides.known(1)
            self._alone += len(alone)
            self._alone_found += sum(mention in known for mention in alone)
            self._first_alone = self._first_alone or Location(key.file, document=key.id)

    def report(self, notices: Notices, *, singletons_count: bool) -> None:
        """Note kinds of mentions that one side has and the other lacks altogether."""
        for side, other, counts_as in ((0, "response", "missed"), (1, "key", "spurious")):
            count = self._unknown[side]
            if singletons_count and count and not self._has_singletons[1 - side]:
                one = ("key", "response")[side]
                message = (
                    f"singletons are in the {one}, and the {other} has none: they count as {counts_as} "
                    "(option drop_singletons leaves them out)"
                )
                notices.add(f"singletons of the {one} alone", message, count=count)
        if self._alone and not self._alone_found:
            message = (
                "mentions of the key are alone in their part of a chain, and the response has none of them: a merge of "
                "parts without singletons can't (`split` writes parts and the key that goes with them; option parts "
                "shows what a merge can score)"
            )
            notices.add("mentions that no merge can have", message, self._first_alone, self._alone)


class _Sides:
    """Key and response, and both with the boundaries of the side that has more parts."""

    def __init__(self, key: Document, response: Document) -> None:
        self.given = (key, response)

    @cached_property
    def same_text(self) -> tuple[Document, Document]:
        """Raises :class:`~merger.errors.AlignmentError` if the tokens differ."""
        key, response = self.given
        if len(key.parts) < len(response.parts):
            return with_boundaries_of(response, key, Notices()), response
        return key, with_boundaries_of(key, response, Notices())

    def known(self, side: int) -> set[Mention]:
        """The mentions of one side."""
        return set(self.same_text[side].mentions())


def _alone_in_part(key: Document) -> list[Mention]:
    """The mentions of chains of two or more that are the only ones of their chain in their part."""
    alone = []
    for chain in key.chains:
        if len(chain.mentions) > 1 and chain.mentions[0].part != chain.mentions[-1].part:
            sizes = Counter(map(_PART, chain.mentions))
            alone += [mention for mention in chain.mentions if sizes[mention.part] == 1]
    return alone
