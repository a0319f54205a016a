from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from client.evaluation.agreement.bootstrap import Resampling
from client.evaluation.comparison.data import Comparison, DocumentFacts, DocumentOutcome, Setup, StrategyOutcomes
from client.evaluation.comparison.render import as_markdown, as_text
from client.evaluation.comparison.render_data import as_data
from client.evaluation.comparison.section import Mark, Section
from client.evaluation.comparison.summary import compare
from client.evaluation.comparison.tables import sections
from client.evaluation.scoring import COMPARED_METRICS
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import NO_LINKS
from client.evaluation.scoring.scores import Scores
from merger.errors import FormatError, Location

DOCUMENTS = 9


def outcome(document: int, right: int | None) -> DocumentOutcome:
    """A document with so many right of 10 in all metrics; ``None`` for a failure."""
    if right is None:
        return DocumentOutcome(str(document), failure=f"{document}: no tags", reason="no tags")
    scores, floor = (Scores(dict.fromkeys(COMPARED_METRICS, Counts(each, 10, each, 10))) for each in (right, 5))
    return DocumentOutcome(str(document), Result(scores, floor, NO_LINKS))


def compared(**strategies: Sequence[int | None]) -> Comparison:
    """Six documents of one genre and three of another."""
    facts = [DocumentFacts(str(number), "news" if number < 6 else "talk", 100, 5, 2) for number in range(DOCUMENTS)]
    by_strategy = [
        StrategyOutcomes(name, name, tuple(outcome(number, right) for number, right in enumerate(rights)))
        for name, rights in strategies.items()
    ]
    return compare(facts, by_strategy, Setup("key", "given", "dropped", "compare"), resampling=Resampling(1000))


def section(comparison: Comparison, kind: str) -> Section:
    return next(each for each in sections(comparison) if each.kind == kind)


def test_only_what_is_significantly_best_in_a_column_is_marked() -> None:
    clear = compared(none=[5] * 9, a=[7] * 9, b=[8] * 9)
    chance = compared(none=[5] * 9, a=[7] * 9, b=[8] + [7] * 8)

    cells = {place for place, mark in section(clear, "scores").marks.items() if mark is Mark.BEST and place[1]}
    assert cells == {(2, column) for column in range(1, 6)}
    assert "80.00 ±0.00*" in as_text(clear)
    assert "**80.00 ±0.00**" in as_markdown(clear)
    assert not [place for place, mark in section(chance, "scores").marks.items() if mark is Mark.BEST and place[1]]
    assert "no strategy is significantly better" in as_text(chance)


def test_groups_with_few_documents_are_marked() -> None:
    groups = section(compared(none=[5] * 9, a=[7] * 9), "groups")

    rows = {row[0]: (place, row) for place, row in enumerate(groups.rows[1:])}
    assert rows["news"][1][1] == "6"
    assert rows["talk"][1][1] == "3 (few)"
    assert groups.marks[rows["talk"][0], 0] is Mark.FEW
    assert (rows["news"][0], 0) not in groups.marks
    assert any("fewer than 6 documents" in note for note in groups.notes)


def test_a_group_that_has_all_documents_has_a_row_in_json_alone() -> None:
    """All nine documents are short, have few chains and two parts; only genres tell them apart."""
    comparison = compared(none=[5] * 9, a=[7] * 9)

    assert [row[0] for row in section(comparison, "groups").rows[1:]] == ["news", "talk"]
    groups = as_data(comparison)["strategies"][1]["groups"]
    assert groups["parts"]["2 parts"]["total"] == as_data(comparison)["strategies"][1]["total"]
    assert list(groups) == ["genre", "length", "length_bins", "chains", "parts"]


def test_groups_that_tell_nothing_apart_have_no_table() -> None:
    facts = [DocumentFacts(str(number), None, 100, 5, 2) for number in range(2)]
    strategy = StrategyOutcomes("a", "a", (outcome(0, 7), outcome(1, 8)))

    comparison = compare(facts, [strategy], Setup("key", "given", "dropped", "compare"))

    assert not {"groups", "link_groups"} & {each.kind for each in sections(comparison)}


