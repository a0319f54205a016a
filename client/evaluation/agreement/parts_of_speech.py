"""Disagreement by part of speech (LongtoNotes 3.3 and Table 12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from client.evaluation.agreement.antecedents import Antecedents
from merger.document import Chain, ChainRef, Document, Mention
from merger.syntax import TagReader, head_token
from merger.tag_sets import WordClass


class ClassCounts(NamedTuple):
    """Chains and mentions of one word class, and how many of them belong to disagreed chains.

    A chain's class is that of its first mention, which also determines the order of decisions.
    """

    chains: int = 0
    disagreed_chains: int = 0
    mentions: int = 0
    disagreed_mentions: int = 0

    def plus(self, other: ClassCounts) -> ClassCounts:
        """Counts of both."""
        return ClassCounts(*(one + two for one, two in zip(self, other, strict=True)))


ClassTable = dict[WordClass, ClassCounts]


class HeadClasses:
    """The nouns of a document and the word classes of heads; each sentence is analysed once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._tags = TagReader.of(document)
        self._nouns: dict[tuple[int, int], tuple[bool, ...]] = {}

    def noun_flags(self, mention: Mention) -> tuple[bool, ...]:
        """For each token of the mention's sentence whether it is a noun."""
        place = (mention.part, mention.sentence)
        if place not in self._nouns:
            self._nouns[place] = self._tags.noun_flags(self._document.sentence(mention))
        return self._nouns[place]

    def class_of(self, mention: Mention) -> WordClass:
        """The class of the mention's head token."""
        sentence = self._document.sentence(mention)
        head = head_token(sentence, mention, self.noun_flags(mention), self._tags.tag_set)
        return self._tags.word_class(sentence, head)


def mention_classes(document: Document, chains: Mapping[ChainRef, Chain]) -> dict[ChainRef, list[WordClass]]:
    """For every part chain after the first part the class of each mention's head."""
    heads = HeadClasses(document)
    return {ref: [heads.class_of(mention) for mention in chain.mentions] for ref, chain in chains.items() if ref.part}


def count_classes(classes: Mapping[ChainRef, Sequence[WordClass]], one: Antecedents, other: Antecedents) -> ClassTable:
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
