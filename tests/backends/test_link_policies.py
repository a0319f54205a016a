from __future__ import annotations

import pytest

from merger.backends.link_policies import POLICIES, SHOWN_PAIRS
from merger.decisions.model import Decision, MentionPair
from merger.document import ChainRef, Mention
from tests.backends.one_word_mentions import clusters_of_words, groups, map_clusters
from tests.support.building import links, parts_of


def only(decisions: list[Decision], name: str) -> Decision:
    (decision,) = (each for each in decisions if f"{each.chain.part}:{each.chain.chain}" == name)
    return decision


@pytest.mark.parametrize("policy", POLICIES)
def test_a_chain_without_links_is_new(policy: str) -> None:
    document = parts_of("[A a ] [A b ]", "[X x ] [X y ]")

    decisions, merged = map_clusters(document, clusters_of_words(document, "a b", "x y"), policy)

    assert decisions == [Decision(ChainRef(0, "A")), Decision(ChainRef(1, "X"))]
    assert groups(merged) == {frozenset({"0:A"}), frozenset({"1:X"})}


@pytest.mark.parametrize("policy", ["majority", "majority-one-to-one"])
def test_the_earlier_chain_with_most_links_is_chosen(policy: str) -> None:
    # x is linked with a and b (2 links with A), y with c (1 link with B). B is nearer, which counts for nothing here.
    document = parts_of("[A a ] [A b ] [B c ] [B d ]", "[X y ] [X x ]")

    decisions, _ = map_clusters(document, clusters_of_words(document, "a b x", "c y"), policy)

    decision = only(decisions, "1:X")
    assert decision.antecedent == ChainRef(0, "A")
    assert decision.also == ()
    assert decision.evidence is not None
    assert (decision.evidence.rule, decision.evidence.score) == ("link", 2.0)
    # x is the second word of part 1; the nearer of a and b is the second word of part 0.
    assert decision.evidence.pairs == (MentionPair(Mention(1, 0, 1, 1), Mention(0, 0, 1, 1)),)


def test_links_are_pairs_of_mentions() -> None:
    # Three mentions of X and two of A are in one cluster: 3 * 2 pairs.
    document = parts_of("[A a ] [A b ]", "[X x ] [X y ] [X z ]")

    decisions, _ = map_clusters(document, clusters_of_words(document, "a b x y z"), "majority")

    evidence = only(decisions, "1:X").evidence
    assert evidence is not None
    assert evidence.score == 6.0


@pytest.mark.parametrize(
    ("first_part", "nearest"), [("[A a ] [B c ] [A b ] [B d ]", "0:B"), ("[A a ] [B c ] [B d ] [A b ]", "0:A")]
)
@pytest.mark.parametrize("policy", ["majority", "majority-one-to-one"])
def test_a_tie_goes_to_the_chain_whose_last_mention_is_nearest(policy: str, first_part: str, nearest: str) -> None:
    document = parts_of(first_part, "[X x ] [X y ]")

    decisions, _ = map_clusters(document, clusters_of_words(document, "a x", "c y"), policy)

    assert links(decisions) == {"1:X": nearest}


def test_the_last_mention_of_a_merged_chain_is_that_of_its_last_member() -> None:
    # A is before B in part 0, but part 1 adds P to it: then A's last mention is the nearer one.
    document = parts_of("[A a ] [A b ] [B c ] [B d ]", "[P p ] [P q ]", "[X x ] [X y ]")

    decisions, _ = map_clusters(document, clusters_of_words(document, "b p", "a x", "c y"), "majority")

    assert links(decisions) == {"1:P": "0:A", "2:X": "0:A"}


def test_links_with_all_members_of_a_merged_chain_add_up() -> None:
    # X has one link with a, one with p (A and P are one merged chain: 2), and one with c.
    document = parts_of("[A a ] [A b ]", "[P p ] [P q ] [B c ] [B d ]", "[X x ] [X y ]")

    decisions, _ = map_clusters(document, clusters_of_words(document, "a p x", "c y"), "majority")

    assert links(decisions) == {"1:P": "0:A", "2:X": "0:A"}
    evidence = only(decisions, "2:X").evidence
    assert evidence is not None
    assert evidence.score == 2.0


TWO_WANT_ONE = parts_of("[A a ] [A b ] [B c ] [B d ]", "[X x ] [Y y ] [X w ] [Y z ]")


def test_majority_lets_two_chains_of_a_part_join_one_merged_chain() -> None:
    # X and Y have 2 links with A each.
    decisions, _ = map_clusters(TWO_WANT_ONE, clusters_of_words(TWO_WANT_ONE, "a x w y z"), "majority")

    assert links(decisions) == {"1:X": "0:A", "1:Y": "0:A"}


def test_one_to_one_gives_the_merged_chain_to_the_chain_with_more_links() -> None:
    # X has 1 link with A, Y has 2.
    clusters = clusters_of_words(TWO_WANT_ONE, "a x y z")

    decisions, _ = map_clusters(TWO_WANT_ONE, clusters, "majority-one-to-one")

    assert links(decisions) == {"1:Y": "0:A"}


def test_one_to_one_gives_the_other_chain_its_next_best() -> None:
    # X: a and b with x (2 links with A), c with w (1 with B). Y: a and b with y and z (4 with A).
    clusters = clusters_of_words(TWO_WANT_ONE, "a b x y z", "c w")

    decisions, _ = map_clusters(TWO_WANT_ONE, clusters, "majority-one-to-one")

    assert links(decisions) == {"1:X": "0:B", "1:Y": "0:A"}
    assert [each.evidence.score for each in decisions if each.evidence is not None] == [1.0, 4.0]


