from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from client.evaluation.scoring import METRICS, Counts, MetricCounts
from client.evaluation.scoring.evaluate import Evaluation, evaluate
from client.evaluation.scoring.render import as_text, percent, points, points_between
from client.evaluation.scoring.render_data import as_data
from client.evaluation.scoring.signature import Signature
from merger.document import Document
from merger.errors import AlignmentError
from merger.notices import Notices, Policy
from merger.version import VERSION
from tests.evaluation.scoring.merges import KEY, NOTHING_MERGED, RESPONSE, documents, merged_text, parts_text

# Chain sizes in mentions: key 6, 4, 4; response 4, 6, 2, 2; part chains 2 each (see merges.py).
MUC = Counts((6 - 2) + (4 - 1) + (4 - 2), 5 + 3 + 3, (4 - 1) + (6 - 2) + 1 + 1, 3 + 5 + 1 + 1)
B_CUBED_RECALL = ((4 * 4 + 2 * 2) / 6 + 4 * 4 / 4 + (2 * 2 + 2 * 2) / 4) / 14
B_CUBED_PRECISION = (4 * 4 / 4 + (4 * 4 + 2 * 2) / 6 + 2 * 2 / 2 + 2 * 2 / 2) / 14
CEAFE_SIMILARITY = 2 * 4 / (6 + 4) + 2 * 4 / (4 + 6) + 2 * 2 / (4 + 2)
CONLL = (
    2 * 9 / (11 + 10)
    + 2 * B_CUBED_RECALL * B_CUBED_PRECISION / (B_CUBED_RECALL + B_CUBED_PRECISION)
    + 2 * CEAFE_SIMILARITY / (3 + 4)
) / 3
FLOOR_MUC_F1 = 2 * ((6 - 3) + (4 - 2) + (4 - 2)) / (11 + 7)
FLOOR_B_CUBED_RECALL = (3 * 2 * 2 / 6 + 2 * 2 * 2 / 4 + 2 * 2 * 2 / 4) / 14
FLOOR_CEAFE_SIMILARITY = 2 * 2 / (6 + 2) + 2 * 2 / (4 + 2) + 2 * 2 / (4 + 2)
FLOOR = (
    FLOOR_MUC_F1 + 2 * FLOOR_B_CUBED_RECALL / (FLOOR_B_CUBED_RECALL + 1) + 2 * FLOOR_CEAFE_SIMILARITY / (3 + 7)
) / 3


def scored(
    key: str,
    response: str,
    *,
    parts: list[Document] | None = None,
    metrics: Sequence[str] = tuple(METRICS),
    drop_singletons: bool = False,
    notices: Notices | None = None,
) -> Evaluation:
    return evaluate(
        documents(key, "key.conll"),
        documents(response, "response.conll"),
        parts=parts,
        metrics=metrics,
        drop_singletons=drop_singletons,
        notices=notices,
    )


def numbers_of(counts: MetricCounts) -> tuple[float, float, float, float]:
    return (
        counts.recall_numerator,
        counts.recall_denominator,
        counts.precision_numerator,
        counts.precision_denominator,
    )


def test_scores_floor_gain_links_and_decisions_are_those_worked_out_by_hand() -> None:
    total = scored(merged_text(KEY), merged_text(RESPONSE), parts=documents(parts_text())).total

    assert total.scores["muc"] == MUC == Counts(9, 11, 9, 10)
    assert total.conll_f1 == pytest.approx(CONLL) == pytest.approx((6 / 7 + 68 / 93 + 68 / 105) / 3)
    assert total.floor_conll_f1 == pytest.approx(FLOOR) == pytest.approx((7 / 9 + 3 / 5 + 11 / 30) / 3)
    assert total.gain == pytest.approx((CONLL - FLOOR) / (1 - FLOOR))
    assert total.links is not None
    assert total.links.links == Counts(2, 5, 2, 4)
    assert total.links.strict_match == 2 / 4


def test_without_the_parts_they_are_read_off_a_key_that_has_boundaries() -> None:
    with_parts = scored(merged_text(KEY), merged_text(RESPONSE), parts=documents(parts_text()))

    assert scored(merged_text(KEY), merged_text(RESPONSE)) == with_parts


def test_a_key_without_boundaries_gets_them_from_the_parts() -> None:
    without = merged_text(KEY, with_parts=False)

    assert scored(without, merged_text(RESPONSE), parts=documents(parts_text())) == scored(
        merged_text(KEY), merged_text(RESPONSE)
    )
    total = scored(without, merged_text(RESPONSE)).total
    assert (total.floor, total.floor_conll_f1, total.gain, total.links) == (None, None, None, None)
    assert total.conll_f1 == pytest.approx(CONLL)


