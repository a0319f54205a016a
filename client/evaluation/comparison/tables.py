"""The tables of a comparison, for all outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from client.evaluation.comparison.agreement_tables import COLUMNS, agreement_sections
from client.evaluation.comparison.breakdowns import GROUPINGS
from client.evaluation.comparison.columns import COLUMNS as MEASURED
from client.evaluation.comparison.data import (
    ALPHA,
    BOUNDS,
    CEILING,
    FLOOR,
    Comparison,
    Group,
    PairedTest,
    StrategySummary,
)
from client.evaluation.comparison.failures import SharedFailure, shared_failures
from client.evaluation.comparison.section import Mark, Rows, Section
from client.evaluation.scoring.counts import MetricCounts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.metrics import COMPARED_METRICS, METRICS
from client.evaluation.scoring.render import percent, points

_MIB = 2**20
_FEW = 6
"""With fewer documents no difference can be significant: 2 / 2^5 > 0.05."""
_FEW_NOTE = f"few: fewer than {_FEW} documents, too few for any difference to be significant"
_PARTIAL_NOTE = "in parentheses: over fewer documents than the row says"
_BOUND_NAMES = {FLOOR: "the floor: nothing merged", CEILING: "the ceiling: the gold merges"}

PAPER_ROWS: Rows = [
    ("on LongtoNotes", "CoNLL F1"),
    ("greedy rule: string matching of nouns (A.5)", "61"),
    ("Stanford rule-based coreference system", "69"),
    ("people: the annotators' agreement, not as CoNLL F1", "over 90"),
]
PAPER_NOTES = (
    "reported in section 3.2 of Shridhar et al. 2023 (LongtoNotes), for the annotators' merges; not computed here",
    "other documents, parts, chains and tags: not comparable with the scores of this comparison",
)


def sections(comparison: Comparison) -> Iterator[Section]:
    """All tables, in the order of display."""
    strategies = comparison.strategies
    yield Section(
        "scores",
        "CoNLL F1, the mean of MUC, B³ and CEAFe; F1 in percent",
        _score_rows(strategies),
        tuple(_score_notes(comparison)),
        marks=_marks(comparison) | _best(comparison, _SCORE_COLUMNS),
        asides=_asides(comparison),
        targets=_targets(strategies),
    )
    yield Section("paper", "the paper's own scores", PAPER_ROWS, PAPER_NOTES, detail=True)
    yield Section(
        "links",
        "links between part chains, decisions, and cost",
        _link_rows(strategies),
        (
            "strict: decisions with the gold antecedent",
            "s/1k: seconds per 1,000 tokens; MiB: peak memory of the process",
            *_left_out(strategies),
        ),
        marks={place: mark for place, mark in _marks(comparison).items() if mark is not Mark.BEST}
        | _best(comparison, _LINK_COLUMNS),
        targets=_targets(strategies),
    )
    if comparison.tests:
        title = f"CoNLL F1 against {comparison.baseline}"
        yield Section(
            "tests",
            title,
            _test_rows(comparison.tests),
            tuple(_test_notes(comparison, comparison.tests)),
            targets={row: {"strategy": test.strategy} for row, test in enumerate(comparison.tests)},
        )
    pairs = comparison.pairs["conll_f1"]
    if len(pairs) > 1:
        rows = _test_rows(pairs, against=True)
        yield Section("pairs", "CoNLL F1, all pairs", rows, tuple(_test_notes(comparison, pairs)))
    yield from agreement_sections(comparison.agreement)
    for first in range(0, len(strategies), COLUMNS):
        shown = strategies[first : first + COLUMNS]
        columns = range(first + 1, first + len(shown) + 1)
        names = dict(enumerate((strategy.name for strategy in shown), start=2))
        for kind, title, score in (
            ("groups", "CoNLL F1 by group", _conll),
            ("link_groups", "link F1 by group", _link_f1),
        ):
            grouped = _group_section(shown, columns, score)
            if len(grouped.rows) > 1:
                yield replace(grouped, kind=kind, title=title, columns=names)
        yield replace(_distance_section(shown, columns), columns=names)
    failures = shared_failures(strategies)
    if failures:
        yield _failure_section(failures)
    left_out = _left_out_section(comparison, failures)
    if len(left_out.rows) > 1:
        yield left_out


def _failure_section(failures: Sequence[SharedFailure]) -> Section:
    """Each reason once, with the number of its documents."""
    rows: Rows = [("strategy", "documents")]
    for each in failures:
        (first, _), count = each.failed[0], len(each.failed)
        rows.append((", ".join(each.strategies), first if count == 1 else f"{count:,}"))
    return Section("failures", "documents left out", rows, tuple(map(str, failures)))


def _left_out_section(comparison: Comparison, failures: Sequence[SharedFailure]) -> Section:
    """Every document that is left out anywhere, with the reason. A row links to its document."""
    texts = dict(zip((facts.id for facts in comparison.documents), comparison.gold_merges, strict=True))
    rows: Rows = [("document", "left out of", "reason")]
    targets: dict[int, Mapping[str, str]] = {}
    rows += [(error.location.document or str(error.location), "all", str(error)) for error in comparison.failures]
    found = [
        (document, each.strategies[0], ", ".join(each.strategies), text)
        for each in failures
        for document, text in each.failed
    ]
    found += [
        (outcome.document, strategy.name, f"link scores of {strategy.name}", "its part chains are broken")
        for strategy in comparison.strategies
        for outcome in strategy.outcomes
        if outcome.result is not None and outcome.result.links is None
    ]
    for document, name, where, reason in found:
        if texts[document] is not None:
            targets[len(rows) - 1] = {"strategy": name, "document": document}
        rows.append((document, where, reason))
    return Section("left_out", "documents left out, with the reasons", rows, detail=True, prose=True, targets=targets)


def _marks(comparison: Comparison) -> dict[tuple[int, int], Mark]:
    """The marks of the rows of strategies, by row and column."""
    marks = {}
    for row, strategy in enumerate(comparison.strategies):
        if strategy.name in BOUNDS:
            marks[row, 0] = Mark.BOUND
        elif strategy.done < len(strategy.outcomes):
            marks[row, 0] = Mark.PARTIAL
        elif strategy.name == comparison.verdict.best:
            marks[row, 0] = Mark.BEST
    return marks


def _asides(comparison: Comparison) -> dict[int, str]:
    """Remarks on the bounds and the best strategy, by row."""
    said = dict(_BOUND_NAMES)
    best = comparison.verdict.best
    if best is not None:
        said[best] = "significantly the best" if comparison.best.get("conll_f1") == best else "the highest score"
    names = (strategy.name for strategy in comparison.strategies)
    return {row: said[name] for row, name in enumerate(names) if name in said}


def _targets(strategies: Sequence[StrategySummary]) -> dict[int, dict[str, str]]:
    return {row: {"strategy": strategy.name} for row, strategy in enumerate(strategies)}


def _numbered(strategies: Sequence[StrategySummary]) -> Iterator[tuple[str, StrategySummary]]:
    for number, strategy in enumerate(strategies, start=1):
        documents = len(strategy.outcomes)
        some = f" ({strategy.done:,} of {documents:,} documents)" if strategy.done < documents else ""
        yield f"{number}  {strategy.name}{some}", strategy


_SCORE_COLUMNS = ("conll_f1", *COMPARED_METRICS)
"""The measured columns of the table of scores, from its second column on."""
_LINK_COLUMNS = (None, None, "link_f1", "strict_match")
"""The same for the table of links; its first two columns are not tested."""


def _best(comparison: Comparison, columns: Sequence[str | None]) -> dict[tuple[int, int], Mark]:
    """The cells of strategies that are significantly better than all others."""
    rows = {strategy.name: row for row, strategy in enumerate(comparison.strategies)}
    best = {column: comparison.best.get(column) for column in MEASURED}
    return {
        (rows[name], place): Mark.BEST
        for place, column in enumerate(columns, start=1)
        if column is not None and (name := best[column]) is not None
    }


def _score_notes(comparison: Comparison) -> Iterator[str]:
    yield "gain: share of the way from merging nothing to 100"
    if any(strategy.intervals for strategy in comparison.strategies):
        yield f"±: half of the 95% interval over {comparison.resampling.resamples:,} resamples of the documents"
    if comparison.best:
        yield (
            "*, or bold: significantly better than every other strategy and than merging nothing, "
            f"p < {ALPHA} adjusted by Holm's method for all pairs"
        )
    elif any(test.p is not None for test in comparison.pairs["conll_f1"]):
        yield "no strategy is significantly better than all others in any column"


def _with_interval(strategy: StrategySummary, column: str, value: float | None) -> str:
    interval = strategy.intervals.get(column)
    if value is None or interval is None:
        return percent(value)
    return f"{percent(value)} ±{percent((interval.high - interval.low) / 2)}"


def _score_rows(strategies: Sequence[StrategySummary]) -> Rows:
    labels = (METRICS[name].label for name in COMPARED_METRICS)
    rows: Rows = [("strategy", "CoNLL", *labels, "gain")]
    for name, strategy in _numbered(strategies):
        total = strategy.total
        if total is None:
            rows.append((name, *("-",) * (len(rows[0]) - 1)))
            continue
        values = [total.conll_f1, *(total.scores[metric].f1 for metric in _SCORE_COLUMNS[1:])]
        cells = [_with_interval(strategy, *each) for each in zip(_SCORE_COLUMNS, values, strict=True)]
        rows.append((name, *cells, percent(total.gain)))
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
                _with_interval(strategy, "link_f1", _defined_f1(links)),
                _with_interval(strategy, "strict_match", counts.strict_match if counts.decisions else None),
            ]
        seconds, memory = strategy.seconds_per_1000_tokens, strategy.peak_memory
        cells.append("-" if seconds is None else f"{seconds:.4f}")
        cells.append("-" if memory is None else f"{memory / _MIB:,.0f}")
        rows.append((name, *cells))
    return rows


def _left_out(strategies: Sequence[StrategySummary]) -> Iterator[str]:
    for strategy in strategies:
        results = [each.result for each in strategy.outcomes if each.result is not None]
        without = sum(result.links is None for result in results)
        if without:
            yield f"{strategy.name}: no link scores for {without:,} of its documents, whose part chains it broke"


def _test_rows(tests: Sequence[PairedTest], *, against: bool = False) -> Rows:
    """The tests; with ``against`` each row names both strategies."""
    head = ("strategy", "docs", "diff.", "95% from", "to", "p boot.", "p rand.", "p Holm")
    rows: Rows = [("strategies", *head[1:]) if against else head]
    for test in tests:
        low, high = (None, None) if test.interval is None else (test.interval.low, test.interval.high)
        rows.append(
            (
                f"{test.strategy} against {test.baseline}" if against else test.strategy,
                f"{test.documents:,}",
                *map(points, (test.difference, low, high)),
                *map(_p, (test.bootstrap_p, test.randomisation_p, test.holm_p)),
            )
        )
    return rows


def _test_notes(comparison: Comparison, tests: Sequence[PairedTest]) -> Iterator[str]:
    resampling = comparison.resampling
    if not any(test.interval for test in tests):
        yield "no tests: they need two documents or more that both have, and resamples"
        return
    yield "percentage points, rounded by themselves: they can be 0.01 off the difference of the rounded scores"
    yield (
        f"paired, over documents, {resampling.resamples:,} resamples, seed {resampling.seed}: "
        f"paired bootstrap and {'all exchanges' if all(test.exact for test in tests) else 'approximate randomisation'}"
    )
    yield _family(comparison, tests)
    least = len(tests) * 2 / (resampling.resamples + 1)
    if least >= ALPHA:
        yield f"no p Holm can be below {_p(least)} with so many tests: give more by option resamples"


def _family(comparison: Comparison, tests: Sequence[PairedTest]) -> str:
    """The tests that Holm's method adjusts p for, in this table and in the verdict."""
    count, pairs = len(tests), len(comparison.pairs["conll_f1"])
    if tests == comparison.pairs["conll_f1"]:
        return f"p Holm: the larger p, adjusted for {'this test' if count == 1 else f'all {count:,} pairs'}"
    table = "the one test" if count == 1 else f"the {count:,} tests"
    verdict = "is of one pair, and not adjusted" if pairs == 1 else f"is adjusted for all {pairs:,} pairs of strategies"
    return f"p Holm: the larger p, adjusted for {table} of this table; the verdict's p {verdict}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _conll(result: Result) -> float | None:
    return result.conll_f1


