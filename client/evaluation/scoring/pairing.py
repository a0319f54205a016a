"""Brings key and response together: documents by id, mentions by token position."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from client.evaluation.scoring.mention_matching import EXACT, Matching
from client.evaluation.scoring.overlap import Clustering
from merger.document import Chain, ChainScope, Document, Mention, Part, Span
from merger.empty_nodes import has_empty_nodes
from merger.errors import AlignmentError, InputError, Location
from merger.formats.part_names import document_of_part, look_like_parts
from merger.notices import Notices
from merger.token_alignment import token_difference


@dataclass(frozen=True, slots=True)
class Unit:
    """What the official scorer calls a document: chains of key and response over the same tokens.

    ``part`` is the part's index if the unit is one part of a document whose chains are local to parts. ``zeros`` is how
    empty nodes were paired (:data:`~client.evaluation.scoring.mention_matching.ZERO_PAIRINGS`), if one side has any.
    ``first_token_heads`` tells whether the first token was the head of a mention that states none.
    """

    document: str
    part: int | None
    key: Clustering
    response: Clustering
    zeros: str | None = None
    first_token_heads: bool = False


class ById:
    """Documents of a stream by id; holds those that were passed over until they are asked for.

    ``failures`` are those of reading it, and perhaps other streams, as :class:`~merger.formats.ReadOptions` collects
    them.
    """

    def __init__(self, documents: Iterable[Document], failures: Sequence[InputError] | None = None) -> None:
        self._remaining = iter(documents)
        self._waiting: dict[str, Document] = {}
        self._failures = () if failures is None else failures

    def take(self, document_id: str) -> Document | None:
        """The document of that id, each once, or ``None``."""
        if document_id in self._waiting:
            return self._waiting.pop(document_id)
        for document in self._remaining:
            if document.id == document_id:
                return document
            self._waiting[document.id] = document
        return None

    def rest(self) -> Iterator[Document]:
        """The documents that nobody took."""
        yield from self._waiting.values()
        yield from self._remaining

    def failure_of(self, document_id: str) -> InputError | None:
        """Why a document may be missing: its own failure, or that of text that does not say whose it is."""
        unknown = None
        for error in self._failures:
            if error.location.document == document_id:
                return error
            if error.location.document is None:
                unknown = unknown or error
        return unknown

    def why_missing(self, document: Document, message: str) -> InputError:
        """The error for a document that is not here: its own failure, or one with this message."""
        cause = self.failure_of(document.id)
        if cause is not None and cause.location.document is not None:
            return cause
        hint = self._parts_of(document.id) if cause is None else f"some of it cannot be read: {cause}"
        return AlignmentError(message, Location(document.file, document=document.id), hint=hint)

    def _parts_of(self, document_id: str) -> str | None:
        """A hint if the documents here look like parts of this one, or it looks like a part of one of them."""
        parts = [name for name in self._waiting if document_of_part(name) == document_id]
        if not parts and document_of_part(document_id) in self._waiting:
            whole = document_of_part(document_id)
            return f"{document_id!r} looks like a part of {whole!r}: option part_pattern joins such ids"
        return look_like_parts(parts)

    @property
    def passed_over(self) -> str | None:
        """The id of a document that nobody has taken so far."""
        return next(iter(self._waiting), None)


def add_failure(failures: list[InputError] | None, error: InputError) -> None:
    """Add an error, unless it is there. Raises it without a list."""
    if failures is None:
        raise error
    if not any(error is each for each in failures):
        failures.append(error)


def failed_documents(failures: Iterable[InputError]) -> tuple[str, ...]:
    """The ids of the documents that failed, each once; for text that does not say whose it is its place."""
    return tuple(dict.fromkeys(error.location.document or str(error.location) for error in failures))


def pair_documents(
    keys: Iterable[Document],
    responses: Iterable[Document],
    notices: Notices,
    missing: set[str] | None = None,
    failures: list[InputError] | None = None,
) -> Iterator[tuple[Document, Document]]:
    """Yield (key, response) by document id, in the order of the key.

    A document that the response lacks is paired with one without chains, and one that only the response has is left
    out; both with a notice, or an error under the strict policy. The ids of those that it lacks go to ``missing``.
    With the ``failures`` of reading both sides, documents that failed on one are left out; and so are those that the
    response lacks, where it has text that does not say whose it is: their errors go to ``failures`` too. Raises
    :class:`~merger.errors.AlignmentError` if the two have no document in common.
    """
    by_id = ById(responses, failures)
    found = False
    first_missing: tuple[Location, str | None] | None = None
    for key in keys:
        response = by_id.take(key.id)
        if response is None:
            error = by_id.why_missing(key, "the response lacks this document")
            if failures is not None and by_id.failure_of(key.id) is not None:
                found = True
                add_failure(failures, error)
                continue
            first_missing = first_missing or (error.location, error.hint)
            if not found and by_id.passed_over is not None and error.hint is None:
                error.hint = f"the response has {by_id.passed_over!r}"
            notices.warn("document missing in the response", error)
            response = replace(key, chains=())
            if missing is not None:
                missing.add(key.id)
        else:
            found = True
        yield key, response
    # Only now: the response may lack the key's first documents and have later ones.
    if first_missing is not None and not found and by_id.passed_over is not None:
        message = "no document of the key is in the response"
        wanted = f"the same document ids; the response has {by_id.passed_over!r}"
        place, hint = first_missing
        raise AlignmentError(message, place, expected=wanted, hint=hint)
    failed = {error.location.document for error in failures or ()}
    for extra in by_id.rest():
        if extra.id not in failed:
            place = Location(extra.file, document=extra.id)
            error = AlignmentError("the response has a document that the key lacks", place)
            notices.warn("extra document in the response", error)


def align(
    key: Document, response: Document, notices: Notices, matching: Matching = EXACT, *, least: int = 1
) -> list[Unit]:
    """The units to score for one document, with the chains that have ``least`` mentions or more.

    Parts are the units if the chains of both sides are local to the same parts; otherwise the whole document is one.
    Tokens are compared without empty nodes. Mentions match as ``matching`` says; where one side has no empty nodes in a
    format that cannot carry them, the other side's mentions are compared without theirs. A part that the response lacks
    counts as one without chains, and one that only the response has is left out; both with a notice, or an error under
    the strict policy.

    Raises :class:`~merger.errors.AlignmentError` at the first token that differs. Under the lenient policy only their
    number must be the same; the mentions are aligned by position, as the official scorer does. Raises
    :class:`~merger.errors.AnnotationError` for a mention that must have a head to match and has none.
    """
    response = _with_parts_of(key, response, notices)
    # As a rule the texts are the same, sentence by sentence, and this is all there is to find out about them.
    same_text = key.parts is response.parts or _sentences(key) == _sentences(response)
    key_has_zeros = has_empty_nodes(key)
    some_zeros = key_has_zeros or (not same_text and has_empty_nodes(response))
    # Formats without empty nodes may have them as words.
    zeros_are_words = some_zeros and not same_text and _has_zeros_as_words(key, response)
    same_shape = same_text or _shape(key, zeros_are_words) == _shape(response, zeros_are_words)
    if not same_text:
        _check_tokens(key, response, notices, with_empty=zeros_are_words)
    by_part = same_shape and key.scope is response.scope is ChainScope.PART and len(key.parts) > 1
    parts = range(len(key.parts)) if by_part else (None,)
    if matching.needs_heads or (some_zeros and not zeros_are_words):
        # With it come the formats, which scoring mostly does without.
        from client.evaluation.scoring.comparable_mentions import Sides

        sides = Sides(key, response, matching, notices, by_sentence=same_shape, zeros_are_words=zeros_are_words)
        matched = [sides.match(_chains(key, least, part), _chains(response, least, part)) for part in parts]
        return [Unit(key.id, part, *each, sides.took_first_tokens) for part, each in zip(parts, matched, strict=True)]
    if same_shape:
        return [Unit(key.id, part, _chains(key, least, part), _chains(response, least, part)) for part in parts]
    return [Unit(key.id, None, _flat_chains(key, least), _flat_chains(response, least))]


def _with_parts_of(key: Document, response: Document, notices: Notices) -> Document:
    """The response with the key's parts, where the chains of both sides are local to numbered parts.

    Parts that it lacks come without chains, and those that only it has go. They must be told by their numbers: where
    the parts of one number have sentences of other lengths, or none has, the response stays as it is.
    """
    place_of = {part.number: index for index, part in enumerate(key.parts)}
    numbers = [part.number for part in response.parts]
    if len(place_of) < len(key.parts) or len(set(numbers)) < len(numbers) or list(place_of) == numbers:
        return response
    common = [part for part in response.parts if part.number in place_of]
    if key.scope is not ChainScope.PART or response.scope is not ChainScope.PART or not common:
        return response
    if any(_lengths(part) != _lengths(key.parts[place_of[part.number]]) for part in common):
        return response
    for number in [number for number in place_of if number not in numbers]:
        place = Location(key.file, document=key.id, part=number)
        notices.warn("part missing in the response", AlignmentError("the response lacks this part", place))
    for number in numbers:
        if number not in place_of:
            place = Location(response.file, document=response.id, part=number)
            error = AlignmentError("the response has a part that the key lacks", place)
            notices.warn("extra part in the response", error)
    parts = list(key.parts)
    for part in common:
        parts[place_of[part.number]] = part
    moved = [
        Chain(chain.id, tuple(mention._replace(part=place_of[numbers[mention.part]]) for mention in chain.mentions))
        for chain in response.chains
        if numbers[chain.mentions[0].part] in place_of
    ]
    return replace(response, parts=tuple(parts), chains=tuple(moved))


def _sentences(document: Document) -> list[list[tuple[tuple[str, ...], tuple[int, ...]]]]:
    return [[(sentence.forms, sentence.empty) for sentence in part.sentences] for part in document.parts]


def _has_zeros_as_words(key: Document, response: Document) -> bool:
    """Whether one side has as words what the other has as empty nodes, as far as their numbers tell."""
    return (
        has_empty_nodes(key) != has_empty_nodes(response)
        and key.token_count != response.token_count
        and _token_count(key, with_empty=True) == _token_count(response, with_empty=True)
    )


def _shape(document: Document, with_empty: bool) -> list[list[int]]:  # noqa: FBT001  # a private helper of one caller
    return [_lengths(part, with_empty=with_empty) for part in document.parts]


def _lengths(part: Part, *, with_empty: bool = False) -> list[int]:
    return [len(sentence.forms) - (0 if with_empty else len(sentence.empty)) for sentence in part.sentences]


def _token_count(document: Document, *, with_empty: bool) -> int:
    if not with_empty:
        return document.token_count
    return sum(len(sentence.forms) for part in document.parts for sentence in part.sentences)


def _chains(document: Document, least: int, part: int | None) -> list[tuple[Mention, ...]]:
    return [
        chain.mentions
        for chain in document.chains
        if len(chain.mentions) >= least and (part is None or chain.mentions[0].part == part)
    ]


def _flat_chains(document: Document, least: int) -> list[tuple[tuple[Span, ...], ...]]:
    """Chains of mentions as stretches of token positions in the document."""
    starts: dict[tuple[int, int], int] = {}
    position = 0
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            starts[part, index] = position
            position += len(sentence.forms)
    return [
        tuple(_shifted(mention.spans, starts[mention.part, mention.sentence]) for mention in chain.mentions)
        for chain in document.chains
        if len(chain.mentions) >= least
    ]


def _shifted(spans: tuple[Span, ...], start: int) -> tuple[Span, ...]:
    return tuple((start + first, start + last) for first, last in spans)


def _check_tokens(key: Document, response: Document, notices: Notices, *, with_empty: bool) -> None:
    error = token_difference(response, key, "in the key", with_empty=with_empty)
    if error is None:
        return
    if _token_count(key, with_empty=with_empty) != _token_count(response, with_empty=with_empty):
        error.hint = _other_parts(key, response)
        raise error
    notices.repair("tokens differ", error, "mentions are aligned by token position")


def _other_parts(key: Document, response: Document) -> str | None:
    """A hint if each has several parts, but not the same ones."""
    in_key, in_response = ([part.number for part in document.parts] for document in (key, response))
    if in_key == in_response or len(in_key) == 1 or len(in_response) == 1:
        return None
    return f"the key has the parts {', '.join(map(str, in_key))}, the response {', '.join(map(str, in_response))}"
