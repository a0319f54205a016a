"""Small CoNLL-U texts, and reading and writing them in memory."""

from __future__ import annotations

import re
from collections.abc import Iterable

from merger.document import Document, Span
from merger.formats.base import Lines, ReadOptions
from merger.formats.conllu.format import ConlluFormat
from merger.formats.grouping import group_parts
from merger.notices import Notices, Policy

Spans = tuple[Span, ...]


def rows(cells: str) -> str:
    """A sentence of rows from ``word MISC`` lines (``MISC`` may be missing); ids are counted unless given in front.

    ``8-9 du`` and ``8.1 x Entity=(e1)`` are rows of a multiword token and of an empty node.
    """
    lines = []
    word = 0
    for line in cells.strip().split("\n"):
        fields = line.split(" ")
        if re.fullmatch(r"\d+[-.]\d+", fields[0]):
            number = fields.pop(0)
        else:
            word += 1
            number = str(word)
        misc = fields[1] if len(fields) > 1 else "_"
        lines.append(f"{number}\t{fields[0]}{chr(9).join([''] + ['_'] * 7)}\t{misc}\n")
    return "".join(lines) + "\n"


def document(*sentences: str, name: str = "d", fields: str = "eid-etype-head-other") -> str:
    """A ``# newdoc`` of sentences given as for :func:`rows`, each perhaps with comment lines in front."""
    return f"# newdoc id = {name}\n# global.Entity = {fields}\n" + "".join(map(sentence, sentences))


def sentence(cells: str) -> str:
    """Comment lines, then rows."""
    lines = cells.strip().split("\n")
    comments = [line for line in lines if line.startswith("#")]
    return "".join(f"{line}\n" for line in comments) + rows("\n".join(lines[len(comments) :]))


def read(text: str, policy: Policy = Policy.NORMAL, file: str = "x.conllu", pattern: str = "") -> list[Document]:
    """The documents of a text, parts grouped."""
    return read_noticing(text, Notices(policy), file, pattern)


def read_noticing(text: str, notices: Notices, file: str = "x.conllu", pattern: str = "") -> list[Document]:
    """As :func:`read`, with the notices kept."""
    options = ReadOptions(notices, re.compile(pattern) if pattern else None)
    blocks = ConlluFormat().read(Lines(file, [text]), options)
    return list(group_parts(blocks, notices))


def write(documents: Iterable[Document] | Document, notices: Notices | None = None) -> str:
    """The documents as CoNLL-U."""
    several = [documents] if isinstance(documents, Document) else documents
    collected = Notices() if notices is None else notices
    return "".join("".join(ConlluFormat().write(each, collected)) for each in several)


def chains_of(document: Document) -> dict[str, list[tuple[int, int, Spans]]]:
    """The mentions of each chain as (part, sentence, spans)."""
    return {chain.id: [(m.part, m.sentence, m.spans) for m in chain.mentions] for chain in document.chains}


def entity_cells(text: str) -> list[str]:
    """The Entity value of every row, empty where there is none."""
    found = []
    for line in text.split("\n"):
        if line and line[0].isdigit():
            values = [each[7:] for each in line.split("\t")[9].split("|") if each.startswith("Entity=")]
            found.append(values[0] if values else "")
    return found


def kinds(notices: Notices) -> set[str]:
    """The kinds of notices given."""
    return {notice.kind for notice in notices}