def _link_f1(result: Result) -> float | None:
    return None if result.links is None else _defined_f1(result.links.links)


def _defined_f1(counts: MetricCounts) -> float | None:
    """F1, ``None`` if recall and precision are 0/0."""
    return counts.f1 if counts.recall_denominator or counts.precision_denominator else None


def _group_section(
    strategies: Sequence[StrategySummary], columns: range, score: Callable[[Result], float | None]
) -> Section:
    """Scores by group. Groups of few documents are marked, and so are scores over fewer documents than the row says."""
    rows: Rows = [("group", "documents", *map(str, columns))]
    breaks: list[int] = []
    targets: dict[int, Mapping[str, str]] = {}
    marks: dict[tuple[int, int], Mark] = {}
    for kind in GROUPINGS:
        names = list(strategies[0].groups[kind])
        # A group of all documents would repeat the table of scores.
        if len(names) == 1 or (kind == "length_bins" and len(names) <= len(strategies[0].groups["length"])):
            continue
        breaks.append(len(rows) - 1)
        for name in names:
            row = len(rows) - 1
            groups = [strategy.groups[kind][name] for strategy in strategies]
            most = max(group.documents for group in groups)
            targets[row] = {"group": f"{kind}:{name}"}
            if most < _FEW:
                marks[row, 0] = Mark.FEW
            cells = []
            for place, group in enumerate(groups, start=2):
                cells.append(_group_cell(group, most, score))
                if group.documents < most:
                    marks[row, place] = Mark.PARTIAL
            rows.append((name, f"{most:,}{' (few)' if most < _FEW else ''}", *cells))
    notes = ["columns: strategies by number", *_mark_notes(marks)]
    return Section("", "", rows, tuple(notes), breaks=tuple(breaks[1:]), marks=marks, targets=targets)


