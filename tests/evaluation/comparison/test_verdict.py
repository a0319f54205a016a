from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from client.evaluation.agreement.bootstrap import Resampling
from client.evaluation.comparison.data import (
    Comparison,
    DocumentFacts,
    DocumentOutcome,
    Setup,
    StrategyOutcomes,
    Verdict,
    VerdictAnswer,
)
from client.evaluation.comparison.summary import compare
from client.evaluation.scoring import COMPARED_METRICS
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import LinkCounts
from client.evaluation.scoring.scores import Scores

SETUP = Setup("key", "given", "dropped", "merge-baseline compare key")


def scores(right: int) -> Scores:
    return Scores(dict.fromkeys(COMPARED_METRICS, Counts(right, 10, right, 10)))


def verdict(rights: Sequence[int | None], floor: int = 5, **others: Sequence[int | None]) -> Verdict:
    """The verdict on greedy and others with so many right out of 10 in each document, ``None`` for a failure."""
    return compared({"none": [floor] * len(rights), "greedy": rights, **others}, floor).verdict


def compared(strategies: Mapping[str, Sequence[int | None]], floor: int) -> Comparison:
    count = len(next(iter(strategies.values())))
    documents = [DocumentFacts(str(number), None, 100, 5, 2) for number in range(count)]
    by_strategy = [
        StrategyOutcomes(name, name, tuple(outcome(str(number), right, floor) for number, right in enumerate(rights)))
        for name, rights in strategies.items()
    ]
    return compare(documents, by_strategy, SETUP, resampling=Resampling(1000))


def outcome(document: str, right: int | None, floor: int) -> DocumentOutcome:
    if right is None:
        return DocumentOutcome(document, failure="broken")
    return DocumentOutcome(document, Result(scores(right), scores(floor), LinkCounts(Counts(1, 2, 1, 2), 4, 3)))


def test_better_than_nothing_by_more_than_chance_is_a_part_of_the_way() -> None:
    """0.8 against 0.5 in every document: (80 - 50) / (100 - 50) of the way, 3 of 4 decisions.

    Of the 2^9 exchanges of documents, 2 are as far apart: p is 2/512, and the bootstrap's 2 (0 + 1) / 1001 is smaller.
    """
    found = verdict([8] * 9)

    assert (found.answer, found.best) == (VerdictAnswer.PARTLY, "greedy")
    assert found.sentence == (
        "In part: greedy scores 80.00 CoNLL F1 against 50.00 for merging nothing (+30.00, 95% interval +30.00 to "
        "+30.00, p = 0.0039), 60.00% of the way to the gold merges, and makes 75.00% of the gold decisions."
    )
    assert found.test is not None
    assert (found.test.baseline, found.test.documents) == ("none", 9)


@pytest.mark.parametrize("right", [5, 3])
def test_not_better_than_nothing_is_a_no(right: int) -> None:
    found = verdict([right] * 10)

    assert found.answer is VerdictAnswer.NO
    assert found.sentence.startswith("No: greedy does not do better than merging nothing")


def test_a_difference_that_chance_may_make_is_not_shown() -> None:
    """Up in six documents, down in five, by as much."""
    assert verdict([6] * 6 + [4] * 5).answer is VerdictAnswer.NOT_SHOWN


@pytest.mark.parametrize("documents", [1, 5])
def test_few_documents_show_nothing(documents: int) -> None:
    """Five have 32 exchanges, two of which are as far apart whatever the scores: p is at least 2/32."""
    found = verdict([8] * documents)

    assert found.answer is VerdictAnswer.NOT_SHOWN
    assert "too few documents" in found.sentence


def test_all_right_is_a_yes() -> None:
    assert verdict([10] * 4).answer is VerdictAnswer.YES


def test_where_nothing_is_to_merge_nothing_is_to_judge() -> None:
    assert verdict([10] * 4, floor=10).answer is VerdictAnswer.NOTHING_TO_MERGE
    assert verdict([9] * 4, floor=10).answer is VerdictAnswer.NOTHING_TO_MERGE


def test_the_bounds_alone_answer_nothing() -> None:
    found = compared({"none": [5, 5], "oracle": [10, 10]}, 5).verdict

    assert (found.answer, found.test) == (VerdictAnswer.NOT_ASKED, None)
    assert "Name a strategy" in found.sentence


