"""Gives a document the part boundaries of another one with the same sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from merger.document import Chain, ChainScope, Document, Mention, Sentence
from merger.errors import AlignmentError, Location
from merger.positions import token_line


def with_boundaries_of(template: Document, document: Document) -> Document:
    """``document`` cut into the parts of ``template``: its chains, the template's text.

    Empty nodes must be the same in both. Raises :class:`~merger.errors.AlignmentError` at the first sentence or token
    that differs.
    """
    ours = list(_placed(document))
    theirs = list(_placed(template))
    for (_, sentence), (_, other) in zip(ours, theirs, strict=False):
        if sentence.forms != other.forms:
            raise _difference(document, sentence, template, other)
    if len(ours) != len(theirs):
        raise AlignmentError(
            f"{len(ours)} sentences", Location(document.file, document=document.id), expected=f"{len(theirs)}"
        )
    if [place for place, _ in ours] == [place for place, _ in theirs]:
        return replace(document, parts=template.parts)
    place = {old: new for (old, _), (new, _) in zip(ours, theirs, strict=True)}
    chains = [Chain(chain.id, tuple(_moved(mention, place) for mention in chain.mentions)) for chain in document.chains]
    scope = document.scope if len(document.parts) > 1 else ChainScope.DOCUMENT
    return replace(document, parts=template.parts, chains=tuple(chains), scope=scope)


def _moved(mention: Mention, place: Mapping[tuple[int, int], tuple[int, int]]) -> Mention:
    part, sentence = place[mention.part, mention.sentence]
    return mention._replace(part=part, sentence=sentence)


def _placed(document: Document) -> Iterator[tuple[tuple[int, int], Sentence]]:
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            yield (part, index), sentence


def _difference(document: Document, sentence: Sentence, template: Document, other: Sentence) -> AlignmentError:
    shorter = min(len(sentence.forms), len(other.forms))
    token = next((index for index in range(shorter) if sentence.forms[index] != other.forms[index]), shorter)
    there = Location(template.file, token_line(other, token), template.id)
    found = repr(sentence.forms[token]) if token < len(sentence.forms) else "the end of a sentence"
    wanted = repr(other.forms[token]) if token < len(other.forms) else "the end of the sentence"
    return AlignmentError(
        f"{found} at token {token} of a sentence",
        Location(document.file, token_line(sentence, token), document.id),
        expected=f"{wanted}, as at {there}",
    )
