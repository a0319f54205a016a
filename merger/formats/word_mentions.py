"""Mentions for formats that have neither empty nodes nor discontinuous mentions."""

from __future__ import annotations

from merger.document import Chain, Document, Mention, Span
from merger.empty_nodes import touches_empty_node
from merger.errors import Location, UnsupportedError
from merger.message_text import printable
from merger.notices import Notices
from merger.token_alignment import token_line, word_spans


class WordMentions:
    """Turns the mentions of one document into stretches of words, and reports what is lost.

    A gap of only empty nodes is no gap. ``title`` is the format's name in messages.
    """

    def __init__(self, document: Document, title: str, notices: Notices) -> None:
        self._document = document
        self._title = title
        self._notices = notices
        self._owners: dict[tuple[int, int, Span], str] = {}

    def span(self, mention: Mention, chain: Chain) -> Span | None:
        """The mention's first and last word in its sentence, both inclusive; ``None`` if it cannot be written.

        Raises :class:`~merger.errors.UnsupportedError` for a discontinuous mention, unless the policy is lenient: then
        it is written from its first to its last word. Of mentions that become one, the first is kept (under the strict
        policy this is an error too).
        """
        sentence = self._document.sentence(mention)
        spans = word_spans(sentence, mention)
        if touches_empty_node(sentence, mention):
            message = f"{self._title} has no empty nodes: mentions lose them"
            self._notices.add("empty nodes left out of mentions", message, self._place(mention))
        if not spans:
            message = f"{self._title} has no empty nodes: the mention is left out"
            self._notices.add("mention of empty nodes only", message, self._place(mention))
            return None
        if len(spans) > 1:
            words = " ".join(self._document.forms(mention))
            error = UnsupportedError(
                f"discontinuous mention {words!r} of chain {printable(chain.id)}",
                self._place(mention),
                expected=f"continuous mentions in {self._title}",
            )
            self._notices.repair("discontinuous mention", error, "it is written from its first to its last token")
        span = spans[0][0], spans[-1][1]
        place = mention.part, mention.sentence, span
        owner = self._owners.get(place)
        if owner is not None:
            words = " ".join(self._document.forms(mention))
            error = UnsupportedError(
                f"mention {words!r} of chain {printable(chain.id)} differs from one of chain {printable(owner)} "
                f"only in empty nodes or gaps, which {self._title} cannot express: the first is kept",
                self._place(mention),
            )
            self._notices.warn("mentions become one", error)
            return None
        self._owners[place] = chain.id
        return span

    def _place(self, mention: Mention) -> Location:
        document = self._document
        line = token_line(document.sentence(mention), mention.first)
        return Location(document.file, line, document.id, mention.part, mention.sentence, mention.first)
