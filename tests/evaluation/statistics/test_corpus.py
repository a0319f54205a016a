from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given

from client.evaluation.statistics import Corpus, count_parts, count_whole, sum_up
from client.evaluation.statistics.corpus import histogram
from client.evaluation.statistics.render import as_data, as_text
from merger.document import ChainScope, Document, Part, Sentence, make_chain, make_mention
from merger.errors import AnnotationError
from tests.support.building import parts_of, whole
from tests.support.random_documents import part_documents, whole_documents

# Tokens and their positions: part 0 has 0 to 4, part 1 has 5 to 10 (0 to 5 by itself).
TEXTS = ("[a x ] then [b y ] [a x ] [b y ]", "[a x ]\nof [a the x ] [b y ] [c lone ]")


def parts() -> Document:
    return replace(parts_of(*TEXTS), genre="nw")


def merged() -> Document:
    return replace(whole(*TEXTS), genre="nw")


def one_part() -> Document:
    """Without a genre: five tokens, one chain with mentions at 0, 2 and 4."""
    return replace(parts_of("[z z ] . [z z ] . [z z ]"), id="single")


def before() -> Corpus:
    return sum_up([*count_parts(parts()), *count_parts(one_part())])


def after() -> Corpus:
    return sum_up([count_whole(merged()), count_whole(one_part())])


def test_before_merging_every_part_is_a_document() -> None:
    """Part 0: chains a and b; part 1: a; b and c are alone there."""
    total = before().total

    assert (total.texts, total.tokens, total.chains, total.mentions) == (3, 5 + 6 + 5, 2 + 1 + 1, 4 + 2 + 3)
    assert total.singletons == 2
    assert total.tokens_per_text == 16 / 3
    assert total.mean_chains == 4 / 3
    assert total.mentions_per_text == 9 / 3
    assert total.mentions_per_chain == 9 / 4
    assert total.chains_per_text == {2: 1, 1: 2}


def test_after_merging_chains_go_through_all_parts() -> None:
    """Chain a has 4 mentions, b 3; c is alone still."""
    total = after().total

    assert (total.texts, total.tokens, total.chains, total.mentions) == (2, 11 + 5, 2 + 1, 7 + 3)
    assert total.singletons == 1
    assert total.longest_text == 11


def test_distances_are_from_first_token_to_first_token_of_the_mention_before() -> None:
    """Chain a begins at 0, 3, 5 and 7, b at 2, 4 and 9, z at 0, 2 and 4; in part 1 alone a begins at 0 and 2."""
    assert before().total.distances == Counter([3 - 0, 4 - 2, 2 - 0, 2 - 0, 4 - 2])
    assert after().total.distances == Counter([3 - 0, 5 - 3, 7 - 5, 4 - 2, 9 - 4, 2 - 0, 4 - 2])
    assert (before().total.longest_distance, after().total.longest_distance) == (3, 5)
    assert after().total.mean_distance == (3 + 2 + 2 + 2 + 5 + 2 + 2) / 7


def test_far_antecedents_are_more_than_5000_tokens_away() -> None:
    """Three mentions: the second 5,000 tokens after the first, the third 5,001 after the second."""
    forms = tuple("w" * 10002)
    starts = (0, 5000, 10001)
    chain = make_chain("a", [make_mention(0, 0, ((start, start),)) for start in starts])
    document = Document("far", (Part((Sentence(forms),)),), (chain,), ChainScope.DOCUMENT)
    total = sum_up([count_whole(document)]).total

    assert total.far_mentions == 1
    assert total.longest_distance == 5001


def test_empty_nodes_are_no_tokens() -> None:
    """Of five forms two are nodes, so the second mention stands on the third token."""
    sentence = Sentence(("a", "", "b", "", "a"), empty=(1, 3))
    chain = make_chain("a", [make_mention(0, 0, ((0, 0),)), make_mention(0, 0, ((4, 4),))])
    total = sum_up([count_whole(Document("d", (Part((sentence,)),), (chain,), ChainScope.DOCUMENT))]).total

    assert (total.tokens, total.distances) == (3, {2: 1})


def test_genres_and_documents_of_several_parts_have_their_own_numbers() -> None:
    assert {name: each.texts for name, each in before().genres.items()} == {"nw": 2, "unknown": 1}
    assert (before().merged.texts, after().merged.texts) == (2, 1)
    assert after().points == (("d", 11, 2), ("single", 5, 1))


def test_chains_over_parts_cannot_be_counted_by_part() -> None:
    with pytest.raises(AnnotationError, match="mentions in parts 0 and 1"):
        count_parts(merged())


def test_bins_hold_their_upper_end() -> None:
    assert histogram(Counter({0: 1, 10: 2, 11: 4, 51: 8}), (10, 50)) == [(0, 10, 3), (11, 50, 4), (51, None, 8)]


def test_an_empty_corpus_has_no_averages() -> None:
    data = as_data({"input": sum_up([])})["input"]["total"]

    assert data["documents"] == 0
    assert data["tokens_per_document"] is None
    assert data["antecedent_distance"]["longest"] is None
    assert " - " in as_text({"": sum_up([])})


def test_the_table_has_both_sides_in_one_cell() -> None:
    rows = [" ".join(line.split()) for line in as_text({"parts": before(), "merged": after()}).splitlines()]

    assert rows[0] == "parts → merged docs tokens tokens/doc chains/doc mentions/doc mentions/chain"
    assert "nw 2 → 1 11 6 → 11 1.5 → 2.0 3.0 → 7.0 2.00 → 3.50" in rows
    assert "longest 3 5" in rows


@given(part_documents())
def test_parts_and_whole_have_the_same_tokens_mentions_and_singletons(document: Document) -> None:
    """With the chains as they are, only the unit of counting differs."""
    by_part, together = sum_up(count_parts(document)), sum_up([count_whole(document)])

    for name in ("tokens", "chains", "mentions", "singletons", "distances"):
        assert getattr(by_part.total, name) == getattr(together.total, name)
    assert sum(by_part.total.chains_per_text.values()) == len(document.parts)


@given(whole_documents())
def test_every_mention_but_the_first_of_its_chain_has_one_distance(document: Document) -> None:
    total = sum_up([count_whole(document)]).total

    assert total.distances.total() == total.mentions - total.chains
    assert min(total.distances, default=0) >= 0
    assert sum(count for _, _, count in histogram(total.distances, (1, 2))) == total.distances.total()
