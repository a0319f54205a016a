from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

import pytest

from client.evaluation.agreement import AgreementReport, Annotator, Compare, count_documents, summarise
from client.evaluation.agreement.render import as_data, as_text
from tests.evaluation.agreement.three_annotators import MERGES, before, merged

NAMES = ("first", "second", "third")
PAIRS = ((0, 1), (0, 2), (1, 2))


def report(merges: Sequence[Mapping[str, str]] = MERGES, compare: Compare = Compare.CHAIN) -> AgreementReport:
    annotators = [Annotator(name, [merged(each)]) for name, each in zip(NAMES, merges, strict=False)]
    documents = count_documents([before()], annotators, compare=compare)
    return summarise(documents, NAMES[: len(merges)], compare=compare)


def values(metric: str, compare: Compare = Compare.CHAIN) -> list[float | None]:
    """The metric of the pairs 1-2, 1-3 and 2-3."""
    total = report(compare=compare).total
    return [total.pairs[pair].metrics[metric].measure.value for pair in PAIRS]


def test_strict_match_is_the_share_of_chains_with_one_antecedent() -> None:
    """1-2: c and e; 1-3: d, new in both; 2-3: none."""
    assert values("strict_match") == [2 / 4, 1 / 4, 0 / 4]
    assert report().total.mean["strict_match"].measure.value == pytest.approx((2 / 4 + 1 / 4) / 3)


def test_jaccard_compares_the_chain_with_its_antecedent() -> None:
    """The chain itself is in both sets: d is {d} against {b, d}, 1/2; f is {b, f} against {b, d, f}, 2/3; and so on."""
    first_second = (1 + 1 / 2 + 1 + 2 / 3) / 4
    first_third = (1 / 2 + 1 + 2 / 3 + 1 / 3) / 4
    second_third = (1 / 2 + 1 / 2 + 2 / 3 + 1 / 4) / 4

    assert values("jaccard") == pytest.approx([first_second, first_third, second_third])


def test_new_chain_agreement_is_both_new_of_at_least_one_new() -> None:
    """1-2: of d, neither; 1-3: of c and d, d; 2-3: of c and d, none."""
    assert values("new_chain") == [0 / 1, 1 / 2, 0 / 2]


def test_not_new_agreement_is_over_chains_that_both_linked() -> None:
    """1-2: of c, e and f, c and e; 1-3: of e and f, none; 2-3: of e and f, none."""
    assert values("not_new") == [2 / 3, 0 / 2, 0 / 2]


def test_the_other_reading_is_over_chains_that_at_least_one_linked() -> None:
    assert values("not_new_any") == [2 / 4, 0 / 3, 0 / 4]


def test_alpha_has_new_as_one_label() -> None:
    """1 - (n - 1) d / (n² - Σ n_c²) with n = 8 and d two for each chain that differs.

    1-2: labels {a} 2, {a, c} 2, {b} 2 (d of the second, f of the first), {b, d} 1, new 1.
    1-3: labels {a} 2 (c of the first, e of the third), new 3, {a, c} 1, {b} 1, {c} 1.
    2-3: labels {a} 2, new 2, {b} 1, {a, c} 1, {b, d} 1, {c} 1.
    """
    first_second = 1 - 7 * 4 / (64 - (4 + 4 + 4 + 1 + 1))
    first_third = 1 - 7 * 6 / (64 - (4 + 9 + 1 + 1 + 1))
    second_third = 1 - 7 * 8 / (64 - (4 + 4 + 1 + 1 + 1 + 1))

    assert values("alpha") == pytest.approx([first_second, first_third, second_third])


def test_alpha_with_new_as_a_label_of_each_chain() -> None:
    """1-3: new 1 on c and 2 on d, so 1 + 4 takes the place of 9; 2-3: 1 on c and 1 on d in place of 4."""
    first_third = 1 - 7 * 6 / (64 - (4 + 1 + 4 + 1 + 1 + 1))
    second_third = 1 - 7 * 8 / (64 - (4 + 1 + 1 + 1 + 1 + 1 + 1))

    assert values("alpha_own_new")[1:] == pytest.approx([first_third, second_third])


def test_alpha_of_all_annotators_at_once() -> None:
    """Twelve values; ordered pairs that differ, over 3 - 1: c 4/2, d 4/2, e 4/2, f 6/2.

    Labels: {a} 3, new 3, {b} 2, {a, c} 2, {b, d} 1, {c} 1.
    """
    joint = report().total.joint_alpha["alpha"].value

    assert joint == pytest.approx(1 - 11 * (2 + 2 + 2 + 3) / (144 - (9 + 9 + 4 + 4 + 1 + 1)))


def test_the_first_part_chain_alone_may_agree_where_the_merged_chain_does_not() -> None:
    """1-2: f has b first in both, so c, e and f; 1-3: d and e; 2-3: e."""
    assert values("strict_match", Compare.ROOT) == [3 / 4, 2 / 4, 1 / 4]


def test_labels_agree_by_conll_f1() -> None:
    """First: chains of 6, 4 and 2 mentions; second: the same 6, and 6 that hold the 4 and the 2.

    MUC: 9 links of 9, and 9 of 10. B³: recall 12/12, precision (6 + 4 · 4/6 + 2 · 2/6) / 12.
    CEAFe: φ4 is 1 for the same chain and 2 · 4 / (4 + 6) for the best other pair.
    """
    muc = Fraction(2 * 9, 9 + 10)
    precision = (6 + Fraction(4 * 4, 6) + Fraction(2 * 2, 6)) / 12
    bcub = 2 * precision / (1 + precision)
    ceafe = 2 * (1 + Fraction(8, 10)) / (3 + 2)

    assert values("conll_f1")[0] == pytest.approx(float((muc + bcub + ceafe) / 3))


def test_an_annotator_agrees_with_itself() -> None:
    metrics = report([MERGES[0], MERGES[0]]).total.pairs[0, 1].metrics

    assert {name: each.measure.value for name, each in metrics.items()} == dict.fromkeys(metrics, 1)


def test_what_is_undefined_says_why() -> None:
    """Nobody links anything: every label is new, and no chain is linked."""
    nothing = {chain: chain for chain in "abcdef"}
    found = report([nothing, nothing])
    metrics = found.total.pairs[0, 1].metrics

    undefined = {name: each.measure.reason for name, each in metrics.items() if each.measure.value is None}
    assert undefined == {
        "not_new": "0/0: no chain that both linked",
        "not_new_any": "0/0: nobody linked a chain",
        "alpha": "0/0: all decisions have one label, so chance alone would agree",
    }
    assert metrics["alpha_own_new"].measure.value == 1
    assert as_data(found)["total"]["mean"]["alpha"]["value"] is None
    assert "undefined: alpha of 1-2, 0/0: all decisions have one label" in as_text(found)


def test_the_table_has_a_row_for_each_pair_and_the_mean() -> None:
    rows = [line.split()[:3] for line in as_text(report()).splitlines()]

    assert ["1-2", "50.00", "79.17"] in rows
    assert ["1-3", "25.00", "62.50"] in rows
    assert ["2-3", "0.00", "47.92"] in rows
    assert ["mean", "25.00", "63.19"] in rows
