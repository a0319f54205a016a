"""People and two strategies on one document, counted by hand."""

from __future__ import annotations

from dataclasses import replace

from client.evaluation.comparison.contenders import FileContender, attempt
from client.evaluation.comparison.data import Comparison, Setup, StrategyOutcomes
from client.evaluation.comparison.summary import compare
from client.evaluation.comparison.tables import sections
from client.evaluation.comparison.task import make_task
from merger.document import Chain, ChainScope, Mention
from merger.notices import Notices
from tests.support.building import parts_of, whole

TEXTS = (
    "[a Ann/NNP ] [a Ann/NNP ] [b he/PRP ] [b he/PRP ]",
    "[a Ann/NNP ] [a Ann/NNP ] [b he/PRP ] [b he/PRP ] [c dog/NN ] [c dog/NN ]",
)
PARTS, KEY = parts_of(*TEXTS), whole(*TEXTS)
# The part chains in order: a, b of the first part, a, b, c of the second. People: a-a, b-b, c new.
A0, B0, A1, B1, C1 = (chain.mentions for chain in PARTS.chains)
NOTHING = (A0, B0, A1, B1, C1)
CROSSED = (A0 + B1, B0 + A1, C1)


Merges = tuple[tuple[Mention, ...], ...]


def comparison_of(*genres: str, **merges: Merges) -> Comparison:
    """A comparison of merges under names, on the document once for each genre; once without a genre by default."""
    tasks = []
    for genre in genres or (None,):
        parts, key = (replace(each, id=genre or each.id, genre=genre) for each in (PARTS, KEY))
        tasks.append(make_task(parts, key))
    by_strategy = []
    for name, chains in merges.items():
        found = tuple(Chain(str(number), tuple(sorted(chain))) for number, chain in enumerate(chains))
        contender = FileContender(name, name, [task.key.with_chains(found, ChainScope.DOCUMENT) for task in tasks])
        by_strategy.append(StrategyOutcomes(name, name, tuple(attempt(contender, task, Notices()) for task in tasks)))
    setup = Setup("key", "given", "dropped", "merge-baseline compare key")
    return compare([task.facts for task in tasks], by_strategy, setup, gold_merges=[task.known_gold for task in tasks])


def rows_of(comparison: Comparison, kind: str) -> list[tuple[str, ...]]:
    (section,) = (each for each in sections(comparison) if each.kind == kind)
    return section.rows[1:]


def test_everyone_is_compared_with_people_and_with_everyone_else() -> None:
    """Strict: nothing merged agrees with people on c alone, and so do the crossed merges, which link a and b wrongly.

    With each other the two agree on c too.
    """
    pairs = comparison_of(nothing=NOTHING, crossed=CROSSED).agreement.total.pairs

    assert {pair: each.metrics["strict_match"].measure.value for pair, each in pairs.items()} == {
        (0, 1): 1 / 3,
        (0, 2): 1 / 3,
        (1, 2): 1 / 3,
    }
    # New: c of three that one called new; c of one. Both linked: none; a and b, never the same antecedent.
    new = {pair: each.metrics["new_chain"].measure.value for pair, each in pairs.items()}
    assert new == {(0, 1): 1 / 3, (0, 2): 1, (1, 2): 1 / 3}
    not_new = {pair: each.metrics["not_new"].measure.value for pair, each in pairs.items()}
    assert not_new == {(0, 1): None, (0, 2): 0, (1, 2): None}


def test_labels_are_compared_with_people_only() -> None:
    comparison = comparison_of(nothing=NOTHING, crossed=CROSSED)
    pairs = comparison.agreement.total.pairs
    scores = [strategy.total.conll_f1 for strategy in comparison.strategies if strategy.total is not None]

    assert [pairs[0, number].metrics["conll_f1"].measure.value for number in (1, 2)] == scores
    assert pairs[1, 2].metrics["conll_f1"].measure.value is None


def test_the_tables_have_percentages_by_genre_and_part_of_speech() -> None:
    """The proper noun (Ann) and the pronoun (he) were decided otherwise than by people, the noun (dog) was not."""
    comparison = comparison_of(nothing=NOTHING, key=(A0 + A1, B0 + B1, C1))

    assert rows_of(comparison, "agreement")[0][:2] == ("1  nothing", "33.33")
    assert rows_of(comparison, "classes") == [
        ("pronoun", "1", "100.00", "0.00"),
        ("noun", "1", "0.00", "0.00"),
        ("proper noun", "1", "100.00", "0.00"),
    ]
    assert rows_of(comparison, "strict_match") == [
        ("all: human", "100.00", "33.33", "100.00"),
        ("all: 1", "33.33", "100.00", "33.33"),
        ("all: 2", "100.00", "33.33", "100.00"),
    ]
    # One genre has what all documents have.
    assert "class_genres" not in {section.kind for section in sections(comparison)}


def test_genres_have_rows_of_their_own_where_there_are_two() -> None:
    comparison = comparison_of("news", "talk", nothing=NOTHING)

    classes = [("pronoun", "1", "100.00"), ("noun", "1", "0.00"), ("proper noun", "1", "100.00")]
    assert rows_of(comparison, "class_genres") == [
        (f"{genre}: {name}", *cells) for genre in ("news", "talk") for name, *cells in classes
    ]
    # Both documents together have each chain twice.
    assert rows_of(comparison, "classes") == [(name, "2", share) for name, _, share in classes]
    assert [row[0] for row in rows_of(comparison, "strict_match")] == [
        f"{genre}: {name}" for genre in ("all", "news", "talk") for name in ("human", "1")
    ]


def test_merges_that_break_part_chains_are_left_out_of_the_agreement() -> None:
    broken = ((A0[0], A1[0]), (A0[1], A1[1]), B0, B1, C1)

    comparison = comparison_of(nothing=NOTHING, broken=broken)

    assert list(comparison.agreement.total.pairs) == [(0, 1)]
    assert rows_of(comparison, "agreement")[1][1:] == ("-",) * 8
