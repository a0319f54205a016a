"""Writes e2e-coref jsonlines. A line that was read keeps every byte outside the values that change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from merger.document import ChainScope, Document, Sentence, Span, chain_order
from merger.errors import Location
from merger.formats.base import genre_of
from merger.formats.jsonlines.clusters import index_tokens, read_clusters
from merger.formats.jsonlines.reader import CLUSTER_KEYS, NO_SPEAKER, SCOPE_KEY, read_part_ids
from merger.formats.word_mentions import WordMentions
from merger.message_text import printable
from merger.notices import Notices, Policy
from merger.strict_json import JsonError, Object, dump, parse_object, splice

_OWN_KEYS = frozenset(
    {"doc_key", "sentences", "speakers", "pos", "xpos", "upos", "genre", "part_ids", "parts", SCOPE_KEY, *CLUSTER_KEYS}
)


def write_jsonlines(document: Document, notices: Notices) -> Iterator[str]:
    """Yield the document's line.

    Raises :class:`~merger.errors.UnsupportedError` for discontinuous mentions, unless the policy is lenient: then they
    are written from their first to their last token.
    """
    words = [_words(sentence) for part in document.parts for sentence in part.sentences]
    clusters = _clusters(document, words, notices)
    if len(document.parts) > 1 and not all(part.sentences for part in document.parts):
        message = "part boundaries are kept by sentence: parts without sentences are left out"
        notices.add("empty part left out", message, _place(document))
    original = _original(document)
    if original is not None and original.get("sentences") == words:
        text = _changed(document, original, words, clusters, notices)
    else:
        text = dump(_new(document, original or {}, words, clusters, notices))
    yield text if text.endswith("\n") else text + "\n"


def _place(document: Document) -> Location:
    return Location(document.file, document=document.id)


def _words(sentence: Sentence) -> list[str]:
    if not sentence.empty:
        return list(sentence.forms)
    empty = frozenset(sentence.empty)
    return [form for index, form in enumerate(sentence.forms) if index not in empty]


def _original(document: Document) -> Object | None:
    """The object that the document was read from, if it was read from jsonlines."""
    if not document.extra.lstrip().startswith("{"):
        return None
    try:
        return parse_object(document.extra)
    except JsonError:
        return None


def _clusters(document: Document, words: Sequence[Sequence[str]], notices: Notices) -> list[list[Span]]:
    """The chains as token offsets over the whole document, in text order."""
    starts = index_tokens([len(sentence) for sentence in words]).starts
    first_sentence = []
    count = 0
    for part in document.parts:
        first_sentence.append(count)
        count += len(part.sentences)
    written = WordMentions(document, "jsonlines", notices)
    clusters = []
    for chain in sorted(document.chains, key=chain_order):
        spans = []
        for mention in chain.mentions:
            local = written.span(mention, chain)
            if local is not None:
                start = starts[first_sentence[mention.part] + mention.sentence]
                spans.append((start + local[0], start + local[1]))
        if spans:
            clusters.append(spans)
    return clusters


def _part_ids(document: Document) -> list[int]:
    return [part.number for part in document.parts for _ in part.sentences]


def _changed(
    document: Document,
    original: Object,
    words: Sequence[Sequence[str]],
    clusters: Sequence[Sequence[Span]],
    notices: Notices,
) -> str:
    """The original line with the changed values."""
    changes: Object = {}
    removed = frozenset[str]()
    if original.get("doc_key") != document.id:
        changes["doc_key"] = document.id
    key = next((key for key in CLUSTER_KEYS if key in original), None)
    if (key is None and clusters) or (key is not None and not _same(original[key], key, words, clusters)):
        changes[key or CLUSTER_KEYS[0]] = clusters
    numbers = _part_ids(document)
    quiet = Notices(Policy.LENIENT)
    found = read_part_ids(original, len(words), _place(document), quiet)
    if numbers != found and (found or set(numbers) - {0}):
        if "part_ids" in original or "parts" not in original:
            changes["part_ids"] = numbers
        elif list(dict.fromkeys(numbers)) == list(range(len(document.parts))):
            changes["parts"] = _bounds(numbers)
        else:
            removed = frozenset({"parts"})
            changes["part_ids"] = numbers
    stated = _stated_scope(document, original, words, clusters)
    if stated is None:
        removed |= {SCOPE_KEY} & original.keys()
    elif stated != original.get(SCOPE_KEY):
        changes[SCOPE_KEY] = stated
    merged_here = document.scope is ChainScope.DOCUMENT and original.get(SCOPE_KEY) != ChainScope.DOCUMENT.value
    if changes or removed or (merged_here and len(document.parts) == 1):
        removed |= _outdated(document, original, key, notices)
    return splice(document.extra, changes, removed) if changes or removed else document.extra


def _outdated(document: Document, original: Object, key: str | None, notices: Notices) -> frozenset[str]:
    """Leave out the other kind of clusters: a scorer could read them instead of those that changed."""
    outdated = frozenset(CLUSTER_KEYS) & original.keys() - {key}
    for each in sorted(outdated):
        message = f"{each} belong to the line as it was read: they are left out"
        notices.add("outdated clusters left out", message, _place(document))
    return outdated


def _same(value: object, key: str, words: Sequence[Sequence[str]], clusters: Sequence[Sequence[Span]]) -> bool:
    """Whether the original clusters equal the ones to write, in any order, and needed no repair."""
    tokens = index_tokens([len(sentence) for sentence in words])
    repairs = Notices(Policy.LENIENT)
    read = read_clusters(value, key, tokens, Location(), repairs)
    same = sorted(sorted(spans) for _, spans in read) == sorted(sorted(spans) for spans in clusters)
    return same and not len(repairs)


def _stated_scope(
    document: Document, original: Object, words: Sequence[Sequence[str]], clusters: Sequence[Sequence[Span]]
) -> str | None:
    """The scope of the chains to write in the changed line; ``None`` for none."""
    if SCOPE_KEY in original:
        must_state = document.scope is ChainScope.DOCUMENT or original[SCOPE_KEY] == document.scope.value
    else:
        must_state = _must_state_scope(document, words, clusters)
    return document.scope.value if must_state else None


def _must_state_scope(document: Document, words: Sequence[Sequence[str]], clusters: Sequence[Sequence[Span]]) -> bool:
    """Whether chains over the whole document would be taken for chains of the parts: none of them crosses one."""
    numbers = _part_ids(document)
    if document.scope is not ChainScope.DOCUMENT or len(set(numbers)) < 2:  # noqa: PLR2004  # one part has no crossing
        return False
    tokens = index_tokens([len(sentence) for sentence in words])
    return all(numbers[tokens.sentence(spans[0][0])] == numbers[tokens.sentence(spans[-1][0])] for spans in clusters)


def _bounds(numbers: Sequence[int]) -> list[list[int]]:
    groups = [[index for index, _ in group] for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1])]
    return [[group[0], group[-1]] for group in groups]


def _new(
    document: Document,
    original: Object,
    words: Sequence[Sequence[str]],
    clusters: Sequence[Sequence[Span]],
    notices: Notices,
) -> Object:
    """A new line. If the original has other tokens, the line keeps only keys that cannot depend on them."""
    sentences = [sentence for part in document.parts for sentence in part.sentences]
    if any(sentence.empty for sentence in sentences):
        notices.add("empty nodes left out", "jsonlines has no empty nodes: they are left out", _place(document))
    content: Object = {"doc_key": document.id}
    if document.genre and document.genre != genre_of(document.id):
        content["genre"] = document.genre
    content["sentences"] = words
    content["speakers"] = [_cells(sentence, sentence.speakers, NO_SPEAKER) for sentence in sentences]
    if any(sentence.xpos for sentence in sentences):
        content["pos"] = [_cells(sentence, sentence.xpos, "") for sentence in sentences]
    if any(sentence.upos for sentence in sentences):
        content["upos"] = [_cells(sentence, sentence.upos, "") for sentence in sentences]
    numbers = _part_ids(document)
    if len(document.parts) > 1 or set(numbers) - {0}:
        content["part_ids"] = numbers
    if _must_state_scope(document, words, clusters):
        content[SCOPE_KEY] = document.scope.value
    content["clusters"] = clusters
    for key, value in original.items():
        if key in _OWN_KEYS:
            continue
        if isinstance(value, (list, dict)):
            message = f"the tokens are not those of one line any more: keys such as {printable(key)} are left out"
            notices.add("keys left out", message, _place(document))
        else:
            content[key] = value
    return content


def _cells(sentence: Sentence, column: Sequence[str] | None, missing: str) -> list[str]:
    cells = column or ("",) * len(sentence.forms)
    empty = frozenset(sentence.empty)
    return [cell or missing for index, cell in enumerate(cells) if index not in empty]