def test_a_response_in_parts_with_chains_of_their_own_scores_the_floor() -> None:
    total = scored(merged_text(KEY), parts_text()).total

    assert total.conll_f1 == total.floor_conll_f1 == pytest.approx(FLOOR)
    assert total.gain == 0


@pytest.mark.parametrize("with_parts", [True, False])
def test_the_other_way_round_recall_and_precision_change_places(*, with_parts: bool) -> None:
    merged = merged_text(KEY, with_parts=with_parts)
    one, other = scored(merged, parts_text()).total.scores, scored(parts_text(), merged).total.scores

    for name in ("mentions", "muc", "bcub", "ceafe", "ceafm", "lea"):
        assert (one[name].recall, one[name].precision) == pytest.approx((other[name].precision, other[name].recall))


def test_the_key_against_itself_is_all_right_and_nothing_is_left_to_gain_where_nothing_was_merged() -> None:
    same = scored(merged_text(KEY), merged_text(KEY)).total
    nothing = scored(merged_text(NOTHING_MERGED), merged_text(NOTHING_MERGED)).total

    assert (same.conll_f1, same.gain) == (1, 1)
    assert (nothing.conll_f1, nothing.floor_conll_f1, nothing.gain) == (1, 1, None)


PARTS_KEY = (
    "#begin document (d); part {0}\nd 0 0 Ann NN (0)\nd 0 1 met NN -\nd 0 2 Bob NN (1)\nd 0 3 She NN (0)\n"
    "d 0 4 knew NN -\nd 0 5 him NN (1)\n\n#end document\n"
    "#begin document (d); part {1}\nd 1 0 Ann NN (0)\nd 1 1 left NN -\nd 1 2 Bob NN (1)\nd 1 3 there NN -\n"
    "d 1 4 He NN (1)\nd 1 5 slept NN -\n\n#end document\n"
    "#begin document (d); part {2}\nd 2 0 She NN (0)\nd 2 1 came NN -\nd 2 2 back NN -\nd 2 3 to NN -\n"
    "d 2 4 him NN (1)\nd 2 5 later NN (0)\n\n#end document\n"
)
PARTS_RESPONSE = (
    PARTS_KEY.replace("She NN (0)\nd 0", "She NN (1)\nd 0")
    .replace("left NN -", "left NN (0)")
    .replace("him NN (1)\nd 2", "him NN (0)\nd 2")
    .replace("later NN (0)", "later NN -")
)


@pytest.mark.parametrize("numbers", [("0", "1", "2"), ("000", "001", "002")])
def test_parts_with_chains_of_their_own_score_as_documents_of_the_official_scorer(numbers: tuple[str, ...]) -> None:
    """Expected are the official scorer's (v8.01) totals over the three (document; part) of the same files."""
    result = scored(PARTS_KEY.format("000", "001", "002"), PARTS_RESPONSE.format(*numbers)).total
    official = {
        "mentions": (9, 10, 9, 10),
        "muc": (2, 4, 2, 5),
        "bcub": (7.5, 10, 6.16666666666667, 10),
        "ceafm": (7, 10, 7, 10),
        "ceafe": (3.8, 6, 3.8, 5),
    }
    for name, printed in official.items():
        assert numbers_of(result.scores[name]) == pytest.approx(printed, rel=0, abs=1e-9)
    blanc = result.scores["blanc"]
    assert (blanc.recall, blanc.precision) == pytest.approx((0.5, 0.452380952380952))
    assert percent(blanc.f1) == "46.67"


def test_documents_add_up_in_the_order_of_the_key() -> None:
    texts = [merged_text(names, name) for name, names in (("y", KEY), ("x", RESPONSE))]
    evaluation = scored("".join(texts), "".join(reversed(texts)))

    assert [document.id for document in evaluation.documents] == ["y", "x"]
    assert [(document.parts, document.tokens) for document in evaluation.documents] == [(3, 14), (3, 14)]
    assert evaluation.total.scores["muc"] == Counts(11 + 10, 11 + 10, 11 + 10, 11 + 10)


def test_a_missing_document_scores_as_empty_with_a_notice() -> None:
    """Precision is that of the other document; what the missing one has is not recalled."""
    notices = Notices()
    key = merged_text(KEY, "x") + merged_text(KEY, "y")
    total = scored(key, merged_text(RESPONSE, "x"), notices=notices).total

    assert total.scores["muc"] == Counts(9 + 0, 11 + 11, 9 + 0, 10 + 0)
    assert "document missing in the response" in {notice.kind for notice in notices}


