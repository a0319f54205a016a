"""Real documents: OntoGUM, 67 documents of CoNLL-U with CorefUD entities."""

from __future__ import annotations

from pathlib import Path

import pytest

from merger.document import ChainScope, Document, Part, make_chain
from merger.errors import AnnotationError
from merger.notices import Notices, Policy
from tests.formats.conllu_text import chains_of, read, write
from tests.support.shared_data import needs, shared_files

FILES = shared_files("ontogum", "*.conllu")
pytestmark = needs("ontogum")


def read_file(path: Path, policy: Policy = Policy.LENIENT) -> Document:
    with path.open(encoding="utf-8", newline="\n") as stream:
        (document,) = read(stream.read(), policy, str(path))
    return document


CONTRADICTORY = "GUM_interview_chomsky"
"""The one document with a span in two entities, 18 and 20; 18 begins first in the document."""


def repaired(text: str) -> str:
    """The text without entity 20's bracket on the span that entity 18 has too."""
    assert text.count("Entity=(20(18|") == text.count("Entity=18)2)8)20)|") == 1
    return text.replace("Entity=(20(18|", "Entity=(18|").replace("Entity=18)2)8)20)|", "Entity=18)2)8)|")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_document_is_written_byte_for_byte_except_for_what_was_repaired(path: Path) -> None:
    notices = Notices()
    text = path.read_bytes().decode()

    assert write(read_file(path), notices) == (repaired(text) if path.stem == CONTRADICTORY else text)
    assert list(notices) == []


@pytest.mark.parametrize("path", FILES[::7], ids=lambda path: path.stem)
def test_a_document_cut_in_two_and_joined_again_differs_in_part_comments_only(path: Path) -> None:
    found = read_file(path)
    sentences = found.parts[0].sentences
    half = len(sentences) // 2
    chains = tuple(
        make_chain(
            chain.id,
            [m if m.sentence < half else m._replace(part=1, sentence=m.sentence - half) for m in chain.mentions],
        )
        for chain in found.chains
    )
    parts = (Part(sentences[:half]), Part(sentences[half:], 1))
    whole = Document(found.id, parts, chains, ChainScope.DOCUMENT, found.genre, found.file)

    written = write(whole)
    left = [line for line in written.split("\n") if line not in {"# part = 0", "# part = 1"}]

    assert "\n".join(left) == path.read_text(encoding="utf-8")
    assert chains_of(read(written)[0]) == chains_of(whole)


@pytest.mark.parametrize("path", FILES[::7], ids=lambda path: path.stem)
def test_joining_all_chains_in_pairs_and_reading_back_gives_the_joined_chains(path: Path) -> None:
    found = read_file(path)
    pairs = zip(found.chains[::2], found.chains[1::2], strict=False)
    joined = tuple(make_chain(one.id, one.mentions + other.mentions) for one, other in pairs)

    (again,) = read(write(found.with_chains(joined, ChainScope.PART)))

    assert chains_of(again) == {chain.id: [(0, m.sentence, m.spans) for m in chain.mentions] for chain in joined}


def test_the_documents_with_a_span_in_two_entities_are_refused_unless_lenient() -> None:
    """Counted by hand: an opening bracket pair of two ids over the same words, as (20(18)... in chomsky's interview."""
    refused = []
    for path in FILES:
        try:
            read_file(path, Policy.NORMAL)
        except AnnotationError:
            refused.append(path.stem)

    assert refused == [CONTRADICTORY]
