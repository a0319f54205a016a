"""CoNLL-2012 (OntoNotes 5): a row per token, tabs or blanks between columns, the last column is coreference.

Source: CoNLL-2012 shared task data format; variants read as well are those of the official scorer's test files, of
LitBank (empty cells are ``_`` or nothing) and files with only some columns. With six or more columns the fourth is the
word and the fifth its tag, and with eleven or more the tenth is the speaker; with fewer the word is the last but one.
Files with other columns (SemEval-2010, CoNLL-U columns) are recognised; see :mod:`merger.formats.column_layout`.

Every ``#begin document (ID); part NNN`` block is a document for this reader. Blocks of one document are put together by
:func:`merger.formats.group_parts`. A block whose second column counts up (0, 0, 1, 1, ...) from the block's own part
number is a merged document that keeps its part boundaries there; so are the merged documents that the writer makes.
"""

from __future__ import annotations

from collections.abc import Iterator

from merger.document import Document
from merger.formats.base import Format, Lines, ReadOptions, Unreadable
from merger.formats.conll2012.lines import parse_begin
from merger.notices import Notices


class Conll2012Format(Format):
    """CoNLL-2012 files."""

    name = "conll2012"
    title = "CoNLL-2012"
    other_annotation = "lemmas, parse bits, named entities, predicates"
    suffixes = (".conll", "_conll", ".key", ".response", ".conll2012", ".v4_auto_conll")

    def lost_in(self, target: str) -> str:
        """CoNLL-U keeps the lemmas and drops the rest."""
        return self.other_annotation.removeprefix("lemmas, ") if target == "conllu" else self.other_annotation

    def recognises(self, head: str) -> bool:
        """Whether the text starts with a ``#begin document`` line, after optional blank lines and comments."""
        for line in head.split("\n"):
            if parse_begin(line):
                return True
            if line.strip() and not line.startswith("#"):
                return False
        return False

    def read(self, source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
        """Yield one document per block."""
        from merger.formats.conll2012.reader import read_conll2012

        return read_conll2012(source, options)

    def write(self, document: Document, notices: Notices) -> Iterator[str]:
        """Yield the blocks: one per part, or a single one if the chains are over the whole document."""
        from merger.formats.conll2012.writer import write_document

        return write_document(document, notices)
