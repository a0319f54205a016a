"""``Bridge`` and ``SplitAnte`` when entities are merged, cut or left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from merger.document import Chain, ChainScope, Document, make_chain
from merger.notices import Notices
from merger.split import Cut, split_document
from tests.formats.conllu_text import document, kinds, read, write

LEFT_OUT = "split antecedent left out"


def merged(found: Document, groups: Sequence[str]) -> Document:
    """The document with the chains of each group (ids separated by blanks) joined under the first id."""
    chains = {chain.id: chain for chain in found.chains}
    joined = [
        make_chain(names[0], [mention for name in names for mention in chains[name].mentions])
        for names in map(str.split, groups)
    ]
    return found.with_chains(tuple(joined), ChainScope.DOCUMENT)


SPLIT = document("a Entity=(e1)\nb Entity=(e2)\nc Entity=(e3)\nd Entity=(e4)|SplitAnte=LINKS\ne Entity=(e4)")


@pytest.mark.parametrize(
    ("links", "groups", "written"),
    [
        ("e1<e4,e2<e4", ["e1", "e2", "e3", "e4"], "e1<e4,e2<e4"),
        ("e1<e4,e2<e4", ["e1 e3", "e2", "e4"], "e1<e4,e2<e4"),
        ("e1<e4,e2<e4", ["e1", "e3", "e4"], ""),  # one antecedent is gone
        ("e1<e4,e2<e4", ["e1 e2", "e3", "e4"], ""),  # both are one
        ("e1<e4,e2<e4", ["e1 e4", "e2", "e3"], ""),  # one is the anaphor itself
        ("e1<e4,e2<e4", ["e1", "e2", "e3"], ""),  # the anaphor is gone
        ("e1<e4,e2<e4,e3<e4", ["e1", "e3", "e4"], "e1<e4,e3<e4"),
        ("e1<e4,e2<e4,e3<e4", ["e1 e2 e3", "e4"], ""),
        ("e1<e4", ["e1", "e2", "e3", "e4"], ""),  # never more than one
    ],
)
@pytest.mark.parametrize("name", ["SplitAnte", "Split"])
def test_a_split_antecedent_has_two_antecedents_or_is_left_out(
    links: str, groups: list[str], written: str, name: str
) -> None:
    notices = Notices()

    text = write(merged(read(SPLIT.replace("SplitAnte=LINKS", f"{name}={links}"))[0], groups), notices)

    assert [line.partition(f"{name}=")[2] for line in text.split("\n") if name in line] == (
        [written] if written else []
    )
    assert (LEFT_OUT in kinds(notices)) == (not written)
    if not written:
        assert all(
            str(notice.location) == "x.conllu (document d, part 0, sentence 0)"
            for notice in notices
            if notice.kind == LEFT_OUT
        )


def test_an_anaphor_that_lost_its_antecedents_does_not_cost_the_other_one_of_its_row() -> None:
    text = document(
        "a Entity=(e1)\nb Entity=(e2)",
        "c Entity=(e3(e4)|SplitAnte=e1<e3,e1<e4,e2<e3,e9<e4\nd Entity=e3)\ne Entity=(e9)",
    )

    written = write(merged(read(text)[0], ["e1 e9", "e2", "e3", "e4"]))

    assert "SplitAnte=e1<e3,e2<e3\n" in written


def test_of_two_anaphors_that_are_one_the_first_keeps_its_split_antecedent() -> None:
    cells = "a Entity=(e1)\nb Entity=(e2)\nc Entity=(e3)|SplitAnte=e1<e3,e2<e3\nd Entity=(e4)"
    cells += "\ne Entity=(e5)|SplitAnte=e2<e5,e4<e5"
    notices = Notices()

    written = write(merged(read(document(cells))[0], ["e1", "e2", "e3 e5", "e4"]), notices)

    assert written == document(cells.replace("(e5)|SplitAnte=e2<e5,e4<e5", "(e3)"))
    assert kinds(notices) == {"second split antecedent"}


def test_of_two_bridges_between_the_same_entities_the_first_keeps_its_relation() -> None:
    cells = "a Entity=(e1)\nb Bridge=e1<e2:part|Entity=(e2)\nc Bridge=e1<e3:part|Entity=(e3)"
    cells += "\nd Bridge=e1<e4:subset|Entity=(e4)"
    notices = Notices()

    written = write(merged(read(document(cells))[0], ["e1", "e2 e3 e4"]), notices)

    assert written == document(
        "a Entity=(e1)\nb Bridge=e1<e2:part|Entity=(e2)\nc Bridge=e1<e2:part|Entity=(e2)\nd Entity=(e2)"
    )
    assert kinds(notices) == {"link with two relations"}


def test_a_link_goes_with_the_mention_that_it_belongs_to() -> None:
    """e2 has another mention, but the bridge is at the beginning of the one that is left out."""
    (found,) = read(document("a Entity=(e1)\nb Bridge=e1<e2:part|Entity=(e2)\nc Entity=(e2)"))
    chains = tuple(Chain(chain.id, chain.mentions[-1:]) for chain in found.chains)
    notices = Notices()

    written = write(replace(found, chains=chains), notices)

    assert written == document("a Entity=(e1)\nb\nc Entity=(e2)")
    assert kinds(notices) == {"link to a lost entity"}


def test_parts_keep_no_split_antecedent_that_lies_in_another_part() -> None:
    text = document(
        "a Entity=(e1)\nb Entity=(e1)\nc Entity=(e2)\nd Entity=(e2)",
        "a Entity=(e1)\nb Entity=(e1)\nc Entity=(e3)|SplitAnte=e1<e3,e2<e3\nd Entity=(e3)",
    )

    task = split_document(read(text)[0], Cut.SENTENCES, 1)

    assert "SplitAnte" not in write(task.parts)
    assert "SplitAnte=e1<e3,e2<e3" in write(task.key)


def test_values_that_all_mentions_of_an_entity_share_are_made_one_in_a_merged_chain() -> None:
    """Type and identity; a mention of an entity that had none gets them too."""
    fields = "eid-etype-head-other-identity"
    text = document(
        "a Entity=(e1-place-1--Ulm)\nb Entity=(e2-place-1--Bonn)\nc Entity=(e2-place-1--Bonn)\nd Entity=(e3--1)",
        fields=fields,
    )
    notices = Notices()

    written = write(merged(read(text)[0], ["e1 e2 e3"]), notices)

    assert [line.rpartition("=")[2] for line in written.split("\n") if "\t" in line] == ["(e1-place-1--Bonn)"] * 4
    assert kinds(notices) == {"entity identities differ in a merged chain"}
