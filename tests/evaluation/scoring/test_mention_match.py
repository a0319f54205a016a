"""Mentions that match in part or by their heads, with values by hand; corefud-scorer 1.2 gives the same."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.evaluation.scoring.evaluate import evaluate
from client.evaluation.scoring.mention_matching import Comparable, Matching, Pair, match_mentions
from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence
from merger.errors import AnnotationError, OptionError
from merger.notices import Notices
from tests.support.conllu_pairs import counts, document, scored

KEY = document("the (e1--2\nold e1)\nman -\nof -\nRome (e1--1)")


def shares(response: str, match: str) -> tuple[float, float, float, float]:
    return counts(scored(KEY, document(response), match), "mentions")


def test_a_partial_match_is_inside_the_key_and_has_its_head() -> None:
    assert shares("the -\nold (e1--1)\nman -\nof -\nRome (e1--1)", "partial") == (2, 2, 2, 2)
    assert shares("the (e1--1)\nold -\nman -\nof -\nRome (e1--1)", "partial") == (1, 2, 1, 2)
    assert shares("the (e1--2\nold -\nman e1)\nof -\nRome (e1--1)", "partial") == (1, 2, 1, 2)


def test_a_head_match_needs_the_same_head_whatever_the_span() -> None:
    assert shares("the (e1--2\nold -\nman e1)\nof -\nRome (e1--1)", "head") == (2, 2, 2, 2)
    assert shares("the (e1--1\nold e1)\nman -\nof -\nRome (e1--1)", "head") == (1, 2, 1, 2)


def test_an_exact_match_asks_for_no_heads() -> None:
    assert shares("the (e1--1\nold e1)\nman -\nof -\nRome (e1--1)", "exact") == (2, 2, 2, 2)


def test_of_several_with_one_head_the_one_that_shares_most_is_taken() -> None:
    """The key's only chain is {a b c, e}; response mentions ``b`` (1/3) and ``a b`` (2/3) have the head b."""
    key = document("a (e1--2\nb -\nc e1)\nd -\ne (e1--1)")
    response = document("a (e1--2\nb (e2--1)e1)\nc -\nd (e2--1)\ne (e1--1)")

    evaluation = scored(key, response, "head")

    assert counts(evaluation, "mentions") == (2, 2, 2, 4)
    assert counts(evaluation, "muc") == (1, 1, 1, 2)


def test_mentions_of_chains_that_are_dropped_take_nobodys_place() -> None:
    """``a b`` alone in its chain is the nearest to the key's ``a b c``; without singletons ``b`` gets it."""
    key = document("a (e1--2\nb -\nc e1)\nd -\ne (e1--1)")
    response = document("a (e2--2\nb (e1--1)e2)\nc -\nd -\ne (e1--1)")

    assert counts(scored(key, response, "head"), "muc") == (0, 1, 0, 1)
    assert counts(scored(key, response, "head", singletons=False), "muc") == (1, 1, 1, 1)


def test_a_head_that_is_not_stated_is_the_first_token_as_in_corefud_scorer() -> None:
    key = document("a (e1)\nb (e1\nc e1)", fields="eid")
    notices = Notices()

    evaluation = evaluate([key], [document("a (e1)\nb (e1)\nc -")], matching=Matching("head"), notices=notices)

    assert counts(evaluation, "mentions") == (2, 2, 2, 2)
    (notice,) = notices
    assert (notice.kind, notice.count, notice.location.token) == ("mention without a head", 1, 1)
    assert "|mentions:head[unstated=first-token]|" in str(evaluation.signature)


@pytest.mark.parametrize("match", ["partial", "head"])
def test_a_mention_without_a_head_is_an_error_with_its_place(match: str) -> None:
    sentence = Sentence(("a", "b", "c"))
    chains = (Chain("0", (Mention(0, 0, 0, 1), Mention(0, 0, 2, 2))),)
    bare = Document("d", (Part((sentence,)),), chains, ChainScope.DOCUMENT, file="x.conll")

    with pytest.raises(AnnotationError, match=r"x\.conll \(document d, part 0.*mention 'a b' has no head.*match=exact"):
        scored(bare, bare, match)
    assert counts(scored(bare, bare), "mentions") == (2, 2, 2, 2)


def test_how_mentions_match_is_in_the_signature() -> None:
    assert "|mentions:head|" in str(scored(KEY, KEY, "head").signature)


@pytest.mark.parametrize(("match", "zeros"), [("fuzzy", "linear"), ("exact", "none")])
def test_other_ways_to_match_are_refused_by_name(match: str, zeros: str) -> None:
    with pytest.raises(OptionError, match="is not one of"):
        Matching(match, zeros)


def sides() -> st.SearchStrategy[list[Comparable]]:
    """Up to four different mentions of six words, each with one of its words as the head."""
    words = st.frozensets(st.integers(1, 6), min_size=1, max_size=3)
    mentions = words.flatmap(
        lambda chosen: st.builds(
            lambda head: Comparable(tuple((1, word, 0) for word in sorted(chosen)), (1, head, 0)),
            st.sampled_from(sorted(chosen)),
        )
    )
    return st.lists(mentions, max_size=4, unique_by=lambda mention: mention.tokens)


def may_match(key: Comparable, response: Comparable, match: str) -> bool:
    if key.tokens == response.tokens and (match != "head" or key.head == response.head):
        return True
    if match == "partial":
        return set(response.tokens) <= set(key.tokens) and key.head in response.tokens
    return match == "head" and key.head == response.head


def heaviest(candidates: list[tuple[Pair, float]]) -> float:
    """The largest sum of scores of candidates without a mention in common, found by trying all."""
    best = 0.0
    for size in range(len(candidates) + 1):
        for chosen in combinations(candidates, size):
            pairs = [pair for pair, _ in chosen]
            if all(len(set(side)) == len(side) for side in zip(*pairs, strict=True)):
                best = max(best, sum(score for _, score in chosen))
    return best


@given(key=sides(), response=sides(), match=st.sampled_from(["exact", "partial", "head"]))
def test_a_matching_is_one_to_one_and_the_heaviest_beside_what_is_the_same(
    key: list[Comparable], response: list[Comparable], match: str
) -> None:
    pairs = match_mentions(key, response, Matching(match))

    assert all(len(set(side)) == len(side) for side in zip(*pairs, strict=True))
    assert all(may_match(key[one], response[other], match) for one, other in pairs)
    same = [
        (one, other)
        for one, ours in enumerate(key)
        for other, theirs in enumerate(response)
        if ours.tokens == theirs.tokens and (match != "head" or ours.head == theirs.head)
    ]
    assert set(same) <= set(pairs)
    left = [
        ((one, other), len(set(ours.tokens) & set(theirs.tokens)) / len(ours.tokens))
        for one, ours in enumerate(key)
        for other, theirs in enumerate(response)
        if may_match(ours, theirs, match) and one not in dict(same) and other not in {each for _, each in same}
    ]
    rest = [score for pair, score in left if pair in pairs]
    assert sum(rest) == pytest.approx(heaviest(left))
