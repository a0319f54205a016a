"""Random documents, and an independent plain writer of CoNLL-2012."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

Spans = dict[tuple[int, int], str]
"""First and last token of each mention of a sentence, and its chain."""


@dataclass(frozen=True)
class Layout:
    """How rows are written: columns, what is between them, what an empty cell is, and the line end."""

    columns: int
    between: str
    blank: str
    newline: str


@dataclass(frozen=True)
class RandomDocument:
    """Sentences of parts as words, each with its mentions. No two mentions of a chain cross."""

    parts: list[list[tuple[list[str], Spans]]]

    def chains(self) -> dict[tuple[int, str], set[tuple[int, int, int]]]:
        """Mentions as (sentence, first, last) by part and chain."""
        chains: dict[tuple[int, str], set[tuple[int, int, int]]] = {}
        for part, sentences in enumerate(self.parts):
            for index, (_, spans) in enumerate(sentences):
                for (first, last), chain in spans.items():
                    chains.setdefault((part, chain), set()).add((index, first, last))
        return chains


# Blanks are between columns here, or the reader would have to guess; everything else may be in a word.
_ODD_WORDS = [
    "(3)",
    "7)",
    "(8|(9",
    "-",
    "_",
    "*",
    "#",
    "a\u2028b",
    "\x85",
    "\x00",
    "\ufeff",
    "#begin",
    "|",
    "🦉",
    "e\u0301",
]
_WORDS = st.sampled_from(_ODD_WORDS) | st.text(
    st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=4
)
_IDS = st.sampled_from(["0", "1", "2", "10", "01", "e1", "time1", "-", "_", "*", "é", "a-b", "[x]"])


def layouts() -> st.SearchStrategy[Layout]:
    """Three to thirteen columns; cells that are empty indeed only where that says where the columns are."""
    columns = st.integers(3, 13)
    newlines = st.sampled_from(["\n", "\r\n"])
    marked = st.builds(
        Layout, columns, st.sampled_from(["\t", " ", "    "]), st.sampled_from(["-", "_", "*"]), newlines
    )
    empty = st.builds(Layout, st.integers(6, 13), st.just("\t"), st.just(""), newlines)
    return marked | empty


@st.composite
def _sentences(draw: st.DrawFn) -> tuple[list[str], Spans]:
    words = draw(st.lists(_WORDS, min_size=1, max_size=6))
    ends = st.integers(0, len(words) - 1)
    spans: Spans = {}
    for one, other, chain in draw(st.lists(st.tuples(ends, ends, _IDS), max_size=8)):
        span = (min(one, other), max(one, other))
        if span not in spans and not any(chain == its and _cross(span, old) for old, its in spans.items()):
            spans[span] = chain
    return words, spans


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (first, last), (second, end) = sorted((one, other))
    return first < second < last < end or first < second == last < end


def random_documents() -> st.SearchStrategy[RandomDocument]:
    """One to three parts of one to three sentences."""
    parts = st.lists(_sentences(), min_size=1, max_size=3)
    return st.builds(RandomDocument, st.lists(parts, min_size=1, max_size=3))


def plain_text(document: RandomDocument, layout: Layout) -> str:
    """The document with a block per part."""
    blocks = []
    for number, sentences in enumerate(document.parts):
        lines = [f"#begin document (d); part {number:03d}"]
        for words, spans in sentences:
            for token, word in enumerate(words):
                cell = _cell(spans, token) or layout.blank
                lines.append(layout.between.join([*_columns(layout.columns, number, token, word), cell]))
            lines.append("")
        blocks.append([*lines, "#end document"])
    return "".join(line + layout.newline for lines in blocks for line in lines)


def _columns(count: int, part: int, token: int, word: str) -> list[str]:
    if count < 6:
        return [*["d", str(part), str(token)][: count - 2], word]
    return ["d", str(part), str(token), word, "NN", *["*"] * (count - 6)]


def _cell(spans: Spans, token: int) -> str:
    """Closing brackets, the inner ones first, then mentions of one token, then opening brackets."""
    closing = sorted(((-first, chain) for (first, last), chain in spans.items() if first < last == token))
    opening = [chain for (first, last), chain in spans.items() if token == first < last]
    alone = [chain for span, chain in spans.items() if span == (token, token)]
    pieces = [f"{chain})" for _, chain in closing] + [f"({chain})" for chain in alone] + [f"({c}" for c in opening]
    return "|".join(pieces)
