"""Reads e2e-coref jsonlines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from sys import intern

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, chain_order, make_chain
from merger.errors import AnnotationError, FormatError, InputError, Location
from merger.formats.base import Lines, ReadOptions, Unreadable, genre_of
from merger.formats.conllu.comments import PART_DIGITS, name_from_file, parse_part
from merger.formats.jsonlines.clusters import Cluster, TokenIndex, index_tokens, read_clusters
from merger.message_text import printable, shorten
from merger.notices import Notices
from merger.strict_json import JsonError, Object, dump, find_lone_surrogate, parse_object, type_name

CLUSTER_KEYS = ("clusters", "predicted_clusters")
SCOPE_KEY = "chain_scope"
_TEXT_KEYS = ("doc_key", "sentences", "speakers", "pos", "xpos", "upos", "genre")
_LEAST_TOO_HIGH = 10**PART_DIGITS
NO_SPEAKER = "-"
_DOC_KEY = re.compile(r'"doc_key"\s*:\s*("(?:[^"\\]|\\.)*")')


def read_jsonlines(source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
    """Yield the documents of one input; see :class:`merger.formats.jsonlines.format.JsonlinesFormat`.

    After a line that cannot be read it continues with the next one.
    """
    # Without the pattern a line is a document.
    may_be_part = options.part_pattern is not None
    count = number = 0
    for number, line in enumerate(source.lines, 1):
        if line.strip():
            try:
                if fault := source.fault(number, number):
                    raise fault
                yield _read_line(line, source, number, options, count)
            except InputError as error:
                yield options.unreadable(error, _document_in(line, options), may_be_part=may_be_part)
            count += 1
    if fault := source.fault(number + 1):
        yield options.unreadable(fault, may_be_part=may_be_part)
    if not count:
        raise FormatError("the file is empty", source.place(None), expected="a JSON object a line")


def _document_in(line: str, options: ReadOptions) -> str | None:
    """The document id of a line that cannot be read; ``None`` if it cannot be found."""
    found = _DOC_KEY.search(line)
    try:
        name = json.loads(found[1]) if found is not None else ""
    except ValueError:
        return None
    if not name.strip() or "\ufffd" in name:
        return None
    match = options.part_pattern.fullmatch(name) if options.part_pattern is not None else None
    return match["document"] if match is not None else name


def _read_line(line: str, source: Lines, number: int, options: ReadOptions, count: int) -> Document:
    """The document of a line that ``count`` others came before."""
    place = source.place(number)
    try:
        content = parse_object(line)
    except JsonError as error:
        raise FormatError(str(error), place, expected="a JSON object a line") from None
    if broken := find_lone_surrogate(line, content, _TEXT_KEYS):
        key, string = broken
        message = f"{key} has {shorten(string)!r}, a lone surrogate, which no encoding can write"
        raise FormatError(message, place, expected="surrogates in pairs")
    name = _name(content, source, place, options, count)
    place = source.place(number, name)
    document_id, part = _split_name(name, options, place)
    words = _sentences(content, place, options)
    tokens = index_tokens([len(sentence) for sentence in words])
    clusters = _clusters(content, tokens, place, options)
    sentences = _make_sentences(content, words, tokens, place)
    parts = _parts(content, sentences, part, place, options.notices)
    genre = content.get("genre")
    chains = [make_chain(cluster, _mentions(spans, tokens, parts)) for cluster, spans in clusters]
    chains.sort(key=chain_order)
    scope = _scope(content, chains, place)
    return Document(
        document_id,
        parts,
        tuple(chains),
        scope,
        genre if isinstance(genre, str) and genre else genre_of(document_id),
        source.name,
        line,
        number,
    )


def _name(content: Object, source: Lines, place: Location, options: ReadOptions, count: int) -> str:
    name = content.get("doc_key")
    if not isinstance(name, str):
        raise _wrong(content, "doc_key", "a string", place)
    if not name.strip():
        # Two nameless documents of a file must not become one.
        name = name_from_file(source.name) + (f"-{count}" if count else "")
        error = FormatError("an empty doc_key", place, expected="the document's id")
        options.notices.repair("empty doc_key", error, f"the document gets the name of its file, {printable(name)}")
    return name


def _scope(content: Object, chains: Sequence[Chain], place: Location) -> ChainScope:
    """The scope of the chains: as the line states it, or the document if a chain crosses parts."""
    crossing = next((chain for chain in chains if chain.mentions[0].part != chain.mentions[-1].part), None)
    if SCOPE_KEY not in content:
        return ChainScope.PART if crossing is None else ChainScope.DOCUMENT
    value = content[SCOPE_KEY]
    scope = next((scope for scope in ChainScope if scope.value == value), None)
    if scope is None:
        expected = " or ".join(dump(scope.value) for scope in ChainScope)
        raise FormatError(f"{SCOPE_KEY} is {shorten(dump(value))}", place, expected=expected)
    if scope is ChainScope.PART and crossing is not None:
        message = f"{SCOPE_KEY} is {dump(value)}, but cluster {crossing.id} has mentions in several parts"
        raise AnnotationError(message, place, expected="clusters inside one part")
    return scope


def _wrong(content: Object, key: str, expected: str, place: Location) -> FormatError:
    if key in content:
        return FormatError(f"{key} is {type_name(content[key])}", place, expected=expected)
    hint = None
    if key == "sentences" and "cased_words" in content:
        hint = "this looks like the jsonlines of wl-coref, which has cased_words and exclusive ends"
    return FormatError(f"no key {key}", place, expected=expected, hint=hint)


def _split_name(name: str, options: ReadOptions, place: Location) -> tuple[str, int]:
    """The document id and part number in a ``doc_key``."""
    match = options.part_pattern.fullmatch(name) if options.part_pattern is not None else None
    if match is None:
        return name, 0
    part = parse_part(match["part"])
    if part is None:
        message = f"part {shorten(match['part'])!r} in doc_key {shorten(name)!r}"
        raise FormatError(message, place, expected=f"a number of {PART_DIGITS} digits at most")
    return match["document"], part


def _sentences(content: Object, place: Location, options: ReadOptions) -> list[list[str]]:
    sentences = content.get("sentences")
    if options.predicted and sentences is None and isinstance(tokens := content.get("tokens"), list):
        # For predictions only the tokens matter, and many systems write no sentences.
        sentences = tokens if any(isinstance(each, list) for each in tokens) else [tokens]
    expected = "a list of lists of tokens"
    if not isinstance(sentences, list):
        raise _wrong(content, "sentences", expected, place)
    for index, sentence in enumerate(sentences):
        if not isinstance(sentence, list):
            raise FormatError(f"sentence {index} is {type_name(sentence)}", place, expected=expected)
        if not set(map(type, sentence)) <= {str}:
            token = next(position for position, word in enumerate(sentence) if type(word) is not str)
            message = f"token {token} of sentence {index} is {type_name(sentence[token])}"
            raise FormatError(message, place, expected="a string")
    return sentences


def _clusters(content: Object, tokens: TokenIndex, place: Location, options: ReadOptions) -> list[Cluster]:
    field = options.clusters_field
    if field is None:
        field = _usual_field(content, place, options)
    elif field not in content:
        raise FormatError(
            f"no key {printable(field)}", place, expected="the clusters to read", hint=_fields_hint(content)
        )
    return [] if field is None else read_clusters(content[field], field, tokens, place, options.notices)


def _usual_field(content: Object, place: Location, options: ReadOptions) -> str | None:
    """The key whose clusters are read if none is named; ``None`` for a line without coreference."""
    gold, predicted = CLUSTER_KEYS
    if gold in content and predicted in content:
        read, kept, kind = (
            (predicted, gold, "predicted clusters read")
            if options.predicted
            else (gold, predicted, "two kinds of clusters")
        )
        empty = f" ({read} is empty)" if not content[read] and content[kept] else ""
        message = f"both {gold} and {predicted}: {read} are read{empty}; the option clusters_field names others"
        options.notices.add(kind, message, place)
        return read
    found = next((key for key in CLUSTER_KEYS if key in content), None)
    if found is None:
        options.notices.add("no clusters", "neither clusters nor predicted_clusters: no coreference annotation", place)
    return found


def _fields_hint(content: Object) -> str | None:
    fields = [printable(key) for key, value in content.items() if "cluster" in key and isinstance(value, list)]
    return f"the line has {', '.join(fields)}" if fields else None


def _make_sentences(
    content: Object, words: Sequence[Sequence[str]], tokens: TokenIndex, place: Location
) -> list[Sentence]:
    xpos = _column(content, "pos" if "pos" in content else "xpos", words, tokens, place)
    upos = _column(content, "upos", words, tokens, place)
    speakers = _column(content, "speakers", words, tokens, place, missing=NO_SPEAKER)
    return [
        Sentence(
            tuple(map(intern, sentence)),
            xpos[index] if xpos else None,
            upos[index] if upos else None,
            speakers[index] if speakers else None,
        )
        for index, sentence in enumerate(words)
    ]


def _column(
    content: Object,
    key: str,
    words: Sequence[Sequence[str]],
    tokens: TokenIndex,
    place: Location,
    *,
    missing: str = "",
) -> list[tuple[str, ...]] | None:
    """A key with one string a token, nested like the sentences or flat; ``None`` if there is nothing in it."""
    value = content.get(key)
    if value is None:
        return None
    if not isinstance(value, list):
        raise FormatError(f"{key} is {type_name(value)}", place, expected="a list")
    if value and not any(isinstance(each, list) for each in value):
        if len(value) != tokens.total:
            raise FormatError(f"{key} has {len(value)} values", place, expected=f"{tokens.total}, one a token")
        starts = [*tokens.starts, tokens.total]
        value = [value[start:end] for start, end in pairwise(starts)]
    if len(value) != len(words):
        raise FormatError(f"{key} has {len(value)} lists", place, expected=f"{len(words)}, one a sentence")
    columns = []
    for index, (cells, sentence) in enumerate(zip(value, words, strict=True)):
        if not isinstance(cells, list) or len(cells) != len(sentence):
            found = f"{len(cells)} values" if isinstance(cells, list) else type_name(cells)
            raise FormatError(f"{key} of sentence {index}: {found}", place, expected=f"{len(sentence)}, one a token")
        if not set(map(type, cells)) <= {str, type(None)}:
            raise FormatError(f"{key} of sentence {index} has other values than strings", place, expected="strings")
        columns.append(tuple(["" if cell is None or cell == missing else intern(cell) for cell in cells]))
    return columns if any(map(any, columns)) else None


def _parts(
    content: Object, sentences: Sequence[Sentence], number: int, place: Location, notices: Notices
) -> tuple[Part, ...]:
    """The parts of a line; without boundaries one, with the number from its name."""
    numbers = read_part_ids(content, len(sentences), place, notices)
    if not numbers:
        return (Part(tuple(sentences), number),)
    starts = [index for index in range(len(numbers)) if index == 0 or numbers[index] != numbers[index - 1]]
    return tuple(
        Part(tuple(sentences[start:end]), numbers[start]) for start, end in pairwise([*starts, len(sentences)])
    )


def read_part_ids(content: Object, count: int, place: Location, notices: Notices) -> list[int]:
    """The part number of each of ``count`` sentences, empty if the line has no part boundaries.

    Raises :class:`~merger.errors.FormatError` for values that do not fit the sentences.
    """
    numbers = content.get("part_ids")
    if numbers is None:
        return _from_bounds(content, count, place)
    if "parts" in content:
        notices.add("two kinds of parts", "both part_ids and parts: part_ids are read, parts kept as they are", place)
    if not isinstance(numbers, list):
        raise FormatError(f"part_ids is {type_name(numbers)}", place, expected="a list of part numbers")
    before = 0
    for index, number in enumerate(numbers):
        if type(number) is not int or not 0 <= number < _LEAST_TOO_HIGH:
            expected = f"a part number of {PART_DIGITS} digits at most"
            raise FormatError(f"part_ids has {shorten(dump(number))} at {index}", place, expected=expected)
        if number < before:
            message = f"part_ids has {number} at {index}, after {before}"
            raise FormatError(message, place, expected="parts in order, each part's sentences together")
        before = number
    if len(numbers) != count:
        raise FormatError(f"part_ids has {len(numbers)} numbers", place, expected=f"{count}, one a sentence")
    return numbers


def _from_bounds(content: Object, count: int, place: Location) -> list[int]:
    bounds = content.get("parts")
    if bounds is None:
        return []
    expected = f"[first, last] sentence of each part, in order, from 0 to {count - 1}"
    numbers: list[int] = []
    if not isinstance(bounds, list):
        raise FormatError(f"parts is {type_name(bounds)}", place, expected=expected)
    for part, bound in enumerate(bounds):
        is_pair = isinstance(bound, list) and [type(end) for end in bound] == [int, int]
        if not is_pair or bound[0] != len(numbers) or not bound[0] <= bound[1] < count:
            raise FormatError(f"parts has {bound!r} at {part}", place, expected=expected)
        numbers += [part] * (bound[1] - bound[0] + 1)
    if len(numbers) != count:
        raise FormatError(f"parts ends at sentence {len(numbers) - 1}", place, expected=expected)
    return numbers


def _mentions(spans: Sequence[tuple[int, int]], tokens: TokenIndex, parts: Sequence[Part]) -> list[Mention]:
    first_sentences = list(accumulate((len(part.sentences) for part in parts), initial=0))
    mentions = []
    part = 0
    for first, last in spans:
        sentence = tokens.sentence(first)
        while sentence < first_sentences[part]:
            part -= 1
        while sentence >= first_sentences[part + 1]:
            part += 1
        start = tokens.starts[sentence]
        mentions.append(Mention(part, sentence - first_sentences[part], first - start, last - start))
    return mentions
