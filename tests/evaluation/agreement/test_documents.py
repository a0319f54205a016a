from __future__ import annotations

from dataclasses import replace

import pytest

from client.evaluation.agreement import Annotator, Resampling, count_documents, summarise
from client.evaluation.agreement.bootstrap import Interval, interval
from merger.decisions.model import Decision
from merger.decisions.records import DecisionRecord
from merger.document import ChainRef, ChainScope, Document
from merger.errors import AlignmentError, DecisionError
from merger.notices import Notices, Policy
from tests.evaluation.agreement.three_annotators import MERGES, before, merged
from tests.support.building import parts_of, whole

LINKED = ("[a x/NN ] [a y/NN ]", "[a x/NN ] [a y/NN ]")
APART = ("[a x/NN ] [a y/NN ]", "[b x/NN ] [b y/NN ]")


def named(document: Document, name: str, genre: str | None = None) -> Document:
    return replace(document, id=name, genre=genre)


def test_intervals_come_from_documents_drawn_again() -> None:
    """One document agrees and one does not: a draw of two is 0, 1/2 or 1, with chances of 1/4, 1/2 and 1/4."""
    parts = [named(parts_of(*LINKED), name) for name in "xy"]
    one = Annotator("one", [named(whole(*LINKED), name) for name in "xy"])
    other = Annotator("other", [named(whole(*LINKED), "x"), named(whole(*APART), "y")])
    report = summarise(count_documents(parts, [one, other]), ["one", "other"], resampling=Resampling(400, 1))

    strict = report.total.pairs[0, 1].metrics["strict_match"]
    assert strict.measure.value == 1 / 2
    assert strict.interval == Interval(0, 1, 400)
    assert report.total.mean["strict_match"].interval == strict.interval


def test_resamples_in_which_a_value_is_undefined_are_counted() -> None:
    """Only y has a chain that somebody calls new, so resamples without y have no new-chain agreement."""
    parts = [named(parts_of(*LINKED), name) for name in "xy"]
    one = Annotator("one", [named(whole(*LINKED), "x"), named(whole(*APART), "y")])
    report = summarise(count_documents(parts, [one, replace(one)]), ["one", "two"], resampling=Resampling(400, 1))

    found = report.total.pairs[0, 1].metrics["new_chain"].interval
    assert found is not None
    assert (found.low, found.high) == (1, 1)
    assert 0 < 400 - found.resamples < 200


def test_the_seed_decides_the_draws() -> None:
    parts = [named(before(), str(number)) for number in range(6)]
    one = Annotator("one", [named(merged(MERGES[0]), str(number)) for number in range(6)])
    other = Annotator("other", [named(merged(MERGES[number % 3]), str(number)) for number in range(6)])
    counted = list(count_documents(parts, [one, other]))

    first, same, next_seed = (
        summarise(counted, ["one", "other"], resampling=Resampling(101, seed)).total.mean for seed in (3, 3, 4)
    )
    assert first == same
    assert first != next_seed


def test_one_document_has_no_interval() -> None:
    annotators = [Annotator(str(number), [merged(each)]) for number, each in enumerate(MERGES)]
    report = summarise(count_documents([before()], annotators), "012", resampling=Resampling(10))

    assert all(each.interval is None for each in report.total.mean.values())


def test_percentiles_are_linear_between_neighbours() -> None:
    """0 to 10: 2.5% of the way is 0.25, 97.5% is 9.75."""
    found = interval([float(value) for value in range(11)])

    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.25, 9.75))
    assert found.resamples == 11
    assert interval([None, None]) is None


def test_groups_are_genres_lengths_and_numbers_of_chains() -> None:
    long_text = " ".join(["word/NN"] * 2000)
    parts = [named(parts_of(*LINKED), "x", "nw"), named(parts_of(long_text, *LINKED), "y")]
    merges = [named(whole(*LINKED), "x"), named(whole(long_text, *LINKED), "y")]
    report = summarise(count_documents(parts, [Annotator("a", merges), Annotator("b", merges)]), "ab")

    assert {kind: list(groups) for kind, groups in report.groups.items()} == {
        "genre": ["nw", "unknown"],
        "length": ["up to 2,000 tokens", "over 2,000 tokens"],
        "length_bins": ["up to 500 tokens", "2,001 to 4,000 tokens"],
        "chains": ["up to 40 chains"],
    }
    assert report.groups["genre"]["nw"].decisions == 1


def test_disagreed_chains_are_classed_by_the_head_of_their_first_mention() -> None:
    """Chains of part 1: he, then the man; she, then Ann; to go; untagged words. The first two are disagreed on."""
    first = "[h He/PRP ] [h he/PRP ] [s Ann/NNP ] [s she/PRP ]"
    second = "[h he/PRP ] [h the/DT man/NN ] [s she/PRP ] [s Ann/NNP ] [v to/TO go/VB ] [v go/VB ] [w ? ] [w ? ]"
    swapped = second.replace("[h", "[S").replace("[s", "[h").replace("[S", "[s")
    report = summarise(
        count_documents(
            [parts_of(first, second)],
            [Annotator("one", [whole(first, second)]), Annotator("other", [whole(first, swapped)])],
        ),
        ["one", "other"],
    )

    assert {each.value: tuple(counts) for each, counts in report.total.classes.items()} == {
        "pronoun": (2, 2, 2, 2),
        "noun": (0, 0, 1, 1),
        "proper noun": (0, 0, 1, 1),
        "verb": (1, 0, 2, 0),
        "untagged": (1, 0, 2, 0),
    }


