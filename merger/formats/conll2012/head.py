"""The lines around a CoNLL-2012 block: which original lines can stay, and what replaces the others."""

from __future__ import annotations

import re

from merger.document import Document, Part
from merger.errors import Location
from merger.formats.conll2012.lines import is_end, parse_begin, part_number
from merger.notices import Notices

_END = "#end document"
# Characters that a reader would take for the end of a line or column, drop at the edges, or read as another line.
_OFFENDING = re.compile(r"[\t\n\r]|^\s+|\s+$|^#(?=\s?(?:begin|end) document\b)")


def is_head_of(head: str, document_id: str, part: Part) -> bool:
    """Whether these lines end in the ``#begin document`` line of that document and part."""
    begin = parse_begin(head.rstrip().rpartition("\n")[2])
    return begin is not None and begin[0] == document_id and part_number(begin[1] or "0") == part.number


def is_nameless(head: str) -> bool:
    """Whether these lines end in a ``#begin document`` line without a name."""
    begin = parse_begin(head.rstrip().rpartition("\n")[2])
    return begin is not None and not begin[0]


def new_head(written_id: str, part: Part) -> str:
    """A ``#begin document`` line."""
    return f"#begin document ({written_id}); part {part.number:03d}"


def tail_of(part: Part) -> str:
    """The part's own lines after its sentences if they end a CoNLL-2012 block; other formats have other lines."""
    return part.tail if any(is_end(line) for line in part.tail.split("\n")) else _END


def writable_id(document: Document, notices: Notices) -> str:
    """The document's id, with ``%`` and two hexadecimal digits for each byte that a reader would not keep."""
    place = Location(document.file, document=document.id)
    if not document.id:
        notices.add(
            "document without an id", "the document has no id: readers of CoNLL-2012 name it by its file", place
        )
        return ""
    written = _OFFENDING.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), document.id)
    if written != document.id:
        message = f"document id {document.id!r} is written as {written!r}: CoNLL-2012 would read it as another one"
        notices.add("document renamed", message, place)
    return written
