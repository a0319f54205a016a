from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger.decisions.checked import antecedent_sets, apply_records, by_document, by_maker, checked_decisions
from merger.decisions.model import Decision, apply_decisions
from merger.decisions.records import DecisionRecord
from merger.document import ChainRef, ChainScope, Document, make_chain
from merger.errors import DecisionError, Location
from merger.notices import Notices
from tests.decisions.random_decisions import decisions_on
from tests.support.building import clusters, parts_of
from tests.support.random_documents import part_documents

PARTS = parts_of("[a x ] [a x ] [b x ] [b x ] [s x ]", "[c x ] [c x ] [d x ] [d x ]", "[e x ] [e x ]")
A, B, S = (ChainRef(0, name) for name in "abs")
C, D = (ChainRef(1, name) for name in "cd")
E = ChainRef(2, "e")
NONE_LINKED = [Decision(ref) for ref in (A, B, C, D, E)]


def _records(decisions: Sequence[Decision], maker: str = "ann") -> list[DecisionRecord]:
    """Records as they would stand on the lines 1, 2, ... of a file."""
    return [
        DecisionRecord(
            "d", decision, annotator=maker, location=Location(f"{maker}.jsonl", line, "d", decision.chain.part)
        )
        for line, decision in enumerate(decisions, 1)
    ]


def _with(*decisions: Decision) -> list[Decision]:
    """All chains new, but for these."""
    chosen = {decision.chain: decision for decision in decisions}
    return [chosen.get(decision.chain, decision) for decision in NONE_LINKED]


def test_decisions_come_in_the_order_of_the_chains() -> None:
    records = checked_decisions(PARTS, _records(NONE_LINKED[::-1]))

    assert [record.decision.chain for record in records] == [A, B, C, D, E]
    assert [record.location.line for record in records] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("decisions", "says"),
    [
        (
            NONE_LINKED[:-1],
            "ann.jsonl (document d, part 2): no decision on chain e; expected one a chain",
        ),
        (
            [*NONE_LINKED, Decision(C)],
            (
                "ann.jsonl:6 (document d, part 1): chain c is decided on twice, first at ann.jsonl:3; "
                "expected one decision a chain"
            ),
        ),
        (
            [*NONE_LINKED, Decision(C, A)],
            (
                "ann.jsonl:6 (document d, part 1): contradictory decisions on chain c: linked to chain a of part 0; "
                "but new at ann.jsonl:3; expected one decision a chain"
            ),
        ),
        (
            [*NONE_LINKED, Decision(ChainRef(1, "z"))],
            (
                "ann.jsonl:6 (document d, part 1): a decision on chain z, which part 1 lacks; "
                "expected a chain of this part"
            ),
        ),
        (
            [*NONE_LINKED, Decision(ChainRef(3, "a"))],
            "ann.jsonl:6 (document d, part 3): a decision on chain a of part 3; expected a part from 0 to 2",
        ),
        (
            _with(Decision(C, ChainRef(0, "z"))),
            (
                "ann.jsonl:3 (document d, part 1): chain c is linked to chain z of part 0, which does not exist; "
                "expected a chain of an earlier part"
            ),
        ),
        (
            _with(Decision(D, C)),
            (
                "ann.jsonl:4 (document d, part 1): chain d is linked to chain c of part 1; "
                "expected a chain of an earlier part"
            ),
        ),
        (
            _with(Decision(C, E)),
            (
                "ann.jsonl:3 (document d, part 1): chain c is linked to chain e of part 2; "
                "expected a chain of an earlier part"
            ),
        ),
        (
            _with(Decision(C, C)),
            (
                "ann.jsonl:3 (document d, part 1): circular decisions: chain c of part 1 -> chain c of part 1; "
                "expected a chain of an earlier part"
            ),
        ),
        (
            _with(Decision(C, E), Decision(E, C)),
            (
                "ann.jsonl:3 (document d, part 1): circular decisions: "
                "chain c of part 1 -> chain e of part 2 -> chain c of part 1; expected a chain of an earlier part"
            ),
        ),
        (
            # A circle that chain c leads into without being in it.
            _with(Decision(C, E), Decision(D, E), Decision(E, D)),
            (
                "ann.jsonl:3 (document d, part 1): chain c is linked to chain e of part 2; "
                "expected a chain of an earlier part"
            ),
        ),
        (
            _with(Decision(C, S)),
            (
                "ann.jsonl:3 (document d, part 1): chain c is linked to chain s of part 0, which has one mention and "
                "no decision; expected a chain that was decided on"
            ),
        ),
        (
            _with(Decision(C, A, also=(D,))),
            (
                "ann.jsonl:3 (document d, part 1): chain c is joined with chain d of part 1; "
                "expected a chain that was decided on before"
            ),
        ),
        (
            _with(Decision(C, A, also=(C,))),
            (
                "ann.jsonl:3 (document d, part 1): chain c is joined with chain c of part 1; "
                "expected a chain that was decided on before"
            ),
        ),
        (
            _with(Decision(C, None, also=(ChainRef(0, "z"),))),
            (
                "ann.jsonl:3 (document d, part 1): chain c is joined with chain z of part 0; "
                "expected a chain that was decided on before"
            ),
        ),
    ],
)
def test_decisions_that_do_not_fit_are_an_error_with_file_line_document_and_part(
    decisions: list[Decision], says: str
) -> None:
    with pytest.raises(DecisionError) as caught:
        checked_decisions(PARTS, _records(decisions))

    assert str(caught.value) == says


