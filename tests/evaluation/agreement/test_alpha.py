from __future__ import annotations

import warnings
from dataclasses import astuple
from functools import reduce
from operator import add

import krippendorff
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from client.evaluation.agreement.alpha import AlphaCounts, alpha, count_alpha
from client.evaluation.agreement.antecedents import NEW, Antecedent
from merger.document import ChainRef

LABELS: list[Antecedent] = [NEW, *(frozenset({ChainRef(0, name)}) for name in "abc")]
TABLES = st.lists(
    st.lists(st.none() | st.sampled_from(range(len(LABELS))), min_size=2, max_size=4), min_size=1, max_size=8
).map(lambda rows: [(row + [None] * 4)[:4] for row in rows])
"""Chains by four annotators; ``None`` where one did not decide."""


def units(table: list[list[int | None]]) -> list[list[Antecedent]]:
    return [[LABELS[value] for value in row if value is not None] for row in table]


def by_package(table: list[list[int | None]]) -> float:
    rows = [
        [float("nan") if value is None else float(value) for value in column] for column in zip(*table, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return float(krippendorff.alpha(reliability_data=rows, level_of_measurement="nominal"))


@given(TABLES)
def test_alpha_is_that_of_the_krippendorff_package(table: list[list[int | None]]) -> None:
    paired = [value for row in table if len(units([row])[0]) > 1 for value in row if value is not None]
    assume(len(set(paired)) > 1)

    assert alpha(count_alpha(units(table))).value == pytest.approx(by_package(table))


@given(TABLES)
def test_a_new_of_each_chain_is_a_label_more_in_the_package(table: list[list[int | None]]) -> None:
    relabelled = [[len(LABELS) + row if value == 0 else value for value in each] for row, each in enumerate(table)]
    paired = [value for row in relabelled if sum(v is not None for v in row) > 1 for value in row if value is not None]
    assume(len(set(paired)) > 1)

    assert alpha(count_alpha(units(table)), own_new=True).value == pytest.approx(by_package(relabelled))


@given(st.lists(TABLES, min_size=2, max_size=3))
def test_documents_share_new_and_no_other_label(tables: list[list[list[int | None]]]) -> None:
    """All documents as one table, in which each has antecedents of its own."""
    apart = [
        [frozenset(ChainRef(number, ref.chain) for ref in value) for value in unit]
        for number, table in enumerate(tables)
        for unit in units(table)
    ]

    added = reduce(add, (count_alpha(units(table)) for table in tables))
    assert astuple(added) == pytest.approx(astuple(count_alpha(apart)))


def test_krippendorffs_own_nominal_example() -> None:
    """Krippendorff 2011, part A: two observers, ten units, 0.095.

    Values 0 1 0 0 0 0 0 0 1 0 and 1 1 1 0 0 1 0 0 0 0: four units differ, so d = 8; fourteen zeros and six ones.
    """
    one, other = (0, 1, 0, 0, 0, 0, 0, 0, 1, 0), (1, 1, 1, 0, 0, 1, 0, 0, 0, 0)
    measure = alpha(count_alpha([LABELS[a], LABELS[b]] for a, b in zip(one, other, strict=True)))

    assert measure.value == pytest.approx(1 - 19 * 8 / (400 - 14**2 - 6**2))
    assert measure.value == pytest.approx(0.095, abs=0.0005)


def test_without_a_chain_that_two_decided_on_alpha_is_undefined() -> None:
    assert count_alpha([[NEW], []]) == AlphaCounts()
    assert alpha(AlphaCounts()).value is None
    assert alpha(AlphaCounts()).reason == "no chain was decided on by two annotators"
