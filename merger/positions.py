"""Where tokens stand: the line of a token in its file, and its index among the words."""

from __future__ import annotations

from bisect import bisect_left

from merger.document import Mention, Sentence, Span


def token_line(sentence: Sentence, token: int) -> int | None:
    """The 1-based line of a token in its file; ``None`` if the sentence was not read from lines."""
    source = sentence.source
    if source is None:
        return None
    seen = -1
    for offset, line in enumerate(source.text.split("\n")):
        is_comment = line.startswith("#") and (source.format == "conllu" or "\t" not in line)
        is_range = source.format == "conllu" and "-" in line.partition("\t")[0]
        if line.strip() and not is_comment and not is_range:
            seen += 1
            if seen == token:
                return source.line + offset
    return None


def word_spans(sentence: Sentence, mention: Mention) -> tuple[Span, ...]:
    """A mention's stretches of words: indexes count no empty nodes, and stretches that then touch are joined.

    A mention of nothing but empty nodes has none.
    """
    empty = sentence.empty
    if not empty:
        return mention.spans
    spans: list[Span] = []
    for first, last in mention.spans:
        start, end = first - bisect_left(empty, first), last - bisect_left(empty, last + 1)
        if start > end:
            continue
        if spans and spans[-1][1] + 1 == start:
            start = spans.pop()[0]
        spans.append((start, end))
    return tuple(spans)
