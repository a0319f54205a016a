"""The greedy rule as it is told: every noun of a chain against every noun of every merged chain of earlier parts."""

from __future__ import annotations

from merger import ChainRef, Document, Mention
from merger.document import Chain, chains_by_part, text_order
from merger.syntax import TagReader


def naive_links(document: Document) -> dict[ChainRef, ChainRef | None]:
    """The antecedent of every chain by its first part chain, or ``None`` for new, with the default options."""
    roots: list[ChainRef] = []
    nouns: list[list[str]] = []
    last: list[Mention] = []
    links: dict[ChainRef, ChainRef | None] = {}
    tags = TagReader.of(document)
    for part, chains in enumerate(chains_by_part(document)):
        found: list[tuple[Chain, list[str], int | None]] = []
        for chain in chains:
            own = _nouns(document, tags, chain)
            found.append((chain, own, _find(own, nouns, last)))
        for chain, own, number in found:
            ref = ChainRef(part, chain.id)
            if number is None:
                links[ref] = None
                roots.append(ref)
                nouns.append(own)
                last.append(chain.mentions[-1])
            else:
                links[ref] = roots[number]
                nouns[number] = nouns[number] + own
                last[number] = max(last[number], chain.mentions[-1], key=text_order)
    return links


def _find(own: list[str], nouns: list[list[str]], last: list[Mention]) -> int | None:
    for noun in own:
        best: int | None = None
        for number, theirs in enumerate(nouns):
            if noun in theirs and (best is None or text_order(last[best]) < text_order(last[number])):
                best = number
        if best is not None:
            return best
    return None


def _nouns(document: Document, tags: TagReader, chain: Chain) -> list[str]:
    found = [
        (mention.sentence, token, document.sentence(mention).forms[token])
        for mention in chain.mentions
        for token in mention.tokens
        if tags.noun_flags(document.sentence(mention))[token]
    ]
    return [noun for _, _, noun in sorted(found, key=lambda each: each[:2])]