def test_documents_count_for_the_annotators_that_have_them() -> None:
    """All merged x; the first and the third y; the first alone z, so that it says nothing."""
    parts = [named(before(), name) for name in "xyz"]
    documents = {name: named(merged(MERGES[0]), name) for name in "xyz"}
    annotators = [Annotator("1", documents.values()), Annotator("2", [documents["x"]])]
    annotators.append(Annotator("3", [documents["y"], documents["x"]]))
    notices = Notices()
    report = summarise(count_documents(parts, annotators, notices=notices), "123")

    assert [summary.documents for summary in report.total.pairs.values()] == [1, 2, 1]
    assert {notice.kind: notice.count for notice in notices} == {"document missing in 2": 2, "document missing in 3": 1}
    with pytest.raises(AlignmentError, match="2 lacks this document"):
        list(count_documents(parts, annotators, notices=Notices(Policy.STRICT)))


def test_a_part_chain_that_was_not_kept_together_leaves_its_document_out() -> None:
    torn = whole("[a x/NN ] [b y/NN ]", LINKED[1])
    notices = Notices()
    annotators = [Annotator("1", [whole(*LINKED)]), Annotator("2", [torn]), Annotator("3", [whole(*APART)])]

    (counted,) = count_documents([parts_of(*LINKED)], annotators, notices=notices)

    assert list(counted.pairs) == [(0, 2)]
    assert [notice.kind for notice in notices] == ["document left out for 2"]


def test_chains_of_one_part_that_were_joined_can_be_compared() -> None:
    """No decision says so, but merges made elsewhere may: c and d are both new, and e is with one or both of them."""
    texts = ("[a x/NN ] [a y/NN ]", "[c x/NN ] [c y/NN ] [{} v/NN ] [{} w/NN ]", "[c x/NN ] [c y/NN ]")
    parts, apart, joined = (
        make(*(text.format(name, name) for text in texts))
        for make, name in ((parts_of, "d"), (whole, "d"), (whole, "c"))
    )
    (counted,) = count_documents([parts], [Annotator("1", [apart]), Annotator("2", [joined])])

    assert (counted.pairs[0, 1].decisions, counted.pairs[0, 1].matching) == (3, 2)


def test_nothing_in_common_is_an_error() -> None:
    other = named(merged(MERGES[0]), "other")

    with pytest.raises(AlignmentError, match="no document of the parts was merged by two annotators"):
        list(count_documents([before()], [Annotator("1", [merged(MERGES[0])]), Annotator("2", [other])]))
    with pytest.raises(ValueError, match="two annotators"):
        list(count_documents([before()], [Annotator("1", [merged(MERGES[0])])]))


def test_unmerged_parts_are_an_annotator_that_links_nothing() -> None:
    nothing = parts_of(*APART)
    assert nothing.scope is ChainScope.PART

    (counted,) = count_documents([parts_of(*LINKED)], [Annotator("1", [nothing]), Annotator("2", [whole(*APART)])])

    assert counted.pairs[0, 1].both_new == 1


def test_decisions_stand_for_the_documents_that_they_make() -> None:
    """The first annotator of the three as decisions: c joins a, d is new, e joins a, f joins b."""
    chosen = {"0:a": None, "0:b": None, "1:c": "0:a", "1:d": None, "2:e": "0:a", "2:f": "0:b"}
    records = [
        DecisionRecord("d", Decision(ref(chain), None if antecedent is None else ref(antecedent)), annotator="one")
        for chain, antecedent in chosen.items()
    ]
    annotators = [
        Annotator("decisions", decisions={"d": records}),
        *(Annotator(str(n), [merged(each)]) for n, each in enumerate(MERGES)),
    ]

    (counted,) = count_documents([before()], annotators)

    assert counted.pairs[0, 1].matching == counted.pairs[0, 1].decisions == 4
    assert counted.pairs[0, 2] == counted.pairs[1, 2]


def test_missing_decisions_are_an_error_and_leave_the_document_out_when_lenient() -> None:
    records = [DecisionRecord("d", Decision(ref("0:a")), annotator="one")]
    annotators = [
        Annotator("some", decisions={"d": records}),
        *(Annotator(str(n), [merged(each)]) for n, each in enumerate(MERGES)),
    ]
    notices = Notices(Policy.LENIENT)

    (counted,) = count_documents([before()], annotators, notices=notices)

    assert list(counted.pairs) == [(1, 2), (1, 3), (2, 3)]
    assert [notice.kind for notice in notices] == ["decisions of some left out"]
    with pytest.raises(DecisionError, match="no decision on chain b"):
        list(count_documents([before()], annotators))


def ref(name: str) -> ChainRef:
    part, _, chain = name.partition(":")
    return ChainRef(int(part), chain)
