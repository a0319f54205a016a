from __future__ import annotations

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from merger.document import ChainScope, Document, Mention, Part, Sentence, make_chain
from merger.formats.base import Lines, ReadOptions
from merger.formats.grouping import group_parts
from merger.formats.jsonlines.format import JsonlinesFormat
from merger.notices import Notices

TEXT = st.text(st.characters(codec="utf-8"), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
KEYS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5).map("extra_".__add__)


def read(text: str) -> Document:
    lines = Lines("x", io.StringIO(text, newline="\n"))
    (document,) = group_parts(JsonlinesFormat().read(lines, ReadOptions()), Notices())
    return document


def write(document: Document) -> str:
    return "".join(JsonlinesFormat().write(document, Notices()))


def annotation(document: Document) -> list[tuple[Mention, ...]]:
    return sorted(chain.mentions for chain in document.chains)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    texts = draw(st.lists(st.lists(st.lists(TEXT, max_size=6), min_size=1, max_size=3), min_size=1, max_size=3))
    parts = tuple(Part(tuple(Sentence(tuple(forms)) for forms in text), number) for number, text in enumerate(texts))
    places = [
        Mention(part, sentence, first, last)
        for part, text in enumerate(texts)
        for sentence, forms in enumerate(text)
        for first in range(len(forms))
        for last in range(first, len(forms))
    ]
    found = draw(st.lists(st.sampled_from(places), max_size=10, unique=True)) if places else []
    chains: dict[int, list[Mention]] = {}
    for mention in found:
        chains.setdefault(draw(st.integers(0, 3)), []).append(mention)
    made = tuple(make_chain(str(name), members) for name, members in chains.items())
    crossing = any(chain.mentions[0].part != chain.mentions[-1].part for chain in made)
    return Document("d", parts, made, ChainScope.DOCUMENT if crossing else ChainScope.PART)


@given(documents())
def test_what_is_written_reads_back(document: Document) -> None:
    again = read(write(document))

    assert annotation(again) == annotation(document)
    assert again.parts == document.parts
    assert again.scope is document.scope


@given(documents(), st.dictionaries(KEYS, VALUES, max_size=3), st.booleans(), st.sampled_from([None, 1]))
def test_any_line_is_written_byte_for_byte_while_its_chains_stay(
    document: Document,
    extra: dict[str, object],
    ascii_only: bool,  # noqa: FBT001  # hypothesis passes it by name
    indent: int | None,
) -> None:
    content = json.loads(write(document)) | extra
    text = json.dumps(content, ensure_ascii=ascii_only, indent=indent).replace("\n", " \t") + "\n"

    assert write(read(text)) == text


@given(documents(), st.dictionaries(KEYS, VALUES, max_size=3), documents())
def test_other_keys_survive_a_change_of_chains(one: Document, extra: dict[str, object], other: Document) -> None:
    found = read(json.dumps(extra | json.loads(write(one)) | extra))
    chains = tuple(
        make_chain(chain.id, members)
        for chain in other.chains
        if (members := [m for m in chain.mentions if fits(m, found)])
    )

    content = json.loads(write(found.with_chains(chains, ChainScope.DOCUMENT)))

    assert {key: value for key, value in content.items() if key.startswith("extra_")} == extra
    assert annotation(read(json.dumps(content))) == sorted(chain.mentions for chain in chains)


def fits(mention: Mention, document: Document) -> bool:
    return (
        mention.part < len(document.parts)
        and mention.sentence < len(document.parts[mention.part].sentences)
        and mention.last < len(document.sentence(mention))
    )