def test_an_extra_document_changes_nothing_with_a_notice() -> None:
    notices = Notices()
    evaluation = scored(merged_text(KEY, "x"), merged_text(RESPONSE, "x") + merged_text(KEY, "y"), notices=notices)

    assert evaluation == scored(merged_text(KEY, "x"), merged_text(RESPONSE, "x"))
    assert [notice.kind for notice in notices] == ["extra document in the response"]


def test_the_strict_policy_holds_for_notices_that_are_still_empty() -> None:
    with pytest.raises(AlignmentError, match="the response lacks this document"):
        scored(
            merged_text(KEY, "x") + merged_text(KEY, "y"),
            merged_text(RESPONSE, "x"),
            notices=Notices(Policy.STRICT),
        )


def test_beside_documents_with_parts_one_without_has_nothing_to_merge() -> None:
    key = merged_text(KEY, "x") + merged_text(KEY, "y", with_parts=False)
    evaluation = scored(key, merged_text(RESPONSE, "x") + merged_text(RESPONSE, "y"))

    x, y = (document.result for document in evaluation.documents)
    assert y.floor_conll_f1 == 1
    assert y.links is not None
    assert y.links.decisions == 0
    assert x.floor is not None
    assert y.floor is not None
    assert evaluation.total.floor == x.floor + y.floor
    assert evaluation.total.links == x.links


def test_without_parts_in_any_document_there_is_no_floor() -> None:
    total = scored(merged_text(KEY, with_parts=False), merged_text(RESPONSE)).total

    assert (total.floor, total.links, total.gain) == (None, None, None)


def test_parts_that_lack_a_document_are_an_error() -> None:
    with pytest.raises(AlignmentError, match=r"key\.conll \(document d\): the parts lack this document"):
        scored(merged_text(KEY), merged_text(RESPONSE), parts=documents(parts_text(document="e")))


def test_a_response_that_tore_a_part_chain_has_scores_but_no_links_with_a_notice() -> None:
    notices = Notices()
    torn = merged_text(RESPONSE).replace("B1-1 NN (2)", "B1-1 NN (5)")
    total = scored(merged_text(KEY), torn, notices=notices).total

    assert total.links is None
    assert total.conll_f1 is not None
    (notice,) = notices
    assert "link scores leave this document out" in notice.message
    assert "response.conll (document d, part 1)" in notice.message


SINGLETONS = "#begin document (d); part 000\na (0)\nb (0)\nc (1)\nd (2)\n#end document\n"


def test_singletons_count_as_in_the_official_scorer_unless_they_are_dropped() -> None:
    response = SINGLETONS.replace("d (2)", "d -")
    score, drop = scored(SINGLETONS, response), scored(SINGLETONS, response, drop_singletons=True)

    assert score.total.scores["bcub"] == Counts(3, 4, 3, 3)
    assert drop.total.scores["bcub"] == Counts(2, 2, 2, 2)
    assert "singletons:kept" in str(score.signature)
    assert "singletons:dropped" in str(drop.signature)


EMPTY = "#begin document (d); part 000\na -\nb -\nc -\nd -\n#end document\n"
ALONE = EMPTY.replace("a -", "a (0)").replace("c -", "c (1)")


@pytest.mark.parametrize(
    ("key", "response", "drop"),
    [(EMPTY, EMPTY, False), (EMPTY, SINGLETONS, False), (SINGLETONS, EMPTY, False), (ALONE, ALONE, True)],
)
def test_nothing_to_score_is_flagged_and_no_number_is_nan(key: str, response: str, *, drop: bool) -> None:
    evaluation = scored(key, response, drop_singletons=drop)

    data = json.loads(json.dumps(as_data(evaluation), allow_nan=False))
    muc = data["total"]["metrics"]["muc"]
    assert (muc["f1"], muc["recall"], muc["precision"]) in {(None, None, None), (0, None, 0), (0, 0, None)}
    assert "0/0" in muc["undefined"]
    assert "(undefined)" in as_text(evaluation)


def test_no_documents_at_all_are_zero_and_undefined() -> None:
    evaluation = evaluate([], [])

    data = json.loads(json.dumps(as_data(evaluation), allow_nan=False))
    assert data["documents"] == []
    assert all("undefined" in counts for counts in data["total"]["metrics"].values())
    assert "0 documents" in as_text(evaluation)


def test_a_document_without_tokens_scores_nothing() -> None:
    text = "#begin document (d); part 000\n#end document\n"

    assert json.dumps(as_data(scored(text, text)), allow_nan=False)


