"""Votes worked out by hand. Chains a, b are of part 0, c, d of part 1, e of part 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.decisions.checked import antecedent_sets
from merger.decisions.model import Decision, apply_decisions
from merger.decisions.records import Decided, Vote
from merger.decisions.voting import Voted, vote
from merger.document import ChainRef, Document
from merger.errors import DecisionError, OptionError
from tests.decisions.random_decisions import decisions_on
from tests.support.building import clusters, links, parts_of
from tests.support.random_documents import part_documents

# Chain d begins before chain c.
PARTS = parts_of("[a x ] [a x ] [b x ] [b x ]", "[d x ] [d x ] [c x ] [c x ]", "[e x ] [e x ]")
PART_OF = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2}
MAJORITY, PREFERENCE = Decided.MAJORITY, Decided.PREFERENCE


def _ref(name: str) -> ChainRef:
    return ChainRef(PART_OF[name], name)


def _said(said: Mapping[str, str]) -> list[Decision]:
    """Decisions as ``{"c": "a"}``: c is linked to a; chains that are not named are new."""
    return [Decision(_ref(name), _ref(said[name]) if name in said else None) for name in "abdce"]


def _vote(*said: Mapping[str, str], prefer: str | None = None) -> dict[str, Voted]:
    """What comes out for annotators 1, 2, ... by chain."""
    decisions = {str(number): _said(each) for number, each in enumerate(said, 1)}
    return {voted.decision.chain.chain: voted for voted in vote(PARTS, decisions, prefer)}


def _links(voted: Mapping[str, Voted]) -> dict[str, str]:
    return links([each.decision for each in voted.values()])


def test_more_than_half_of_the_votes_decide() -> None:
    # c: a, a, b. d: new, new, a.
    voted = _vote({"c": "a"}, {"c": "a"}, {"c": "b", "d": "a"})

    assert _links(voted) == {"1:c": "0:a"}
    assert {name: (each.decided, each.supporters) for name, each in voted.items()} == {
        "a": (MAJORITY, 3),
        "b": (MAJORITY, 3),
        "d": (MAJORITY, 2),
        "c": (MAJORITY, 2),
        "e": (MAJORITY, 3),
    }


@pytest.mark.parametrize(
    ("prefer", "outcome"), [(None, {"1:c": "0:a"}), ("1", {"1:c": "0:a"}), ("2", {"1:c": "0:b"}), ("3", {})]
)
def test_in_a_three_way_split_the_preferred_annotator_decides(prefer: str | None, outcome: dict[str, str]) -> None:
    # c: a, b, new.
    voted = _vote({"c": "a"}, {"c": "b"}, {}, prefer=prefer)

    assert _links(voted) == outcome
    assert (voted["c"].decided, voted["c"].supporters) == (PREFERENCE, 1)
    assert voted["c"].votes == (Vote("1", _ref("a")), Vote("2", _ref("b")), Vote("3", None))


def test_half_of_the_votes_are_no_majority() -> None:
    # c: a, a, b, b; then a, b, b, new: two of four are the most, and not more than half.
    even = _vote({"c": "a"}, {"c": "a"}, {"c": "b"}, {"c": "b"}, prefer="4")
    most = _vote({"c": "a"}, {"c": "b"}, {"c": "b"}, {})

    assert (_links(even), even["c"].decided, even["c"].supporters) == ({"1:c": "0:b"}, PREFERENCE, 2)
    assert (_links(most), most["c"].decided, most["c"].supporters) == ({"1:c": "0:a"}, PREFERENCE, 1)


def test_votes_are_compared_as_merged_chains_in_the_voters_own_world() -> None:
    # 1 and 2 name c for e, but mean {a, c} and {c}; 3 names a and means {a, c} too.
    voted = _vote({"c": "a", "e": "c"}, {"e": "c"}, {"c": "a", "e": "a"}, prefer="2")

    assert _links(voted) == {"1:c": "0:a", "2:e": "0:a"}
    assert (voted["e"].decided, voted["e"].supporters) == (MAJORITY, 2)
    assert voted["e"].votes == (Vote("1", _ref("c")), Vote("2", _ref("c")), Vote("3", _ref("a")))


def test_a_set_that_no_voted_chain_is_goes_to_the_one_with_the_latest_of_equally_many_of_its_chains() -> None:
    # c: a, b, b, so the voted merged chains are {a}, {b, c}, {d}. e: {a, c}, new, {a}: 1 decides, {a, c}.
    # a is in {a}, c in {b, c}: one each, and c is the later one.
    voted = _vote({"c": "a", "e": "c"}, {"c": "b"}, {"c": "b", "e": "a"})

    assert _links(voted) == {"1:c": "0:b", "2:e": "0:b"}
    assert voted["e"].decided is PREFERENCE


def test_a_set_that_no_voted_chain_is_goes_to_the_one_with_most_of_its_chains() -> None:
    # c: a, b, b. d: a, a, new. The voted merged chains are {a, d} and {b, c}. e: {a, d, c}, new, {d}: 1 decides.
    # Two of the three are in {a, d}, though c, in {b, c}, is the latest.
    voted = _vote({"c": "a", "d": "a", "e": "c"}, {"c": "b", "d": "a"}, {"c": "b", "e": "d"})

    assert _links(voted) == {"1:c": "0:b", "1:d": "0:a", "2:e": "0:a"}
    assert voted["e"].decided is PREFERENCE


def test_an_annotator_who_did_not_decide_on_a_one_mention_chain_has_no_vote_there() -> None:
    parts = parts_of("[a x ] [a x ]", "[s x ]")
    s, a = ChainRef(1, "s"), ChainRef(0, "a")

    _, voted = vote(parts, {"1": [Decision(a)], "2": [Decision(a), Decision(s, a)]}, prefer="1")

    assert voted == Voted(Decision(s, a), MAJORITY, (Vote("2", a),), 1)


def test_a_preferred_annotator_who_is_not_there_is_an_error() -> None:
    with pytest.raises(OptionError, match="no decisions of '9' to prefer; there are those of 1, 2"):
        _vote({}, {}, prefer="9")


def test_a_decision_that_joins_more_than_its_antecedent_cannot_be_voted_on() -> None:
    joining = [*_said({})[:-1], Decision(_ref("e"), _ref("a"), also=(_ref("b"),))]

    with pytest.raises(DecisionError) as caught:
        vote(PARTS, {"1": _said({}), "2": joining})

    assert str(caught.value).startswith("document d, part 2: 2 joins chain e with more than its antecedent")


@st.composite
def _annotated(draw: st.DrawFn) -> tuple[Document, dict[str, Sequence[Decision]]]:
    document = draw(part_documents(singletons=False))
    return document, {str(number): draw(decisions_on(document)) for number in range(draw(st.integers(1, 5)))}


def _decisions(voted: Sequence[Voted]) -> list[Decision]:
    return [each.decision for each in voted]


@given(data=st.data(), document=part_documents(singletons=False), count=st.integers(1, 4))
def test_where_all_say_the_same_that_comes_out(data: st.DataObject, document: Document, count: int) -> None:
    decisions = data.draw(decisions_on(document))

    voted = vote(document, {str(number): decisions for number in range(count)})

    assert _decisions(voted) == list(decisions)
    assert all(each.decided is MAJORITY and each.supporters == count for each in voted)


@given(annotated=_annotated())
def test_a_vote_of_two_is_the_merge_of_the_preferred_one(
    annotated: tuple[Document, dict[str, Sequence[Decision]]],
) -> None:
    document, decisions = annotated
    two = dict(list(decisions.items())[:2])

    for name, own in two.items():
        assert _decisions(vote(document, two, prefer=name)) == list(own)


@given(data=st.data(), annotated=_annotated())
def test_the_order_of_annotators_matters_only_without_a_majority(
    data: st.DataObject, annotated: tuple[Document, dict[str, Sequence[Decision]]]
) -> None:
    document, decisions = annotated
    shuffled = dict(data.draw(st.permutations(list(decisions.items()))))
    prefer = data.draw(st.sampled_from(sorted(decisions)))

    voted, other = vote(document, decisions), vote(document, shuffled)
    if all(each.decided is MAJORITY for each in voted):
        assert _decisions(voted) == _decisions(other)
    assert [each.decided for each in voted] == [each.decided for each in other]
    assert _decisions(vote(document, decisions, prefer)) == _decisions(vote(document, shuffled, prefer))


@given(annotated=_annotated())
def test_a_vote_is_a_merge_that_links_exactly_the_chains_that_won_a_link(
    annotated: tuple[Document, dict[str, Sequence[Decision]]],
) -> None:
    document, decisions = annotated

    voted = vote(document, decisions)

    merged = apply_decisions(document, _decisions(voted))
    assert set(merged.mentions()) == set(document.mentions())
    worlds = [antecedent_sets(document, each) for each in decisions.values()]
    for each in voted:
        ballots = [world[each.decision.chain] for world in worlds]
        most = max(ballots, key=ballots.count)
        wanted = most if 2 * ballots.count(most) > len(ballots) else ballots[0]
        assert (each.decision.antecedent is not None) == bool(wanted)
    assert len(clusters(merged)) == sum(each.decision.antecedent is None for each in voted)
