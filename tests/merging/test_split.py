from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from merger.decisions.model import read_decisions
from merger.document import (
    Chain,
    ChainScope,
    Document,
    Mention,
    Part,
    Sentence,
    chains_by_part,
    make_chain,
    make_mention,
)
from merger.errors import InputError, OptionError
from merger.merge import merge_document
from merger.notices import Notices
from merger.split import Cut, cut_text, split_document
from merger.strategies import make_strategy
from tests.support.building import clusters, links, parts_of, whole
from tests.support.random_documents import whole_documents

# Sentences of 3, 2, 4, 1 and 5 tokens.
TEXT = "a b c\nd e\nf g h i\nj\nk l m n o"


def _lengths(document: Document) -> list[list[int]]:
    return [[len(sentence) for sentence in part.sentences] for part in document.parts]


@pytest.mark.parametrize(
    ("cut", "size", "lengths"),
    [
        # A part takes sentences as long as it has at most the tokens; 3 + 2 + 4 would be 9.
        (Cut.TOKENS, 5, [[3, 2], [4, 1], [5]]),
        (Cut.TOKENS, 6, [[3, 2], [4, 1], [5]]),
        (Cut.TOKENS, 10, [[3, 2, 4, 1], [5]]),
        # A sentence longer than that is a part of its own.
        (Cut.TOKENS, 3, [[3], [2], [4], [1], [5]]),
        (Cut.TOKENS, 1, [[3], [2], [4], [1], [5]]),
        (Cut.TOKENS, 15, [[3, 2, 4, 1, 5]]),
        (Cut.SENTENCES, 2, [[3, 2], [4, 1], [5]]),
        (Cut.SENTENCES, 5, [[3, 2, 4, 1, 5]]),
        (Cut.PARTS, 1, [[3, 2, 4, 1, 5]]),
        # Sentences end at 3, 5, 9, 10 and 15. The half is 7.5: 9 is nearest.
        (Cut.PARTS, 2, [[3, 2, 4], [1, 5]]),
        # The thirds are 5 and 10.
        (Cut.PARTS, 3, [[3, 2], [4, 1], [5]]),
        (Cut.PARTS, 5, [[3], [2], [4], [1], [5]]),
    ],
)
def test_a_document_is_cut_at_sentence_ends(cut: Cut, size: int, lengths: list[list[int]]) -> None:
    task = split_document(whole(TEXT), cut, size)

    assert _lengths(task.parts) == lengths
    assert [part.number for part in task.parts.parts] == list(range(len(lengths)))
    assert task.key.parts == task.parts.parts


def test_a_document_keeps_its_part_boundaries_on_request() -> None:
    task = split_document(whole("a b\nc", "d"), Cut.KEEP)

    assert _lengths(task.parts) == [[2, 1], [1]]


def test_new_cuts_may_go_through_old_parts() -> None:
    task = split_document(whole("[e a ]\n[e b ]", "[e c ]\n[e d ]"), Cut.SENTENCES, 3, keep_singletons=True)

    assert _lengths(task.parts) == [[1, 1, 1], [1]]
    assert [chain.mentions for chain in task.key.chains] == [
        (Mention(0, 0, 0, 0), Mention(0, 1, 0, 0), Mention(0, 2, 0, 0), Mention(1, 0, 0, 0))
    ]


def test_empty_nodes_are_not_counted_as_tokens() -> None:
    sentence = Sentence(("a", "b", "(gone)"), empty=(2,))
    document = Document("d", (Part((sentence, sentence, sentence)),), (), ChainScope.DOCUMENT)

    assert _lengths(split_document(document, Cut.TOKENS, 4).parts) == [[3, 3], [3]]


# e: 2 mentions in part 0, 1 in part 1, 2 in part 2; f: 2 in part 1, 2 in part 2; g: alone in each of parts 0 and 1.
CHAINS = "[e a ] [e b ] [g c ]\n[e d ] [f e ] [f f ] [g g ]\n[f h ] [e i ] [f j ] [e k ]"


def test_the_parts_get_chains_of_their_own_numbered_in_each_part() -> None:
    task = split_document(whole(CHAINS), Cut.SENTENCES, 1)

    assert task.parts.scope is ChainScope.PART
    assert task.parts.chains == (
        Chain("0", (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1))),
        Chain("0", (Mention(1, 0, 1, 1), Mention(1, 0, 2, 2))),
        Chain("0", (Mention(2, 0, 0, 0), Mention(2, 0, 2, 2))),
        Chain("1", (Mention(2, 0, 1, 1), Mention(2, 0, 3, 3))),
    )


def test_the_key_has_the_documents_chains_with_the_mentions_that_are_left() -> None:
    notices = Notices()

    task = split_document(whole(CHAINS), Cut.SENTENCES, 1, notices=notices)

    assert task.key.scope is ChainScope.DOCUMENT
    assert {chain.id: [(m.part, m.first) for m in chain.mentions] for chain in task.key.chains} == {
        "e": [(0, 0), (0, 1), (2, 1), (2, 3)],
        "f": [(1, 1), (1, 2), (2, 0), (2, 2)],
    }
    # e's mention in part 1, g's two.
    assert task.dropped == 3
    assert [(notice.kind, notice.count) for notice in notices] == [("mentions alone in their part", 3)]


