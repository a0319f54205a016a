"""A document of three parts as files: before merging, merged by people, merged by a machine.

Every part chain has two mentions of one token each. The key has {A0, A1, A2}, {B0, B1} and {C0, C2}; the response
{A0, A1}, {B0, B1, A2}, {C0} and {C2}.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from merger.document import Document
from merger.formats import FORMATS, Lines, ReadOptions
from merger.formats.grouping import group_parts
from merger.notices import Notices, Policy

PART_CHAINS = (("A0", "B0", "C0"), ("A1", "B1"), ("A2", "C2"))
KEY = {"A0": "a", "A1": "a", "A2": "a", "B0": "b", "B1": "b", "C0": "c", "C2": "c"}
RESPONSE = {"A0": "1", "A1": "1", "B0": "2", "B1": "2", "A2": "2", "C0": "3", "C2": "4"}
NOTHING_MERGED = {name: name for part in PART_CHAINS for name in part}


def merged_text(names: Mapping[str, str], document: str = "d", *, with_parts: bool = True) -> str:
    """One block; a sentence of two tokens for each part chain."""
    rows = [
        f"{document} {part if with_parts else 0} {token} {name}-{token} NN ({names[name]})"
        for part, chains in enumerate(PART_CHAINS)
        for name in chains
        for token in (0, 1)
    ]
    return f"#begin document ({document}); part 000\n{_sentences(rows)}#end document\n"


def parts_text(names: Mapping[str, str] | None = None, document: str = "d") -> str:
    """A block for every part; chain ids count from 0 in each, unless they are given."""
    blocks = []
    for part, chains in enumerate(PART_CHAINS):
        rows = [
            f"{document} {part} {token} {name}-{token} NN ({index if names is None else names[name]})"
            for index, name in enumerate(chains)
            for token in (0, 1)
        ]
        blocks.append(f"#begin document ({document}); part {part:03d}\n{_sentences(rows)}#end document\n")
    return "".join(blocks)


def _sentences(rows: Sequence[str]) -> str:
    return "".join(f"{first}\n{second}\n\n" for first, second in zip(rows[::2], rows[1::2], strict=True))


def documents(text: str, file: str = "x.conll", policy: Policy = Policy.NORMAL) -> list[Document]:
    """The documents of a text."""
    notices = Notices(policy)
    lines = Lines(file, io.StringIO(text, newline="\n"))
    return list(group_parts(FORMATS["conll2012"].read(lines, ReadOptions(notices)), notices))
