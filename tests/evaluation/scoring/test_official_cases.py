from __future__ import annotations

from typing import Any

import pytest

from client.evaluation.scoring import BlancCounts, MetricCounts, score_documents

from .official_cases import WHY_SKIPPED, expected, read_pair

CASES = expected()
pytestmark = pytest.mark.skipif(not CASES, reason=WHY_SKIPPED)
NO_COVAL = {"TC-A-8.response", "TC-A-9.response"}
"""Where the reader of LEA's authors loses mentions, so that its numbers are of other chains."""


def assert_as_printed(counts: MetricCounts, printed: dict[str, Any]) -> None:
    """Compare all that was printed: fractions to the last digit, F1 in percent as cut after two digits."""
    (recall_numerator, recall_denominator, _), (precision_numerator, precision_denominator, _) = (
        printed["recall"],
        printed["precision"],
    )
    assert counts.recall_numerator == pytest.approx(recall_numerator, rel=0, abs=1e-9)
    assert counts.recall_denominator == recall_denominator
    assert counts.precision_numerator == pytest.approx(precision_numerator, rel=0, abs=1e-9)
    assert counts.precision_denominator == precision_denominator
    assert printed["f1"] - 1e-9 <= 100 * counts.f1 <= printed["f1"] + 0.01 + 1e-9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["response"])
def test_all_numbers_are_those_that_the_official_scorer_prints(case: dict[str, Any]) -> None:
    scores = score_documents(read_pair(case["key"], case["response"]))

    for name in ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc"):
        assert_as_printed(scores[name], case[name])
    blanc = scores["blanc"]
    assert isinstance(blanc, BlancCounts)
    assert_as_printed(blanc.coreference, case["blanc_coref_links"])
    assert_as_printed(blanc.non_coreference, case["blanc_noncoref_links"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["response"])
def test_lea_is_that_of_its_authors(case: dict[str, Any]) -> None:
    if case["response"] in NO_COVAL:
        pytest.skip("coval reads other chains from this file")
    scores = score_documents(read_pair(case["key"], case["response"]), ["lea"])

    assert_as_printed(scores["lea"], case["lea_coval"])


def test_there_are_36_cases() -> None:
    assert len(CASES) == 36
