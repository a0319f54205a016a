"""Document ids that ``# newdoc id`` cannot carry."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from merger.document import Document, Part, Sentence
from merger.notices import Notices
from tests.formats.conllu_text import document, read, write

PIECES = st.sampled_from([" ", "%", "2", "0", "5", "9", "A", "%25", "%20", "%09", "\t", "\n", "\xa0", "\u2028", "x"])
IDS = st.text(st.characters(codec="utf-8"), max_size=4) | st.lists(PIECES, max_size=6).map("".join)


def written_id(name: str, notices: Notices | None = None) -> str:
    (found,) = read(write(Document(name, (Part((Sentence(("a",)),)),)), notices))
    return found.id


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a\tb", "a%09b"),
        ("a\nb", "a%0Ab"),
        ("a\u2028b", "a%E2%80%A8b"),
        (" a  b  ", "%20a  b%20%20"),
        ("a%09b", "a%2509b"),
        ("a%20", "a%2520"),
        ("", "document"),
        ("  ", "%20%20"),
    ],
)
def test_what_a_comment_cannot_carry_is_escaped_and_said(name: str, written: str) -> None:
    notices = Notices()

    assert written_id(name, notices) == written
    (notice,) = notices
    assert (notice.kind, f"document id {name!r} is written as {written}:" in notice.message) == (
        "document renamed",
        True,
    )


@pytest.mark.parametrize("name", ["a  b", "100%", "a%20b", "a%2Fb", "f%28x%29", "é", "= x", "id", "#"])
def test_what_it_can_carry_stays(name: str) -> None:
    notices = Notices()

    assert written_id(name, notices) == name
    assert list(notices) == []


@given(IDS.filter(bool), IDS.filter(bool))
@example("x ", "x%20")
@example("x  ", "x%20%20")
@example("a%0A", "a\n")
def test_different_ids_stay_different(one: str, other: str) -> None:
    assert (written_id(one) == written_id(other)) is (one == other)


@pytest.mark.parametrize("name", ["a\tb", "a\u2028b", "a%09b", "a%20", "a\x0cb"])
def test_an_id_that_was_read_from_conllu_stays_as_it_is(name: str) -> None:
    notices = Notices()
    text = document("a Entity=(e1)", "b", name=name) + f"# newdoc id = {name}.\n\n"

    assert write(read(text), notices) == text
    assert list(notices) == []
