"""Random documents of part chains, and random merges of them."""

from __future__ import annotations

from hypothesis import strategies as st

from merger.document import Chain, ChainScope, Document, Mention, Part, Sentence, Span, make_chain, make_mention

# Few words and tags, so that chains meet often; letters in both cases, so that ignoring case matters.
WORDS = st.sampled_from(["ab", "Ab", "abc", "abd", "it", "cd", "CD"])
TAGS = st.sampled_from(["NN", "NNP", "NP", "PRP", "JJ"])


@st.composite
def part_documents(draw: st.DrawFn, *, singletons: bool = True) -> Document:
    """A document of up to four parts with trees and part chains; mentions nest, cross and have gaps."""
    parts: list[Part] = []
    chains: list[Chain] = []
    for index in range(draw(st.integers(1, 4))):
        sentences = tuple(draw(_sentences()) for _ in range(draw(st.integers(1, 2))))
        parts.append(Part(sentences, index))
        chains.extend(draw(_chains_of(index, sentences, 1 if singletons else 2)))
    return Document("d", tuple(parts), tuple(chains), ChainScope.PART)


@st.composite
def whole_documents(draw: st.DrawFn) -> Document:
    """A document with chains over all its parts."""
    local = draw(part_documents())
    mentions = list(local.mentions())
    owners = [draw(st.integers(0, 3)) for _ in mentions]
    groups = [[m for m, owner in zip(mentions, owners, strict=True) if owner == group] for group in range(4)]
    chains = tuple(make_chain(f"e{number}", group) for number, group in enumerate(groups) if group)
    return local.with_chains(chains, ChainScope.DOCUMENT)


@st.composite
def _sentences(draw: st.DrawFn) -> Sentence:
    size = draw(st.integers(2, 6))
    forms = tuple(draw(WORDS) for _ in range(size))
    tags = tuple(draw(TAGS) for _ in range(size))
    # Every token hangs on an earlier one, so the heads make a tree.
    heads = (-1, *(draw(st.integers(0, index - 1)) for index in range(1, size)))
    return Sentence(forms, xpos=tags, heads=heads)


@st.composite
def _chains_of(draw: st.DrawFn, part: int, sentences: tuple[Sentence, ...], least: int) -> list[Chain]:
    places = [(number, len(sentence)) for number, sentence in enumerate(sentences)]
    mentions = draw(st.lists(st.sampled_from(places).flatmap(lambda place: _mentions(part, *place)), max_size=7))
    by_chain: dict[int, set[Mention]] = {}
    for mention in dict.fromkeys(mentions):
        by_chain.setdefault(draw(st.integers(0, 2)), set()).add(mention)
    found = [make_chain(f"{part}.{chain}", list(group)) for chain, group in by_chain.items() if len(group) >= least]
    return draw(st.permutations(found))


def _mentions(part: int, sentence: int, size: int) -> st.SearchStrategy[Mention]:
    token = st.integers(0, size - 1)
    span: st.SearchStrategy[Span] = st.tuples(token, token).map(lambda ends: (min(ends), max(ends)))
    spans = st.lists(span, min_size=1, max_size=2).map(tuple)
    return spans.map(lambda chosen: make_mention(part, sentence, chosen))
