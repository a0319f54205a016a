"""The data of the report's document browser, as JSON data.

Part chains are numbered through a document, in annotation order. A merge is the number of the merged chain for each
part chain; merged chains are numbered in the order of their first part chains. All decisions, gold or not, follow from
that. Mentions are ``[sentence, [[first, last], ...]]`` within their part, and ``[part, sentence, [[first, last],
...]]`` in evidence, 0-based and inclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from client.evaluation.agreement.parts_of_speech import HeadClasses
from client.evaluation.comparison.breakdowns import GROUPINGS
from client.evaluation.comparison.data import BOUNDS, Comparison, DocumentFacts, DocumentOutcome
from client.evaluation.comparison.gold_merges import GoldMerges, token_offsets
from merger.decisions.model import Evidence
from merger.document import Chain, ChainRef, Mention, Sentence
from merger.tag_sets import WordClass

_NAME_LENGTH = 60
"""The preferred largest length of a chain's name, in characters."""
_GENITIVES = frozenset({"'s", "\N{RIGHT SINGLE QUOTATION MARK}s", "'", "\N{RIGHT SINGLE QUOTATION MARK}"})
_CLASSES = tuple(WordClass)
_TELLING = {WordClass.PROPER_NOUN: 0, WordClass.NOUN: 1, WordClass.PRONOUN: 3}
"""The rank of a mention as the name of its chain, by word class; lower is better, and other classes have 2."""


def index_data(comparison: Comparison) -> dict[str, Any]:
    """The strategies, the values of the filters, and the documents with gold merges."""
    by_document = zip(*(strategy.outcomes for strategy in comparison.strategies), strict=True)
    shown = [
        (facts, outcomes)
        for facts, text, outcomes in zip(comparison.documents, comparison.gold_merges, by_document, strict=True)
        if text is not None
    ]
    names = [strategy.name for strategy in comparison.strategies]
    return {
        "strategies": names,
        "best": _best(names, comparison.verdict.best),
        "groups": _groups(facts for facts, _ in shown),
        "classes": [each.value for each in _CLASSES],
        "distances": [[each.name, each.last] for each in comparison.strategies[0].distances] if names else [],
        "documents": [
            {
                "id": facts.id,
                "genre": facts.genre,
                "tokens": facts.tokens,
                "parts": facts.parts,
                "chains": facts.chains,
                "groups": {kind: group_of(facts)[1] for kind, group_of in GROUPINGS.items()},
                "wrong": [None if _failed(each) else _count_wrong(each) for each in outcomes],
            }
            for facts, outcomes in shown
        ],
    }


def documents_data(comparison: Comparison) -> list[dict[str, Any]]:
    """The documents of the index, each with its text, its chains, the gold merges and those of strategies."""
    by_document = zip(*(strategy.outcomes for strategy in comparison.strategies), strict=True)
    return [
        _document_data(text, outcomes)
        for text, outcomes in zip(comparison.gold_merges, by_document, strict=True)
        if text is not None
    ]


def _best(names: list[str], best: str | None) -> int:
    """The number of the best strategy, or of the first one that is not a bound."""
    if best is not None:
        return names.index(best)
    return next((number for number, name in enumerate(names) if name not in BOUNDS), 0)


def _groups(documents: Iterable[DocumentFacts]) -> dict[str, list[str]]:
    """The groups of each kind in their order; kinds with a single group are left out."""
    documents = list(documents)
    kinds = {
        kind: [name for _, name in sorted({group_of(facts) for facts in documents})]
        for kind, group_of in GROUPINGS.items()
    }
    return {kind: names for kind, names in kinds.items() if len(names) > 1}


def _failed(outcome: DocumentOutcome) -> bool:
    return outcome.result is None or outcome.result.links is None


def _count_wrong(outcome: DocumentOutcome) -> int:
    return sum(decision.error is not None for decision in outcome.decisions)


def _document_data(text: GoldMerges, outcomes: Iterable[DocumentOutcome]) -> dict[str, Any]:
    numbers = {ref: number for number, ref in enumerate(text.chains)}
    chain_data = _ChainData(text)
    return {
        "parts": [
            {"number": part.number, "sentences": [_sentence_data(sentence) for sentence in part.sentences]}
            for part in text.parts.parts
        ],
        "chains": [chain_data.of(ref, chain) for ref, chain in text.chains.items()],
        "human": text.linking.numbers,
        "strategies": [_strategy_data(outcome, numbers) for outcome in outcomes],
    }


def _sentence_data(sentence: Sentence) -> dict[str, Any]:
    speaker = next((name for name in sentence.speakers or () if name and name != "-"), None)
    return {"tokens": sentence.forms, "speaker": speaker}


class _ChainData:
    """The chains of one document."""

    def __init__(self, text: GoldMerges) -> None:
        self._document = text.parts
        self._heads = HeadClasses(text.parts)
        self._offset = token_offsets(text.parts)

    def of(self, ref: ChainRef, chain: Chain) -> dict[str, Any]:
        """A part chain; ``name`` is the number of the mention that names it, ``telling`` the rank of that mention.

        ``start`` and ``end`` are the first token of its first mention and that of its last one, through the document.
        """
        nouns: dict[str, None] = {}
        for mention in chain.mentions:
            sentence = self._document.sentence(mention)
            flags = self._heads.noun_flags(mention)
            nouns.update(dict.fromkeys(sentence.forms[token] for token in mention.tokens if flags[token]))
        offsets = [self._offset(mention) for mention in chain.mentions]
        classes = [self._heads.class_of(mention) for mention in chain.mentions]
        name = min(range(len(chain.mentions)), key=lambda number: self._rank(chain.mentions[number], classes[number]))
        return {
            "part": ref.part,
            "id": ref.chain,
            "name": name,
            "telling": _TELLING.get(classes[name], 2),
            "class": _CLASSES.index(classes[0]),
            "start": min(offsets),
            "end": max(offsets),
            "nouns": list(nouns),
            "mentions": [[mention.sentence, mention.spans] for mention in chain.mentions],
        }

    def _rank(self, mention: Mention, word_class: WordClass) -> tuple[int, bool, bool, int]:
        """Proper nouns before nouns before pronouns, genitives last in each; the longest that fits, or the shortest."""
        forms = self._document.sentence(mention).forms
        length = sum(len(forms[token]) + 1 for token in mention.tokens) - 1
        fits = length <= _NAME_LENGTH
        genitive = forms[mention.tokens[-1]] in _GENITIVES
        return _TELLING.get(word_class, 2), genitive, not fits, -length if fits else length


def _strategy_data(outcome: DocumentOutcome, numbers: Mapping[ChainRef, int]) -> dict[str, Any]:
    """The merge, and the evidence by part chain."""
    if _failed(outcome):
        return {"failure": outcome.failure or "the part chains were not kept together"}
    return {
        "merged": outcome.merged,
        "evidence": {
            str(numbers[decision.chain]): _evidence_data(decision.evidence)
            for decision in outcome.decisions
            if decision.evidence is not None
        },
    }


def _evidence_data(evidence: Evidence) -> dict[str, Any]:
    """The first pair of mentions, and how many there are."""
    first = [[[each.part, each.sentence, each.spans] for each in pair] for pair in evidence.pairs[:1]]
    return {
        "rule": evidence.rule,
        "text": evidence.text,
        "score": evidence.score,
        "pair": first[0] if first else None,
        "pairs": len(evidence.pairs),
    }
