"""A comparison as JSON data, as docs/comparison.schema.json describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from client.evaluation.agreement.bootstrap import LEVEL
from client.evaluation.agreement.render import as_data as agreement_data
from client.evaluation.comparison.data import Comparison, DocumentOutcome, Group, StrategySummary
from client.evaluation.comparison.decision_errors import decision_data
from client.evaluation.scoring.render_data import result_data


def as_data(comparison: Comparison) -> dict[str, Any]:
    """The whole comparison. Scores are fractions from 0 to 1 in full precision."""
    setup, verdict = comparison.setup, comparison.verdict
    return {
        "key": setup.key,
        "split": setup.split,
        "singletons": setup.singletons,
        "command": setup.command,
        "documents": [asdict(facts) for facts in comparison.documents],
        "left_out": list(comparison.left_out),
        "strategies": [_strategy_data(strategy) for strategy in comparison.strategies],
        "baseline": comparison.baseline,
        "resampling": {
            "level": LEVEL,
            "resamples": comparison.resampling.resamples,
            "seed": comparison.resampling.seed,
        },
        "tests": [asdict(test) for test in comparison.tests],
        "pairs": {column: [asdict(test) for test in tests] for column, tests in comparison.pairs.items()},
        "significantly_best": dict(comparison.best),
        "verdict": {
            "answer": verdict.answer.value,
            "sentence": verdict.sentence,
            "best": verdict.best,
            "test": None if verdict.test is None else asdict(verdict.test),
            "runner_up": None if verdict.runner_up is None else asdict(verdict.runner_up),
        },
        "agreement": agreement_data(comparison.agreement),
    }


def _strategy_data(strategy: StrategySummary) -> dict[str, Any]:
    return {
        "name": strategy.name,
        "signature": str(strategy.signature),
        "documents": strategy.done,
        "tokens": strategy.tokens,
        "seconds": strategy.seconds,
        "seconds_per_1000_tokens": strategy.seconds_per_1000_tokens,
        "peak_memory": strategy.peak_memory,
        "total": None if strategy.total is None else result_data(strategy.total),
        "intervals": {column: asdict(interval) for column, interval in strategy.intervals.items()},
        "groups": {kind: _groups_data(groups) for kind, groups in strategy.groups.items()},
        "links_by_distance": [asdict(each) for each in strategy.distances],
        "failed": [{"document": each.document, "error": each.failure} for each in strategy.failures],
        "outcomes": [_outcome_data(each) for each in strategy.outcomes if each.result is not None],
    }


def _groups_data(groups: Mapping[str, Group]) -> dict[str, Any]:
    return {
        name: {
            "documents": group.documents,
            "total": None if group.result is None else result_data(group.result),
        }
        for name, group in groups.items()
    }


def _outcome_data(outcome: DocumentOutcome) -> dict[str, Any]:
    return {
        "document": outcome.document,
        "seconds": outcome.seconds,
        "judged": [decision_data(decision) for decision in outcome.decisions],
        **({} if outcome.result is None else result_data(outcome.result)),
    }
