"""Where tokens stand: the line of a token in its file."""

from __future__ import annotations

from merger.document import Sentence


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
