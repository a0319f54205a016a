"""Documents of any size that are easy or hard for the greedy rule, in memory, all seeded."""

from __future__ import annotations

import random
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise

from benchmarks.generated_task import PART_TOKENS, SENTENCE_TOKENS, generate
from merger import Chain, ChainScope, Document, Mention, Part, Sentence

Words = tuple[tuple[str, str], ...]
"""Tokens with their tags."""

_CHAIN_TOKENS = 10
"""One part chain in so many tokens."""
_FILLER = ("went", "VBD")
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aeiou"


def word(number: int) -> str:
    """A word of four syllables, nearly always another for another number, and no nearer for a nearer one."""
    scattered = zlib.crc32(number.to_bytes(8, "big")) % 80**4
    syllables = []
    for _ in range(4):
        scattered, syllable = divmod(scattered, 80)
        syllables.append(_CONSONANTS[syllable // 5] + _VOWELS[syllable % 5])
    return "".join(syllables)


def natural(tokens: int) -> Document:
    """Chains that go on through the parts, with words of their own and words that others have too."""
    chains = tokens // _CHAIN_TOKENS * 4 // 5  # a quarter more in parts
    made = generate("d", tokens, chains, 3 * chains)
    parts: list[dict[int, list[Words]]] = [defaultdict(list) for _ in range(-(-tokens // PART_TOKENS))]
    for placed in made.mentions:
        number = int(placed.noun[1:]) + (0 if placed.noun.startswith("n") else chains)
        noun = (word(number), "NN")
        words = (noun,) if placed.length == 1 else (("the", "DT"), noun)
        parts[placed.first // PART_TOKENS][placed.chain].append(words)
    return _document([list(part.values()) for part in parts], tokens)


def everywhere(tokens: int) -> Document:
    """Every chain has a word of its own and then one that stands in all of them."""
    return _evenly(tokens, lambda number: [_nouns(word(number)), _nouns("water")])


def rarely_sought(tokens: int) -> Document:
    """A word stands in every chain, but only one chain in a hundred has it as a noun and looks for it."""
    return _evenly(tokens, lambda n: [_nouns(word(n)), (("water", "NN" if n % 100 == 0 else "VB"),)])


def everywhere_in_two_parts(tokens: int) -> Document:
    """The same in two parts, so that the chains of the first one stay apart until the second."""
    return _evenly(tokens, lambda number: [_nouns(word(number)), _nouns("water")], parts=2)


def one_chain(tokens: int) -> Document:
    """Every chain brings a new word and has one of an earlier part: one merged chain gets all words."""
    # The chains of the first part all have word 0, the next ones join one of them by it; part by part there are 70.
    return _evenly(tokens, lambda number: [_nouns(word(number)), _nouns(word(number - 80 if number > 230 else 0))])  # noqa: PLR2004


def no_merge(tokens: int) -> Document:
    """No word comes again."""
    return _evenly(tokens, lambda number: [_nouns(word(2 * number)), _nouns(word(2 * number + 1))])


def zipf(tokens: int) -> Document:
    """Nouns drawn by Zipf's law, with and without an article."""
    return _evenly(tokens, _by_zipf(tokens))


def zipf_in_two_parts(tokens: int) -> Document:
    """The same in two parts, which are as long as can be."""
    return _evenly(tokens, _by_zipf(tokens), parts=2)


def half_alike(tokens: int) -> Document:
    """All strings end in the same letters, almost half of all: the worst there is for comparing by stretches."""
    return _evenly(tokens, lambda number: [_nouns(word(2 * number + place), "water") for place in (0, 1)])


def _by_zipf(tokens: int) -> Callable[[int], list[Words]]:
    draw = random.Random(7)  # noqa: S311  # no secrets
    vocabulary = range(tokens // _CHAIN_TOKENS)
    weights = list(accumulate(1 / (rank + 1) for rank in vocabulary))

    def mentions(_: int) -> list[Words]:
        nouns = [word(rank) for rank in draw.choices(vocabulary, cum_weights=weights, k=draw.choice((2, 2, 3)))]
        return [_nouns(noun) if draw.random() < 0.5 else (("the", "DT"), *_nouns(noun)) for noun in nouns]  # noqa: PLR2004

    return mentions


TEXTS: Mapping[str, Callable[[int], Document]] = {
    "natural": natural,
    "one noun in every chain": everywhere,
    "one noun in every chain, two parts": everywhere_in_two_parts,
    "one word in every chain, rarely sought": rarely_sought,
    "everything merges into one chain": one_chain,
    "nothing merges": no_merge,
    "nouns by Zipf's law": zipf,
    "nouns by Zipf's law, two parts": zipf_in_two_parts,
}


def _nouns(*forms: str) -> Words:
    return tuple((form, "NN") for form in forms)


def _evenly(tokens: int, mentions_of: Callable[[int], list[Words]], parts: int = 0) -> Document:
    """As many chains in every part, numbered on."""
    count = parts or max(1, tokens // PART_TOKENS)
    chains = tokens // _CHAIN_TOKENS
    bounds = [chains * index // count for index in range(count + 1)]
    made = [[mentions_of(number) for number in range(first, end)] for first, end in pairwise(bounds)]
    return _document(made, tokens)


def _document(parts: Sequence[Sequence[Sequence[Words]]], tokens: int) -> Document:
    """Lay the mentions of each part out in a random order, with other words between them up to the tokens wanted."""
    draw = random.Random(7)  # noqa: S311  # no secrets
    made: list[Part] = []
    chains: list[Chain] = []
    for index, part in enumerate(parts):
        mentions = [(chain, words) for chain, each in enumerate(part) for words in each]
        draw.shuffle(mentions)
        wanted = tokens * (index + 1) // len(parts) - tokens * index // len(parts)
        sentences, placed = _lay_out(mentions, wanted, index)
        made.append(Part(tuple(sentences), index))
        chains.extend(Chain(f"{chain}", tuple(placed[chain])) for chain in range(len(part)))
    return Document("d", tuple(made), tuple(chains), ChainScope.PART)


def _lay_out(
    mentions: Sequence[tuple[int, Words]], tokens: int, part: int
) -> tuple[list[Sentence], dict[int, list[Mention]]]:
    sentences: list[Sentence] = []
    placed: dict[int, list[Mention]] = defaultdict(list)
    row: list[tuple[str, str]] = []
    spare = max(0, tokens - sum(len(words) for _, words in mentions))
    for chain, words in mentions:
        if len(row) + len(words) > SENTENCE_TOKENS:
            sentences.append(_sentence(row))
            row = []
        placed[chain].append(Mention(part, len(sentences), len(row), len(row) + len(words) - 1))
        row.extend(words)
        fill = min(spare // max(1, len(mentions)), SENTENCE_TOKENS - len(row))
        row.extend([_FILLER] * fill)
    sentences.append(_sentence(row or [_FILLER]))
    left = tokens - sum(map(len, sentences))
    sentences.extend(_sentence([_FILLER] * size) for size in _sizes(left))
    return sentences, placed


def _sizes(tokens: int) -> Iterator[int]:
    for start in range(0, tokens, SENTENCE_TOKENS):
        yield min(SENTENCE_TOKENS, tokens - start)


def _sentence(row: Sequence[tuple[str, str]]) -> Sentence:
    return Sentence(tuple(form for form, _ in row), xpos=tuple(tag for _, tag in row))
