from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from merger.backends.stanza.text import LONGEST_WORD, NO_SPEAKER, PLACEHOLDER, Piece, clusters_of, cut_pieces
from merger.document import Document, Mention, Part, Sentence


def by_letters(words: Sequence[str]) -> list[int]:
    """A tokenizer of letters and digits: it makes nothing of anything else, and stops at its own mark ``SEP``."""
    return [0 if "SEP" in word else sum(char.isalnum() or char == PLACEHOLDER for char in word) for word in words]


def document(*sentences: Sentence) -> Document:
    return Document("d", (Part(sentences),))


def test_a_sentence_is_a_piece_with_its_speakers() -> None:
    pieces = cut_pieces(document(Sentence(("I", "am"), speakers=("Ann", "")), Sentence(("ok",))), by_letters)

    assert pieces == [
        Piece(0, 0, (0, 1), ("I", "am"), ("Ann", NO_SPEAKER)),
        Piece(0, 1, (0,), ("ok",), (NO_SPEAKER,)),
    ]


def test_empty_nodes_are_not_shown() -> None:
    (piece,) = cut_pieces(document(Sentence(("a", "x", "b"), empty=(1,)), Sentence(("y",), empty=(0,))), by_letters)

    assert (piece.tokens, piece.words) == ((0, 2), ("a", "b"))


def test_tokens_that_the_model_cannot_take_are_replaced() -> None:
    forms = ("", " ", "\u200b", "a", "SEP", "\ud800", "\ud800b")

    (piece,) = cut_pieces(document(Sentence(forms)), by_letters)

    assert piece.words == (PLACEHOLDER, PLACEHOLDER, PLACEHOLDER, "a", PLACEHOLDER, PLACEHOLDER, "b")


def test_a_very_long_token_is_shown_in_part() -> None:
    (piece,) = cut_pieces(document(Sentence(("x" * 1000, " " * 1000 + "y" * 1000))), by_letters)

    assert piece.words == ("x" * LONGEST_WORD, PLACEHOLDER)


def test_a_sentence_over_the_limit_is_given_in_pieces() -> None:
    # Subwords: 2 + 3 = 5; 3 more would be 8.
    pieces = cut_pieces(document(Sentence(("aa", "bbb", "ccc", "d"))), by_letters, limit=6)

    assert [piece.words for piece in pieces] == [("aa", "bbb"), ("ccc", "d")]
    assert [piece.tokens for piece in pieces] == [(0, 1), (2, 3)]


@given(
    st.lists(st.lists(st.text("ab \u0301[]/<s>", max_size=130), max_size=8), max_size=5),
    st.integers(LONGEST_WORD, 80),
)
def test_every_token_is_in_one_piece_that_the_model_can_take(sentences: list[list[str]], limit: int) -> None:
    text = document(*(Sentence(tuple(forms)) for forms in sentences))

    pieces = cut_pieces(text, by_letters, limit)

    shown = [(piece.sentence, token) for piece in pieces for token in piece.tokens]
    assert shown == [(index, token) for index, forms in enumerate(sentences) for token in range(len(forms))]
    for piece in pieces:
        sizes = by_letters(piece.words)
        assert min(sizes) > 0
        assert sum(sizes) <= limit
        for token, word in zip(piece.tokens, piece.words, strict=True):
            form = sentences[piece.sentence][token]
            assert form.startswith(word) if word != PLACEHOLDER else not by_letters([form[: LONGEST_WORD // 4]])[0]


PIECES = [
    Piece(0, 0, (0, 2, 3), ("a", "b", "c"), (NO_SPEAKER,) * 3),
    Piece(1, 4, (5, 6), ("d", "e"), (NO_SPEAKER,) * 2),
]


def test_spans_are_mentions_with_inclusive_ends_and_the_empty_nodes_between() -> None:
    # Words 0 to 1 are tokens 0 to 2 of their sentence, with the empty node 1 in between; word 4 is token 6.
    assert clusters_of(PIECES, [[(0, 2), (4, 5)]]) == [(Mention(0, 0, 0, 2), Mention(1, 4, 6, 6))]


def test_a_span_over_two_pieces_is_dropped() -> None:
    assert clusters_of(PIECES, [[(0, 1), (2, 4), (3, 5)]]) == [(Mention(0, 0, 0, 0), Mention(1, 4, 5, 6))]


def test_clusters_of_one_mention_are_left_out() -> None:
    assert clusters_of(PIECES, [[(0, 1)], [(1, 2), (1, 2)], [(0, 1), (2, 4)], []]) == []