def test_one_to_one_prefers_the_earlier_chain_at_equal_links() -> None:
    clusters = clusters_of_words(TWO_WANT_ONE, "a x y")

    decisions, _ = map_clusters(TWO_WANT_ONE, clusters, "majority-one-to-one")

    assert links(decisions) == {"1:X": "0:A"}


def test_any_link_joins_merged_chains_of_earlier_parts_with_each_other() -> None:
    # X has 2 links with A and 1 with B, which had nothing to do with each other before.
    document = parts_of("[A a ] [A b ]", "[B c ] [B d ]", "[X x ] [X y ]")

    decisions, merged = map_clusters(document, clusters_of_words(document, "a b x", "c y"), "any-link")

    decision = only(decisions, "2:X")
    assert (decision.antecedent, decision.also) == (ChainRef(0, "A"), (ChainRef(1, "B"),))
    assert groups(merged) == {frozenset({"0:A", "1:B", "2:X"})}
    assert decision.evidence is not None
    assert decision.evidence.score == 3.0
    assert decision.evidence.pairs == (
        MentionPair(Mention(2, 0, 0, 0), Mention(0, 0, 1, 1)),
        MentionPair(Mention(2, 0, 1, 1), Mention(1, 0, 0, 0)),
    )


def test_any_link_follows_chains_that_were_joined_before() -> None:
    # X joins A and B in part 2; Z in part 3 has a link with B alone, and goes to the merged chain of all.
    document = parts_of("[A a ] [A b ]", "[B c ] [B d ]", "[X x ] [X y ]", "[Z z ] [Z w ]")

    _, merged = map_clusters(document, clusters_of_words(document, "a x", "c y", "d z"), "any-link")

    assert groups(merged) == {frozenset({"0:A", "1:B", "2:X", "3:Z"})}


def test_any_link_keeps_earlier_chains_of_one_part_apart() -> None:
    # 2 links with A, 1 with B of the same part: only the stronger link counts.
    document = parts_of("[A a ] [A b ] [B c ] [B d ]", "[X x ] [X y ]")
    clusters = clusters_of_words(document, "a b x", "c y")

    decisions, merged = map_clusters(document, clusters, "any-link")

    assert groups(merged) == {frozenset({"0:A", "1:X"}), frozenset({"0:B"})}
    assert only(decisions, "1:X").also == ()
    _, joined = map_clusters(document, clusters, "any-link", within_part=True)
    assert groups(joined) == {frozenset({"0:A", "0:B", "1:X"})}


def test_any_link_keeps_the_chains_of_the_new_part_apart() -> None:
    document = parts_of("[A a ] [A b ]", "[X x ] [X y ] [Y z ] [Y w ]")
    clusters = clusters_of_words(document, "a x z")

    _, merged = map_clusters(document, clusters, "any-link")

    assert groups(merged) == {frozenset({"0:A", "1:X"}), frozenset({"1:Y"})}
    _, joined = map_clusters(document, clusters, "any-link", within_part=True)
    assert groups(joined) == {frozenset({"0:A", "1:X", "1:Y"})}


def test_any_link_does_not_bring_chains_of_one_part_together_by_a_detour() -> None:
    # X takes A and B (parts 0 and 1). Y, in the part of X, has a link with B alone: it must stay apart from X.
    document = parts_of("[A a ] [A b ]", "[B c ] [B d ]", "[X x ] [X y ] [Y z ] [Y w ]")

    _, merged = map_clusters(document, clusters_of_words(document, "a x", "c y", "d z"), "any-link")

    assert groups(merged) == {frozenset({"0:A", "1:B", "2:X"}), frozenset({"2:Y"})}


def test_within_part_a_link_between_chains_of_the_first_part_is_enough() -> None:
    # 2 mentions of X and 1 of Y in one cluster: 2 links, the nearer mention of X is y.
    document = parts_of("[X x ] [X y ] [Y z ] [Y w ]")

    decisions, merged = map_clusters(document, clusters_of_words(document, "x y z"), "any-link", within_part=True)

    assert groups(merged) == {frozenset({"0:X", "0:Y"})}
    decision = only(decisions, "0:Y")
    assert (decision.antecedent, decision.also) == (None, (ChainRef(0, "X"),))
    assert decision.evidence is not None
    assert decision.evidence.score == 2.0
    assert decision.evidence.pairs == (MentionPair(Mention(0, 0, 2, 2), Mention(0, 0, 1, 1)),)


@pytest.mark.parametrize("policy", POLICIES)
def test_the_evidence_shows_a_few_pairs_and_counts_all(policy: str) -> None:
    words = [f"{letter}{index}" for letter in "ax" for index in range(SHOWN_PAIRS + 2)]
    half = len(words) // 2
    document = parts_of(
        " ".join(f"[A {word} ]" for word in words[:half]), " ".join(f"[X {word} ]" for word in words[half:])
    )
    clusters = clusters_of_words(document, *(f"a{index} x{index}" for index in range(half)))

    decisions, _ = map_clusters(document, clusters, policy)

    evidence = only(decisions, "1:X").evidence
    assert evidence is not None
    assert evidence.score == half
    assert evidence.pairs == tuple(
        MentionPair(Mention(1, 0, index, index), Mention(0, 0, index, index)) for index in range(SHOWN_PAIRS)
    )
