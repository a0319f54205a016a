"""The head token of a mention, from the dependency tree or, without one, by position."""

from __future__ import annotations

from collections.abc import Sequence

from merger.document import Mention, Sentence
from merger.tag_sets import PENN, TagSet


def head_token(sentence: Sentence, mention: Mention, nouns: Sequence[bool], tag_set: TagSet = PENN) -> int:
    """The index of the mention's head token in its sentence. ``tag_set`` is that of the text.

    With dependency heads: the first token whose head lies outside the mention. Without: the last noun before the
    first postmodifier (a preposition, relative word, participle or comma after a noun), as in *the mayor of York*;
    without any noun, the last token.
    """
    tokens = mention.tokens
    if sentence.heads is not None:
        inside = set(tokens)
        for index in tokens:
            if sentence.heads[index] not in inside:
                return index
    tags = sentence.xpos or sentence.upos or ("",) * len(sentence.forms)
    head: int | None = None
    for index in tokens:
        if nouns[index]:
            head = index
        elif head is not None and tag_set.is_postmodifier(tags[index]):
            break
    return tokens[-1] if head is None else head
