"""Small CoNLL-2012 texts, and reading them from memory."""

from __future__ import annotations

from merger.document import Document
from merger.formats import FORMATS, Lines, ReadOptions
from merger.formats.grouping import group_parts
from merger.notices import Notices, Policy

Mentions = list[tuple[int, int, int, int]]
"""Mentions as (part, sentence, first token, last token)."""


def block(rows: str, name: str = "d", part: str = "000") -> str:
    """A block with these rows, blank lines between sentences; the first row is line 2."""
    return f"#begin document ({name}); part {part}\n{rows}\n#end document\n"


def read_text(
    text: str, policy: Policy = Policy.NORMAL, file: str = "x.conll", columns: str = ""
) -> tuple[list[Document], Notices]:
    """The documents of a text, and what the reader had to say."""
    notices = Notices(policy)
    lines = Lines(file, [text])
    options = ReadOptions(notices, columns=columns)
    return list(group_parts(FORMATS["conll2012"].read(lines, options), notices)), notices


def read_rows(rows: str, policy: Policy = Policy.NORMAL) -> Document:
    """The document of a block with these rows."""
    documents, _ = read_text(block(rows), policy)
    return documents[0]


def chains_of(document: Document) -> dict[str, Mentions]:
    """Mentions by chain id; chains of one id in several parts come together."""
    chains: dict[str, Mentions] = {}
    for chain in document.chains:
        chains.setdefault(chain.id, []).extend((m.part, m.sentence, m.first, m.last) for m in chain.mentions)
    return chains


def words_of(document: Document) -> list[list[str]]:
    """The words of each sentence."""
    return [list(sentence.forms) for part in document.parts for sentence in part.sentences]


def write_text(documents: list[Document], notices: Notices | None = None) -> str:
    """The documents as CoNLL-2012."""
    notices = Notices() if notices is None else notices
    return "".join(text for document in documents for text in FORMATS["conll2012"].write(document, notices))
