"""The tables of a comparison, for every way of showing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from client.comparison.agreement_tables import COLUMNS, agreement_sections
from client.comparison.breakdowns import GROUPINGS
from client.comparison.data import BOUNDS, CEILING, FLOOR, Comparison, StrategySummary
from client.comparison.section import Mark, Rows, Section
from client.scoring.counts import MetricCounts
from client.scoring.evaluation import Result
from client.scoring.render import percent, points

_MIB = 2**20
_BOUND_NAMES = {FLOOR: "the floor: nothing merged", CEILING: "the ceiling: merged as people did"}

PAPER_ROWS: Rows = [
    ("on LongtoNotes", "CoNLL F1"),
    ("greedy rule: string matching of nouns (A.5)", "61"),
    ("Stanford rule-based coreference system", "69"),
    ("people: agreement between annotators", "over 90"),
]
PAPER_NOTES = (
    "reported in section 3.1 of Shridhar et al. 2023 (LongtoNotes), for the annotators' merges; not computed here",
    "other documents, parts, chains and tags: not comparable with the scores of this comparison",
)


def sections(comparison: Comparison) -> Iterator[Section]:
    """All tables, in the order of display."""
    strategies = comparison.strategies
    yield Section(
        "scores",
        "CoNLL F1, the mean of MUC, B³ and CEAFe; F1 in percent",
        _score_rows(strategies),
        ("gain: share of the way from merging nothing to 100",),
        marks=_marks(comparison),
        asides=_asides(comparison),
        places=_places(strategies),
    )
    yield Section("paper", "the paper's own scores", PAPER_ROWS, PAPER_NOTES, detail=True)
    yield Section(
        "links",
        "links between part chains, decisions, and cost",
        _link_rows(strategies),
        (
            "strict: decisions with the antecedent that people chose",
            "s/1k: seconds per 1,000 tokens; MiB: peak memory of the process",
            *_left_out(strategies),
        ),
        marks={place: mark for place, mark in _marks(comparison).items() if mark is not Mark.BEST},
        places=_places(strategies),
    )
    if comparison.tests:
        title = f"CoNLL F1 against {comparison.baseline}"
        yield Section(
            "tests",
            title,
            _test_rows(comparison),
            tuple(_test_notes(comparison)),
            places={row: {"strategy": test.strategy} for row, test in enumerate(comparison.tests)},
        )
    yield from agreement_sections(comparison.agreement)
    for first in range(0, len(strategies), COLUMNS):
        shown = strategies[first : first + COLUMNS]
        columns = range(first + 1, first + len(shown) + 1)
        names = dict(enumerate((strategy.name for strategy in shown), start=2))
        for kind, title, score, notes in (
            ("groups", "CoNLL F1 by group", _conll, ("columns: strategies by number",)),
            ("link_groups", "link F1 by group", _link_f1, ()),
        ):
            rows, breaks, places = _group_rows(shown, columns, score)
            yield Section(kind, title, rows, notes, breaks=breaks, columns=names, places=places)
        title = "human links found, by distance to the antecedent"
        rows = _distance_rows(shown, columns)
        places = {number: {"distance": row[0]} for number, row in enumerate(rows[1:])}
        yield Section("distances", title, rows, columns=names, places=places)
    texts = dict(zip((facts.id for facts in comparison.documents), comparison.texts, strict=True))
    failures = [(strategy.name, each) for strategy in strategies for each in strategy.failures]
    if failures:
        yield Section(
            "failures",
            "documents left out",
            [("strategy", "document"), *((name, each.document) for name, each in failures)],
            tuple(f"{name}: {each.failure}" for name, each in failures),
            places={
                row: {"strategy": name, "document": each.document}
                for row, (name, each) in enumerate(failures)
                if texts[each.document] is not None
            },
        )


def _marks(comparison: Comparison) -> dict[tuple[int, int], Mark]:
    """What sets the rows of strategies apart, by row and column."""
    marks = {}
    for row, strategy in enumerate(comparison.strategies):
        if strategy.name in BOUNDS:
            marks[row, 0] = Mark.BOUND
        elif strategy.done < len(strategy.entrant.outcomes):
            marks[row, 0] = Mark.PARTIAL
        elif strategy.name == comparison.verdict.best:
            marks[row, 0] = Mark.BEST
    return marks


def _asides(comparison: Comparison) -> dict[int, str]:
    """What the bounds and the best strategy are, by row."""
    said = dict(_BOUND_NAMES)
    if comparison.verdict.best is not None:
        said[comparison.verdict.best] = "the best"
    names = (strategy.name for strategy in comparison.strategies)
    return {row: said[name] for row, name in enumerate(names) if name in said}


def _places(strategies: Sequence[StrategySummary]) -> dict[int, dict[str, str]]:
    return {row: {"strategy": strategy.name} for row, strategy in enumerate(strategies)}


def _numbered(strategies: Sequence[StrategySummary]) -> Iterator[tuple[str, StrategySummary]]:
    for number, strategy in enumerate(strategies, start=1):
        documents = len(strategy.entrant.outcomes)
        some = f" ({strategy.done:,} of {documents:,} documents)" if strategy.done < documents else ""
        yield f"{number}  {strategy.name}{some}", strategy


def _score_rows(strategies: Sequence[StrategySummary]) -> Rows:
    rows: Rows = [("strategy", "CoNLL", "MUC", "B³", "CEAFe", "LEA", "gain")]
    for name, strategy in _numbered(strategies):
        total = strategy.total
        if total is None:
            rows.append((name, *("-",) * 6))
            continue
        f1s = [percent(total.scores[metric].f1) for metric in ("muc", "bcub", "ceafe", "lea")]
        rows.append((name, percent(total.conll_f1), *f1s, percent(total.gain)))
    return rows


def _link_rows(strategies: Sequence[StrategySummary]) -> Rows:
    rows: Rows = [("strategy", "link P", "link R", "link F1", "strict", "s/1k", "MiB")]
    for name, strategy in _numbered(strategies):
        counts = None if strategy.total is None else strategy.total.links
        cells = ["-"] * 4
        if counts is not None:
            links = counts.links
            cells = [
                percent(links.precision if links.precision_denominator else None),
                percent(links.recall if links.recall_denominator else None),
                percent(_defined_f1(links)),
                percent(counts.strict_match if counts.decisions else None),
            ]
        seconds, memory = strategy.seconds_per_1000_tokens, strategy.peak_memory
        cells.append("-" if seconds is None else f"{seconds:.4f}")
        cells.append("-" if memory is None else f"{memory / _MIB:,.0f}")
        rows.append((name, *cells))
    return rows


def _left_out(strategies: Sequence[StrategySummary]) -> Iterator[str]:
    for strategy in strategies:
        results = [each.result for each in strategy.entrant.outcomes if each.result is not None]
        without = sum(result.links is None for result in results)
        if without:
            yield f"{strategy.name}: no link scores for {without:,} of its documents, whose part chains it broke"


def _test_rows(comparison: Comparison) -> Rows:
    rows: Rows = [("strategy", "documents", "difference", "95% from", "to", "p bootstrap", "p randomisation")]
    for test in comparison.tests:
        low, high = (None, None) if test.interval is None else (test.interval.low, test.interval.high)
        exact = " (exact)" if test.exact else ""
        rows.append(
            (
                test.strategy,
                f"{test.documents:,}",
                *map(points, (test.difference, low, high)),
                _p(test.bootstrap_p),
                _p(test.randomisation_p) + exact,
            )
        )
    return rows


def _test_notes(comparison: Comparison) -> Iterator[str]:
    resampling = comparison.resampling
    if not any(test.interval for test in comparison.tests):
        yield "no tests: they need two documents or more that both have, and resamples"
        return
    yield "percentage points, each rounded by itself: they may be 0.01 off what rounded scores give"
    yield f"paired, over documents, {resampling.resamples:,} resamples, seed {resampling.seed}"
    if len(comparison.tests) > 1:
        yield "p are of each test by itself, not corrected for their number"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _conll(result: Result) -> float | None:
    return result.conll_f1


def _link_f1(result: Result) -> float | None:
    return None if result.links is None else _defined_f1(result.links.links)


def _defined_f1(counts: MetricCounts) -> float | None:
    """F1, ``None`` where there is nothing that it could be about."""
    return counts.f1 if counts.recall_denominator or counts.precision_denominator else None


def _group_rows(
    strategies: Sequence[StrategySummary], columns: range, score: Callable[[Result], float | None]
) -> tuple[Rows, tuple[int, ...], dict[int, dict[str, str]]]:
    """The rows, before which of them another kind begins, and which documents each is about."""
    rows: Rows = [("group", "documents", *map(str, columns))]
    breaks, places = [], {}
    for kind in GROUPINGS:
        names = list(strategies[0].groups[kind])
        if kind == "length_bins" and len(names) <= len(strategies[0].groups["length"]):
            continue
        breaks.append(len(rows) - 1)
        for name in names:
            groups = [strategy.groups[kind][name] for strategy in strategies]
            most = max(group.documents for group in groups)
            cells = [percent(None if group.result is None else score(group.result)) for group in groups]
            places[len(rows) - 1] = {"group": f"{kind}:{name}"} if len(names) > 1 else {}
            rows.append((name, f"{most:,}", *cells))
    return rows, tuple(breaks[1:]), places


def _distance_rows(strategies: Sequence[StrategySummary], columns: range) -> Rows:
    rows: Rows = [("distance", "links", *map(str, columns))]
    for bins in zip(*(strategy.distances for strategy in strategies), strict=True):
        most = max(each.links for each in bins)
        if most:
            cells = [percent(each.found / each.links if each.links else None) for each in bins]
            rows.append((bins[0].name, f"{most:,}", *cells))
    return rows
