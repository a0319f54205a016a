from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merger.decisions.model import Decision, Evidence, MentionPair, MergedChains, apply_decisions, read_decisions
from merger.decisions.records import decision_record
from merger.document import Chain, ChainRef, Document, Mention, make_mention
from merger.errors import DecisionError
from tests.support.building import clusters, links, parts_of, whole
from tests.support.random_documents import part_documents

TWO_PARTS = parts_of("[a x ] [a x ] [b x ] [b x ]", "[c x ] [c x ] [d x ] [d x ]")


def test_applied_decisions_join_the_mentions_of_linked_chains() -> None:
    decisions = [
        Decision(ChainRef(1, "c"), ChainRef(0, "b")),
        Decision(ChainRef(0, "a")),
        Decision(ChainRef(0, "b")),
        Decision(ChainRef(1, "d")),
    ]

    merged = apply_decisions(TWO_PARTS, decisions)

    assert [(chain.id, chain.mentions) for chain in merged.chains] == [
        ("a", (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1))),
        ("b", (Mention(0, 0, 2, 2), Mention(0, 0, 3, 3), Mention(1, 0, 0, 0), Mention(1, 0, 1, 1))),
        ("d", (Mention(1, 0, 2, 2), Mention(1, 0, 3, 3))),
    ]


def test_an_antecedent_may_be_named_by_any_part_chain_of_its_merged_chain() -> None:
    document = parts_of("[a x ] [a x ]", "[b x ] [b x ]", "[c x ] [c x ]")
    new, middle = Decision(ChainRef(0, "a")), Decision(ChainRef(1, "b"), ChainRef(0, "a"))

    for antecedent in (ChainRef(0, "a"), ChainRef(1, "b")):
        merged = apply_decisions(document, [new, middle, Decision(ChainRef(2, "c"), antecedent)])

        assert len(merged.chains) == 1


def test_merged_chains_are_numbered_where_the_ids_of_parts_collide() -> None:
    document = parts_of("[0 x ] [0 x ] [1 x ] [1 x ]", "[0 x ] [0 x ]")
    decisions = [Decision(ChainRef(0, "0")), Decision(ChainRef(0, "1")), Decision(ChainRef(1, "0"), ChainRef(0, "1"))]

    merged = apply_decisions(document, decisions)

    assert [(chain.id, len(chain.mentions)) for chain in merged.chains] == [("0", 2), ("1", 4)]


def test_merged_chains_get_corefud_ids_where_the_part_chains_have_them() -> None:
    document = parts_of("[e1 x ] [e1 x ] [e2 x ] [e2 x ]", "[e1 x ] [e1 x ]")
    decisions = [
        Decision(ChainRef(0, "e1")),
        Decision(ChainRef(0, "e2")),
        Decision(ChainRef(1, "e1"), ChainRef(0, "e2")),
    ]

    merged = apply_decisions(document, decisions)

    assert [(chain.id, len(chain.mentions)) for chain in merged.chains] == [("e1", 2), ("e2", 4)]


def test_one_mention_chains_pass_through_without_a_decision() -> None:
    document = parts_of("[a x ] [a x ] [s x ]", "[b x ] [b x ]")

    merged = apply_decisions(document, [Decision(ChainRef(0, "a")), Decision(ChainRef(1, "b"), ChainRef(0, "a"))])

    assert {chain.id: len(chain.mentions) for chain in merged.chains} == {"a": 4, "s": 1}


@st.composite
def _decided(draw: st.DrawFn) -> tuple[Document, list[Decision]]:
    """A document without singletons and decisions on it, each naming the first part chain."""
    document = draw(part_documents(singletons=False))
    roots: list[ChainRef] = []
    decisions: list[Decision] = []
    for part in range(len(document.parts)):
        earlier = list(roots)
        for chain in document.chains:
            if chain.mentions[0].part == part:
                ref = ChainRef(part, chain.id)
                antecedent = draw(st.sampled_from([None, *earlier]))
                decisions.append(Decision(ref, antecedent))
                if antecedent is None:
                    roots.append(ref)
    return document, decisions


@settings(max_examples=150)
@given(decided=_decided(), data=st.data())
def test_reading_decisions_gives_back_what_was_applied_in_any_order(
    decided: tuple[Document, list[Decision]], data: st.DataObject
) -> None:
    document, decisions = decided

    merged = apply_decisions(document, data.draw(st.permutations(decisions)))

    read = read_decisions(document, merged)
    assert {each.chain: each.antecedent for each in read} == {each.chain: each.antecedent for each in decisions}
    again = apply_decisions(document, read)
    assert (again.chains, again.scope) == (merged.chains, merged.scope)


@settings(max_examples=100)
@given(decided=_decided())
def test_merging_loses_no_mention_and_gives_every_chain_an_id_of_its_own(
    decided: tuple[Document, list[Decision]],
) -> None:
    document, decisions = decided

    merged = apply_decisions(document, decisions)

    assert sorted(merged.mentions()) == sorted(document.mentions())
    assert len({chain.id for chain in merged.chains}) == len(merged.chains)
    assert len(merged.chains) == sum(each.antecedent is None for each in decisions)


