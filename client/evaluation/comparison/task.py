"""A document to merge with its gold merges, which every contender is scored against."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from client.evaluation.comparison.data import DocumentFacts
from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.scoring.mention_matching import EXACT, Matching
from client.evaluation.scoring.metrics import COMPARED_METRICS, score_documents
from client.evaluation.scoring.scores import Scores
from client.evaluation.scoring.units import KeyText
from merger.document import Chain, ChainScope, Document, chain_order
from merger.empty_nodes import has_empty_nodes
from merger.errors import DecisionError, Location
from merger.notices import Notices
from merger.resegment import with_boundaries_of

_LEAST = 2
"""Mentions that make a chain."""


@dataclass(frozen=True)
class Task:
    """A document to merge: its ``parts`` and the gold merges of the same text.

    With ``keep_singletons`` singletons are passed through and scored. ``matching`` is how the empty nodes of key and
    response are paired.
    """

    parts: Document
    key: Document
    keep_singletons: bool = False
    matching: Matching = EXACT

    @cached_property
    def _key_text(self) -> KeyText:
        return KeyText(self.key, self.matching, least=1 if self.keep_singletons else _LEAST)

    @property
    def zeros(self) -> str | None:
        """How empty nodes are paired, if the key has any."""
        return self.matching.zeros if has_empty_nodes(self.key) else None

    @cached_property
    def facts(self) -> DocumentFacts:
        """Facts about the document."""
        return facts_of(self.key, len(self.parts.parts))

    @cached_property
    def gold(self) -> GoldMerges:
        """The gold merges of the part chains.

        Raises :class:`~merger.errors.DecisionError` if the key does not keep the part chains together.
        """
        return GoldMerges.read(self.parts, self.key)

    @property
    def known_gold(self) -> GoldMerges | None:
        """The gold merges, ``None`` if the key does not keep the part chains together."""
        try:
            return self.gold
        except DecisionError:
            return None

    @cached_property
    def floor(self) -> Scores:
        """The scores of merging nothing."""
        return self.score(self.parts.with_chains(self.parts.chains, ChainScope.DOCUMENT), Notices())

    @cached_property
    def fingerprint(self) -> str:
        """A digest of everything that a strategy or a score depends on."""
        sentences = [
            [(s.forms, s.xpos, s.upos, s.speakers, s.heads, s.empty) for s in part.sentences]
            for part in self.parts.parts
        ]
        seen = repr((sentences, self.parts.chains, self.key.chains, self.keep_singletons, self.zeros))
        return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def score(self, response: Document, notices: Notices) -> Scores:
        """The response's scores against the key. Raises :class:`~merger.errors.AlignmentError` if the tokens differ."""
        units = self._key_text.units(response, notices)
        return score_documents(((unit.key, unit.response) for unit in units), COMPARED_METRICS)


def facts_of(key: Document, parts: int) -> DocumentFacts:
    """Facts about a document with gold merges and so many parts."""
    chains = sum(len(chain.mentions) >= _LEAST for chain in key.chains)
    return DocumentFacts(key.id, key.genre, key.token_count, chains, parts)


def make_task(
    parts: Document,
    key: Document,
    *,
    keep_singletons: bool = False,
    notices: Notices | None = None,
    matching: Matching = EXACT,
) -> Task:
    """A task from parts and gold merges, which can have other part boundaries.

    Without ``keep_singletons`` the singletons of the parts are removed, so that merging nothing is the floor. Mentions
    of the key that are alone in their part are removed too, as in :func:`~merger.split.split_document`, with a notice.
    Raises :class:`~merger.errors.AlignmentError` if the tokens differ.
    """
    key = with_boundaries_of(parts, key, notices)
    if not keep_singletons:
        parts = parts.with_chains(tuple(c for c in parts.chains if len(c.mentions) >= _LEAST), parts.scope)
        key = _without_singletons(parts, key, notices)
    return Task(parts, key, keep_singletons, matching)


def _without_singletons(parts: Document, key: Document, notices: Notices | None) -> Document:
    """The key without mentions that are alone in their part, except those of chains of the parts."""
    merged = set(parts.mentions())
    chains = []
    for chain in key.chains:
        in_part = Counter(mention.part for mention in chain.mentions)
        kept = tuple(mention for mention in chain.mentions if in_part[mention.part] > 1 or mention in merged)
        if kept:
            chains.append(Chain(chain.id, kept))
    left_out = sum(len(chain.mentions) for chain in key.chains) - sum(len(chain.mentions) for chain in chains)
    if not left_out:
        return key
    if notices is not None:
        message = "mentions alone in their part were left out of the key (the option singletons keeps them)"
        notices.add("mentions alone in their part", message, Location(key.file, document=key.id), left_out)
    return key.with_chains(tuple(sorted(chains, key=chain_order)), key.scope)
