"""Tests between pairs of strategies, column by column, and which strategy is significantly the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from client.evaluation.agreement.bootstrap import Interval, Resampling
from client.evaluation.comparison.columns import (
    COLUMNS,
    LINK_COLUMNS,
    result_row,
    scores_row,
    total_values,
    without_links,
)
from client.evaluation.comparison.data import BOUNDS, CEILING, FLOOR, DocumentOutcome, PairedTest, StrategyOutcomes
from client.evaluation.comparison.significance import compare_rows, holm, score_intervals


@dataclass(frozen=True, slots=True)
class Row:
    """The counts of one document; ``links`` tells whether the counts of links and decisions are known."""

    counts: Sequence[float]
    links: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """A strategy with a row for each document, ``None`` where it failed."""

    name: str
    rows: tuple[Row | None, ...]


def measure(strategy: StrategyOutcomes) -> Measured:
    """The counts of the strategy's documents."""
    rows = (
        None if outcome.result is None else Row(result_row(outcome.result), outcome.result.links is not None)
        for outcome in strategy.outcomes
    )
    return Measured(strategy.name, tuple(rows))


def with_floor(measured: Sequence[Measured], by_strategy: Sequence[StrategyOutcomes]) -> list[Measured]:
    """The strategies with a score except the ceiling; the floor comes first if it is not among them."""
    found = [each for each in measured if each.name != CEILING and any(each.rows)]
    if any(each.name == FLOOR for each in found) or not found:
        return found
    return [
        Measured(FLOOR, tuple(_floor(outcomes) for outcomes in zip(*(e.outcomes for e in by_strategy), strict=True))),
        *found,
    ]


def tests_against(
    baseline: Measured, others: Iterable[Measured], pairs: Iterable[PairedTest], resampling: Resampling
) -> tuple[PairedTest, ...]:
    """The tests of strategies against the baseline in CoNLL F1, except for strategies that share no document with it.

    A test that ``pairs`` already has in this direction is reused.
    """
    made = {test.strategy: test for test in pairs if test.baseline == baseline.name}
    tests = []
    for each in others:
        test = made.get(each.name) or _test(each, baseline, resampling).get(COLUMNS[0])
        if test is not None:
            tests.append(test)
    return adjusted(tests)


def tests_of_pairs(strategies: Sequence[Measured], resampling: Resampling) -> dict[str, tuple[PairedTest, ...]]:
    """The tests of every later strategy against every earlier one, by column."""
    tests = [_test(later, earlier, resampling) for earlier, later in combinations(strategies, 2)]
    return {column: adjusted(found[column] for found in tests if column in found) for column in COLUMNS}


def adjusted(tests: Iterable[PairedTest]) -> tuple[PairedTest, ...]:
    """The tests with p adjusted for the number of tests that have a p."""
    tests = list(tests)
    places = [place for place, test in enumerate(tests) if test.p is not None]
    for place, p in zip(places, holm([test.p for test in tests if test.p is not None]), strict=True):
        tests[place] = replace(tests[place], holm_p=p)
    return tuple(tests)


def between(tests: Iterable[PairedTest], one: str, other: str) -> PairedTest | None:
    """The test of two strategies among all pairs, seen from the first."""
    found = next((test for test in tests if {test.strategy, test.baseline} == {one, other}), None)
    return None if found is None else found.seen_from(one)


def significantly_best(strategies: Sequence[Measured], pairs: Mapping[str, Sequence[PairedTest]]) -> dict[str, str]:
    """By column, the strategy that is significantly better than every other one and than merging nothing.

    A column without such a strategy has no entry.
    """
    names = [each.name for each in strategies]
    found = {}
    for column, tests in pairs.items():
        for name in names:
            if name in BOUNDS:
                continue
            against = [between(tests, name, other) for other in names if other != name]
            if against and all(test is not None and test.is_significant and test.difference > 0 for test in against):
                found[column] = name
    return found


def intervals_of(strategy: Measured, resampling: Resampling) -> dict[str, Interval]:
    """The bootstrap interval of the strategy's score in each column that has one."""
    rows = [row for row in strategy.rows if row is not None]
    found = score_intervals([row.counts for row in rows], resampling)
    linked = found
    if not all(row.links for row in rows):
        linked = score_intervals([row.counts for row in rows if row.links], resampling)
    chosen = {
        column: intervals[place]
        for place, column in enumerate(COLUMNS)
        for intervals in (linked if column in LINK_COLUMNS else found,)
        if intervals
    }
    return {column: interval for column, interval in chosen.items() if interval is not None}


def _floor(outcomes: Iterable[DocumentOutcome]) -> Row | None:
    """The counts of merging nothing, from any strategy that has a score for the document."""
    floors = (each.result.floor for each in outcomes if each.result is not None and each.result.floor is not None)
    floor = next(floors, None)
    return None if floor is None else Row(scores_row(floor), links=False)


def _test(one: Measured, other: Measured, resampling: Resampling) -> dict[str, PairedTest]:
    """The test of each column on the documents that both have; a column without such documents is left out."""
    both = [(a, b) for a, b in zip(one.rows, other.rows, strict=True) if a is not None and b is not None]
    if not both:
        return {}
    linked = sum(a.links and b.links for a, b in both)
    mine, theirs = (
        [pair[side].counts if pair[0].links and pair[1].links else without_links(pair[side].counts) for pair in both]
        for side in (0, 1)
    )
    totals = [total_values(side) for side in (mine, theirs)]
    found = compare_rows(mine, theirs, resampling)
    tests = {}
    for place, column in enumerate(COLUMNS):
        documents = linked if column in LINK_COLUMNS else len(both)
        if not documents:
            continue
        test = PairedTest(one.name, other.name, documents, totals[0][place] - totals[1][place])
        if found is not None:
            one_column = found[place]
            test = replace(
                test,
                interval=one_column.interval,
                bootstrap_p=one_column.bootstrap_p,
                randomisation_p=one_column.randomisation_p,
                exact=one_column.exact,
            )
        tests[column] = test
    return tests