def test_scores_over_fewer_documents_than_the_row_says_are_in_parentheses() -> None:
    """Strategy a lacks a document of the first genre, and all of the second."""
    groups = section(compared(none=[5] * 9, a=[7] * 5 + [None] * 4), "groups")

    rows = {row[0]: (place, row) for place, row in enumerate(groups.rows[1:])}
    assert rows["news"][1][1:] == ("6", "50.00", "(70.00)")
    assert groups.marks[rows["news"][0], 3] is Mark.PARTIAL
    assert rows["talk"][1][2:] == ("50.00", "-")


def test_a_reason_that_documents_share_stands_once() -> None:
    failures = section(compared(none=[5] * 9, a=[7] * 7 + [None] * 2, b=[7] * 7 + [None] * 2), "failures")

    assert failures.rows[1:] == [("a, b", "2")]
    assert failures.notes == ("a, b: 7: no tags [2 documents, this is the first]",)


def test_every_document_that_is_left_out_is_named_with_its_reason() -> None:
    """One document of all strategies, two of one, and one whose merges break its part chains."""
    comparison = compared(none=[5] * 9, a=[7] * 7 + [None] * 2)
    unread = FormatError("columns are missing", Location("x.conll", 3, document="x"))
    seven = outcome(0, 7)
    assert seven.result is not None
    broken = replace(seven, result=replace(seven.result, links=None))
    breaking = compared(b=[7] * 9).strategies[0]
    breaking = replace(breaking, outcomes=(broken, *breaking.outcomes[1:]))

    found = section(replace(comparison, failures=(unread,), strategies=(*comparison.strategies, breaking)), "left_out")

    assert found.rows == [
        ("document", "left out of", "reason"),
        ("x", "all", "x.conll:3 (document x): columns are missing"),
        ("7", "a", "7: no tags"),
        ("8", "a", "8: no tags"),
        ("0", "link scores of b", "its part chains are broken"),
    ]
    assert "left_out" not in {each.kind for each in sections(compared(none=[5] * 9, a=[7] * 9))}


def test_every_test_has_its_p_adjusted_for_the_tests_of_the_table() -> None:
    """Nine documents that all differ the same way: 2 of 512 exchanges, times the number of tests."""
    comparison = compared(none=[5] * 9, a=[7] * 9, b=[8] * 9, oracle=[10] * 9)

    assert [row[-1] for row in section(comparison, "tests").rows[1:]] == [f"{3 * 2 / 512:.4f}"] * 3
    pairs = section(comparison, "pairs").rows[1:]
    assert [row[0] for row in pairs] == ["a against none", "b against none", "b against a"]
    assert [row[-1] for row in pairs] == [f"{3 * 2 / 512:.4f}"] * 3


def test_each_p_says_what_it_is_adjusted_for() -> None:
    """Nine documents that all differ the same way: p is 2/512 before it is adjusted."""
    comparison = compared(none=[5] * 9, a=[7] * 9, b=[8] * 9, c=[9] * 9, oracle=[10] * 9)

    against, pairs = (section(comparison, kind) for kind in ("tests", "pairs"))
    # none, b, c and oracle against a; of none, a, b and c 4 * 3 / 2 pairs.
    assert [row[-1] for row in against.rows[1:]] == [f"{4 * 2 / 512:.4f}"] * 4
    assert [row[-1] for row in pairs.rows[1:]] == [f"{6 * 2 / 512:.4f}"] * 6
    assert any("4 tests of this table; the verdict's p is adjusted for all 6 pairs" in note for note in against.notes)
    assert "p Holm: the larger p, adjusted for all 6 pairs" in pairs.notes


def test_too_many_tests_for_the_resamples_are_noted() -> None:
    """The smallest p of the bootstrap is 2/1001: of 28 pairs none can be below 28 * 2/1001 = 0.0559."""
    comparison = compared(none=[5] * 9, **{f"s{number}": [6] * 9 for number in range(7)})

    (note,) = (note for note in section(comparison, "pairs").notes if "more by option resamples" in note)
    assert "0.0559" in note


@pytest.mark.parametrize("width", ["72", "100"])
def test_lines_fit(width: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", width)

    lines = as_text(compared(none=[5] * 9, a=[7] * 9, b=[8] * 9), everything=False).splitlines()

    assert max(map(len, lines)) <= int(width)
