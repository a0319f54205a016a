from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from client.agreement.bootstrap import Resampling
from client.comparison.data import METRICS, Answer, Comparison, DocumentFacts, Entrant, Outcome, Setup, Verdict
from client.comparison.summary import compare
from client.scoring.counts import Counts
from client.scoring.evaluation import Result
from client.scoring.links import LinkCounts
from client.scoring.scores import Scores

SETUP = Setup("key", "given", "dropped", "merge-baseline compare key")


def scores(right: int) -> Scores:
    return Scores(dict.fromkeys(METRICS, Counts(right, 10, right, 10)))


def verdict(rights: Sequence[int | None], floor: int = 5, **others: Sequence[int | None]) -> Verdict:
    """The verdict on greedy and others with so many right out of 10 in each document, ``None`` for a failure."""
    return compared({"none": [floor] * len(rights), "greedy": rights, **others}, floor).verdict


def compared(strategies: Mapping[str, Sequence[int | None]], floor: int) -> Comparison:
    count = len(next(iter(strategies.values())))
    documents = [DocumentFacts(str(number), None, 100, 5, 2) for number in range(count)]
    entrants = [
        Entrant(name, name, tuple(outcome(str(number), right, floor) for number, right in enumerate(rights)))
        for name, rights in strategies.items()
    ]
    return compare(documents, entrants, SETUP, resampling=Resampling(1000))


def outcome(document: str, right: int | None, floor: int) -> Outcome:
    if right is None:
        return Outcome(document, failure="broken")
    return Outcome(document, Result(scores(right), scores(floor), LinkCounts(Counts(1, 2, 1, 2), 4, 3)))


def test_better_than_nothing_by_more_than_chance_is_a_part_of_the_way() -> None:
    """0.8 against 0.5 in every document: (80 - 50) / (100 - 50) of the way, 3 of 4 decisions."""
    found = verdict([8] * 10)

    assert (found.answer, found.best) == (Answer.PARTLY, "greedy")
    assert found.sentence == (
        "In part: greedy scores 80.00 CoNLL F1 against 50.00 for merging nothing (+30.00, 95% interval +30.00 to "
        "+30.00), 60.00% of the way to people's, and makes 75.00% of the decisions as people did."
    )
    assert found.test is not None
    assert (found.test.baseline, found.test.documents) == ("none", 10)


@pytest.mark.parametrize("right", [5, 3])
def test_not_better_than_nothing_is_a_no(right: int) -> None:
    found = verdict([right] * 10)

    assert found.answer is Answer.NO
    assert found.sentence.startswith("No: greedy does not do better than merging nothing")


def test_a_difference_that_chance_may_make_is_not_shown() -> None:
    """Up in six documents, down in five, by as much."""
    assert verdict([6] * 6 + [4] * 5).answer is Answer.NOT_SHOWN


@pytest.mark.parametrize("documents", [1, 5])
def test_few_documents_show_nothing(documents: int) -> None:
    """Five have 32 exchanges, two of which are as far apart whatever the scores: p is at least 2/32."""
    found = verdict([8] * documents)

    assert found.answer is Answer.NOT_SHOWN
    assert "too few documents" in found.sentence


def test_all_right_is_a_yes() -> None:
    assert verdict([10] * 4).answer is Answer.YES


def test_where_nothing_is_to_merge_nothing_is_to_judge() -> None:
    assert verdict([10] * 4, floor=10).answer is Answer.NOTHING_TO_MERGE
    assert verdict([9] * 4, floor=10).answer is Answer.NOTHING_TO_MERGE


def test_the_bounds_alone_answer_nothing() -> None:
    assert compared({"none": [5, 5], "oracle": [10, 10]}, 5).verdict.answer is Answer.NOT_ASKED


def test_the_best_is_among_those_that_have_most_documents() -> None:
    found = verdict([8, 8, 8], other=[10, 10, None])

    assert found.best == "greedy"
    assert "the best of 2 strategies, greedy," in found.sentence
    assert "greedy (on 2 of 3 documents)" in verdict([8, 8, None]).sentence