def test_mentions_alone_in_their_part_are_kept_on_request() -> None:
    notices = Notices()

    task = split_document(whole(CHAINS), Cut.SENTENCES, 1, keep_singletons=True, notices=notices)

    assert (task.dropped, len(notices)) == (0, 0)
    assert sorted(len(chain.mentions) for chain in task.parts.chains) == [1, 1, 1, 2, 2, 2, 2]
    assert clusters(task.key) == clusters(split_document(whole(CHAINS), Cut.SENTENCES, 1, keep_singletons=True).key)
    assert {chain.id: len(chain.mentions) for chain in task.key.chains} == {"e": 5, "f": 4, "g": 2}


def test_the_human_decisions_come_with_the_task() -> None:
    task = split_document(whole(CHAINS), Cut.SENTENCES, 1)

    # f is chain 0 of part 1, and chain 0 of part 2; e is chain 0 of part 0, and chain 1 of part 2.
    assert links(task.decisions) == {"2:0": "1:0", "2:1": "0:0"}
    assert [each.chain for each in task.decisions] == [(0, "0"), (1, "0"), (2, "0"), (2, "1")]


def test_discontinuous_mentions_stay_whole() -> None:
    gap = make_mention(0, 1, ((0, 0), (2, 2)))
    document = whole("[e a ]\nb c d")
    document = replace(document, chains=(make_chain("e", [*document.chains[0].mentions, gap]),))

    task = split_document(document, Cut.SENTENCES, 1, keep_singletons=True)

    assert task.key.chains[0].mentions == (Mention(0, 0, 0, 0), Mention(1, 0, 0, 2, ((0, 0), (2, 2))))


_CUTS = st.one_of(
    st.tuples(st.just(Cut.TOKENS), st.integers(1, 12)),
    st.tuples(st.just(Cut.SENTENCES), st.integers(1, 4)),
    st.tuples(st.just(Cut.PARTS), st.just(1)),
    st.tuples(st.just(Cut.KEEP), st.just(0)),
)


@settings(max_examples=100)
@given(document=whole_documents(), how=_CUTS)
def test_the_human_decisions_give_the_key_exactly(document: Document, how: tuple[Cut, int]) -> None:
    task = split_document(document, *how)

    result = merge_document(task.parts, make_strategy("oracle"), key=task.key)

    assert clusters(result.document) == clusters(task.key)
    assert result.decisions == task.decisions
    assert read_decisions(task.parts, task.key) == task.decisions


@settings(max_examples=100)
@given(document=whole_documents(), how=_CUTS, keep=st.booleans())
def test_the_key_cut_into_parts_is_the_part_chains(document: Document, how: tuple[Cut, int], *, keep: bool) -> None:
    task = split_document(document, *how, keep_singletons=keep)

    restricted = {
        frozenset(mention for mention in chain.mentions if mention.part == part)
        for chain in task.key.chains
        for part in range(len(task.parts.parts))
    } - {frozenset()}
    assert restricted == {frozenset(chain.mentions) for chain in task.parts.chains}
    for chains in chains_by_part(task.parts):
        assert [chain.id for chain in chains] == [str(number) for number in range(len(chains))]
    assert sum(len(chain.mentions) for chain in task.parts.chains) + task.dropped == len(list(document.mentions()))


@settings(max_examples=60)
@given(document=whole_documents(), how=_CUTS, keep=st.booleans())
def test_cutting_loses_no_sentence(document: Document, how: tuple[Cut, int], *, keep: bool) -> None:
    task = split_document(document, *how, keep_singletons=keep)

    assert [s for part in task.parts.parts for s in part.sentences] == [
        s for part in document.parts for s in part.sentences
    ]


def test_a_split_task_cut_again_at_the_same_places_stays_as_it_is() -> None:
    task = split_document(whole(CHAINS), Cut.SENTENCES, 1)

    again = split_document(task.key, Cut.KEEP)

    assert (again.parts, again.key, again.decisions, again.dropped) == (task.parts, task.key, task.decisions, 0)


@pytest.mark.parametrize("cut", [Cut.TOKENS, Cut.SENTENCES, Cut.PARTS])
@pytest.mark.parametrize("size", [0, -3])
def test_a_size_below_one_is_an_error(cut: Cut, size: int) -> None:
    with pytest.raises(OptionError, match=f"{size} {cut.value}: at least 1 is needed"):
        split_document(whole(TEXT), cut, size)


def test_more_parts_than_sentences_is_an_error_that_names_the_document() -> None:
    with pytest.raises(InputError, match="document d: 5 sentences do not make 6 parts"):
        split_document(whole(TEXT), Cut.PARTS, 6)


def test_parts_with_chains_of_their_own_hold_no_human_merges() -> None:
    with pytest.raises(InputError, match=r"document d: .*no gold merges; expected chains over the whole document"):
        split_document(parts_of("[a x ] [a x ]", "[b x ] [b x ]"), Cut.TOKENS, 2)


def test_one_part_may_be_cut_whatever_the_scope_of_its_chains() -> None:
    task = split_document(parts_of("[a x ] [a x ]\n[a x ] [a x ]"), Cut.SENTENCES, 1)

    assert links(task.decisions) == {"1:0": "0:0"}


def test_a_document_without_chains_is_cut_all_the_same() -> None:
    task = split_document(parts_of("a b\nc", "d"), Cut.TOKENS, 2)

    assert (_lengths(task.parts), task.decisions) == ([[2], [1, 1]], ())


def test_the_cut_is_written_as_it_was_given() -> None:
    assert (cut_text(Cut.TOKENS, 400), cut_text(Cut.KEEP, 0)) == ("tokens=400", "keep")
