"""The official scorer's test files through the project's own reader and `evaluate`.

Policies that differ from the official scorer's, all of them needed here under `Policy.LENIENT` only:

- a span in two chains (TC-A-8, TC-A-9) is an error; the lenient reader keeps the first, as that scorer does, but in
  the key, too, and whether or not the key has the span;
- a span twice in a chain (TC-A-7, TC-A-9) counts once with a warning, and does not stop the scoring from the 11th on;
- tokens that differ between key and response (TC-A-3 to TC-A-13) are an error; that scorer does not look at them.
"""

from __future__ import annotations

from typing import Any

import pytest

from client.evaluation.scoring import BlancCounts
from client.evaluation.scoring.evaluate import Evaluation, evaluate
from client.evaluation.scoring.render import percent
from merger.errors import AlignmentError, AnnotationError
from merger.formats import ReadOptions, read_documents
from merger.notices import Notices, Policy
from tests.evaluation.scoring.official_cases import DATA, WHY_SKIPPED, expected
from tests.evaluation.scoring.test_official_cases import assert_as_printed

CASES = expected()
pytestmark = pytest.mark.skipif(not CASES, reason=WHY_SKIPPED)
OTHER_TOKENS = {f"TC-A-{number}.response" for number in range(3, 14)}
IN_TWO_CHAINS = {"TC-A-8.response", "TC-A-9.response"}
TWICE_IN_A_CHAIN = {"TC-A-7.response", "TC-A-9.response"}
PRINTED = ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc")


def score(case: dict[str, Any], notices: Notices) -> Evaluation:
    options = ReadOptions(notices)
    key, response = (read_documents(str(DATA / case[side]), options=options) for side in ("key", "response"))
    return evaluate(key, response, notices=notices)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["response"])
def test_all_numbers_are_those_that_the_official_scorer_prints(case: dict[str, Any]) -> None:
    notices = Notices(Policy.LENIENT)
    scores = score(case, notices).total.scores

    for name in PRINTED:
        assert_as_printed(scores[name], case[name])
    blanc = scores["blanc"]
    assert isinstance(blanc, BlancCounts)
    assert_as_printed(blanc.coreference, case["blanc_coref_links"])
    assert_as_printed(blanc.non_coreference, case["blanc_noncoref_links"])
    assert {notice.kind for notice in notices} == {
        kind
        for kind, names in (
            ("tokens differ", OTHER_TOKENS),
            ("span in two chains", IN_TWO_CHAINS),
            ("span twice in a chain", TWICE_IN_A_CHAIN),
        )
        if case["response"] in names
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["response"])
def test_percentages_are_rounded_where_the_official_scorer_cuts(case: dict[str, Any]) -> None:
    scores = score(case, Notices(Policy.LENIENT)).total.scores

    for name in PRINTED:
        counts, printed = scores[name], case[name]
        for value, cut in (
            (counts.recall, printed["recall"][2]),
            (counts.precision, printed["precision"][2]),
            (counts.f1, printed["f1"]),
        ):
            # What is cut is less by up to 0.01 (and by the official scorer's own rounding errors); what is rounded is
            # at most half of that away.
            assert cut - 1e-9 <= 100 * value < cut + 0.01 + 1e-9
            assert percent(value) in {f"{cut:.2f}", f"{cut + 0.01:.2f}"}
            assert abs(float(percent(value)) - 100 * value) <= 0.005 + 1e-9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["response"])
def test_files_that_contradict_themselves_or_the_key_are_refused_by_default(case: dict[str, Any]) -> None:
    if case["response"] in IN_TWO_CHAINS:
        with pytest.raises(AnnotationError, match="one span is a mention of chain 3 and of chain 1"):
            score(case, Notices())
    elif case["response"] in OTHER_TOKENS:
        with pytest.raises(AlignmentError, match=r":13 .*token 10 .* is 'x'; expected 'jnk'"):
            score(case, Notices())
    else:
        score(case, Notices(Policy.STRICT))


def test_there_are_36_cases() -> None:
    assert len(CASES) == 36
