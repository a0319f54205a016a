"""Agreement in decisions between the gold merges and strategies, pair by pair (LongtoNotes 3.3, Tables 11 to 13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from client.evaluation.agreement.alpha import count_alpha
from client.evaluation.agreement.antecedents import Antecedents
from client.evaluation.agreement.pair_counts import PairCounts, count_pair
from client.evaluation.agreement.parts_of_speech import count_classes
from client.evaluation.agreement.study import DocumentAgreement
from client.evaluation.agreement.summary import AgreementReport, summarise
from client.evaluation.comparison.data import DocumentFacts, DocumentOutcome, StrategyOutcomes
from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.scores import CONLL_METRICS, Scores

HUMAN = "human"
"""The name of the annotator of the gold merges, the first one in the tables."""


def count_agreement(
    documents: Sequence[DocumentFacts], texts: Sequence[GoldMerges | None], by_strategy: Sequence[StrategyOutcomes]
) -> AgreementReport:
    """Decision agreement of the gold merges, which come first, and the strategies, without intervals.

    Label agreement (CoNLL F1) is known for pairs with the gold merges only. A document is left out for a strategy that
    failed on it or broke its part chains.
    """
    by_document = zip(*(strategy.outcomes for strategy in by_strategy), strict=True)
    counted = [
        _count(facts, text, outcomes)
        for facts, text, outcomes in zip(documents, texts, by_document, strict=True)
        if text is not None
    ]
    return summarise(counted, [HUMAN, *(strategy.name for strategy in by_strategy)])


def _count(facts: DocumentFacts, text: GoldMerges, outcomes: tuple[DocumentOutcome, ...]) -> DocumentAgreement:
    gold = text.linking.antecedents
    decided: dict[int, Antecedents] = {0: {ref: frozenset(antecedent) for ref, antecedent in gold.items()}}
    labels = {}
    for number, outcome in enumerate(outcomes, start=1):
        if outcome.result is not None and outcome.result.links is not None:
            decided[number] = {each.chain: frozenset(each.response) for each in outcome.decisions}
            labels[number] = _labels(outcome.result.scores)
    pairs: dict[tuple[int, int], PairCounts] = {}
    for one, other in combinations(decided, 2):
        counts = count_pair(decided[one], decided[other])
        pairs[one, other] = counts if one else replace(counts, labels=labels[other])
    return DocumentAgreement(
        facts.id,
        facts.genre,
        facts.parts,
        facts.tokens,
        facts.chains,
        pairs,
        {(0, other): count_classes(text.classes, decided[0], decided[other]) for other in decided if other},
        count_alpha([antecedents[ref] for antecedents in decided.values()] for ref in gold),
    )


def _labels(scores: Scores) -> tuple[Counts, Counts, Counts]:
    muc, bcub, ceafe = (
        Counts(
            counts.recall_numerator,
            counts.recall_denominator,
            counts.precision_numerator,
            counts.precision_denominator,
        )
        for counts in map(scores.__getitem__, CONLL_METRICS)
    )
    return muc, bcub, ceafe
