"""Mentions with empty nodes and gaps, in the formats that have neither."""

from __future__ import annotations

import io

import pytest

from merger.document import Chain, Document, Mention, Part, Sentence, make_mention
from merger.errors import UnsupportedError
from merger.formats import FORMATS, Lines, ReadOptions
from merger.notices import Notices, Policy
from merger.token_alignment import word_spans

FORMAT_NAMES = ("conll2012", "jsonlines")
Place = tuple[int, int, int]


def written(chains: dict[str, list[Mention]], name: str, notices: Notices) -> list[list[Place]]:
    """The chains as (sentence, first, last), read again from a sentence ``a E b E c`` whose ``E`` are empty nodes."""
    sentence = Sentence(("a", "E", "b", "E", "c"), empty=(1, 3))
    document = Document("d", (Part((sentence,)),), tuple(Chain(key, tuple(value)) for key, value in chains.items()))
    text = "".join(FORMATS[name].write(document, notices))
    lines = Lines("x", io.StringIO(text, newline="\n"))
    (again,) = FORMATS[name].read(lines, ReadOptions(Notices(Policy.STRICT)))
    assert isinstance(again, Document)
    return sorted(sorted((m.sentence, m.first, m.last) for m in chain.mentions) for chain in again.chains)


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_gap_of_nothing_but_an_empty_node_is_no_gap(name: str) -> None:
    notices = Notices()

    chains = {"e": [make_mention(0, 0, ((0, 0), (2, 2))), Mention(0, 0, 4, 4)]}

    assert written(chains, name, notices) == [[(0, 0, 1), (0, 2, 2)]]
    assert "empty nodes left out of mentions" not in {notice.kind for notice in notices}


@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_a_gap_with_a_word_in_it_is_one(name: str) -> None:
    chains = {"e": [make_mention(0, 0, ((0, 1), (3, 4)))]}

    with pytest.raises(UnsupportedError, match="discontinuous mention 'a E E c' of chain e"):
        written(chains, name, Notices())
    assert written(chains, name, Notices(Policy.LENIENT)) == [[(0, 0, 2)]]


@pytest.mark.parametrize("name", FORMAT_NAMES)
@pytest.mark.parametrize("ids", [("e1", "e2"), ("e1", "e1")])
def test_of_mentions_that_differ_in_an_empty_node_only_the_first_is_written(name: str, ids: tuple[str, str]) -> None:
    chains: dict[str, list[Mention]] = {}
    chains.setdefault(ids[0], []).append(Mention(0, 0, 0, 1))
    chains.setdefault(ids[1], []).append(Mention(0, 0, 0, 0))
    notices = Notices()

    assert written(chains, name, notices) == [[(0, 0, 0)]]
    (notice,) = (each for each in notices if each.kind == "mentions become one")
    assert (notice.count, notice.location.sentence, notice.location.token) == (1, 0, 0)
    assert f"of chain {ids[1]} differs from one of chain {ids[0]}" in notice.message
    with pytest.raises(UnsupportedError, match="only in empty nodes or gaps"):
        written(chains, name, Notices(Policy.STRICT))


def test_mentions_of_one_chain_that_cross_in_an_empty_node_only_do_not_cross_in_words() -> None:
    chains = {"e": [Mention(0, 0, 0, 1), Mention(0, 0, 1, 2)]}

    assert written(chains, "conll2012", Notices()) == [[(0, 0, 0), (0, 1, 1)]]


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        (((0, 4),), ((0, 2),)),
        (((1, 1),), ()),
        (((1, 1), (3, 3)), ()),
        (((0, 0), (2, 2)), ((0, 1),)),
        (((0, 1), (3, 4)), ((0, 0), (2, 2))),
    ],
)
def test_words_of_a_mention_are_counted_without_empty_nodes(
    spans: tuple[tuple[int, int], ...], words: tuple[tuple[int, int], ...]
) -> None:
    sentence = Sentence(("a", "E", "b", "E", "c"), empty=(1, 3))

    assert word_spans(sentence, make_mention(0, 0, spans)) == words