def test_read_decisions_say_the_first_part_chain_and_that_people_made_them() -> None:
    parts = parts_of("[a x ] [a x ]", "[b x ] [b x ] [n x ] [n x ]", "[c x ] [c x ]")
    merged = whole("[e x ] [e x ]", "[e x ] [e x ] [f x ] [f x ]", "[e x ] [e x ]")

    decisions = read_decisions(parts, merged)

    assert links(decisions) == {"1:b": "0:a", "2:c": "0:a"}
    assert [each.evidence for each in decisions] == [None, Evidence("human"), None, Evidence("human")]


@pytest.mark.parametrize(
    ("decisions", "says"),
    [
        ([Decision(ChainRef(0, "a"))], "document d, part 0: no decision on chain b; expected one a chain"),
        (
            [Decision(ChainRef(0, "a")), Decision(ChainRef(0, "a")), Decision(ChainRef(0, "b"))],
            "document d, part 0: two decisions on chain a; expected one a chain",
        ),
        (
            [Decision(ChainRef(0, "a")), Decision(ChainRef(0, "b"), ChainRef(0, "a"))],
            "document d, part 0: chain b is linked to chain a of part 0; expected a chain of an earlier part",
        ),
        (
            [Decision(ChainRef(0, "a")), Decision(ChainRef(0, "b"), ChainRef(1, "c"))],
            "document d, part 0: chain b is linked to chain c of part 1; expected a chain of an earlier part",
        ),
        (
            [
                *(Decision(ChainRef(0, chain)) for chain in "ab"),
                Decision(ChainRef(1, "c"), ChainRef(0, "zz")),
                Decision(ChainRef(1, "d")),
            ],
            "document d, part 1: chain c is linked to chain zz of part 0; expected a chain of an earlier part",
        ),
        (
            [*(Decision(ChainRef(0, chain)) for chain in "abq")],
            "document d, part 0: a decision on chain q of part 0; expected a chain here",
        ),
        (
            [Decision(ChainRef(2, "a"))],
            "document d: a decision on chain a of part 2; expected a part from 0 to 1",
        ),
        (
            [Decision(ChainRef(-1, "a"))],
            "document d: a decision on chain a of part -1; expected a part from 0 to 1",
        ),
    ],
)
def test_decisions_that_do_not_fit_are_an_error_that_says_where(decisions: list[Decision], says: str) -> None:
    with pytest.raises(DecisionError) as caught:
        apply_decisions(TWO_PARTS, decisions)

    assert str(caught.value) == says


@pytest.mark.parametrize(
    ("merged", "says"),
    [
        (
            whole("[e x ] [f x ] [g x ] [g x ]", "[h x ] [h x ] [i x ] [i x ]"),
            "part 0: the mentions of part chain a are in different merged chains",
        ),
        (whole("x x [g x ] [g x ]", "[h x ] [h x ] [i x ] [i x ]"), "part chain a are in no merged chain"),
        (
            whole("[e x ] [e x ] [e x ] [e x ]", "[h x ] [h x ] [i x ] [i x ]"),
            "part chains a and b are one chain in the merged document; expected new chains of one part to stay apart",
        ),
    ],
)
def test_a_merged_document_that_no_decisions_make_is_an_error(merged: Document, says: str) -> None:
    with pytest.raises(DecisionError) as caught:
        read_decisions(TWO_PARTS, merged)

    assert says in str(caught.value)


def test_merged_chains_know_their_roots_and_members_at_every_moment() -> None:
    merged = MergedChains()
    pair = (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1))
    merged.apply(0, [Chain("a", pair), Chain("b", pair)], [Decision(ChainRef(0, "a")), Decision(ChainRef(0, "b"))])

    assert list(merged) == [ChainRef(0, "a"), ChainRef(0, "b")]

    merged.apply(1, [Chain("a", pair)], [Decision(ChainRef(1, "a"), ChainRef(0, "b"))])

    assert len(merged) == 2
    assert merged.root(ChainRef(1, "a")) == ChainRef(0, "b")
    assert merged.members(ChainRef(0, "b")) == (ChainRef(0, "b"), ChainRef(1, "a"))
    assert ChainRef(1, "a") in merged
    assert ChainRef(2, "a") not in merged


def test_a_decision_as_data_is_json_with_its_evidence() -> None:
    gap = make_mention(1, 2, ((0, 1), (4, 4)))
    evidence = Evidence("fuzzy", "Ann", (MentionPair(gap, Mention(0, 0, 3, 5)),), 92.5)
    decision = Decision(ChainRef(1, "7"), ChainRef(0, "3"), evidence)

    record = decision_record("nw/1", decision, annotator="ann")

    assert json.loads(json.dumps(record)) == {
        "document": "nw/1",
        "part": 1,
        "chain": "7",
        "antecedent": {"part": 0, "chain": "3"},
        "annotator": "ann",
        "evidence": {
            "rule": "fuzzy",
            "text": "Ann",
            "pairs": [{"mention": [1, 2, [[0, 1], [4, 4]]], "antecedent": [0, 0, [[3, 5]]]}],
            "score": 92.5,
        },
    }


def test_a_new_chain_as_data_has_null_for_antecedent_and_evidence() -> None:
    record = decision_record("nw/1", Decision(ChainRef(0, "7")))

    assert record == {"document": "nw/1", "part": 0, "chain": "7", "antecedent": None, "evidence": None}


@given(document=part_documents(singletons=False))
def test_without_links_merging_changes_no_chain(document: Document) -> None:
    decisions = [Decision(ChainRef(chain.mentions[0].part, chain.id)) for chain in document.chains]

    assert clusters(apply_decisions(document, decisions)) == clusters(document)
