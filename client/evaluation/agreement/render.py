"""Agreement as text (LongtoNotes Tables 3, 11 to 13) and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from client.evaluation.agreement.bootstrap import LEVEL
from client.evaluation.agreement.measure import Measure
from client.evaluation.agreement.metrics import METRICS
from client.evaluation.agreement.parts_of_speech import ClassTable
from client.evaluation.agreement.study import Pair
from client.evaluation.agreement.summary import AgreementReport, Estimate, Summary
from client.evaluation.scoring.render import percent
from client.evaluation.text_table import table

_PAIR_COLUMNS = 6
"""The largest number of pairs with columns of their own in tables by group: those of four annotators."""


def as_text(report: AgreementReport) -> str:
    """The report as lines of text."""
    total = report.total
    lines = [f"{number}  {name}" for number, name in enumerate(report.annotators, start=1)]
    if report.left_out:
        count, left_out = len(report.documents), len(report.left_out)
        lines += ["", f"{count:,} of {count + left_out:,} documents; {left_out:,} left out on all sides"]
    lines += [
        "",
        f"{total.decisions:,} decisions in {total.documents_with_decisions:,} of {total.documents:,} documents",
        "",
        "in percent",
        *_metric_lines(report),
        "",
        *_legend(report),
    ]
    for name, title in (("strict_match", "strict match"), ("new_chain", "new chain")):
        lines += ["", f"{title} by group, in percent", *_group_lines(report, name)]
    lines += ["", "disagreement by part of speech of the head", *_class_lines(total.classes)]
    return "\n".join(lines) + "\n"


def _metric_lines(report: AgreementReport) -> list[str]:
    total = report.total
    rows = [("", *(metric.label for metric in METRICS.values()))]
    rows += [
        (_pair_name(pair), *(percent(each.measure.value) for each in summary.metrics.values()))
        for pair, summary in total.pairs.items()
    ]
    if len(total.pairs) > 1:
        rows.append(("mean", *(percent(each.measure.value) for each in total.mean.values())))
        joint = {name: percent(measure.value) for name, measure in total.joint_alpha.items()}
        rows.append(("all at once", *(joint.get(name, "") for name in METRICS)))
    if any(each.interval for each in total.mean.values()):
        rows.append(("95% from", *(_end(each, "low") for each in total.mean.values())))
        rows.append(("95% to", *(_end(each, "high") for each in total.mean.values())))
    return table(rows)


def _legend(report: AgreementReport) -> Iterator[str]:
    for metric in METRICS.values():
        yield f"{metric.label}: {metric.meaning}"
    yield f"antecedents are compared {_COMPARED[report.compare.value]}"
    if any(each.interval for each in report.total.mean.values()):
        resampling = report.resampling
        yield f"95%: percentile bootstrap over documents, {resampling.resamples:,} resamples, seed {resampling.seed}"
    for pair, summary in report.total.pairs.items():
        for name, each in summary.metrics.items():
            if each.measure.value is None:
                yield f"undefined: {METRICS[name].label} of {_pair_name(pair)}, {each.measure.reason}"


_COMPARED = {
    "chain": "as the merged chain at the time of the decision",
    "root": "by the first part chain of the merged chain",
}


def _group_lines(report: AgreementReport, metric: str) -> list[str]:
    pairs = list(report.total.pairs)
    shown = pairs if 1 < len(pairs) <= _PAIR_COLUMNS else []
    rows = [
        ("", "documents", "decisions", *map(_pair_name, shown), "mean" if len(pairs) > 1 else "1-2", "95% from", "to")
    ]
    for kind, groups in report.groups.items():
        for name, summary in groups.items():
            if kind == "length_bins" and len(groups) <= len(report.groups["length"]):
                continue
            each = summary.mean[metric]
            by_pair = [summary.pairs.get(pair) for pair in shown]
            rows.append(
                (
                    name,
                    f"{summary.documents:,}",
                    f"{summary.decisions:,}",
                    *("-" if found is None else percent(found.metrics[metric].measure.value) for found in by_pair),
                    percent(each.measure.value),
                    _end(each, "low"),
                    _end(each, "high"),
                )
            )
    return table(rows)


def _class_lines(classes: ClassTable) -> list[str]:
    rows = [("", "chains", "disagreed", "%", "mentions", "in disagreed", "%")]
    for each, counts in classes.items():
        rows.append(
            (
                each.value,
                f"{counts.chains:,}",
                f"{counts.disagreed_chains:,}",
                percent(_share(counts.disagreed_chains, counts.chains)),
                f"{counts.mentions:,}",
                f"{counts.disagreed_mentions:,}",
                percent(_share(counts.disagreed_mentions, counts.mentions)),
            )
        )
    return table(rows)


def _pair_name(pair: Pair) -> str:
    return f"{pair[0] + 1}-{pair[1] + 1}"


def _end(estimate: Estimate, end: str) -> str:
    found = estimate.interval
    return percent(None if found is None else found.low if end == "low" else found.high)


def _share(count: int, total: int) -> float | None:
    return count / total if total else None


def as_data(report: AgreementReport) -> dict[str, Any]:
    """The report as JSON data: fractions from 0 to 1 in full precision, ``null`` with its reason for undefined."""
    names = report.annotators
    return {
        "annotators": list(names),
        "compare": report.compare.value,
        "bootstrap": {"level": LEVEL, "resamples": report.resampling.resamples, "seed": report.resampling.seed},
        "total": _summary_data(report.total, names),
        "groups": {
            kind: {name: _summary_data(summary, names) for name, summary in groups.items()}
            for kind, groups in report.groups.items()
        },
        "left_out": list(report.left_out),
        "documents": [
            {
                "id": document.id,
                "genre": document.genre,
                "parts": document.parts,
                "tokens": document.tokens,
                "chains": document.chains,
                "pairs": [
                    {
                        "annotators": [names[number] for number in pair],
                        "decisions": int(counts.decisions),
                        **{name: _measure_data(metric.measure(counts)) for name, metric in METRICS.items()},
                    }
                    for pair, counts in document.pairs.items()
                ],
            }
            for document in report.documents
        ],
    }


def _summary_data(summary: Summary, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "documents": summary.documents,
        "documents_with_decisions": summary.documents_with_decisions,
        "decisions": summary.decisions,
        "pairs": [
            {
                "annotators": [names[number] for number in pair],
                "documents": each.documents,
                "decisions": each.decisions,
                **_estimates_data(each.metrics),
            }
            for pair, each in summary.pairs.items()
        ],
        "mean": _estimates_data(summary.mean),
        "all_at_once": {name: _measure_data(measure) for name, measure in summary.joint_alpha.items()},
        "parts_of_speech": {
            each.value: {
                **counts._asdict(),
                "disagreed_chains_share": _share(counts.disagreed_chains, counts.chains),
                "disagreed_mentions_share": _share(counts.disagreed_mentions, counts.mentions),
            }
            for each, counts in summary.classes.items()
        },
    }


def _estimates_data(estimates: Mapping[str, Estimate]) -> dict[str, Any]:
    return {
        name: {
            **_measure_data(each.measure),
            "interval": None
            if each.interval is None
            else {"low": each.interval.low, "high": each.interval.high, "resamples": each.interval.resamples},
        }
        for name, each in estimates.items()
    }


def _measure_data(measure: Measure) -> dict[str, Any]:
    data: dict[str, Any] = {"value": measure.value}
    if measure.denominator is not None:
        data["numerator"] = measure.numerator
        data["denominator"] = measure.denominator
    if measure.reason:
        data["undefined" if measure.value is None else "note"] = measure.reason
    return data
