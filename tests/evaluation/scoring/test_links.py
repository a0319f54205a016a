from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.evaluation.scoring import Counts
from client.evaluation.scoring.links import (
    LinkCounts,
    count_links,
    gain,
    mergeable_chains,
    part_chains_of,
    read_linking,
)
from merger.document import ChainScope, Document
from merger.errors import DecisionError
from tests.evaluation.scoring.merges import KEY, NOTHING_MERGED, RESPONSE, documents, merged_text, parts_text


def merged(names: dict[str, str]) -> Document:
    return documents(merged_text(names))[0]


def parts() -> Document:
    return documents(parts_text())[0]


def test_links_are_pairs_of_part_chains_in_one_merged_chain() -> None:
    """Shared: A0-A1 and B0-B1."""
    links = count_links(parts(), merged(KEY), merged(RESPONSE)).links

    assert links == Counts(2, 3 + 1 + 1, 2, 1 + 3)
    assert links.f1 == pytest.approx(2 * (2 / 5) * (2 / 4) / (2 / 5 + 2 / 4))


def test_decisions_match_if_they_have_the_same_antecedent() -> None:
    """A1: {A0} in both; B1: {B0} in both; A2: {A0, A1} against {B0, B1}; C2: {C0} against new."""
    counts = count_links(parts(), merged(KEY), merged(RESPONSE))

    assert (counts.decisions, counts.matching) == (2 + 2, 2)
    assert counts.strict_match == 2 / 4


def test_an_early_difference_shows_in_a_later_decision_that_is_right_by_itself() -> None:
    """With A0 alone, A1 is new where the key has {A0}, and A2 has {A1} where it has {A0, A1}; B1 and C2 match."""
    response = {**KEY, "A0": "alone"}
    counts = count_links(parts(), merged(KEY), merged(response))

    assert (counts.decisions, counts.matching) == (4, 2)
    assert counts.links == Counts(5 - 2, 5, 3, 3)


merges = st.tuples(*(st.sampled_from("123") for _ in NOTHING_MERGED)).map(
    lambda chains: dict(zip(NOTHING_MERGED, chains, strict=True))
)


@given(key=merges, response=merges)
def test_matching_decisions_are_those_with_equal_sets_of_part_chains(
    key: dict[str, str], response: dict[str, str]
) -> None:
    before = parts()
    counts = count_links(before, merged(key), merged(response))

    in_key, in_response = (
        read_linking(mergeable_chains(before), merged(names)).antecedents for names in (key, response)
    )
    assert counts.decisions == len(in_key)
    assert counts.matching == sum(set(in_key[ref]) == set(in_response[ref]) for ref in in_key)


def test_new_in_both_is_a_match() -> None:
    key = {**KEY, "C2": "other"}
    counts = count_links(parts(), merged(key), merged(RESPONSE))

    assert counts.matching == len(["A1", "B1", "C2"])


def test_the_key_agrees_with_itself_wholly() -> None:
    counts = count_links(parts(), merged(KEY), merged(KEY))

    assert (counts.links.f1, counts.strict_match) == (1, 1)


def test_merging_nothing_has_no_links_and_undefined_precision() -> None:
    counts = count_links(parts(), merged(KEY), merged(NOTHING_MERGED))

    assert counts.links == Counts(0, 5, 0, 0)
    assert counts.links.undefined.reason.startswith("precision is 0/0")
    assert counts.matching == 0


def test_chains_of_one_part_that_were_put_together_are_a_link_too() -> None:
    """{A0, B0} is one pair, though no decision made it."""
    response = {**NOTHING_MERGED, "A0": "x", "B0": "x"}
    counts = count_links(parts(), merged(KEY), merged(response))

    assert counts.links == Counts(0, 5, 0, 1)


def test_chains_of_one_part_are_no_antecedents_of_each_other() -> None:
    """The key joins A1 and B1 to A0, the response B1 only: the antecedent of B1 is {A0} in both."""
    key = {**NOTHING_MERGED, "A0": "x", "A1": "x", "B1": "x"}
    response = {**NOTHING_MERGED, "A0": "x", "B1": "x"}
    counts = count_links(parts(), merged(key), merged(response))

    assert counts.matching == len(["B1", "A2", "C2"])


def test_counts_add_up_over_documents() -> None:
    one, other = LinkCounts(Counts(1, 2, 1, 3), 4, 3), LinkCounts(Counts(0, 5, 0, 1), 2, 0)

    assert one + other == LinkCounts(Counts(1, 7, 1, 4), 6, 3)
    assert (one + other).strict_match == 3 / 6


def test_without_decisions_the_strict_match_is_zero_and_not_a_crash() -> None:
    assert LinkCounts(Counts(0, 0, 0, 0), 0, 0).strict_match == 0


def test_a_part_chain_that_was_torn_apart_is_an_error_that_names_it() -> None:
    text = merged_text(RESPONSE).replace("B1-1 NN (2)", "B1-1 NN (5)")

    with pytest.raises(DecisionError, match=r"document d, part 1\): the mentions of part chain 1 are not together"):
        count_links(parts(), merged(KEY), documents(text)[0])


def test_a_part_chain_that_the_response_lacks_is_linked_to_nothing() -> None:
    # Chain C2 is alone in the response anyway.
    text = merged_text(RESPONSE).replace("(4)", "-")

    assert count_links(parts(), merged(KEY), documents(text)[0]) == count_links(parts(), merged(KEY), merged(RESPONSE))


def test_a_part_chain_that_lost_a_mention_is_an_error_that_names_it() -> None:
    text = merged_text(RESPONSE).replace("C2-0 NN (4)", "C2-0 NN -")

    with pytest.raises(DecisionError, match=r"document d, part 2\): the mentions of part chain 1 are not together"):
        count_links(parts(), merged(KEY), documents(text)[0])


def test_part_chains_of_a_merged_document_are_its_chains_cut_at_the_boundaries() -> None:
    cut = part_chains_of(merged(KEY))

    assert cut.scope is ChainScope.PART
    assert [chain.mentions for chain in cut.chains] == [chain.mentions for chain in parts().chains]


@pytest.mark.parametrize(
    ("f1", "floor", "expected"),
    [
        (0.9, 0.8, (0.9 - 0.8) / (1 - 0.8)),
        (0.7, 0.8, (0.7 - 0.8) / (1 - 0.8)),
        (0.8, 0.8, 0),
        (1, 0.5, 1),
        (1, 1, None),
    ],
)
def test_gain_is_the_share_of_the_way_from_the_floor_to_one(f1: float, floor: float, expected: float | None) -> None:
    assert gain(f1, floor) == (None if expected is None else pytest.approx(expected))
