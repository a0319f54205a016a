"""The sentence comments of CoNLL-U that this package reads, and the names of documents that have none.

Sources: CoNLL-U (``# newdoc id = X``), CorefUD (``# global.Entity = FIELDS``), GUM (``# meta::genre = G``,
``# speaker = S``). ``# part = N`` is this package's own: it begins part N of a document.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

PART_DIGITS = 9
"""The most digits of a part number in any format: more than any real text needs, and fast to parse."""

_COMMENT = re.compile(
    r"#\s*(?:(newdoc)(?:\s+id)?\s*(?:=(.*))?$|(global\.Entity|part|speaker|meta::[^=]*?)\s*=(.*)$)", re.DOTALL
)

# Every sentence has them, and this test takes a fraction of the expression's time.
_SILENT = ("# sent_id", "# text")


class Comment(NamedTuple):
    """A comment's name (``newdoc``, ``global.Entity``, ``part``, ``speaker``, ``meta::...``) and value."""

    name: str
    value: str


def parse_comment(line: str) -> Comment | None:
    """A comment line that the reader uses, or ``None``."""
    if line.startswith(_SILENT):
        return None
    match = _COMMENT.match(line)
    if match is None:
        return None
    newdoc, newdoc_id, name, value = match.groups()
    if newdoc:
        return Comment("newdoc", (newdoc_id or "").strip())
    return Comment(name, value.strip())


def part_number(comment: Comment) -> int | None:
    """The number in a ``# part`` comment, or ``None`` if the comment is about something else or has no number."""
    return parse_part(comment.value) if comment.name == "part" else None


def parse_part(text: str) -> int | None:
    """A part number as text, or ``None`` if it is invalid or too long."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= PART_DIGITS else None


def name_from_file(file: str | None) -> str:
    """The name of a document that has none: its file's, without folder and suffixes."""
    stem = PurePath((file or "").removesuffix(".gz")).stem
    return stem.strip("<>") or "document"


def is_name_from_file(name: str, file: str | None) -> bool:
    """Whether a document's id is one that :func:`name_from_file` made (a second one in a file ends in ``-1``)."""
    stem = name_from_file(file)
    return name == stem or re.fullmatch(re.escape(stem) + r"-[0-9]+", name) is not None