def test_only_the_metrics_that_are_asked_for_are_there() -> None:
    evaluation = scored(merged_text(KEY), merged_text(RESPONSE), metrics=["muc", "lea"])

    assert list(evaluation.total.scores.counts) == ["muc", "lea"]
    assert (evaluation.total.conll_f1, evaluation.total.floor_conll_f1, evaluation.total.gain) == (None, None, None)
    assert "CoNLL F1 " not in as_text(evaluation)
    assert json.loads(json.dumps(as_data(evaluation), allow_nan=False))["total"]["conll_f1"] is None


def test_data_has_numerators_denominators_and_fractions_in_full() -> None:
    data = as_data(scored(merged_text(KEY), merged_text(RESPONSE)))

    muc = data["total"]["metrics"]["muc"]
    assert (muc["recall_numerator"], muc["recall_denominator"], muc["recall"]) == (9, 11, 9 / 11)
    assert data["total"]["conll_f1"] == pytest.approx(CONLL)
    assert data["total"]["gain"] == pytest.approx((CONLL - FLOOR) / (1 - FLOOR))
    assert (data["total"]["links"]["recall_numerator"], data["total"]["links"]["recall"]) == (2, 2 / 5)
    assert data["total"]["decisions"] == {"count": 4, "matching": 2, "strict_match": 1 / 2}
    assert data["documents"][0] == {
        "id": "d",
        "genre": None,
        "parts": 3,
        "tokens": 14,
        "in_response": True,
        **data["total"],
    }


def test_text_shows_fractions_floor_links_and_signature() -> None:
    text = as_text(scored(merged_text(KEY), merged_text(RESPONSE)), per_document=True)

    assert "(9 / 11)" in text
    assert f"CoNLL F1 {percent(CONLL)}" in text
    assert f"floor    {percent(FLOOR)}" in text
    assert "recall 40.00 (2 / 5), precision 50.00 (2 / 4)" in text
    assert "decisions 50.00 (2 / 4) as in the key" in text
    assert text.splitlines()[-1].startswith("signature: metrics:mentions+muc")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1, "100.00"), (0, "0.00"), (2 / 3, "66.67"), (1 / 3, "33.33"), (-1e-6, "0.00"), (-0.5, "-50.00"), (None, "-")],
)
def test_percentages_are_rounded(value: float | None, shown: str) -> None:
    assert percent(value) == shown


def test_differences_have_a_sign_and_fit_the_percentages_that_are_shown() -> None:
    assert [points(value) for value in (0.1, -0.1, 0, -1e-7, None)] == ["+10.00", "-10.00", "+0.00", "+0.00", "-"]
    # 94.946 and 81.524 are shown as 94.95 and 81.52: 13.43 apart, where the exact difference of 13.422 is 13.42.
    assert (percent(0.94946), percent(0.81524), points_between(0.94946, 0.81524)) == ("94.95", "81.52", "+13.43")
    assert points(0.94946 - 0.81524) == "+13.42"


def test_a_signature_says_how_the_number_was_made() -> None:
    key, response = documents(merged_text(KEY)), documents(merged_text(RESPONSE))
    evaluation = evaluate(key, response, metrics=["muc"], split="tokens=400", strategy="none")

    assert str(evaluation.signature) == (
        f"metrics:muc|mentions:exact|singletons:kept|split:tokens=400|strategy:none|version:{VERSION}"
    )


def test_a_signature_leaves_out_what_is_not_known() -> None:
    assert str(Signature(("muc", "bcub"))) == f"metrics:muc+bcub|mentions:exact|singletons:kept|version:{VERSION}"


def test_parts_of_the_key_are_in_the_signature() -> None:
    signature = scored(merged_text(KEY), merged_text(RESPONSE)).signature

    assert signature.split == "given(3 parts)"


def test_documents_may_come_from_a_stream() -> None:
    def stream(text: str) -> Iterator[Document]:
        yield from documents(text)

    evaluation = evaluate(stream(merged_text(KEY)), stream(merged_text(RESPONSE)), parts=stream(parts_text()))

    assert [type(document.result.scores["muc"]) for document in evaluation.documents] == [Counts]


def test_an_unknown_metric_is_refused() -> None:
    nothing: list[Document] = []

    with pytest.raises(ValueError, match="no such metric: rouge"):
        evaluate(nothing, nothing, metrics=["rouge"])


def test_the_first_line_says_how_many_documents_the_scores_are_of() -> None:
    evaluation = scored(merged_text(KEY), merged_text(RESPONSE))

    assert as_text(evaluation).splitlines()[0] == "1 document"
    some = replace(evaluation, left_out=("x", "y"))
    assert as_text(some).splitlines()[0] == "1 of 3 documents; 2 left out on both sides"
    assert as_data(some)["left_out"] == ["x", "y"]
