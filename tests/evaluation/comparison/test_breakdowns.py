from __future__ import annotations

from dataclasses import replace

import pytest

from client.evaluation.agreement.bootstrap import Resampling
from client.evaluation.comparison.breakdowns import by_distance, by_group
from client.evaluation.comparison.contenders import StrategyContender, attempt
from client.evaluation.comparison.data import DocumentFacts, DocumentOutcome, Setup, StrategyOutcomes
from client.evaluation.comparison.decision_errors import JudgedDecision
from client.evaluation.comparison.summary import compare
from client.evaluation.comparison.task import make_task
from client.evaluation.scoring import COMPARED_METRICS
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import LinkCounts
from client.evaluation.scoring.scores import Scores
from merger.document import ChainRef
from merger.errors import OptionError
from merger.notices import Notices
from merger.strategies import make_strategy
from tests.support.building import parts_of, whole

SETUP = Setup("key", "given", "dropped", "merge-baseline compare key")
PAIR = "[a x/NN ] [a y/NN ]"


def outcome(name: str, right: int, links: int) -> DocumentOutcome:
    """A document with so many right out of 4 by every metric, and so many right links out of 2."""
    scores = Scores(dict.fromkeys(COMPARED_METRICS, Counts(right, 4, right, 4)))
    return DocumentOutcome(name, Result(scores, scores, LinkCounts(Counts(links, 2, links, 2), 2, links)))


DOCUMENTS = (
    DocumentFacts("a", "news", tokens=500, chains=40, parts=2),
    DocumentFacts("b", "news", tokens=2000, chains=41, parts=7),
    DocumentFacts("c", "fiction", tokens=2001, chains=1, parts=1),
    DocumentFacts("d", None, tokens=9000, chains=1, parts=11),
)
OUTCOMES = (outcome("a", 4, 2), outcome("b", 1, 1), outcome("c", 2, 0), DocumentOutcome("d", failure="d: broken"))


def test_documents_are_grouped_and_their_counts_added_up() -> None:
    """News: (4 + 1) / (4 + 4), links (2 + 1) / (2 + 2). Short documents are the same two."""
    groups = by_group(DOCUMENTS, OUTCOMES)

    assert {kind: list(names) for kind, names in groups.items()} == {
        "genre": ["fiction", "news", "unknown"],
        "length": ["up to 2,000 tokens", "over 2,000 tokens"],
        "length_bins": ["up to 500 tokens", "1,001 to 2,000 tokens", "2,001 to 4,000 tokens", "over 8,000 tokens"],
        "chains": ["up to 40 chains", "over 40 chains"],
        "parts": ["1 part", "2 parts", "6 to 10 parts", "over 10 parts"],
    }
    for group in (groups["genre"]["news"], groups["length"]["up to 2,000 tokens"]):
        assert group.result is not None
        assert group.result.links is not None
        assert (group.documents, group.result.conll_f1, group.result.links.links.f1) == (2, (4 + 1) / 8, (2 + 1) / 4)
    # The other document with few chains failed.
    few = groups["chains"]["up to 40 chains"]
    assert few.result is not None
    assert (few.documents, few.result.conll_f1) == (2, (4 + 2) / 8)
    assert (groups["genre"]["unknown"].documents, groups["genre"]["unknown"].result) == (0, None)


def test_links_are_put_in_bins_by_distance() -> None:
    decisions = [
        JudgedDecision(ChainRef(1, str(distance)), (ChainRef(0, "a"),), (), distance, found)
        for distance, found in ((10, True), (11, True), (50, False), (10001, True))
    ]
    new = JudgedDecision(ChainRef(1, "new"), (), ())

    bins = [(each.name, each.links, each.found) for each in by_distance([*decisions, new]) if each.links]

    assert bins == [("up to 10 tokens", 1, 1), ("11 to 50 tokens", 2, 1), ("over 10,000 tokens", 1, 1)]


def test_tests_are_on_the_documents_that_both_have() -> None:
    """On a and b: (4 + 1) / 8 against (2 + 1) / 8."""
    one = StrategyOutcomes("one", "one", (*OUTCOMES[:2], DocumentOutcome("c", failure="c: broken"), OUTCOMES[3]))
    other = StrategyOutcomes(
        "other", "other", (outcome("a", 2, 0), outcome("b", 1, 0), outcome("c", 4, 2), outcome("d", 4, 2))
    )

    comparison = compare(DOCUMENTS, [other, one], SETUP, resampling=Resampling(100))

    assert comparison.baseline == "other"
    (test,) = comparison.tests
    assert (test.strategy, test.baseline, test.documents) == ("one", "other", 2)
    assert test.difference == pytest.approx(5 / 8 - 3 / 8)
    # a differs, b does not: both ways to exchange a are equally far apart.
    assert (test.exact, test.randomisation_p) == (True, 1)
    assert [strategy.done for strategy in comparison.strategies] == [4, 2]
    assert [failure.document for failure in comparison.strategies[1].failures] == ["c", "d"]
    assert comparison.strategies[1].tokens == 500 + 2000


def test_the_baseline_is_the_first_but_the_floor_or_the_one_asked_for() -> None:
    by_strategy = [StrategyOutcomes(name, name, OUTCOMES) for name in ("none", "greedy", "oracle")]

    assert compare(DOCUMENTS, by_strategy, SETUP).baseline == "greedy"
    assert compare(DOCUMENTS, by_strategy, SETUP, baseline="none").baseline == "none"
    with pytest.raises(OptionError, match="there are none, greedy, oracle"):
        compare(DOCUMENTS, by_strategy, SETUP, baseline="corenlp")


def test_merging_nothing_is_the_floor_and_the_key_the_ceiling() -> None:
    """Singletons among the part chains are not merged, so they are not in the floor either."""
    texts = (f"{PAIR} [b z/NN ]", PAIR)
    key = whole(PAIR + " z/NN", PAIR)
    task = make_task(parts_of(*texts), key)

    none, oracle = (
        attempt(StrategyContender(name, make_strategy(name)), task, Notices()).result for name in ("none", "oracle")
    )

    assert none is not None
    assert oracle is not None
    assert (none.scores, none.gain) == (none.floor, 0)
    assert (oracle.conll_f1, oracle.gain) == (1, 1)


def test_a_document_without_tags_fails_by_itself() -> None:
    parts = parts_of("[a x ] [a y ]", "[a x ] [a y ]")
    task = make_task(replace(parts, id="bare"), whole("[a x ] [a y ]", "[a x ] [a y ]"))

    failed = attempt(StrategyContender("greedy", make_strategy("greedy")), task, Notices())

    assert failed.result is None
    assert failed.failure is not None
    assert "bare" in failed.failure
