"""Where tokens are: their lines in a file, their indexes among the words, and the same tokens in another reading."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from merger.document import Document, Mention, Sentence, Span
from merger.errors import AlignmentError, Location


class TokenPlace(NamedTuple):
    """A token: its part, its sentence there, its index there (0-based)."""

    part: int
    sentence: int
    token: int


def token_difference(
    document: Document, template: Document, of: str = "", *, with_empty: bool = False
) -> AlignmentError | None:
    """The first token of ``document`` that differs from ``template``; ``None`` if all tokens are the same.

    Sentence and part boundaries are not compared; empty nodes only ``with_empty``. The error names both places;
    ``of`` names the template (``"in the key"``).
    """
    ours, theirs = _forms(document, with_empty=with_empty), _forms(template, with_empty=with_empty)
    if ours == theirs:
        return None
    index = next(
        (index for index, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
        min(len(ours), len(theirs)),
    )
    their_place, expected = _describe(template, theirs, index, with_empty=with_empty)
    here, found = _describe(document, ours, index, with_empty=with_empty)
    if index == len(theirs):
        expected = "the end of the document"
    message = f"token {index} of the document (from 0) is {found}"
    return AlignmentError(
        message, here, expected=f"{expected}, as {of} at {their_place}" if of else f"{expected}, as at {their_place}"
    )


def align_tokens(
    document: Document, template: Document, *, with_empty: bool = False
) -> Mapping[TokenPlace, TokenPlace]:
    """For each token of ``document`` the place of the same token in ``template``, whatever the boundaries are.

    The two must have the same tokens, see :func:`token_difference`. ``with_empty`` empty nodes are tokens like the
    others; without, the first of them between two tokens is the template's first one there, and so on; a node that the
    template lacks has no place.
    """
    ours, our_nodes = _placed(document, with_empty=with_empty)
    theirs, their_nodes = _placed(template, with_empty=with_empty)
    places = dict(zip(ours, theirs, strict=True))
    for here, there in zip(our_nodes, their_nodes, strict=True):
        places.update(zip(here, there, strict=False))
    return places


def _placed(document: Document, *, with_empty: bool) -> tuple[list[TokenPlace], list[list[TokenPlace]]]:
    """The places of the tokens, and of the empty nodes before each of them and after the last one."""
    tokens: list[TokenPlace] = []
    nodes: list[list[TokenPlace]] = [[]]
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            for token in range(len(sentence.forms)):
                place = TokenPlace(part, index, token)
                if token in sentence.empty and not with_empty:
                    nodes[-1].append(place)
                else:
                    tokens.append(place)
                    nodes.append([])
    return tokens, nodes


def _forms(document: Document, *, with_empty: bool) -> list[str]:
    return [
        form
        for part in document.parts
        for sentence in part.sentences
        for token, form in enumerate(sentence.forms)
        if with_empty or token not in sentence.empty
    ]


def _token_places(document: Document, *, with_empty: bool) -> Iterator[TokenPlace]:
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            for token in range(len(sentence.forms)):
                if with_empty or token not in sentence.empty:
                    yield TokenPlace(part, index, token)


def _describe(document: Document, forms: list[str], index: int, *, with_empty: bool) -> tuple[Location, str]:
    if index >= len(forms):
        return Location(document.file, document=document.id), "missing: the document ends before it"
    place = next(islice(_token_places(document, with_empty=with_empty), index, None))
    line = token_line(document.parts[place.part].sentences[place.sentence], place.token)
    return Location(document.file, line, document.id, document.parts[place.part].number), repr(forms[index])


def token_line(sentence: Sentence, token: int) -> int | None:
    """The 1-based line of a token in its file; ``None`` if the sentence was not read from lines."""
    source = sentence.source
    if source is None:
        return None
    seen = -1
    for offset, line in enumerate(source.text.split("\n")):
        is_comment = line.startswith("#") and (source.format == "conllu" or "\t" not in line)
        is_range = source.format == "conllu" and "-" in line.partition("\t")[0]
        if line.strip() and not is_comment and not is_range:
            seen += 1
            if seen == token:
                return source.line + offset
    return None


def word_spans(sentence: Sentence, mention: Mention) -> tuple[Span, ...]:
    """A mention's stretches of words: indexes count no empty nodes, and stretches that then touch are joined.

    A mention of only empty nodes has none.
    """
    empty = sentence.empty
    if not empty:
        return mention.spans
    spans: list[Span] = []
    for first, last in mention.spans:
        start, end = first - bisect_left(empty, first), last - bisect_left(empty, last + 1)
        if start > end:
            continue
        if spans and spans[-1][1] + 1 == start:
            start = spans.pop()[0]
        spans.append((start, end))
    return tuple(spans)
