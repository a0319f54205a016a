"""Small documents, written as text with brackets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from merger.decisions.model import Decision
from merger.document import Chain, ChainRef, ChainScope, Document, Part, Sentence, make_chain, make_mention
from merger.merge import merge_document
from merger.strategies import OptionValue, make_strategy


def parts_of(*parts: str, tags: str = "xpos") -> Document:
    """A document of part chains: ``[a the/DT mayor/NN ] slept/VBD``, a line a sentence, an argument a part.

    ``[a`` opens a mention of chain a, ``]`` closes the mention opened last. ``tags`` names the column that the tags
    after the slash go to.
    """
    read = [_read_part(part, text, tags) for part, text in enumerate(parts)]
    chains = [chain for _, found in read for chain in found]
    return Document("d", tuple(part for part, _ in read), tuple(chains), ChainScope.PART)


def whole(*parts: str) -> Document:
    """A document in the same notation whose chains are over all parts."""
    local = parts_of(*parts)
    joined: dict[str, list[Chain]] = {}
    for chain in local.chains:
        joined.setdefault(chain.id, []).append(chain)
    chains = [make_chain(name, [m for chain in same for m in chain.mentions]) for name, same in joined.items()]
    return local.with_chains(tuple(chains), ChainScope.DOCUMENT)


def _read_part(part: int, text: str, tags: str) -> tuple[Part, list[Chain]]:
    sentences: list[Sentence] = []
    mentions: dict[str, list[tuple[int, int, int]]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        words: list[tuple[str, str]] = []
        opened: list[tuple[str, int]] = []
        for item in line.split():
            if item.startswith("["):
                opened.append((item[1:], len(words)))
            elif item == "]":
                name, first = opened.pop()
                mentions.setdefault(name, []).append((len(sentences), first, len(words) - 1))
            else:
                form, slash, tag = item.rpartition("/")
                words.append((form, tag) if slash else (item, ""))
        assert not opened, line
        column = tuple(tag for _, tag in words)
        sentences.append(_sentence(tuple(form for form, _ in words), column, tags))
    chains = [
        make_chain(name, [make_mention(part, sentence, ((first, last),)) for sentence, first, last in places])
        for name, places in mentions.items()
    ]
    return Part(tuple(sentences), part), chains


def _sentence(forms: tuple[str, ...], column: tuple[str, ...], tags: str) -> Sentence:
    if not any(column):
        return Sentence(forms)
    return Sentence(forms, xpos=column) if tags == "xpos" else Sentence(forms, upos=column)


def links(decisions: Sequence[Decision]) -> dict[str, str]:
    """The links as ``{"1:b": "0:a"}``: chain b of part 1 joins the merged chain that begins with chain a of part 0."""
    return {name(each.chain): name(each.antecedent) for each in decisions if each.antecedent is not None}


def name(ref: ChainRef) -> str:
    return f"{ref.part}:{ref.chain}"


def greedy_links(document: Document, options: Mapping[str, OptionValue] | None = None) -> dict[str, str]:
    """The links that the greedy rule makes."""
    return links(merge_document(document, make_strategy("greedy", options)).decisions)


def clusters(document: Document) -> set[frozenset[tuple[int, int, tuple[tuple[int, int], ...]]]]:
    """Chains as sets of (part, sentence, spans), without their ids."""
    return {frozenset((m.part, m.sentence, m.spans) for m in chain.mentions) for chain in document.chains}
