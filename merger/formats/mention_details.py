"""Annotation of mentions and empty nodes in CoNLL-U beyond chains: mention heads and enhanced dependencies."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from merger.document import Mention, Sentence
from merger.formats.conllu.entity import Fields

Dependency = tuple[str, str]
"""The id of the parent as the file has it (``0``, ``3``, ``3.1``) and the relation."""

_DEPS = 8


def stated_head(sentence: Sentence, mention: Mention) -> int | None:
    """The index of the head token that CorefUD's ``Entity`` states for a mention; ``None`` where it states none.

    ``head`` counts the mention's tokens from 1, empty nodes included (CorefUD 1.0). One beyond the mention is taken as
    its last token, as udapi does.
    """
    source = sentence.source
    if source is None or not source.layout:
        return None
    content = source.details.get(mention.spans)
    index = _head_field(source.layout)
    if content is None or index is None:
        return None
    fields = content.split("-")
    cell = fields[index] if index < len(fields) else ""
    if not cell.isascii() or not cell.isdecimal() or int(cell) == 0:
        return None
    tokens = mention.tokens
    return tokens[min(int(cell), len(tokens)) - 1]


def enhanced_dependencies(sentence: Sentence) -> Mapping[int, tuple[Dependency, ...]]:
    """The DEPS of the sentence's empty nodes by token index; nodes without DEPS are absent.

    Text that was not read from CoNLL-U has none.
    """
    source = sentence.source
    if source is None or source.format != "conllu" or not sentence.empty:
        return {}
    rows = (line.split("\t") for line in source.text.split("\n") if line[:1].isdigit())
    cells = [row[_DEPS] for row in rows if "-" not in row[0]]
    found = {node: tuple(_dependencies(cells[node])) for node in sentence.empty if node < len(cells)}
    return {node: dependencies for node, dependencies in found.items() if dependencies}


def _dependencies(cell: str) -> list[Dependency]:
    pairs = [each.partition(":") for each in cell.split("|")]
    return [(parent, relation) for parent, colon, relation in pairs if colon]


@lru_cache(maxsize=64)
def _head_field(layout: str) -> int | None:
    names = Fields(layout).names
    return names.index("head") if "head" in names else None
