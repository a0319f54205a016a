"""Which parts of speech the disagreed chains have (LongtoNotes 3.3 and Table 12)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple

from client.agreement.antecedents import Antecedents
from merger.document import ChainRef, Document, Mention, Sentence, part_chains
from merger.heads import head_token
from merger.tags import noun_flags


class WordClass(Enum):
    """The class of a mention's head token."""

    PRONOUN = "pronoun"
    NOUN = "noun"
    PROPER_NOUN = "proper noun"
    VERB = "verb"
    OTHER = "other"
    UNTAGGED = "untagged"


class ClassCounts(NamedTuple):
    """Chains and mentions of one word class, and how many of them are, or are in, chains that were disagreed on.

    A chain's class is that of its first mention, the one that decisions are ordered by.
    """

    chains: int = 0
    disagreed_chains: int = 0
    mentions: int = 0
    disagreed_mentions: int = 0

    def plus(self, other: ClassCounts) -> ClassCounts:
        """Counts of both."""
        return ClassCounts(*(one + two for one, two in zip(self, other, strict=True)))


ClassTable = dict[WordClass, ClassCounts]

# fmt: off
_UNIVERSAL = {
    "PRON": WordClass.PRONOUN, "NOUN": WordClass.NOUN, "PROPN": WordClass.PROPER_NOUN,
    "VERB": WordClass.VERB, "AUX": WordClass.VERB,
}
_PENN = {
    **dict.fromkeys(("PRP", "PRP$", "PP", "PP$", "WP", "WP$"), WordClass.PRONOUN),
    **dict.fromkeys(("NN", "NNS"), WordClass.NOUN),
    **dict.fromkeys(("NNP", "NNPS", "NP", "NPS"), WordClass.PROPER_NOUN),
    "MD": WordClass.VERB,
}
# fmt: on
_PENN_VERBS = ("VB", "VH", "VV")


def word_class(sentence: Sentence, token: int) -> WordClass:
    """The class of a token, by its universal tag where it has one, else by its Penn tag."""
    universal = sentence.upos[token] if sentence.upos is not None else ""
    if universal:
        return _UNIVERSAL.get(universal, WordClass.OTHER)
    tag = sentence.xpos[token] if sentence.xpos is not None else ""
    if not tag:
        return WordClass.UNTAGGED
    return _PENN.get(tag, WordClass.VERB if tag.startswith(_PENN_VERBS) else WordClass.OTHER)


def mention_classes(document: Document) -> dict[ChainRef, list[WordClass]]:
    """For every part chain after the first part, with two or more mentions, the class of each mention's head."""
    nouns: dict[tuple[int, int], tuple[bool, ...]] = {}

    def class_of(mention: Mention) -> WordClass:
        sentence = document.sentence(mention)
        place = (mention.part, mention.sentence)
        if place not in nouns:
            nouns[place] = noun_flags(sentence)
        return word_class(sentence, head_token(sentence, mention, nouns[place]))

    return {
        ref: [class_of(mention) for mention in chain.mentions]
        for ref, chain in part_chains(document).items()
        if ref.part and len(chain.mentions) > 1
    }


def count_classes(classes: dict[ChainRef, list[WordClass]], one: Antecedents, other: Antecedents) -> ClassTable:
    """Chains and mentions by class over the chains that both decided on."""
    table: ClassTable = {}
    for ref, found in classes.items():
        if ref not in one or ref not in other:
            continue
        differ = int(one[ref] != other[ref])
        _add(table, found[0], ClassCounts(1, differ))
        for each in found:
            _add(table, each, ClassCounts(0, 0, 1, differ))
    return table


def add_tables(tables: Iterable[ClassTable]) -> ClassTable:
    """Counts of all tables together, in the order of the classes."""
    total: ClassTable = {}
    for table in tables:
        for each, counts in table.items():
            _add(total, each, counts)
    return {each: total[each] for each in WordClass if each in total}


def _add(table: ClassTable, each: WordClass, counts: ClassCounts) -> None:
    table[each] = table.get(each, ClassCounts()).plus(counts)
