"""The gold merges of a document: read once, and compared with the merges of every strategy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from client.evaluation.agreement.parts_of_speech import mention_classes
from client.evaluation.scoring.links import Linking, mergeable_chains, read_linking
from merger.document import Chain, ChainRef, Document, Mention
from merger.resegment import with_boundaries_of
from merger.tag_sets import WordClass


@dataclass(frozen=True, slots=True)
class GoldDecision:
    """The gold antecedent of a part chain: its part chains in text order, none for *new*.

    ``nearest`` is the part chain with the antecedent's last mention. ``distance`` counts the tokens from the start of
    that mention to the start of the chain's first one. Both are ``None`` for *new*.
    """

    antecedent: tuple[ChainRef, ...]
    nearest: ChainRef | None = None
    distance: int | None = None


@dataclass(frozen=True)
class GoldMerges:
    """A document before merging, its part chains of two or more mentions, and how the gold merges link them."""

    parts: Document
    chains: Mapping[ChainRef, Chain]
    linking: Linking

    @classmethod
    def read(cls, parts: Document, key: Document) -> GoldMerges:
        """Both have the same parts and tokens.

        Raises :class:`~merger.errors.DecisionError` if the key does not keep a part chain together.
        """
        chains = mergeable_chains(parts)
        return cls(parts, chains, read_linking(chains, key))

    def link(self, response: Document) -> Linking:
        """How a response links the same part chains; it can have other part boundaries.

        Raises :class:`~merger.errors.DecisionError` if it does not keep a part chain together, and
        :class:`~merger.errors.AlignmentError` if its tokens differ.
        """
        return read_linking(self.chains, with_boundaries_of(self.parts, response))

    @cached_property
    def decisions(self) -> dict[ChainRef, GoldDecision]:
        """The gold decision on every chain after the first part, in annotation order."""
        offset = token_offsets(self.parts)
        last = {ref: max(map(offset, chain.mentions)) for ref, chain in self.chains.items()}
        decisions = {}
        for ref, antecedent in self.linking.antecedents.items():
            nearest = max(antecedent, key=last.__getitem__, default=None)
            distance = None if nearest is None else min(map(offset, self.chains[ref].mentions)) - last[nearest]
            decisions[ref] = GoldDecision(antecedent, nearest, distance)
        return decisions

    @cached_property
    def classes(self) -> Mapping[ChainRef, list[WordClass]]:
        """The word class of the head of each mention, for every chain after the first part."""
        return mention_classes(self.parts, self.chains)


def token_offsets(document: Document) -> Callable[[Mention], int]:
    """From a mention to the 0-based position of its first token in the document; empty nodes are not counted."""
    starts: dict[tuple[int, int], int] = {}
    position = 0
    for part, each in enumerate(document.parts):
        for index, sentence in enumerate(each.sentences):
            starts[part, index] = position
            position += len(sentence.forms) - len(sentence.empty)

    def offset(mention: Mention) -> int:
        empty = document.sentence(mention).empty
        start = starts[mention.part, mention.sentence]
        return start + mention.first - sum(node < mention.first for node in empty)

    return offset
