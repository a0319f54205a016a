"""Rules for requests, checked before any other work; every violation names its field.

:class:`merger.document.Document` relies on these bounds, ids and columns. Checks yield their violations one by one, so
that a request with thousands of them costs no more than the few that are reported.

The rules for a part stand here twice: :func:`is_sound` answers yes or no for a converted part, and
:func:`part_violations` explains a message. One table of rules for both was measured and rejected. On a part of 10,000
tokens and 3,000 mentions, :func:`part_violations` takes 6.5 ms of processor time, :func:`is_sound` 0.5 ms, and the
greedy merge about 8 ms, so explaining every sound part would cost most of a second merge. A property test
(``tests/service/test_bulk_checks.py``) checks that both agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from operator import lt

from merger.document import Chain, Part, Sentence, Span
from merger.errors import Location
from merger.formats.conll2012.lines import MOST_DIGITS
from protos.convert.documents import PartWithChains
from protos.convert.errors import Violation, request_error
from protos.limits import MAX_VIOLATIONS, shorten
from protos.merge_baseline import v1

_SHOWN_BYTES = 40
_MOST_NUMBER = 10**MOST_DIGITS - 1
"""The greatest part number, as in files."""

MentionId = tuple[int, int, int, tuple[tuple[int, int], ...]]
"""Sentence, first and last token, pieces."""


def check(violations: Iterable[Violation], location: Location | None = None) -> None:
    """Raise :class:`InvalidRequestError` with the first :data:`~protos.limits.MAX_VIOLATIONS`, if there are any."""
    found = tuple(islice(violations, MAX_VIOLATIONS))
    if found:
        raise request_error(found, location)


def is_sound(part: Part, chains: Sequence[Chain]) -> bool:
    """Whether :func:`part_violations` finds nothing in the message that these were converted from.

    A change of a rule here needs the same change there.
    """
    if not 0 <= part.number <= _MOST_NUMBER or not all(map(_is_sound_sentence, part.sentences)):
        return False
    lengths = [len(sentence.forms) for sentence in part.sentences]
    count = len(lengths)
    mentions = [mention for chain in chains for mention in chain.mentions]
    return (
        all(chain.mentions for chain in chains)
        and len({chain.id for chain in chains}) == len(chains)
        and len(set(mentions)) == len(mentions)
        and not [
            sentence
            for _, sentence, first, last, pieces in mentions
            if sentence >= count
            or first > last
            or last >= lengths[sentence]
            or (pieces and not _are_sound_pieces(pieces, first, last))
        ]
    )


def _is_sound_sentence(sentence: Sentence) -> bool:
    length = len(sentence.forms)
    heads, empty = sentence.heads, sentence.empty
    return (
        (sentence.xpos is None or len(sentence.xpos) == length)
        and (sentence.upos is None or len(sentence.upos) == length)
        and (sentence.speakers is None or len(sentence.speakers) == length)
        and (heads is None or (len(heads) == length and min(heads) >= -1 and max(heads) < length))
        and (not empty or (empty[-1] < length and all(map(lt, empty, empty[1:]))))
    )


def _are_sound_pieces(pieces: Sequence[Span], first: int, last: int) -> bool:
    return (
        len(pieces) > 1
        and (pieces[0][0], pieces[-1][1]) == (first, last)
        and all(begin <= end for begin, end in pieces)
        and all(before[1] + 1 < after[0] for before, after in pairwise(pieces))
    )


def document_request_violations(
    request: v1.MergeDocumentRequest, parts: Iterable[PartWithChains] = ()
) -> Iterator[Violation]:
    """Violations in a MergeDocumentRequest. ``parts`` are its parts, if they are already converted."""
    yield from _strategy_violations(request.HasField("strategy"), request.strategy, "strategy")
    yield from _tagger_violations(request, "tagger")
    if not request.HasField("document"):
        yield Violation("document", "missing; expected a document")
        return
    sound = [is_sound(part, chains) for part, chains in parts]
    if not sound or not all(sound):
        for index, part in enumerate(request.document.parts):
            yield from part_violations(part, f"document.parts[{index}]")
    numbers = [part.number for part in request.document.parts]
    for index, (before, number) in enumerate(pairwise(numbers), 1):
        yield from part_order_violations(before, number, f"document.parts[{index}]")
    yield from _key_violations(request.key, "key", request.document)


def setup_violations(setup: v1.MergeStreamSetup) -> Iterator[Violation]:
    """Violations in the setup of a stream."""
    yield from _strategy_violations(setup.HasField("strategy"), setup.strategy, "setup.strategy")
    yield from _tagger_violations(setup, "setup.tagger")
    yield from _key_violations(setup.key, "setup.key", None)


def _strategy_violations(given: bool, spec: v1.StrategySpec, field: str) -> Iterator[Violation]:  # noqa: FBT001
    if not given:
        yield Violation(field, "missing; expected a strategy's name and options")
    seen: set[str] = set()
    for index, setting in enumerate(spec.options):
        place = f"{field}.options[{index}]"
        name = shorten(setting.name, _SHOWN_BYTES)
        if setting.name in seen:
            yield Violation(f"{place}.name", f"{name!r} is set twice; expected each option once")
        seen.add(setting.name)
        if setting.value.WhichOneof("kind") is None:
            yield Violation(f"{place}.value", f"no value for {name!r}; expected a text, number or flag")


def _tagger_violations(request: v1.MergeDocumentRequest | v1.MergeStreamSetup, field: str) -> Iterator[Violation]:
    if request.HasField("tagger") and not request.tagger.name:
        yield Violation(f"{field}.name", "empty; expected the name of a tagger, as ListStrategies gives it")


def part_order_violations(before: int, number: int, field: str) -> Iterator[Violation]:
    """Violations by a part number, given the number of the part before. Callers without numbers leave all at 0."""
    if number < before or number == before != 0:
        yield Violation(f"{field}.number", f"{number} after {before}; expected part numbers that rise, or none")


def part_violations(part: v1.Part, field: str) -> Iterator[Violation]:
    """Violations in a part and its chains."""
    if not 0 <= part.number <= _MOST_NUMBER:
        yield Violation(f"{field}.number", f"{part.number}; expected {_from_to(0, _MOST_NUMBER)}")
    for index, sentence in enumerate(part.sentences):
        yield from _sentence_violations(sentence, f"{field}.sentences[{index}]")
    lengths = [len(sentence.forms) for sentence in part.sentences]
    chains: dict[str, int] = {}
    owners: dict[MentionId, tuple[int, int]] = {}
    for index, chain in enumerate(part.chains):
        place = f"{field}.chains[{index}]"
        if chains.setdefault(chain.id, index) != index:
            shown = shorten(chain.id, _SHOWN_BYTES)
            yield Violation(f"{place}.id", f"{shown!r} is the id of chains[{chains[chain.id]}] too; expected another")
        if not chain.mentions:
            yield Violation(f"{place}.mentions", "empty; expected at least one mention")
        for number, mention in enumerate(chain.mentions):
            spot = f"{place}.mentions[{number}]"
            wrong = list(_mention_violations(mention, lengths, spot))
            yield from wrong
            if wrong:
                continue
            owner = owners.setdefault(_mention_id(mention), (index, number))
            if owner != (index, number):
                where = f"mentions[{owner[1]}]" if owner[0] == index else f"chains[{owner[0]}].mentions[{owner[1]}]"
                yield Violation(spot, f"the same tokens as {where}; expected a mention once and in one chain")


def _sentence_violations(sentence: v1.Sentence, field: str) -> Iterator[Violation]:
    length = len(sentence.forms)
    columns = (
        ("xpos", len(sentence.xpos)),
        ("upos", len(sentence.upos)),
        ("speakers", len(sentence.speakers)),
        ("heads", len(sentence.heads)),
    )
    for name, entries in columns:
        if entries not in {0, length}:
            yield Violation(f"{field}.{name}", f"{entries} entries; expected {length}, one a token, or none")
    for index, head in enumerate(sentence.heads):
        if not -1 <= head < length:
            expected = "-1 or a token of the sentence, " + _from_to(0, length - 1)
            yield Violation(f"{field}.heads[{index}]", f"{head}; expected {expected}")
    before = -1
    for index, node in enumerate(sentence.empty_nodes):
        place = f"{field}.empty_nodes[{index}]"
        if node >= length:
            yield Violation(place, f"{node}; expected a token of the sentence, {_from_to(0, length - 1)}")
        elif node <= before:
            yield Violation(place, f"{node} after {before}; expected ascending indexes")
        before = node


def _mention_violations(mention: v1.Mention, lengths: Sequence[int] | None, field: str) -> Iterator[Violation]:
    """``lengths`` are the numbers of tokens of the part's sentences; ``None`` if they are not known yet."""
    if lengths is not None and mention.sentence >= len(lengths):
        expected = f"a sentence of the part, {_from_to(0, len(lengths) - 1)}"
        yield Violation(f"{field}.sentence", f"{mention.sentence}; expected {expected}")
        return
    if lengths is not None and mention.last >= lengths[mention.sentence]:
        expected = f"a token of sentence {mention.sentence}, {_from_to(0, lengths[mention.sentence] - 1)}"
        yield Violation(f"{field}.last", f"{mention.last}; expected {expected}")
    if mention.first > mention.last:
        yield Violation(f"{field}.first", f"{mention.first}; expected at most the last token, {mention.last}")
    elif mention.pieces:
        yield from _piece_violations(mention, field)


