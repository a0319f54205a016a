from __future__ import annotations

import pytest

from client.evaluation.comparison.contenders import StrategyContender, attempt
from client.evaluation.comparison.decision_errors import JudgedDecision, LinkError, judge
from client.evaluation.comparison.gold_merges import GoldMerges
from client.evaluation.comparison.task import make_task
from merger.document import Chain, ChainRef, ChainScope
from merger.notices import Notices
from merger.strategies import make_strategy
from tests.support.building import parts_of, whole

PAIR = "[a x/NN ] [a y/NN ]"
A0, A1, A2 = (ChainRef(part, "a") for part in range(3))
B0 = ChainRef(0, "b")


def test_a_link_is_as_long_as_from_the_nearest_earlier_mention_to_the_first_of_the_chain() -> None:
    """Tokens: x0 y1 x2 | z3 x4 y5; from x2 to x4 it is 2."""
    texts = ("[a x/NN ] y/NN [a x/NN ]", "z/NN [a x/NN ] [a y/NN ]")
    parts, key = parts_of(*texts), whole(*texts)
    nothing = parts.with_chains(parts.chains, ChainScope.DOCUMENT)
    gold = GoldMerges.read(parts, key)

    assert judge(gold, gold.linking) == (JudgedDecision(A1, (A0,), (A0,), 2, found=True),)
    assert judge(gold, gold.link(nothing)) == (JudgedDecision(A1, (A0,), (), 2, found=False),)


def test_a_link_past_the_nearest_part_chain_is_not_the_human_one() -> None:
    """Tokens x0 y1 | x2 y3 | x4 y5, one chain. The response joins the first part with the third only."""
    parts, key = parts_of(PAIR, PAIR, PAIR), whole(PAIR, PAIR, PAIR)
    first, second, third = (chain.mentions for chain in parts.chains)
    response = parts.with_chains((Chain("0", first + third), Chain("1", second)), ChainScope.DOCUMENT)

    gold = GoldMerges.read(parts, key)
    linking = gold.link(response)

    missed, wrong = judge(gold, linking)

    assert missed == JudgedDecision(A1, (A0,), (), 1, found=False)
    assert wrong == JudgedDecision(A2, (A0, A1), (A0,), 1, found=False)
    assert (wrong.error, wrong.shared) == (LinkError.WRONG_ANTECEDENT, 1)
    assert (gold.linking.numbers, linking.numbers) == ((0, 0, 0), (0, 1, 0))


@pytest.mark.parametrize(
    ("human", "made", "error"),
    [
        ((), (), None),
        ((A0,), (A0,), None),
        ((), (A0,), LinkError.SPURIOUS_LINK),
        ((A0,), (), LinkError.MISSED_LINK),
        ((A0,), (B0,), LinkError.WRONG_ANTECEDENT),
    ],
)
def test_a_decision_is_right_or_wrong_in_one_of_three_ways(
    human: tuple[ChainRef, ...], made: tuple[ChainRef, ...], error: LinkError | None
) -> None:
    assert JudgedDecision(A1, human, made).error is error


def test_an_outcome_tells_what_the_strategy_went_by_and_counts_as_the_link_scores_do() -> None:
    """Greedy links b to a by the noun "x", which people did not."""
    parts = parts_of("[a x/NN ] [a x/NN ]", "[b x/NN ] [b x/NN ]")
    key = whole("[a x/NN ] [a x/NN ]", "[b x/NN ] [b x/NN ]")

    outcome = attempt(StrategyContender("greedy", make_strategy("greedy")), make_task(parts, key), Notices())

    (decision,) = outcome.decisions
    assert (decision.gold, decision.response, decision.error) == ((), (A0,), LinkError.SPURIOUS_LINK)
    assert decision.evidence is not None
    assert (decision.evidence.rule, decision.evidence.text) == ("noun", "x")
    assert outcome.merged == (0, 0)
    assert outcome.result is not None
    assert outcome.result.links is not None
    assert (outcome.result.links.decisions, outcome.result.links.matching) == (1, 0)
