"""CoNLL-U with CorefUD entities (``Entity=`` in MISC).

Sources: CoNLL-U (Universal Dependencies 2), CorefUD 1.x. Words and empty nodes are tokens, in file order; rows of
multiword tokens and comments stay in the sentence's source. A form ``_`` is the token ``_``. Entity ids belong to their
``# newdoc``. A document's parts are written in one of two ways:

- chains local to parts: a ``# newdoc`` for each part, with the same id and a comment ``# part = N``;
- chains over the whole document: one ``# newdoc``, with ``# part = N`` at the first sentence of every part.

Documents without an id are named after their file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from merger.document import Document
from merger.formats.base import Format, Lines, ReadOptions, Unreadable
from merger.formats.conllu.misc import COLUMNS
from merger.notices import Notices

_KNOWN_COMMENT = re.compile(r"#\s*(newdoc|newpar|global\.|sent_id\s*=|text\s*=)")
_ROW = re.compile(r"[0-9]+([-.][0-9]+)?\t", re.ASCII)


class ConlluFormat(Format):
    """CoNLL-U files."""

    name = "conllu"
    title = "CoNLL-U (CorefUD)"
    other_annotation = "lemmas, features, dependency labels, multiword tokens, entity attributes, other MISC, comments"
    suffixes = (".conllu", ".conllup")

    def recognises(self, head: str) -> bool:
        """Whether the text starts with a comment of CoNLL-U, or a row with an id and ten columns."""
        for line in head.split("\n"):
            if _KNOWN_COMMENT.match(line):
                return True
            if line.startswith("#begin document") or (line.strip() and line[0] != "#"):
                # The head may be cut inside its only row.
                return _ROW.match(line) is not None and (line.count("\t") == COLUMNS - 1 or line == head)
        return False

    def read(self, source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
        """Yield one document per ``# newdoc``."""
        from merger.formats.conllu.reader import read_conllu

        return read_conllu(source, options)

    def write(self, document: Document, notices: Notices) -> Iterator[str]:
        """Yield the document as one ``# newdoc``, or as one per part if its chains are local to the parts."""
        from merger.formats.conllu.writer import write_conllu

        return write_conllu(document, notices)
