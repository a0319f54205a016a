"""Clusters of a jsonlines line: checked, repaired where the policy allows, and turned into spans."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from merger.document import Span
from merger.errors import AnnotationError, FormatError, Location
from merger.message_text import shorten
from merger.notices import Notices
from merger.strict_json import type_name

Cluster = tuple[str, list[Span]]
"""A cluster's id (its index in the file) and its mentions as token offsets."""

_PAIR = 2


@dataclass(frozen=True, slots=True)
class TokenIndex:
    """``starts`` has the offset of each sentence's first token, ``total`` the number of tokens."""

    starts: Sequence[int]
    total: int

    def sentence(self, offset: int) -> int:
        """The sentence that a token lies in."""
        return bisect_right(self.starts, offset) - 1


def index_tokens(lengths: Sequence[int]) -> TokenIndex:
    """Number the tokens of sentences of these lengths."""
    starts = []
    total = 0
    for length in lengths:
        starts.append(total)
        total += length
    return TokenIndex(starts, total)


def read_clusters(value: object, key: str, tokens: TokenIndex, place: Location, notices: Notices) -> list[Cluster]:
    """The clusters of a line.

    Raises :class:`~merger.errors.FormatError` for values of another shape, and
    :class:`~merger.errors.AnnotationError` for mentions that contradict the text or each other.
    """
    if not isinstance(value, list):
        raise FormatError(f"{key} is {type_name(value)}", place, expected="a list of lists of [first, last]")
    owner: dict[Span, int] = {}
    clusters: list[Cluster] = []
    for index, cluster in enumerate(value):
        name = f"cluster {index} of {key}"
        if not isinstance(cluster, list):
            raise FormatError(f"{name} is {type_name(cluster)}", place, expected="a list of [first, last]")
        spans = []
        for mention in cluster:
            span = _span(mention, name, tokens, place)
            if tokens.sentence(span[0]) != tokens.sentence(span[1]):
                message = f"{name} has the mention {mention} over a sentence boundary"
                error = AnnotationError(message, place, expected="mentions inside one sentence")
                notices.repair("mention over a sentence boundary", error, "the mention is dropped")
            elif span in owner:
                _report_owned(span, name, index, owner[span], place, notices)
            else:
                owner[span] = index
                spans.append(span)
        if spans:
            clusters.append((str(index), spans))
        elif not cluster:
            error = AnnotationError(f"{name} is empty", place, expected="at least one mention")
            notices.warn("empty cluster", error)
    return clusters


def _span(mention: object, name: str, tokens: TokenIndex, place: Location) -> Span:
    """One mention, checked."""
    if not isinstance(mention, list) or len(mention) != _PAIR or any(type(end) is not int for end in mention):
        raise FormatError(
            f"{name} has the mention {shorten(repr(mention))}", place, expected="[first, last], two whole numbers"
        )
    first, last = mention
    if first > last:
        message = f"{name} has the mention {shorten(str(mention))}, which ends before it begins"
        raise AnnotationError(message, place, expected="[first, last]")
    if first < 0 or last >= tokens.total:
        raise AnnotationError(
            f"{name} has the mention {shorten(str(mention))}",
            place,
            expected=f"offsets from 0 to {tokens.total - 1}",
            hint="ends are inclusive; exclusive ends look like this" if last == tokens.total else None,
        )
    return first, last


def _report_owned(span: Span, name: str, index: int, owner: int, place: Location, notices: Notices) -> None:
    if owner == index:
        error = AnnotationError(f"{name} has the mention {list(span)} twice", place)
        notices.warn("span twice in a chain", error)
        return
    message = f"{name} has the mention {list(span)}, which cluster {owner} has too"
    error = AnnotationError(message, place, expected="every mention in one cluster")
    notices.repair("span in two chains", error, "it stays in the first cluster that has it")
