from __future__ import annotations

from dataclasses import replace

import pytest

from merger.document import Chain, Document, Mention, Part, Sentence
from merger.errors import InputError, Location, MissingTagsError
from merger.merge import merge_document
from merger.strategies import make_strategy


def test_a_location_is_one_line_whatever_the_names_in_it() -> None:
    place = Location("a\nb.conll", 3, "d\r\n\u2028e", 1)

    assert str(place) == r"'a\nb.conll':3 (document 'd\r\n\u2028e', part 1)"
    assert len(str(InputError("no chain", place)).splitlines()) == 1


def test_a_location_shows_printable_names_as_they_are() -> None:
    assert str(Location("Änd rung.conll", 3, "nw/d (1)")) == "Änd rung.conll:3 (document nw/d (1))"


@pytest.mark.parametrize("file", ["novel.conll", None])
def test_an_error_of_a_strategy_names_the_file_of_the_document(file: str | None) -> None:
    chain = Chain("0", (Mention(0, 0, 0, 0), Mention(0, 0, 1, 1)))
    document = Document("d", (Part((Sentence(("a", "b")),)),), (chain,))

    with pytest.raises(MissingTagsError) as caught:
        merge_document(replace(document, file=file), make_strategy("greedy"))

    assert caught.value.location == Location(file, document="d", part=0)
