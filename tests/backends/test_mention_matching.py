from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.backends.mention_matching import MATCHINGS, Cluster, Match, match_mentions
from merger.document import Document, Mention, make_mention
from tests.support.building import parts_of
from tests.support.random_documents import part_documents

THE_MAYOR = Mention(0, 0, 0, 1)
THE_MAYOR_OF_YORK = Mention(0, 0, 0, 3)
YORK = Mention(0, 0, 3, 3)
HER = Mention(0, 0, 5, 5)
SENTENCE = parts_of("the/DT mayor/NN of/IN York/NNP lost/VBD her/PRP$ old/JJ hat/NN")


def match(given_: Mention, *clusters: tuple[Mention, ...], by: str, document: Document = SENTENCE) -> Match | None:
    return match_mentions(document, [given_], clusters, by).get(given_)


@pytest.mark.parametrize("by", MATCHINGS)
def test_the_same_tokens_match_in_every_way(by: str) -> None:
    predicted = ((YORK, HER), (THE_MAYOR_OF_YORK, THE_MAYOR))

    assert match(THE_MAYOR, *predicted, by=by) == Match(1, THE_MAYOR)


def test_exact_takes_nothing_less() -> None:
    assert match(THE_MAYOR, (THE_MAYOR_OF_YORK, YORK), by="exact") is None


def test_pieces_are_part_of_what_must_be_the_same() -> None:
    pieces = make_mention(0, 0, ((0, 1), (3, 3)))

    assert match(pieces, (THE_MAYOR_OF_YORK, HER), by="exact") is None
    assert match(pieces, (HER, pieces), by="exact") == Match(0, pieces)


def test_head_takes_a_mention_with_the_same_head() -> None:
    # The head of both is "mayor": the last noun before the preposition.
    assert match(THE_MAYOR, (YORK, HER), (THE_MAYOR_OF_YORK, HER), by="head") == Match(1, THE_MAYOR_OF_YORK)


def test_head_takes_no_mention_with_another_head() -> None:
    assert match(THE_MAYOR_OF_YORK, (YORK, HER), by="head") is None


def test_head_prefers_the_mention_that_differs_in_fewer_tokens() -> None:
    # Against "old hat": "hat" lacks one token, "her old hat" has one more, "the mayor ... hat" has six more.
    old_hat, hat, her_old_hat = Mention(0, 0, 6, 7), Mention(0, 0, 7, 7), Mention(0, 0, 5, 7)

    assert match(old_hat, (her_old_hat, HER), (Mention(0, 0, 0, 7), YORK), by="head") == Match(0, her_old_hat)
    assert match(her_old_hat, (hat, HER), (old_hat, YORK), by="head") == Match(1, old_hat)
    # One token each: the one that begins first.
    assert match(old_hat, (hat, HER), (her_old_hat, YORK), by="head") == Match(1, her_old_hat)


def test_overlap_takes_the_largest_share_of_common_tokens() -> None:
    # "the mayor of" has 3 tokens: 2 / 3 with "the mayor", 3 / 4 with "the mayor of York", none with "her".
    mention = Mention(0, 0, 0, 2)

    assert match(mention, (THE_MAYOR, HER), (THE_MAYOR_OF_YORK, YORK), by="overlap") == Match(1, THE_MAYOR_OF_YORK)


def test_overlap_takes_nothing_that_shares_no_token() -> None:
    assert match(THE_MAYOR, (YORK, HER), by="overlap") is None


def test_a_mention_in_another_sentence_or_part_is_another_mention() -> None:
    document = parts_of("a\na", "a")
    given_ = Mention(0, 1, 0, 0)

    for by in MATCHINGS:
        assert match(given_, (Mention(0, 0, 0, 0), Mention(1, 0, 0, 0)), by=by, document=document) is None


@pytest.mark.parametrize("by", MATCHINGS)
def test_a_mention_in_two_clusters_counts_for_the_first(by: str) -> None:
    assert match(YORK, (HER, YORK), (YORK, THE_MAYOR), by=by) == Match(0, YORK)


@st.composite
def mentions_and_clusters(draw: st.DrawFn) -> tuple[Document, list[Cluster]]:
    """A document, and clusters of mentions of its twin: some the same, some not."""
    document = draw(part_documents())
    pool = sorted({*document.mentions(), *draw(_stretches(document))})
    owners = [draw(st.integers(0, 3)) for _ in pool]
    clusters = [tuple(m for m, owner in zip(pool, owners, strict=True) if owner == index) for index in (1, 2, 3)]
    return document, clusters


def _stretches(document: Document) -> st.SearchStrategy[list[Mention]]:
    every = [
        Mention(part, sentence, first, last)
        for part, each in enumerate(document.parts)
        for sentence, words in enumerate(each.sentences)
        for first in range(len(words))
        for last in range(first, len(words))
    ]
    return st.lists(st.sampled_from(every), max_size=8)


@given(mentions_and_clusters(), st.sampled_from(MATCHINGS))
def test_matches_are_mentions_of_their_cluster_and_exact_ones_come_first(
    drawn: tuple[Document, list[Cluster]], by: str
) -> None:
    document, clusters = drawn
    # An iterator, as documents give it.
    matches = match_mentions(document, document.mentions(), clusters, by)

    for mention in document.mentions():
        exact = next((index for index, cluster in enumerate(clusters) if mention in cluster), None)
        if exact is not None:
            assert matches[mention] == Match(exact, mention)
        elif by == "exact":
            assert mention not in matches
    for mention, (cluster, found) in matches.items():
        assert found in clusters[cluster]
        assert found[:2] == mention[:2]


@given(mentions_and_clusters())
def test_overlap_leaves_no_better_mention(drawn: tuple[Document, list[Cluster]]) -> None:
    document, clusters = drawn
    matches = match_mentions(document, document.mentions(), clusters, "overlap")

    def share(one: Mention, other: Mention) -> float:
        if one[:2] != other[:2]:
            return 0.0
        return len(set(one.tokens) & set(other.tokens)) / len(set(one.tokens) | set(other.tokens))

    for mention in document.mentions():
        best = max((share(mention, other) for cluster in clusters for other in cluster), default=0.0)
        assert share(mention, matches[mention].mention) == best if best else mention not in matches