def _group_cell(group: Group, most: int, score: Callable[[Result], float | None]) -> str:
    text = percent(None if group.result is None else score(group.result))
    return f"({text})" if group.result is not None and group.documents < most else text


def _mark_notes(marks: Mapping[tuple[int, int], Mark]) -> Iterator[str]:
    if Mark.FEW in marks.values():
        yield _FEW_NOTE
    if Mark.PARTIAL in marks.values():
        yield _PARTIAL_NOTE


def _distance_section(strategies: Sequence[StrategySummary], columns: range) -> Section:
    """Shares of the gold links that were found. Shares over fewer links than the row says are marked."""
    rows: Rows = [("distance", "links", *map(str, columns))]
    marks: dict[tuple[int, int], Mark] = {}
    for bins in zip(*(strategy.distances for strategy in strategies), strict=True):
        most = max(each.links for each in bins)
        if not most:
            continue
        cells = []
        for place, each in enumerate(bins, start=2):
            text = percent(each.found / each.links if each.links else None)
            partial = 0 < each.links < most
            cells.append(f"({text})" if partial else text)
            if partial:
                marks[len(rows) - 1, place] = Mark.PARTIAL
        rows.append((bins[0].name, f"{most:,}", *cells))
    targets = {number: {"distance": row[0]} for number, row in enumerate(rows[1:])}
    notes = ("in parentheses: over fewer links than the row says",) if marks else ()
    title = "gold links found, by distance to the antecedent"
    return Section("distances", title, rows, notes, marks=marks, targets=targets)
