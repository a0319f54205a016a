"""Applies a tagger to documents: selects the sentences to tag, and builds the signature."""

from __future__ import annotations

from typing import NamedTuple, Self

from merger.document import Document
from merger.errors import Location
from merger.notices import Notices
from merger.progress import WorkContext
from merger.syntax import has_tags
from merger.taggers.base import Tagger, untagged, without_tags


class Tagged(NamedTuple):
    """A document with tags, and their part of its signatures: ``+tagger:spacy-3.8.7:...``, or empty."""

    document: Document
    conditions: str


class Tagging:
    """Tags the sentences of documents that have no tags, or with ``retag`` all of them. Closes its tagger."""

    def __init__(self, tagger: Tagger, *, retag: bool = False) -> None:
        self.tagger = tagger
        self._retag = retag

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.tagger.close()

    @property
    def signature(self) -> str:
        """The tagger, and whether it replaces tags."""
        return f"{'retagger' if self._retag else 'tagger'}:{self.tagger.signature}"

    def tag(self, document: Document, notices: Notices, watch: WorkContext | None = None) -> Tagged:
        """Tag the sentences that need it. Raises what :meth:`~merger.taggers.Tagger.tag` raises."""
        bare = without_tags(document) if self._retag else document
        count = sum(1 for _ in untagged(bare))
        if not count:
            if any(has_tags(sentence) for part in document.parts for sentence in part.sentences):
                place = Location(document.file, document=document.id)
                notices.add(
                    "own tags kept", "all sentences have tags of their own, which were kept (option retag)", place
                )
            return Tagged(document, "")
        tagged = self.tagger.tag(bare, watch or WorkContext())
        own = sum(has_tags(sentence) for part in bare.parts for sentence in part.sentences)
        if own:
            message = f"{count} of {count + own} sentences had no tags and were tagged by {self.tagger.signature}"
            notices.add("partly tagged before", message, Location(document.file, document=document.id))
        return Tagged(tagged, f"+{self.signature}")
