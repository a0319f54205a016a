from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given
from hypothesis import strategies as st

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, make_chain, make_mention
from merger.errors import UnsupportedError
from merger.notices import Notices, Policy
from tests.formats.conllu_text import chains_of, kinds, read, write
from tests.formats.conllu_text import document as conllu_text

FORMS = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1, max_size=4).filter(
    lambda form: form.strip(" ") == form
)
TAGS = st.sampled_from(["", "NN", "PRP$", "``"])
IDS = st.text(
    st.characters(codec="utf-8", exclude_characters="()-|=[]<,").filter(lambda each: not each.isspace()),
    min_size=1,
    max_size=3,
)


@st.composite
def sentences(draw: st.DrawFn) -> Sentence:
    forms = tuple(draw(st.lists(FORMS, min_size=1, max_size=7)))
    empty = draw(st.sets(st.sampled_from(range(len(forms))), max_size=len(forms) - 1)) if len(forms) > 1 else set()
    tags = draw(st.none() | st.lists(TAGS, min_size=len(forms), max_size=len(forms)))
    return Sentence(forms, tuple(tags) if tags and any(tags) else None, empty=tuple(sorted(empty)))


@st.composite
def mentions(draw: st.DrawFn, parts: tuple[Part, ...]) -> Mention:
    part = draw(st.sampled_from(range(len(parts))))
    sentence = draw(st.sampled_from(range(len(parts[part].sentences))))
    tokens = draw(st.sets(st.sampled_from(range(len(parts[part].sentences[sentence].forms))), min_size=1))
    return make_mention(part, sentence, tuple((token, token) for token in sorted(tokens)))


@st.composite
def documents(draw: st.DrawFn, scope: ChainScope) -> Document:
    """Nested, crossing and discontinuous mentions, also of one chain, over words and empty nodes."""
    texts = draw(st.lists(st.lists(sentences(), min_size=1, max_size=3), min_size=1, max_size=3))
    parts = tuple(Part(tuple(text), number) for number, text in enumerate(texts))
    found = draw(st.lists(mentions(parts), max_size=12, unique=True))
    names = draw(st.lists(IDS, min_size=1, max_size=4, unique=True))
    chains: dict[tuple[int, str], list[Mention]] = {}
    for mention in found:
        owner = mention.part if scope is ChainScope.PART else -1
        chains.setdefault((owner, draw(st.sampled_from(names))), []).append(mention)
    made = tuple(make_chain(name, members) for (_, name), members in chains.items())
    return Document(draw(st.sampled_from(["d", "bc/x"])), parts, made, scope if len(parts) > 1 else ChainScope.PART)


def written(document: Document, notices: Notices | None = None) -> str:
    """The text, passing over what brackets cannot say."""
    try:
        return write(document, notices)
    except UnsupportedError:
        assume(condition=False)
        raise


def annotation(document: Document) -> list[tuple[str, tuple[Mention, ...]]]:
    return sorted((chain.id, chain.mentions) for chain in document.chains)


@given(documents(ChainScope.DOCUMENT) | documents(ChainScope.PART))
def test_what_is_written_reads_back(document: Document) -> None:
    (again,) = read(written(document))

    assert annotation(again) == annotation(document)
    assert (again.id, again.scope) == (document.id, document.scope)
    assert [part.number for part in again.parts] == [part.number for part in document.parts]
    bare = [[replace(s, source=None) for s in part.sentences] for part in again.parts]
    assert bare == [list(part.sentences) for part in document.parts]


@given(documents(ChainScope.DOCUMENT) | documents(ChainScope.PART))
def test_what_was_read_is_written_byte_for_byte(document: Document) -> None:
    text = written(document)

    assert write(read(text)) == text


@given(documents(ChainScope.DOCUMENT), documents(ChainScope.DOCUMENT), st.data())
def test_other_chains_on_a_text_that_was_read_read_back(one: Document, other: Document, data: st.DataObject) -> None:
    """Renames, merges, splits, removals and additions all at once: the chains of another drawing on the same text."""
    (found,) = read(written(one))
    fitting = [
        (chain.id, mention)
        for chain in other.chains
        for mention in chain.mentions
        if mention.part < len(found.parts)
        and mention.sentence < len(found.parts[mention.part].sentences)
        and mention.last < len(found.sentence(mention))
    ]
    kept = [(chain.id, m) for chain in found.chains for m in chain.mentions if data.draw(st.booleans())]
    chains: dict[str, list[Mention]] = {}
    for mention, name in {mention: name for name, mention in [*fitting, *kept]}.items():
        chains.setdefault(name, []).append(mention)
    wanted = found.with_chains(tuple(make_chain(name, m) for name, m in chains.items()), found.scope)

    (again,) = read(written(wanted))

    assert annotation(again) == annotation(wanted)


CELLS = st.lists(
    st.sampled_from(["(a", "a)", "(a)", "(b-x", "b)", "(b-y)", "(a[1/2]", "a[1/2])", "(a[2/2]", "a[2/2])", "(b[2/3])"]),
    max_size=3,
).map("".join)


@given(st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=3), st.booleans())
def test_whatever_was_repaired_in_reading_needs_no_repair_once_written(
    cells: list[list[str]],
    renames: bool,  # noqa: FBT001  # hypothesis passes it by name
) -> None:
    lines = ["\n".join(f"w Entity={cell}" if cell else "w" for cell in sentence) for sentence in cells]
    (found,) = read(conllu_text(*lines), Policy.LENIENT)
    if renames:
        chains = tuple(replace(chain, id=chain.id.replace("a", "m")) for chain in found.chains)
        found = found.with_chains(chains, ChainScope.PART)

    (again,) = read(written(found), Policy.STRICT)

    # Without ids: cells that run into each other make some that Entity cannot carry.
    assert sorted(chain.mentions for chain in again.chains) == sorted(chain.mentions for chain in found.chains)


@given(documents(ChainScope.PART))
def test_merging_parts_gives_one_newdoc_with_the_merged_chains(document: Document) -> None:
    (found,) = read(written(document))
    joined: dict[str, list[Mention]] = {}
    for chain in found.chains:
        joined.setdefault(f"m{ord(chain.id[0]) % 2}", []).extend(chain.mentions)
    merged = found.with_chains(tuple(make_chain(name, m) for name, m in joined.items()), ChainScope.DOCUMENT)
    notices = Notices()

    text = written(merged, notices)

    assert text.count("# newdoc") == 1
    assert chains_of(read(text)[0]) == chains_of(merged)
    assert kinds(notices) == set()


@given(st.lists(st.text(max_size=4), min_size=1, max_size=6, unique=True))
def test_any_chain_ids_stay_distinct(names: list[str]) -> None:
    sentence = Sentence(tuple("x" for _ in names))
    chains = tuple(Chain(name, (Mention(0, 0, token, token),)) for token, name in enumerate(names))

    (again,) = read(write(Document("d", (Part((sentence,)),), chains)))

    assert sorted(chain.mentions for chain in again.chains) == [chain.mentions for chain in chains]
