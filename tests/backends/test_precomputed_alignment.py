"""Giving a document the boundaries of another one, by tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from merger import with_boundaries_of
from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, make_chain, make_mention
from merger.errors import AlignmentError
from merger.notices import Notices, Policy


def text(*parts: str, chains: tuple[Chain, ...] = (), scope: ChainScope = ChainScope.DOCUMENT) -> Document:
    """A line a sentence; ``*x`` is an empty node of the form x."""
    made = []
    for number, part in enumerate(parts):
        sentences = []
        for line in part.split("\n"):
            words = line.split()
            empty = tuple(index for index, word in enumerate(words) if word.startswith("*"))
            sentences.append(Sentence(tuple(word.removeprefix("*") for word in words), empty=empty))
        made.append(Part(tuple(sentences), number))
    return Document("d", tuple(made), chains, scope)


def chain(*mentions: Mention, name: str = "e") -> Chain:
    return Chain(name, mentions)


def test_sentences_may_be_split_otherwise() -> None:
    document = text("a b c\nd e", chains=(chain(Mention(0, 0, 0, 1), Mention(0, 0, 2, 2), Mention(0, 1, 1, 1)),))

    moved = with_boundaries_of(text("a b", "c d\ne"), document)

    assert moved.chains == (chain(Mention(0, 0, 0, 1), Mention(1, 0, 0, 0), Mention(1, 1, 0, 0)),)
    assert [len(part.sentences) for part in moved.parts] == [1, 2]


def test_empty_nodes_that_only_the_document_has_leave_no_trace() -> None:
    document = text("a *x b c", chains=(chain(Mention(0, 0, 0, 2), Mention(0, 0, 1, 1), Mention(0, 0, 3, 3)),))
    notices = Notices()

    moved = with_boundaries_of(text("a b c"), document, notices)

    assert moved.chains == (chain(Mention(0, 0, 0, 1), Mention(0, 0, 2, 2)),)
    (notice,) = notices
    assert "mentions of empty nodes only" in notice.message


def test_empty_nodes_that_only_the_template_has_are_taken_in_between_tokens_alone() -> None:
    document = text("a b c", chains=(chain(Mention(0, 0, 0, 1), Mention(0, 0, 2, 2)),))

    # *x is inside the first mention, *y outside of both.
    moved = with_boundaries_of(text("a *x b *y c"), document)

    assert moved.chains == (chain(Mention(0, 0, 0, 2), Mention(0, 0, 4, 4)),)


def test_empty_nodes_that_both_have_carry_mentions() -> None:
    document = text("a *x\nb", chains=(chain(Mention(0, 0, 1, 1), Mention(0, 1, 0, 0)),))

    moved = with_boundaries_of(text("a *z", "b"), document)

    assert moved.chains == (chain(Mention(0, 0, 1, 1), Mention(1, 0, 0, 0)),)


def test_a_node_that_a_mention_leaves_out_stays_out() -> None:
    gap = make_mention(0, 0, ((0, 0), (2, 2)))
    document = text("a *x b\nc", chains=(chain(gap, Mention(0, 1, 0, 0)),))

    moved = with_boundaries_of(text("a *x b", "c"), document)

    assert moved.chains == (chain(gap, Mention(1, 0, 0, 0)),)


def test_empty_nodes_of_one_are_words_of_a_format_without_them() -> None:
    document = text("a x b", chains=(chain(Mention(0, 0, 1, 1), Mention(0, 0, 2, 2)),))

    moved = with_boundaries_of(text("a *x\nb"), document)

    assert moved.chains == (chain(Mention(0, 0, 1, 1), Mention(0, 1, 0, 0)),)


def test_discontinuous_mentions_keep_their_pieces() -> None:
    gap = make_mention(0, 0, ((0, 0), (2, 3)))

    moved = with_boundaries_of(
        text("w\na b c d"), text("w a b c d", chains=(chain(make_mention(0, 0, ((1, 1), (3, 4)))),))
    )

    assert moved.chains == (chain(gap._replace(sentence=1)),)


def test_a_mention_over_a_boundary_is_an_error_without_notices() -> None:
    document = text("a b c", chains=(chain(Mention(0, 0, 0, 0), Mention(0, 0, 1, 2)),))
    template = text("a b\nc")

    with pytest.raises(AlignmentError, match="over a sentence boundary at document d, part 0, sentence 1, token 0"):
        with_boundaries_of(template, document)
    with pytest.raises(AlignmentError, match="over a sentence boundary"):
        with_boundaries_of(template, document, Notices(Policy.STRICT))


def test_a_mention_over_a_boundary_is_left_out_with_a_notice() -> None:
    document = text("a b c", chains=(chain(Mention(0, 0, 0, 0), Mention(0, 0, 1, 2)),))
    notices = Notices()

    moved = with_boundaries_of(text("a b\nc"), document, notices)

    assert moved.chains == (chain(Mention(0, 0, 0, 0)),)
    assert [notice.count for notice in notices] == [1]


def test_chains_of_parts_stay_local_where_their_parts_do() -> None:
    first, second = chain(Mention(0, 0, 0, 0), Mention(0, 0, 1, 1)), chain(Mention(1, 0, 0, 0), Mention(1, 0, 1, 1))
    document = text("a b", "c d", chains=(first, second), scope=ChainScope.PART)

    moved = with_boundaries_of(text("a b", "c\nd"), document)

    assert moved.scope is ChainScope.PART
    assert moved.chains == (first, chain(Mention(1, 0, 0, 0), Mention(1, 1, 0, 0)))


def test_chains_of_parts_with_one_id_are_distinguished_in_a_common_part() -> None:
    first, second = chain(Mention(0, 0, 0, 0), Mention(0, 0, 1, 1)), chain(Mention(1, 0, 0, 0), Mention(1, 0, 1, 1))
    document = text("a b", "c d", chains=(first, second), scope=ChainScope.PART)

    moved = with_boundaries_of(text("a b\nc d"), document)

    assert moved.scope is ChainScope.DOCUMENT
    assert moved.chains == (
        chain(Mention(0, 0, 0, 0), Mention(0, 0, 1, 1), name="0"),
        chain(Mention(0, 1, 0, 0), Mention(0, 1, 1, 1), name="1"),
    )


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (text("a x"), "token 1 of the document .* is 'x'; expected 'b', as at document d, part 1"),
        (text("a"), "token 1 .* is missing: the document ends before it; expected 'b'"),
        (text("a b", "c"), "document d, part 1: token 2 .* is 'c'; expected the end of the document"),
        (text("a *y x"), "token 1 .* is 'x'; expected 'b'"),
    ],
)
def test_the_first_token_that_differs_is_an_error(document: Document, says: str) -> None:
    with pytest.raises(AlignmentError, match=says):
        with_boundaries_of(text("a", "*z b"), document)


@st.composite
def cuts(draw: st.DrawFn, words: int) -> list[list[int]]:
    """Sizes of sentences by part, for a text of so many words."""
    parts: list[list[int]] = [[]]
    while words:
        size = draw(st.integers(1, words))
        words -= size
        parts[-1].append(size)
        if words and draw(st.booleans()):
            parts.append([])
    return parts


def cut_text(sizes: list[list[int]]) -> tuple[Document, list[tuple[int, int, int]]]:
    """The words 0, 1, 2, ... cut up, and the place of each."""
    places = [
        (part, sentence, token)
        for part, sentences in enumerate(sizes)
        for sentence, size in enumerate(sentences)
        for token in range(size)
    ]
    words = iter(map(str, range(len(places))))
    parts = tuple(
        Part(tuple(Sentence(tuple(next(words) for _ in range(size))) for size in sentences), number)
        for number, sentences in enumerate(sizes)
    )
    return Document("d", parts, scope=ChainScope.DOCUMENT), places


@given(st.integers(1, 12), st.data())
def test_a_moved_mention_has_the_same_words(words: int, data: st.DataObject) -> None:
    template, _ = cut_text(data.draw(cuts(words)))
    document, places = cut_text(data.draw(cuts(words)))
    stretches = [
        Mention(*one, other[2]) for one in places for other in places if one[:2] == other[:2] and one[2] <= other[2]
    ]
    mentions = data.draw(st.lists(st.sampled_from(stretches), min_size=1, max_size=6, unique=True))
    document = document.with_chains((make_chain("e", mentions),), ChainScope.DOCUMENT)

    moved = with_boundaries_of(template, document, Notices())

    sentences = [sentence.forms for part in template.parts for sentence in part.sentences]
    fitting = {
        document.forms(mention)
        for mention in mentions
        if any(set(document.forms(mention)) <= set(sentence) for sentence in sentences)
    }
    assert {moved.forms(mention) for mention in moved.mentions()} == fitting
    assert moved.parts == template.parts