def test_a_strategy_that_fails_on_every_document_gives_no_answer() -> None:
    found = compared({"none": [5, 5], "greedy": [None, None], "oracle": [10, 10]}, 5).verdict

    assert found.answer is VerdictAnswer.NOT_ASKED
    assert found.sentence == "Not asked: greedy failed on every document."


def test_the_best_is_tested_against_the_runner_up_among_all_pairs() -> None:
    """Every exchange test of nine documents that all differ the same way has p 2/512.

    The bootstrap has 2/1001, so the larger is 2/512. There are three pairs: Holm multiplies the equal p by 3.
    """
    comparison = compared({"none": [5] * 9, "greedy": [7] * 9, "other": [8] * 9, "oracle": [10] * 9}, 5)

    found = comparison.verdict
    assert found.runner_up is not None
    assert (found.runner_up.strategy, found.runner_up.baseline) == ("other", "greedy")
    assert found.runner_up.difference == pytest.approx(0.8 - 0.7)
    # The verdict says how many tests its p is adjusted for.
    assert found.runner_up.holm_p == pytest.approx(3 * 2 / 512)
    lead = "greedy (+10.00, 95% interval +10.00 to +10.00, p = 0.0117 adjusted for all 3 pairs), is significant."
    assert f"runner-up, {lead}" in found.sentence
    assert comparison.best["conll_f1"] == "other"
    assert [(each.strategy, each.baseline) for each in comparison.pairs["conll_f1"]] == [
        ("greedy", "none"),
        ("other", "none"),
        ("other", "greedy"),
    ]


def test_a_strategy_that_fails_everywhere_does_not_hide_the_best() -> None:
    comparison = compared({"none": [5] * 9, "greedy": [None] * 9, "other": [8] * 9}, 5)

    assert comparison.best["conll_f1"] == "other"
    assert [(each.strategy, each.baseline) for each in comparison.pairs["conll_f1"]] == [("other", "none")]


def test_a_strategy_that_is_best_by_chance_is_not_marked() -> None:
    """Better than the runner-up in one document of nine, and worse in none: 2 of 2 exchanges are as far apart."""
    comparison = compared({"none": [5] * 9, "greedy": [7] * 9, "other": [8] + [7] * 8}, 5)

    assert (comparison.verdict.best, comparison.best.get("conll_f1")) == ("other", None)
    assert comparison.verdict.runner_up is not None
    assert comparison.verdict.runner_up.randomisation_p == 1
    assert "is not significant" in comparison.verdict.sentence


def test_merging_nothing_is_tested_against_though_it_was_not_run() -> None:
    comparison = compared({"greedy": [8] * 9}, 5)

    assert comparison.verdict.answer is VerdictAnswer.PARTLY
    assert [(each.strategy, each.baseline) for each in comparison.pairs["conll_f1"]] == [("greedy", "none")]


def test_link_scores_are_tested_on_the_documents_that_have_them() -> None:
    """The links of both strategies are the same, 1/2 in recall and precision, in the documents that have any."""
    comparison = compared({"greedy": [8] * 9, "other": [7] * 9}, 5)

    (test,) = comparison.pairs["link_f1"]
    assert (test.strategy, test.baseline, test.documents, test.difference, test.holm_p) == ("other", "greedy", 9, 0, 1)
    assert "link_f1" not in comparison.best


def test_scores_have_intervals() -> None:
    """Two documents with 8 and 6 of 10 right: resamples have 16, 14 or 12 of 20, and the outer ones a quarter each."""
    (strategy,) = compared({"greedy": [8, 6]}, 5).strategies

    interval = strategy.intervals["conll_f1"]
    assert (interval.low, interval.high) == pytest.approx((12 / 20, 16 / 20))
    assert strategy.intervals["strict_match"].low == 3 / 4
    assert compared({"greedy": [8]}, 5).strategies[0].intervals == {}


def test_the_best_is_among_those_that_have_most_documents() -> None:
    found = verdict([8, 8, 8], other=[10, 10, None])

    assert found.best == "greedy"
    assert "the best of 2 strategies, greedy," in found.sentence
    assert "greedy (on 2 of 3 documents)" in verdict([8, 8, None]).sentence