def test_the_decisions_of_two_annotators_in_one_set_are_an_error_that_names_the_vote() -> None:
    with pytest.raises(DecisionError, match=r"by bob and by ann, first at ann\.jsonl:1; .*\(`merge-baseline vote`"):
        checked_decisions(PARTS, _records(NONE_LINKED) + _records(NONE_LINKED, "bob"))


def test_a_document_of_nothing_but_one_mention_chains_needs_no_decisions() -> None:
    assert checked_decisions(parts_of("[s x ]"), []) == ()


def test_records_are_grouped_by_document_and_by_who_decided() -> None:
    one, other = _records(NONE_LINKED[:1]), _records(NONE_LINKED[:2], "bob")
    elsewhere = replace(one[0], document="e")

    assert by_document([*one, elsewhere, *other]) == {"d": [*one, *other], "e": [elsewhere]}
    assert by_maker([*one, *other]) == {"ann": one, "bob": other}


def test_decisions_of_one_name_from_two_files_are_an_error() -> None:
    one = _records(NONE_LINKED[:1])
    other = [replace(one[0], location=Location("more.jsonl", 4, "d", 0))]

    with pytest.raises(DecisionError) as caught:
        by_maker([*one, *other])

    assert str(caught.value).startswith(
        "more.jsonl:4 (document d, part 0): ann decides on this document in ann.jsonl too; expected a different name"
    )


def test_an_antecedent_is_the_merged_chain_that_earlier_parts_have_built() -> None:
    parts = parts_of("[a x ] [a x ]", "[c x ] [c x ] [d x ] [d x ]", "[e x ] [e x ]")

    # Both chains of part 1 join a: neither counts for the other, both for part 2.
    sets = antecedent_sets(parts, [Decision(A), Decision(C, A), Decision(D, A), Decision(E, D)])

    assert sets == {A: frozenset(), C: {A}, D: {A}, E: {A, C, D}}


def test_what_a_decision_joins_besides_counts_too() -> None:
    sets = antecedent_sets(PARTS, _with(Decision(C, A, also=(B,)), Decision(D, None, also=(C,)), Decision(E, B)))

    assert {C: sets[C], D: sets[D], E: sets[E]} == {C: {A, B}, D: {C}, E: {A, B, C, D}}


def test_one_mention_chains_without_a_decision_are_left_out_with_a_notice_or_kept() -> None:
    notices = Notices()
    decisions = _with(Decision(E, A))

    left_out = apply_records(PARTS, _records(decisions), notices=notices)
    kept = apply_records(PARTS, _records(decisions), keep_singletons=True)

    # ae, b, c, d; s is the fifth.
    assert sorted(len(chain.mentions) for chain in left_out.chains) == [2, 2, 2, 4]
    assert sorted(len(chain.mentions) for chain in kept.chains) == [1, 2, 2, 2, 4]
    assert [(notice.kind, notice.count) for notice in notices] == [("singletons left out", 1)]


def test_a_one_mention_chain_with_a_decision_takes_part() -> None:
    merged = apply_records(PARTS, _records([*_with(Decision(E, S)), Decision(S)]))

    assert sorted(len(chain.mentions) for chain in merged.chains) == [2, 2, 2, 2, 3]


def test_parts_that_are_merged_already_are_an_error() -> None:
    merged = PARTS.with_chains((make_chain("x", list(PARTS.mentions())),), ChainScope.DOCUMENT)

    with pytest.raises(Exception, match="this document is merged already"):
        checked_decisions(merged, [])


@given(data=st.data(), document=part_documents(singletons=False))
def test_records_in_any_order_make_the_merge_of_their_decisions(data: st.DataObject, document: Document) -> None:
    decisions = data.draw(decisions_on(document))
    shuffled = data.draw(st.permutations(decisions))

    assert clusters(apply_records(document, _records(shuffled))) == clusters(apply_decisions(document, decisions))


@given(data=st.data(), document=part_documents(singletons=False))
def test_the_sets_of_antecedents_say_which_chains_end_up_together(data: st.DataObject, document: Document) -> None:
    decisions = data.draw(decisions_on(document))
    by_name = {ChainRef(chain.mentions[0].part, chain.id): chain.mentions[0] for chain in document.chains}
    whole = {mention: chain.id for chain in apply_decisions(document, decisions).chains for mention in chain.mentions}

    sets = antecedent_sets(document, decisions)

    for ref, earlier in sets.items():
        together = {
            other
            for other, mention in by_name.items()
            if other.part < ref.part and whole[mention] == whole[by_name[ref]]
        }
        assert earlier == together
