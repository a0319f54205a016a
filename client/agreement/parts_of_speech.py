"""Which parts of speech the disagreed chains have (LongtoNotes 3.3 and Table 12)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from client.agreement.antecedents import Antecedents
from merger.document import ChainRef, Document, Mention, part_chains
from merger.heads import head_token
from merger.tag_sets import WordClass
from merger.tags import TagReader


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


def mention_classes(document: Document) -> dict[ChainRef, list[WordClass]]:
    """For every part chain after the first part, with two or more mentions, the class of each mention's head."""
    nouns: dict[tuple[int, int], tuple[bool, ...]] = {}
    tags = TagReader.of(document)

    def class_of(mention: Mention) -> WordClass:
        sentence = document.sentence(mention)
        place = (mention.part, mention.sentence)
        if place not in nouns:
            nouns[place] = tags.noun_flags(sentence)
        return tags.word_class(sentence, head_token(sentence, mention, nouns[place], tags.tag_set))

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
