"""From outcomes to the comparison: totals, breakdowns and tests."""

from __future__ import annotations

from collections.abc import Sequence

from client.agreement.bootstrap import Resampling
from client.comparison.agreement import count_agreement
from client.comparison.breakdowns import add_results, by_distance, by_group
from client.comparison.data import (
    FLOOR,
    METRICS,
    Annotated,
    Comparison,
    DocumentFacts,
    Entrant,
    PairedTest,
    Setup,
    StrategySummary,
)
from client.comparison.significance import paired_test
from client.comparison.verdict import judge_strategies
from client.scoring.scores import Scores
from client.scoring.signature import Signature
from merger.errors import OptionError


def compare(
    documents: Sequence[DocumentFacts],
    entrants: Sequence[Entrant],
    setup: Setup,
    *,
    texts: Sequence[Annotated | None] | None = None,
    baseline: str | None = None,
    resampling: Resampling | None = None,
) -> Comparison:
    """Compare strategies on documents; outcomes and ``texts`` are in the order of the documents.

    Tests are against ``baseline``, the first entrant that is not the floor by default, and left out without
    ``resampling``. Raises :class:`~merger.errors.OptionError` if no entrant has the baseline's name.
    """
    resampling = Resampling(0) if resampling is None else resampling
    chosen = choose_baseline([entrant.name for entrant in entrants], baseline)
    strategies = tuple(_summarise(documents, entrant, setup) for entrant in entrants)
    tests: list[PairedTest] = []
    against = next((entrant for entrant in entrants if entrant.name == chosen), None)
    if against is not None:
        tests = _tests(against, [entrant for entrant in entrants if entrant is not against], resampling)
    known = (None,) * len(documents) if texts is None else tuple(texts)
    return Comparison(
        setup,
        tuple(documents),
        known,
        strategies,
        chosen,
        tuple(tests),
        resampling,
        judge_strategies(strategies, resampling),
        count_agreement(documents, known, entrants),
    )


def choose_baseline(names: Sequence[str], baseline: str | None) -> str | None:
    """The name of the strategy to test against, ``None`` if there is none but the floor.

    Raises :class:`~merger.errors.OptionError` for a name that is not there.
    """
    if baseline is None:
        return next((name for name in names if name != FLOOR), None)
    if baseline not in names:
        raise OptionError(f"--baseline {baseline}: not compared here; there are {', '.join(names)}")
    return baseline


def _summarise(documents: Sequence[DocumentFacts], entrant: Entrant, setup: Setup) -> StrategySummary:
    done = [
        (facts, outcome)
        for facts, outcome in zip(documents, entrant.outcomes, strict=True)
        if outcome.result is not None
    ]
    seconds = [outcome.seconds for _, outcome in done if outcome.seconds is not None]
    memory = [outcome.peak_memory for _, outcome in done if outcome.peak_memory is not None]
    return StrategySummary(
        entrant,
        Signature(METRICS, singletons=setup.singletons, split=setup.split, strategy=entrant.signature),
        add_results(entrant.outcomes),
        sum(facts.tokens for facts, _ in done),
        sum(seconds) if seconds else None,
        max(memory, default=None),
        by_group(documents, entrant.outcomes),
        by_distance(decision for _, outcome in done for decision in outcome.decisions),
    )


def _tests(against: Entrant, others: Sequence[Entrant], resampling: Resampling) -> list[PairedTest]:
    tests = []
    for entrant in others:
        mine, theirs = _paired(entrant, against)
        if mine:
            tests.append(paired_test(entrant.name, against.name, mine, theirs, resampling))
    return tests


def _paired(one: Entrant, other: Entrant) -> tuple[list[Scores], list[Scores]]:
    """The scores of the documents that both have."""
    pairs = [
        (mine.result.scores, theirs.result.scores)
        for mine, theirs in zip(one.outcomes, other.outcomes, strict=True)
        if mine.result is not None and theirs.result is not None
    ]
    return [mine for mine, _ in pairs], [theirs for _, theirs in pairs]
