"""The greedy noun string-matching rule of LongtoNotes A.5, read literally, with the options that A.5 leaves open.

For every chain of a part: take its nouns in text order. For the first noun, look among the merged chains of the earlier
parts for one that it overlaps with; if there is one, merge, else try the next noun; no noun left: the chain is new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from merger.decisions import Decision, Evidence, MentionPair, MergedChains
from merger.document import Chain, ChainRef, Document, Mention, Part
from merger.errors import Location, MissingTagsError
from merger.notices import Notices
from merger.options import Option, OptionValue
from merger.strategies.base import Run, Strategy
from merger.strategies.greedy_fuzzy import FuzzyChainIndex
from merger.strategies.greedy_index import ChainIndex
from merger.strategies.greedy_keys import KeyReader
from merger.tags import has_tags, noun_patterns
from merger.watch import Watch


class GreedyStrategy(Strategy):
    """Greedy noun matching (LongtoNotes A.5)."""

    name: ClassVar[str] = "greedy"
    summary: ClassVar[str] = "the paper's greedy rule: merge with an earlier chain that shares a noun (needs PoS tags)"
    needs_tags: ClassVar[bool] = True
    options: ClassVar[tuple[Option, ...]] = (
        Option(
            "match",
            "noun",
            "what a noun of the chain must overlap with: noun (a noun token of the earlier chain is equal), token (any "
            "token is), mention (the whole mention string is), head (the head nouns are), fuzzy (the mention strings "
            "are alike)",
            choices=("noun", "token", "mention", "head", "fuzzy"),
        ),
        Option(
            "tie",
            "recent",
            "which of several earlier chains: recent (its last mention is nearest), first (the earliest chain), "
            "overlap (the most matching mentions, then recent)",
            choices=("recent", "first", "overlap"),
        ),
        Option("one-to-one", False, "let only one chain of a part, the first, merge into the same earlier chain"),
        Option("ignore-case", False, "compare without regard to case"),
        Option("threshold", 90.0, "with match=fuzzy: the least rapidfuzz ratio that counts", low=0, high=100),
        Option(
            "nouns",
            "",
            "the tags of nouns, for a tag set that is not recognised: tags or, with a star, beginnings of tags, bars "
            "between them, as in N*|SUBST",
            optional=True,
        ),
    )

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        super().__init__(options)
        if self.values["nouns"]:
            noun_patterns(str(self.values["nouns"]))

    def start(self, document: Document | None = None, key: Document | None = None, watch: Watch | None = None) -> Run:  # noqa: ARG002  # sees parts only
        return _GreedyRun(self.values, document.id if document else None)


class _GreedyRun(Run):
    def __init__(self, values: Mapping[str, OptionValue], document_id: str | None) -> None:
        match, tie = str(values["match"]), str(values["tie"])
        self._rule = match
        self._document_id = document_id
        self._one_to_one = bool(values["one-to-one"])
        self._reader = KeyReader(match, ignore_case=bool(values["ignore-case"]), nouns=str(values["nouns"]))
        self._index = FuzzyChainIndex(tie, float(values["threshold"])) if match == "fuzzy" else ChainIndex(tie)

    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:
        if chains and not any(has_tags(sentence) for sentence in part.sentences):
            raise MissingTagsError(
                "no part-of-speech tags, and the greedy rule looks for nouns",
                Location(document=self._document_id, part=index),
                expected="Penn tags or UPOS",
                hint="tag with --tagger corenlp or stanza, or use a strategy that needs no tags: none, corenlp, stanza",
            )
        self._reader.enter(part)
        keys = [self._reader.read(chain) for chain in chains]
        self._index.prepare(text for _, offered in keys for text, *_ in offered)
        decisions = [
            self._decision(ChainRef(index, chain.id), sought) for chain, (sought, _) in zip(chains, keys, strict=True)
        ]
        self._index.add_part(
            (decision.chain if decision.antecedent is None else merged.root(decision.antecedent), chain, offered)
            for chain, decision, (_, offered) in zip(chains, decisions, keys, strict=True)
        )
        return decisions

    def report(self, notices: Notices, place: Location) -> None:
        self._reader.tags.report(notices, place)

    def _decision(self, ref: ChainRef, sought: Mapping[str, Mention]) -> Decision:
        for key, mention in sought.items():
            hit = self._index.find(key)
            if hit is None:
                continue
            if self._one_to_one:
                self._index.take(hit.root)
            return Decision(ref, hit.root, Evidence(self._rule, key, (MentionPair(mention, hit.mention),), hit.score))
        return Decision(ref)