def _piece_violations(mention: v1.Mention, field: str) -> Iterator[Violation]:
    pieces = mention.pieces
    if len(pieces) == 1:
        yield Violation(f"{field}.pieces", "one piece; expected none for a continuous mention, else two or more")
    elif (pieces[0].first, pieces[-1].last) != (mention.first, mention.last):
        found = f"from {pieces[0].first} to {pieces[-1].last}"
        yield Violation(f"{field}.pieces", f"{found}; expected from {mention.first} to {mention.last}, as the mention")
    for index, piece in enumerate(pieces):
        place = f"{field}.pieces[{index}]"
        if piece.first > piece.last:
            yield Violation(f"{place}.first", f"{piece.first}; expected at most its last token, {piece.last}")
        if index and piece.first <= pieces[index - 1].last + 1:
            expected = f"at least {pieces[index - 1].last + 2}, a token or more after the piece before"
            yield Violation(f"{place}.first", f"{piece.first}; expected {expected}")


def _key_violations(key: v1.HumanMerges, field: str, document: v1.Document | None) -> Iterator[Violation]:
    if not key.chains:
        return
    lengths = (
        None if document is None else [[len(sentence.forms) for sentence in part.sentences] for part in document.parts]
    )
    owners: dict[tuple[int, MentionId], int] = {}
    for index, chain in enumerate(key.chains):
        for number, placed in enumerate(chain.mentions):
            spot = f"{field}.chains[{index}].mentions[{number}]"
            if lengths is not None and placed.part >= len(lengths):
                expected = f"a part of the document, {_from_to(0, len(lengths) - 1)}"
                yield Violation(f"{spot}.part", f"{placed.part}; expected {expected}")
                continue
            part_lengths = None if lengths is None else lengths[placed.part]
            wrong = list(_mention_violations(placed.mention, part_lengths, f"{spot}.mention"))
            yield from wrong
            owner = owners.setdefault((placed.part, _mention_id(placed.mention)), index)
            if owner != index and not wrong:
                yield Violation(spot, f"the same tokens as a mention of chains[{owner}]; expected it in one chain")


def _mention_id(mention: v1.Mention) -> MentionId:
    pieces = tuple((piece.first, piece.last) for piece in mention.pieces) if mention.pieces else ()
    return (mention.sentence, mention.first, mention.last, pieces)


def _from_to(low: int, high: int) -> str:
    return f"from {low} to {high}" if high >= low else "of which there is none"
