"""What the document browser of the report shows, as JSON data.

Part chains are numbered through a document, in annotation order; a merge says for each part chain which merged chain it
is in, numbered in the order of their first part chains. Mentions are ``[sentence, [[first, last], ...]]`` within their
part, and ``[part, sentence, [[first, last], ...]]`` in evidence, 0-based and inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from client.comparison.data import Annotated, Comparison, Outcome
from client.comparison.judgement import JudgedDecision
from merger.decisions import Evidence
from merger.document import Chain, ChainRef, Document, Mention, Sentence, part_chains
from merger.tags import TagReader

_NAME_LENGTH = 60
"""Characters that the name of a chain has at most."""


def index_data(comparison: Comparison) -> dict[str, Any]:
    """The strategies and the documents that have a text."""
    return {
        "strategies": [strategy.name for strategy in comparison.strategies],
        "documents": [
            {
                "id": facts.id,
                "genre": facts.genre,
                "tokens": facts.tokens,
                "parts": facts.parts,
                "chains": facts.chains,
            }
            for facts, text in zip(comparison.documents, comparison.texts, strict=True)
            if text is not None
        ],
    }


def documents_data(comparison: Comparison) -> list[dict[str, Any]]:
    """The documents of the index, each with its text, its chains, and what people and strategies made of them."""
    by_document = zip(*(strategy.entrant.outcomes for strategy in comparison.strategies), strict=True)
    return [
        _document_data(text, outcomes)
        for text, outcomes in zip(comparison.texts, by_document, strict=True)
        if text is not None
    ]


def _document_data(text: Annotated, outcomes: Iterable[Outcome]) -> dict[str, Any]:
    parts = text.parts
    # One-mention chains take no part in merging: there is nothing to see of them.
    chains = {ref: chain for ref, chain in part_chains(parts).items() if len(chain.mentions) > 1}
    numbers = {ref: number for number, ref in enumerate(chains)}
    tags = TagReader.of(parts)
    return {
        "parts": [
            {"number": part.number, "sentences": [_sentence_data(sentence) for sentence in part.sentences]}
            for part in parts.parts
        ],
        "chains": [_chain_data(parts, tags, ref, chain) for ref, chain in chains.items()],
        "human": text.merged,
        "strategies": [_strategy_data(outcome, numbers) for outcome in outcomes],
    }


def _sentence_data(sentence: Sentence) -> dict[str, Any]:
    speaker = next((name for name in sentence.speakers or () if name and name != "-"), None)
    return {"tokens": sentence.forms, "speaker": speaker}


def _chain_data(document: Document, tags: TagReader, ref: ChainRef, chain: Chain) -> dict[str, Any]:
    nouns: dict[str, None] = {}
    name = ""
    for mention in chain.mentions:
        sentence = document.sentence(mention)
        flags = tags.noun_flags(sentence)
        found = [sentence.forms[token] for token in mention.tokens if flags[token]]
        nouns.update(dict.fromkeys(found))
        if found and not name:
            name = _text(sentence, mention)
    first = chain.mentions[0]
    return {
        "part": ref.part,
        "id": ref.chain,
        "name": name or _text(document.sentence(first), first),
        "nouns": list(nouns),
        "mentions": [[mention.sentence, mention.spans] for mention in chain.mentions],
    }


def _text(sentence: Sentence, mention: Mention) -> str:
    text = " … ".join(" ".join(sentence.forms[first : last + 1]) for first, last in mention.spans)
    return text if len(text) <= _NAME_LENGTH else f"{text[: _NAME_LENGTH - 1]}…"


def _strategy_data(outcome: Outcome, numbers: Mapping[ChainRef, int]) -> dict[str, Any]:
    if outcome.result is None or outcome.result.links is None:
        return {"failure": outcome.failure or "the part chains were not kept together"}
    return {
        "merged": outcome.merged,
        "wrong": [_wrong_data(decision, numbers) for decision in outcome.decisions if decision.error is not None],
    }


def _wrong_data(decision: JudgedDecision, numbers: Mapping[ChainRef, int]) -> dict[str, Any]:
    return {
        "chain": numbers[decision.chain],
        "error": None if decision.error is None else decision.error.value,
        "human": [numbers[ref] for ref in decision.human],
        "made": [numbers[ref] for ref in decision.made],
        "shared": decision.shared,
        "evidence": None if decision.evidence is None else _evidence_data(decision.evidence),
    }


def _evidence_data(evidence: Evidence) -> dict[str, Any]:
    return {
        "rule": evidence.rule,
        "text": evidence.text,
        "score": evidence.score,
        "pairs": [
            [[each.part, each.sentence, each.spans] for each in (pair.mention, pair.antecedent)]
            for pair in evidence.pairs
        ],
    }
