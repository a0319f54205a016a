"""The tables of decision agreement between the gold merges and strategies (LongtoNotes Tables 3 and 11 to 13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from client.evaluation.agreement.measure import Measure
from client.evaluation.agreement.metrics import METRICS
from client.evaluation.agreement.parts_of_speech import ClassTable, add_tables
from client.evaluation.agreement.study import DocumentAgreement
from client.evaluation.agreement.summary import AgreementReport, Summary
from client.evaluation.breakdown_bins import genre_group
from client.evaluation.comparison.section import Rows, Section
from client.evaluation.scoring.render import percent
from merger.tag_sets import WordClass

COLUMNS = 8
"""The largest number of strategies in one table by group."""


def agreement_sections(report: AgreementReport) -> Iterator[Section]:
    """Agreement with the gold decisions in every metric, of all pairs, and by part of speech and genre."""
    if not report.total.decisions:
        return
    strategies = report.annotators[1:]
    yield Section(
        "agreement",
        "agreement with the gold decisions, in percent",
        _metric_rows(report),
        _legend(report),
        targets={row: {"strategy": name} for row, name in enumerate(strategies)},
    )
    rows = _class_rows(report.annotators, report.documents)
    yield Section(
        "classes",
        "decisions that are not the gold ones, in percent, by part of speech of the chain's first head",
        rows,
        ("columns: strategies by number",),
        columns=dict(enumerate(strategies, start=2)),
        targets={number: {"pos": row[0]} for number, row in enumerate(rows[1:])},
    )
    for name, table in (("strict_match", "Table 11"), ("new_chain", "Table 13")):
        meaning = METRICS[name].meaning
        rows, breaks = _matrices(report, name)
        title = f"agreement of everyone with everyone, in percent: {meaning}, by genre"
        columns = dict(enumerate(strategies, start=2))
        notes = (f"as {table} of the paper",)
        yield Section(name, title, rows, notes, detail=True, breaks=breaks, columns=columns)
    if len(report.groups["genre"]) == 1:
        return
    rows, breaks, targets = _class_genres(report)
    title = "decisions that are not the gold ones, in percent, by genre and part of speech"
    notes = ("as Table 12 of the paper; columns: strategies by number",)
    columns = dict(enumerate(strategies, start=2))
    yield Section("class_genres", title, rows, notes, detail=True, breaks=breaks, columns=columns, targets=targets)


def _legend(report: AgreementReport) -> tuple[str, ...]:
    words = (f"{metric.label}: {metric.meaning.removesuffix(', 0 to 1')}" for metric in METRICS.values())
    undefined = sorted(
        {
            f"{METRICS[name].label} of {report.annotators[pair[1]]}: {estimate.measure.reason}"
            for pair, summary in report.total.pairs.items()
            if not pair[0]
            for name, estimate in summary.metrics.items()
            if estimate.measure.value is None
        }
    )
    return (*words, *undefined)


def _metric_rows(report: AgreementReport) -> Rows:
    rows: Rows = [("strategy", *(metric.label for metric in METRICS.values()))]
    for number, name in enumerate(report.annotators[1:], start=1):
        pair = report.total.pairs.get((0, number))
        cells = ["-"] * len(METRICS) if pair is None else [_shown(each.measure) for each in pair.metrics.values()]
        rows.append((f"{number}  {name}", *cells))
    return rows


def _shown(measure: Measure) -> str:
    return percent(measure.value)


def _column_names(report: AgreementReport) -> list[str]:
    return [report.annotators[0], *(str(number) for number in range(1, len(report.annotators)))]


def _matrices(report: AgreementReport, metric: str) -> tuple[Rows, tuple[int, ...]]:
    """The agreement of all pairs, as a square for all documents, then one for each genre."""
    names = _column_names(report)
    rows: Rows = [("", *names)]
    breaks = []
    genres = report.groups["genre"]
    summaries: dict[str, Summary] = {"all": report.total, **(genres if len(genres) > 1 else {})}
    for genre, summary in summaries.items():
        if not summary.decisions:
            continue
        breaks.append(len(rows) - 1)
        rows += [
            (f"{genre}: {name}", *(_cell(summary, metric, row, column) for column in range(len(names))))
            for row, name in enumerate(names)
        ]
    return rows, tuple(breaks[1:])


def _cell(summary: Summary, metric: str, one: int, other: int) -> str:
    if one == other:
        return percent(1.0)
    pair = summary.pairs.get((min(one, other), max(one, other)))
    return "-" if pair is None else _shown(pair.metrics[metric].measure)


def _class_rows(annotators: Sequence[str], documents: Sequence[DocumentAgreement]) -> Rows:
    strategies = range(1, len(annotators))
    tables = [add_tables(_tables(documents, number)) for number in strategies]
    rows: Rows = [("part of speech", "chains", *map(str, strategies))]
    for each in WordClass:
        found = [table[each] for table in tables if each in table]
        if found:
            shares = [_share(table, each) for table in tables]
            rows.append((each.value, f"{max(counts.chains for counts in found):,}", *shares))
    return rows


def _tables(documents: Iterable[DocumentAgreement], number: int) -> Iterator[ClassTable]:
    for document in documents:
        if (0, number) in document.classes:
            yield document.classes[0, number]


def _share(table: ClassTable, each: WordClass) -> str:
    counts = table.get(each)
    return percent(counts.disagreed_chains / counts.chains if counts is not None and counts.chains else None)


def _class_genres(report: AgreementReport) -> tuple[Rows, tuple[int, ...], dict[int, dict[str, str]]]:
    """The rows, the rows before which a genre starts, and the target of each row."""
    members: dict[tuple[int, str], list[DocumentAgreement]] = {}
    for document in report.documents:
        members.setdefault(genre_group(document.genre), []).append(document)
    rows: Rows = []
    breaks: list[int] = []
    targets: dict[int, dict[str, str]] = {}
    for (_, genre), documents in sorted(members.items()):
        head, *found = _class_rows(report.annotators, documents)
        rows = rows or [head]
        if found:
            breaks.append(len(rows) - 1)
            targets |= {
                number: {"group": f"genre:{genre}", "pos": row[0]}
                for number, row in enumerate(found, start=len(rows) - 1)
            }
            rows += [(f"{genre}: {row[0]}", *row[1:]) for row in found]
    return rows, tuple(breaks[1:]), targets
