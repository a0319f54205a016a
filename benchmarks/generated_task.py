"""Seeded documents of any size to measure with: parts, the whole document with its chains, and odd responses.

A chain begins anywhere and goes on in the parts that follow, always with two mentions or more in a part. Half of the
chains have three mentions or fewer, a few have hundreds. A mention is a noun, or a word and a noun; nouns of a chain
are its own word or one that other chains have too, so that a merge by nouns is right often, and often wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SENTENCE_TOKENS = 20
PART_TOKENS = 700
SLOT_TOKENS = 2
"""A mention of up to two tokens stands in a slot of its own, so that mentions never cross."""
_FILLERS = (("went", "VBD"), ("and", "CC"), ("slowly", "RB"), ("of", "IN"), ("they", "PRP"), ("saw", "VBD"))


@dataclass(frozen=True)
class Placed:
    """A mention: its first token in the document, its length in tokens, the number of its chain, its noun."""

    first: int
    length: int
    chain: int
    noun: str


@dataclass(frozen=True)
class Generated:
    """A document of ``tokens`` tokens; ``mentions`` in text order, of chains numbered from 0."""

    name: str
    tokens: int
    mentions: tuple[Placed, ...]

    @property
    def chains(self) -> int:
        """How many chains there are."""
        return len({mention.chain for mention in self.mentions})


def generate(name: str, tokens: int, chains: int, mentions: int, seed: int = 7) -> Generated:
    """Make a document; needs room for the mentions, ``SLOT_TOKENS`` tokens each."""
    draw = random.Random(seed)  # noqa: S311  # no secrets
    slots = _free_slots(tokens, draw)
    placed: list[Placed] = []
    for chain, size in enumerate(_sizes(chains, mentions, draw)):
        own, shared = f"n{chain}", f"c{int(chains * draw.random() ** 2) // 4}"
        part = draw.randrange(len(slots))
        for group in _groups(size, draw):
            part = _next_part(part, group, slots)
            for _ in range(group):
                first = slots[part].pop()
                noun = own if draw.random() < 0.8 else shared  # noqa: PLR2004  # the share of own words
                placed.append(Placed(first, draw.randint(1, 2), chain, noun))
            part = (part + draw.randint(1, 3)) % len(slots)
    return Generated(name, tokens, tuple(sorted(placed, key=lambda mention: mention.first)))


def _free_slots(tokens: int, draw: random.Random) -> list[list[int]]:
    slots: list[list[int]] = []
    for start in range(0, tokens, PART_TOKENS):
        end = min(start + PART_TOKENS, tokens)
        free = [
            slot
            for sentence in range(start, end, SENTENCE_TOKENS)
            for slot in range(sentence, min(sentence + SENTENCE_TOKENS, end) - SLOT_TOKENS + 1, SLOT_TOKENS)
        ]
        draw.shuffle(free)
        slots.append(free)
    return slots


def _sizes(chains: int, mentions: int, draw: random.Random) -> list[int]:
    """Two mentions each; the rest goes to chains by a long-tailed draw."""
    sizes = [2] * chains
    for _ in range(mentions - 2 * chains):
        sizes[int(chains * draw.random() ** 3)] += 1
    return sizes


def _groups(size: int, draw: random.Random) -> Iterator[int]:
    while size > 3:  # noqa: PLR2004  # two groups of two at least
        group = min(2 + int(draw.expovariate(0.5)), size - 2)
        yield group
        size -= group
    yield size


def _next_part(part: int, wanted: int, slots: list[list[int]]) -> int:
    for offset in range(len(slots)):
        candidate = (part + offset) % len(slots)
        if len(slots[candidate]) >= wanted:
            return candidate
    raise ValueError("no room for the mentions")


def write_parts(document: Generated, path: Path) -> None:
    """Write a CoNLL-2012 file as it is before merging: blocks with chains of their own."""
    _write(document, path, lambda mention: mention.chain, whole=False)


def write_key(document: Generated, path: Path) -> None:
    """Write a CoNLL-2012 file with the chains over the whole document, in one block."""
    _write(document, path, lambda mention: mention.chain)


def write_one_chain(document: Generated, path: Path) -> None:
    """Write a response that has everything in one chain."""
    _write(document, path, lambda _: 0)


def write_merged_at_random(document: Generated, path: Path, seed: int = 7) -> None:
    """Write a response in which every second chain is merged with another one, whichever."""
    draw = random.Random(seed)  # noqa: S311  # no secrets
    target = list(range(document.chains))
    for chain in range(1, document.chains):
        if draw.random() < 0.5:  # noqa: PLR2004  # every second one
            target[chain] = target[draw.randrange(chain)]
    _write(document, path, lambda mention: target[mention.chain])


def write_shuffled(document: Generated, path: Path, seed: int = 7) -> None:
    """Write a response with the right number of chains and sizes, and every mention in a chain drawn at random."""
    draw = random.Random(seed)  # noqa: S311  # no secrets
    chains = [mention.chain for mention in document.mentions]
    draw.shuffle(chains)
    chain_at = {mention.first: chain for mention, chain in zip(document.mentions, chains, strict=True)}
    _write(document, path, lambda mention: chain_at[mention.first])


def _write(document: Generated, path: Path, chain_of: Callable[[Placed], int], *, whole: bool = True) -> None:
    mention_at = {mention.first: mention for mention in document.mentions}
    with path.open("w", encoding="utf-8") as stream:
        ending: tuple[int, str, str] | None = None
        for token in range(document.tokens):
            part, within = divmod(token, PART_TOKENS)
            if token == 0 or (within == 0 and not whole):
                stream.write(f"#begin document ({document.name}); part {0 if whole else part:03d}\n")
            mention = mention_at.get(token)
            word, tag = _FILLERS[token * token % 31 % len(_FILLERS)]
            cell = "-"
            if mention is not None:
                chain = chain_of(mention)
                single = mention.length == 1
                cell = f"({chain})" if single else f"({chain}"
                if single:
                    word, tag = mention.noun, "NN"
                else:
                    word, tag = "the", "DT"
                    ending = (token + 1, mention.noun, f"{chain})")
            elif ending is not None and ending[0] == token:
                word, tag, cell = ending[1], "NN", ending[2]
            index = within % SENTENCE_TOKENS
            stream.write(f"{document.name} {part} {index} {word} {tag} * - - - - * {cell}\n")
            last = token + 1 == document.tokens
            if last or (within + 1) % SENTENCE_TOKENS == 0 or within + 1 == PART_TOKENS:
                stream.write("\n")
            if last or (within + 1 == PART_TOKENS and not whole):
                stream.write("#end document\n")
