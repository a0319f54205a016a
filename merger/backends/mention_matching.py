"""Finds the predicted mention that corresponds to each given mention."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from merger.document import Document, Mention
from merger.syntax import TagReader, head_token

Cluster = tuple[Mention, ...]
"""Mentions that a coreference system says are one entity, anywhere in the document."""


class Match(NamedTuple):
    """A predicted mention, and the index of its cluster."""

    cluster: int
    mention: Mention


MATCHINGS = ("exact", "head", "overlap")


def match_mentions(
    document: Document, mentions: Iterable[Mention], clusters: Sequence[Cluster], matching: str
) -> Mapping[Mention, Match]:
    """For each given mention at most one predicted mention.

    ``exact``: the same tokens. ``head``: else the predicted mention with the same head token that differs in the
    fewest tokens. ``overlap``: else the one with the largest share of common tokens (intersection over union). Ties go
    to the first in the sentence. A predicted mention that is in two clusters counts for the first.
    """
    mentions = tuple(mentions)
    predicted: dict[Mention, int] = {}
    for index, cluster in enumerate(clusters):
        for mention in cluster:
            predicted.setdefault(mention, index)
    exact = {mention: Match(predicted[mention], mention) for mention in mentions if mention in predicted}
    if matching == "exact":
        return exact
    by_place: dict[tuple[int, int], list[Mention]] = {}
    for mention in predicted:
        by_place.setdefault((mention.part, mention.sentence), []).append(mention)
    choose = _HeadTokens(document).choose if matching == "head" else _most_overlapping
    matches = dict(exact)
    for mention in mentions:
        if mention not in exact:
            found = choose(mention, by_place.get((mention.part, mention.sentence), ()))
            if found is not None:
                matches[mention] = Match(predicted[found], found)
    return matches


class _HeadTokens:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._tags = TagReader.of(document)
        self._known: dict[Mention, int] = {}

    def _head(self, mention: Mention) -> int:
        if mention not in self._known:
            sentence = self._document.sentence(mention)
            self._known[mention] = head_token(sentence, mention, self._tags.noun_flags(sentence), self._tags.tag_set)
        return self._known[mention]

    def choose(self, mention: Mention, candidates: Sequence[Mention]) -> Mention | None:
        head = self._head(mention)
        same = [candidate for candidate in candidates if self._head(candidate) == head]
        tokens = set(mention.tokens)
        return min(same, key=lambda each: (len(tokens.symmetric_difference(each.tokens)), each), default=None)


def _most_overlapping(mention: Mention, candidates: Sequence[Mention]) -> Mention | None:
    tokens = set(mention.tokens)
    best: tuple[float, Mention] | None = None
    for candidate in sorted(candidates):
        other = set(candidate.tokens)
        share = len(tokens & other) / len(tokens | other)
        if share > 0 and (best is None or share > best[0]):
            best = share, candidate
    return None if best is None else best[1]
