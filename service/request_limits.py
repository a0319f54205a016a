"""Whether a request is within the limits, counted before any other work on it.

Counting is linear in the request and much cheaper than decoding it: it uses the lengths of lists, and the encoded size
of a sentence, which is never below the length of a text in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final

from protos.convert.errors import Violation
from protos.limits import Limits, Longest
from protos.merge_baseline import v1

_HARMLESS_CHAIN_BYTES: Final = min(Longest.TEXT, 2 * Longest.PIECES)
"""A chain of at most this encoded size has no text that is too long and no mention with too many pieces: a piece takes
at least two bytes."""


class Totals:
    """Sums over one document, or over the messages of one stream so far."""

    def __init__(self, limits: Limits, whole: str) -> None:
        """``whole`` names the sum in violations: the document, the stream."""
        self._limits = limits
        self._whole = whole
        self._bytes = self._parts = self._sentences = self._tokens = self._chains = self._mentions = 0
        self._key_chains = self._key_mentions = 0

    def add_bytes(self, size: int) -> Iterator[Violation]:
        """Count a message of a stream, before it is decoded. Yields a violation if that is too much."""
        self._bytes += size
        if self._bytes > self._limits.stream_bytes:
            yield self._too_much("message", self._bytes, self._limits.stream_bytes, "bytes")

    def add_part(self, part: v1.Part, field: str, *, starts: bool = True) -> Iterator[Violation]:
        """Count a part, or a chunk that ``starts`` one or continues it. Yields a violation for each excess."""
        self._parts += starts
        self._sentences += len(part.sentences)
        self._tokens += sum(len(sentence.forms) for sentence in part.sentences)
        self._chains += len(part.chains)
        self._mentions += sum(len(chain.mentions) for chain in part.chains)
        limits = self._limits
        counts = (
            (field, self._parts, limits.parts, "parts"),
            (f"{field}.sentences", self._sentences, limits.sentences, "sentences"),
            (f"{field}.sentences", self._tokens, limits.tokens, "tokens"),
            (f"{field}.chains", self._chains, limits.chains, "chains"),
            (f"{field}.chains", self._mentions, limits.mentions, "mentions"),
        )
        for place, count, limit, what in counts:
            if count > limit:
                yield self._too_much(place, count, limit, what)

    def add_key(self, key: v1.HumanMerges, field: str) -> Iterator[Violation]:
        """Count gold merges. Yields a violation for each limit that is exceeded."""
        self._key_chains += len(key.chains)
        self._key_mentions += sum(len(chain.mentions) for chain in key.chains)
        counts = (
            (self._key_chains, self._limits.chains, "chains"),
            (self._key_mentions, self._limits.mentions, "mentions"),
        )
        for count, limit, what in counts:
            if count > limit:
                yield self._too_much(f"{field}.chains", count, limit, f"{what} in the gold merges")

    def _too_much(self, field: str, count: int, limit: int, what: str) -> Violation:
        return Violation(field, f"{count} {what} so far in {self._whole}; this server takes at most {limit}")


def document_excess(request: v1.MergeDocumentRequest, limits: Limits) -> Iterator[Violation]:
    """Violations of limits in a MergeDocumentRequest. Stops after the first total that is exceeded."""
    yield from _spec_excess(request.strategy, "strategy")
    yield from _length("tagger.name", request.tagger.name, Longest.TEXT)
    document = request.document
    yield from _length("document.id", document.id, Longest.TEXT)
    yield from _length("document.genre", document.genre, Longest.TEXT)
    totals = Totals(limits, "the document")
    parts = [(part, f"document.parts[{index}]") for index, part in enumerate(document.parts[: limits.parts + 1])]
    for part, field in parts:
        too_much = next(totals.add_part(part, field), None)
        if too_much is not None:
            yield too_much
            return
    too_much = next(totals.add_key(request.key, "key"), None)
    if too_much is not None:
        yield too_much
        return
    for part, field in parts:
        yield from part_excess(part, field)
    yield from key_excess(request.key, "key")


def setup_excess(setup: v1.MergeStreamSetup, totals: Totals) -> Iterator[Violation]:
    """Violations of limits in the setup of a stream."""
    yield from _spec_excess(setup.strategy, "setup.strategy")
    yield from _length("setup.tagger.name", setup.tagger.name, Longest.TEXT)
    yield from _length("setup.document_id", setup.document_id, Longest.TEXT)
    yield from _length("setup.genre", setup.genre, Longest.TEXT)
    too_much = next(totals.add_key(setup.key, "setup.key"), None)
    if too_much is not None:
        yield too_much
        return
    yield from key_excess(setup.key, "setup.key")


def part_excess(part: v1.Part, field: str) -> Iterator[Violation]:
    """Violations by texts and lists in a part that are too long."""
    for index, sentence in enumerate(part.sentences):
        # ByteSize runs in C and is much faster than checking every text; it settles most sentences.
        if sentence.ByteSize() > Longest.TEXT:
            yield from _sentence_excess(sentence, f"{field}.sentences[{index}]")
    for index, each in enumerate(part.chains):
        if each.ByteSize() > _HARMLESS_CHAIN_BYTES:
            yield from _length(f"{field}.chains[{index}].id", each.id, Longest.TEXT)
            yield from _pieces_excess(each.mentions, f"{field}.chains[{index}].mentions", "")


def _sentence_excess(sentence: v1.Sentence, field: str) -> Iterator[Violation]:
    columns = (
        ("forms", sentence.forms, Longest.FORM),
        ("xpos", sentence.xpos, Longest.TEXT),
        ("upos", sentence.upos, Longest.TEXT),
        ("speakers", sentence.speakers, Longest.TEXT),
    )
    for name, entries, limit in columns:
        if max(map(len, entries), default=0) > limit:
            for index, entry in enumerate(entries):
                yield from _length(f"{field}.{name}[{index}]", entry, limit)


def _pieces_excess(mentions: Iterable[v1.Mention], field: str, within: str) -> Iterator[Violation]:
    for index, mention in enumerate(mentions):
        if len(mention.pieces) > Longest.PIECES:
            found = f"{len(mention.pieces)} pieces; expected at most {Longest.PIECES}"
            yield Violation(f"{field}[{index}]{within}.pieces", found)


def key_excess(key: v1.HumanMerges, field: str) -> Iterator[Violation]:
    """Violations by texts and lists in gold merges that are too long."""
    for index, each in enumerate(key.chains):
        yield from _length(f"{field}.chains[{index}].id", each.id, Longest.TEXT)
        mentions = (placed.mention for placed in each.mentions)
        yield from _pieces_excess(mentions, f"{field}.chains[{index}].mentions", ".mention")


def _spec_excess(spec: v1.StrategySpec, field: str) -> Iterator[Violation]:
    yield from _length(f"{field}.name", spec.name, Longest.TEXT)
    if len(spec.options) > Longest.OPTIONS:
        yield Violation(f"{field}.options", f"{len(spec.options)} options; expected at most {Longest.OPTIONS}")
        return
    for index, setting in enumerate(spec.options):
        place = f"{field}.options[{index}]"
        yield from chain(
            _length(f"{place}.name", setting.name, Longest.TEXT),
            _length(f"{place}.value.text", setting.value.text, Longest.TEXT),
        )


def _length(field: str, text: str, limit: int) -> Iterator[Violation]:
    if len(text) > limit:
        yield Violation(field, f"{len(text)} characters; expected at most {limit}")
