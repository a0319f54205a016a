"""e2e-coref jsonlines: one JSON object per line.

Source: the input of Lee et al. (2017), e2e-coref, and of the systems that follow it. Keys: ``doc_key``, ``sentences``
(lists of tokens), ``clusters`` or ``predicted_clusters`` (lists of ``[first, last]``, token offsets over the whole
line, ends inclusive), ``speakers`` (per token, nested like the sentences or flat), optional ``pos`` or ``xpos``,
``upos`` and ``genre``. Part boundaries are this package's addition: ``part_ids`` (one number a sentence) or ``parts``
(``[first, last]`` sentence of each part, inclusive). All other keys are kept.

A cluster's chain is named by its index. A line whose clusters cross its parts is a merged document, and so is one with
``"chain_scope": "document"`` (this package's too), which a merged document without any such cluster needs.
"""

from __future__ import annotations

from collections.abc import Iterator

from merger.document import Document
from merger.formats.base import Format, Lines, ReadOptions, Unreadable
from merger.notices import Notices


class JsonlinesFormat(Format):
    """e2e-coref jsonlines files."""

    name = "jsonlines"
    title = "e2e-coref jsonlines"
    other_annotation = "other keys"
    suffixes = (".jsonlines", ".jsonl")

    def recognises(self, head: str) -> bool:
        """Whether the text starts with a JSON object."""
        return head.lstrip().startswith("{")

    def read(self, source: Lines, options: ReadOptions) -> Iterator[Document | Unreadable]:
        """Yield one document per line."""
        from merger.formats.jsonlines.reader import read_jsonlines

        return read_jsonlines(source, options)

    def write(self, document: Document, notices: Notices) -> Iterator[str]:
        """Yield the document's one line."""
        from merger.formats.jsonlines.writer import write_jsonlines

        return write_jsonlines(document, notices)
