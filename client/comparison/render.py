"""Shows a comparison to people: as text for a terminal of 100 columns, and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from client.comparison.data import Comparison, StrategySummary
from client.scoring.counts import MetricCounts
from client.scoring.evaluation import Result
from client.scoring.render import percent
from client.text_table import table
from merger.shown import one_line

Rows = list[tuple[str, ...]]

_COLUMNS = 8
"""Strategies that have a column each in one table by group."""
_MIB = 2**20

GROUP_TITLES = {
    "genre": "genre",
    "length": "document length",
    "length_bins": "document length, in bins",
    "chains": "human merged chains",
    "parts": "parts",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A table with its title, and lines of explanation below it; the first row has the names of the columns."""

    title: str
    rows: Rows
    notes: tuple[str, ...] = ()


def as_text(comparison: Comparison) -> str:
    """The comparison as lines of text."""
    lines = [_what(comparison)]
    for section in _sections(comparison):
        lines += ["", section.title, *table(section.rows), *section.notes]
    lines += _closing(comparison)
    return "".join(f"{one_line(line)}\n" for line in lines)


def as_markdown(comparison: Comparison) -> str:
    """The comparison as Markdown."""
    lines = ["# Comparison of merging strategies", "", _escaped(_what(comparison))]
    for section in _sections(comparison):
        head, *rows = section.rows
        lines += ["", f"## {section.title[0].upper()}{section.title[1:]}", ""]
        lines += [_markdown_row(head), "|---" + "|---:" * (len(head) - 1) + "|", *map(_markdown_row, rows)]
        for note in section.notes:
            lines += ["", _escaped(note)]
    lines += ["", "## How it was made", "", *(f"    {one_line(line)}" for line in _closing(comparison)[1:])]
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(map(_escaped, cells)) + " |"


def _escaped(text: str) -> str:
    """Text that says itself in Markdown, whatever names stand in it."""
    text = one_line(text)
    for sign in "\\`*_[]<>|#&":
        text = text.replace(sign, f"\\{sign}")
    return text


def _what(comparison: Comparison) -> str:
    documents = comparison.documents
    return (
        f"{len(documents):,} document{'' if len(documents) == 1 else 's'}, "
        f"{sum(facts.tokens for facts in documents):,} tokens, {sum(facts.parts for facts in documents):,} parts "
        f"({comparison.setup.split})"
    )


def _sections(comparison: Comparison) -> Iterator[Section]:
    strategies = comparison.strategies
    yield Section("scores", _score_rows(strategies), ("gain: share of the way from merging nothing to 100",))
    yield Section(
        "links between part chains, decisions, and cost",
        _link_rows(strategies),
        (
            "strict: decisions with the antecedent that people chose",
            "s/1k: seconds per 1,000 tokens; MiB: peak memory of the process",
            *_left_out(strategies),
        ),
    )
    if comparison.tests:
        yield Section(f"CoNLL F1 against {comparison.baseline}", _test_rows(comparison), tuple(_test_notes(comparison)))
    for first in range(0, len(strategies), _COLUMNS):
        shown = strategies[first : first + _COLUMNS]
        columns = range(first + 1, first + len(shown) + 1)
        yield Section("CoNLL F1 by group", _group_rows(shown, columns, _conll), ("columns: strategies by number",))
        yield Section("link F1 by group", _group_rows(shown, columns, _link_f1))
        yield Section("human links found, by distance to the antecedent", _distance_rows(shown, columns))
    failures = [(strategy.name, each) for strategy in strategies for each in strategy.failures]
    if failures:
        yield Section(
            "documents left out",
            [("strategy", "document"), *((name, each.document) for name, each in failures)],
            tuple(f"{name}: {each.failure}" for name, each in failures),
        )


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
                *map(_points, (test.difference, low, high)),
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
    yield f"percentage points; paired, over documents, {resampling.resamples:,} resamples, seed {resampling.seed}"
    if len(comparison.tests) > 1:
        yield "p are of each test by itself, not corrected for their number"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.2f}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _conll(result: Result) -> float | None:
    return result.conll_f1


def _link_f1(result: Result) -> float | None:
    return None if result.links is None else _defined_f1(result.links.links)


def _defined_f1(counts: MetricCounts) -> float | None:
    """F1, ``None`` where there is nothing that it could be about."""
    return counts.f1 if counts.recall_denominator or counts.precision_denominator else None


def _group_rows(strategies: Sequence[StrategySummary], columns: range, score: Callable[[Result], float | None]) -> Rows:
    rows: Rows = [("", "documents", *map(str, columns))]
    for kind in GROUP_TITLES:
        names = list(strategies[0].groups[kind])
        if kind == "length_bins" and len(names) <= len(strategies[0].groups["length"]):
            continue
        for name in names:
            groups = [strategy.groups[kind][name] for strategy in strategies]
            most = max(group.documents for group in groups)
            cells = [percent(None if group.result is None else score(group.result)) for group in groups]
            rows.append((name, f"{most:,}", *cells))
    return rows


def _distance_rows(strategies: Sequence[StrategySummary], columns: range) -> Rows:
    rows: Rows = [("", "links", *map(str, columns))]
    for bins in zip(*(strategy.distances for strategy in strategies), strict=True):
        most = max(each.links for each in bins)
        if most:
            cells = [percent(each.found / each.links if each.links else None) for each in bins]
            rows.append((bins[0].name, f"{most:,}", *cells))
    return rows


def _closing(comparison: Comparison) -> list[str]:
    signatures = [f"signature of {strategy.name}: {strategy.signature}" for strategy in comparison.strategies]
    return ["", *signatures, f"made by: {comparison.setup.command}"]
