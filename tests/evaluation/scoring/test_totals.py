from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.evaluation.scoring import (
    METRICS,
    BlancCounts,
    Counts,
    MetricCounts,
    Undefined,
    conll_f1,
    score_document,
    score_documents,
)

from .clusterings import Clusters, clusterings
from .official_boundaries import Printed, documents, printed
from .reference import PLAIN, blanc_links

DOCUMENTS = documents()
PRINTED = printed()


def assert_as_printed(counts: MetricCounts, line: Printed) -> None:
    assert (
        counts.recall_numerator,
        counts.recall_denominator,
        counts.precision_numerator,
        counts.precision_denominator,
    ) == pytest.approx(line[:4], rel=0, abs=1e-9)
    assert line.f1_percent - 1e-9 <= 100 * counts.f1 <= line.f1_percent + 0.01 + 1e-9


@pytest.mark.parametrize("name", [*DOCUMENTS, "total"])
def test_edges_score_as_the_official_scorer_says_alone_and_in_total(name: str) -> None:
    chosen = DOCUMENTS.values() if name == "total" else [DOCUMENTS[name]]
    scores = score_documents(chosen)

    blanc = scores["blanc"]
    assert isinstance(blanc, BlancCounts)
    found = {**scores.counts, "links": blanc.coreference, "non-links": blanc.non_coreference}
    del found["lea"]
    assert set(found) == set(PRINTED[name])
    for metric, counts in found.items():
        assert_as_printed(counts, PRINTED[name][metric])


def test_conll_f1_is_the_mean_of_three_f1() -> None:
    """Three key mentions in one chain, the response has two of them in one chain and one alone."""
    scores = score_document([["a", "b", "c"]], [["a", "b"], ["c"]])

    muc = 2 * (1 / 2) * 1 / (1 / 2 + 1)
    b_cubed_recall = (2 / 3 + 2 / 3 + 1 / 3) / 3
    b_cubed = 2 * b_cubed_recall * 1 / (b_cubed_recall + 1)
    ceafe_similarity = 2 * 2 / (3 + 2)
    ceafe = 2 * (ceafe_similarity / 1) * (ceafe_similarity / 2) / (ceafe_similarity / 1 + ceafe_similarity / 2)
    assert conll_f1(scores) == pytest.approx((muc + b_cubed + ceafe) / 3)


def test_lea_of_a_chain_cut_in_two_and_of_a_stranger_singleton() -> None:
    """Key {a b c d} {e}; response {a b c} {d f} {e g}: 3 of the 6 links of the first chain, e not alone."""
    counts = score_document([list("abcd"), ["e"]], [list("abc"), list("df"), list("eg")], ["lea"])["lea"]

    recall_numerator = 4 * 3 / 6 + 1 * 0
    precision_numerator = 3 * 3 / 3 + 2 * 0 + 2 * 0
    assert counts == Counts(recall_numerator, 4 + 1, precision_numerator, 3 + 2 + 2)


def test_lea_of_a_singleton_on_both_sides_counts_one() -> None:
    counts = score_document([["a"], ["b", "c"]], [["a"], ["b"], ["c"]], ["lea"])["lea"]

    assert counts == Counts(1 + 2 * 0, 1 + 2, 1 + 0 + 0, 1 + 1 + 1)


@given(pairs=st.lists(st.tuples(clusterings(6, 4), clusterings(6, 4)), max_size=4))
def test_totals_add_numerators_and_denominators_of_the_definition(
    pairs: list[tuple[Clusters, Clusters]],
) -> None:
    total = score_documents(pairs)

    for name, plain in PLAIN.items():
        columns = zip(*(plain(key, response) for key, response in pairs), strict=True)
        expected = [float(sum(column, Fraction())) for column in columns] or [0.0] * 4
        counts = total[name]
        assert [
            counts.recall_numerator,
            counts.recall_denominator,
            counts.precision_numerator,
            counts.precision_denominator,
        ] == pytest.approx(expected, rel=0, abs=1e-9)


@given(pairs=st.lists(st.tuples(clusterings(6, 4), clusterings(6, 4)), min_size=1, max_size=4))
def test_total_blanc_combines_the_links_of_all_documents(pairs: list[tuple[Clusters, Clusters]]) -> None:
    total = score_documents(pairs, ["blanc"])["blanc"]

    kinds = zip(*(blanc_links(key, response) for key, response in pairs), strict=True)
    recalls = []
    for documents_of_kind in kinds:
        right, in_key, _, _ = (sum(column, Fraction()) for column in zip(*documents_of_kind, strict=True))
        if in_key:
            recalls.append(right / in_key)
    assert total.recall == pytest.approx(float(sum(recalls, Fraction()) / max(len(recalls), 1)), rel=0, abs=1e-12)


def test_a_total_is_not_the_mean_of_documents() -> None:
    """1 of 1 link in the first, 0 of 3 in the second: 1 / 4, where the mean would be 1 / 2."""
    documents = [([["a", "b"]], [["a", "b"]]), ([["a", "b", "c", "d"]], [["a"]])]

    assert score_documents(documents, ["muc"])["muc"].recall == 1 / 4


def test_no_documents_give_zero_counts_all_undefined() -> None:
    total = score_documents([])

    assert total.undefined == dict.fromkeys(METRICS, Undefined.F1)
    assert conll_f1(total) == 0


@pytest.mark.parametrize(
    ("document", "metric", "undefined"),
    [
        ("empty_both", "muc", Undefined.F1),
        ("empty_both", "mentions", Undefined.F1),
        ("empty_response", "bcub", Undefined.PRECISION),
        ("empty_key", "ceafe", Undefined.RECALL),
        ("singletons_in_both", "muc", Undefined.F1),
        ("singletons_in_both", "blanc", Undefined.NONE),
        ("singletons_in_key", "muc", Undefined.RECALL),
        ("one_mention_in_both", "blanc", Undefined.F1),
        ("one_mention_in_key", "blanc", Undefined.RECALL),
        ("one_chain_in_key_singletons_in_response", "blanc", Undefined.PRECISION),
        ("one_chain_in_response", "blanc", Undefined.NONE),
        ("disjoint", "lea", Undefined.NONE),
    ],
)
def test_zero_by_zero_is_flagged_and_scored_zero(document: str, metric: str, undefined: Undefined) -> None:
    counts = score_document(*DOCUMENTS[document])[metric]

    assert counts.undefined == undefined
    assert bool(counts.undefined.reason) == bool(undefined)
    if Undefined.RECALL in undefined:
        assert (counts.recall, counts.f1) == (0, 0)
    if Undefined.PRECISION in undefined:
        assert (counts.precision, counts.f1) == (0, 0)


def test_scores_of_different_metrics_are_not_added() -> None:
    muc, lea = score_document((), (), ["muc"]), score_document((), (), ["lea"])

    with pytest.raises(ValueError, match="muc and lea"):
        _ = muc + lea


def test_an_unknown_metric_is_refused_with_the_names_of_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"no such metric: rouge; there are mentions, muc, bcub, .*lea"):
        score_document((), (), ["rouge"])


def test_conll_f1_of_scores_without_ceafe_is_refused() -> None:
    with pytest.raises(KeyError, match="ceafe"):
        conll_f1(score_document((), (), ["muc", "bcub"]))
