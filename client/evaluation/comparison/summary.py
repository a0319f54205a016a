"""Makes the comparison from the outcomes: totals, breakdowns and tests."""

from __future__ import annotations

from collections.abc import Sequence

from client.evaluation.agreement.bootstrap import Resampling
from client.evaluation.comparison.agreement import count_agreement
from client.evaluation.comparison.breakdowns import add_results, by_distance, by_group
from client.evaluation.comparison.columns import COLUMNS
from client.evaluation.comparison.data import (
    FLOOR,
    Comparison,
    DocumentFacts,
    PairedTest,
    Setup,
    StrategyOutcomes,
    StrategySummary,
)
from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.comparison.pairs import (
    Measured,
    intervals_of,
    measure,
    significantly_best,
    tests_against,
    tests_of_pairs,
    with_floor,
)
from client.evaluation.comparison.verdict import judge_strategies
from client.evaluation.scoring.metrics import COMPARED_METRICS
from client.evaluation.scoring.signature import Signature
from merger.errors import OptionError


def compare(
    documents: Sequence[DocumentFacts],
    by_strategy: Sequence[StrategyOutcomes],
    setup: Setup,
    *,
    gold_merges: Sequence[GoldMerges | None] | None = None,
    baseline: str | None = None,
    resampling: Resampling | None = None,
) -> Comparison:
    """Compare strategies on documents. Outcomes and ``gold_merges`` are in the order of the documents.

    Tests are against ``baseline``, by default the first strategy that is not the floor; without ``resampling`` there
    are none. Raises :class:`~merger.errors.OptionError` if no strategy has the baseline's name.
    """
    resampling = Resampling(0) if resampling is None else resampling
    chosen = choose_baseline([strategy.name for strategy in by_strategy], baseline)
    measured = [measure(strategy) for strategy in by_strategy]
    strategies = tuple(
        _summarise(documents, strategy, rows, setup, resampling)
        for strategy, rows in zip(by_strategy, measured, strict=True)
    )
    against = next((each for each in measured if each.name == chosen), None)
    paired = with_floor(measured, by_strategy)
    pairs = tests_of_pairs(paired, resampling)
    tests: tuple[PairedTest, ...] = ()
    if against is not None:
        others = [each for each in measured if each is not against]
        tests = tests_against(against, others, pairs[COLUMNS[0]], resampling)
    known = (None,) * len(documents) if gold_merges is None else tuple(gold_merges)
    return Comparison(
        setup,
        tuple(documents),
        known,
        strategies,
        chosen,
        tests,
        pairs,
        significantly_best(paired, pairs),
        resampling,
        judge_strategies(strategies, pairs),
        count_agreement(documents, known, by_strategy),
    )


def choose_baseline(names: Sequence[str], baseline: str | None) -> str | None:
    """The name of the strategy to test against, ``None`` if there is only the floor.

    Raises :class:`~merger.errors.OptionError` for an unknown name.
    """
    if baseline is None:
        return next((name for name in names if name != FLOOR), None)
    if baseline not in names:
        raise OptionError(f"option baseline: {baseline} is not compared; there are {', '.join(names)}")
    return baseline


def _summarise(
    documents: Sequence[DocumentFacts],
    strategy: StrategyOutcomes,
    measured: Measured,
    setup: Setup,
    resampling: Resampling,
) -> StrategySummary:
    done = [
        (facts, outcome)
        for facts, outcome in zip(documents, strategy.outcomes, strict=True)
        if outcome.result is not None
    ]
    seconds = [outcome.seconds for _, outcome in done if outcome.seconds is not None]
    memory = [outcome.peak_memory for _, outcome in done if outcome.peak_memory is not None]
    return StrategySummary(
        strategy.name,
        Signature(
            COMPARED_METRICS,
            singletons=setup.singletons,
            zeros=setup.zeros,
            split=setup.split,
            strategy=strategy.signature,
        ),
        strategy.outcomes,
        add_results(strategy.outcomes),
        sum(facts.tokens for facts, _ in done),
        sum(seconds) if seconds else None,
        max(memory, default=None),
        by_group(documents, strategy.outcomes),
        by_distance(decision for _, outcome in done for decision in outcome.decisions),
        intervals_of(measured, resampling),
    )
