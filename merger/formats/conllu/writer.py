"""Writes CoNLL-U with CorefUD entities. Text from CoNLL-U keeps every byte that the chains don't change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from merger.document import Document, Part, Sentence, SentenceSource
from merger.errors import Location
from merger.formats.base import genre_of
from merger.formats.conllu.changes import SentenceChange, is_unchanged, new_content
from merger.formats.conllu.comments import is_name_from_file
from merger.formats.conllu.entity_cells import Placed, make_cells
from merger.formats.conllu.head import (
    Head,
    begins_document,
    is_conllu_head,
    may_need_change,
    new_head,
    set_head,
    states_id,
    top_lines,
)
from merger.formats.conllu.ids import writable_id
from merger.formats.conllu.links import has_links
from merger.formats.conllu.new_rows import new_sentence
from merger.formats.conllu.plan import Plan, conllu_layout, make_plan
from merger.formats.conllu.renaming import rename_entities
from merger.notices import Notices


def write_conllu(document: Document, notices: Notices) -> Iterator[str]:
    """Yield the document's text, a sentence at a time; see :class:`merger.formats.conllu.format.ConlluFormat`.

    Raises :class:`~merger.errors.UnsupportedError` for mentions of one entity that brackets cannot distinguish.
    """
    return _Writer(document, notices).write()


class _Writer:
    def __init__(self, document: Document, notices: Notices) -> None:
        self._document = document
        self._notices = notices
        self._plan: Plan = make_plan(document, notices)
        self._id = self._writable_id()
        self._several = len(document.parts) > 1
        # A text without an id can stay without one only if the document stays one `# newdoc`.
        self._nameless = len(self._plan.fields) == 1 and is_name_from_file(document.id, document.file)
        self._top: frozenset[str] = frozenset()
        self._sentences = 0

    def write(self) -> Iterator[str]:
        parts = self._document.parts
        blocks = self._plan.blocks
        with_words = {block for block, part in zip(blocks, parts, strict=True) if _has_words(part)}
        block = -1
        for index, part in enumerate(parts):
            begins = blocks[index] != block
            if not _has_words(part) and (blocks[index] in with_words or not begins):
                message = f"part {part.number} has no words: it is not in the text"
                self._notices.add("empty part left out", message, self._place(index))
                continue
            block = blocks[index]
            head = self._head(index, begins=begins, first=True)
            later = self._head(index, begins=False, first=False)
            for position, sentence in enumerate(part.sentences):
                if position == 1:
                    head = later
                yield self._sentence(index, position, sentence, head)
            if not part.sentences:
                yield self._empty_part(part, self._head(index, begins=True, first=True))
            elif part.tail and conllu_layout(part.sentences[-1]) is not None:
                yield _complete(part.tail) if index + 1 < len(parts) else part.tail

    def _writable_id(self) -> str:
        name = self._document.id
        written = writable_id(name)
        if written == name:
            return name
        part = self._document.parts[0] if self._document.parts else Part(())
        source = part.sentences[0].source if part.sentences else None
        if states_id(part.head if source is None else source.text, name):
            # Text that could be read can stay unchanged.
            return name
        message = f"document id {name!r} is written as {written}: `# newdoc id` has one line and no blanks at its ends"
        self._notices.add("document renamed", message, Location(self._document.file, document=name))
        return written

    def _head(self, part: int, *, begins: bool, first: bool) -> Head:
        document = self._document
        number = document.parts[part].number
        fields = self._plan.fields[self._plan.blocks[part]].text
        genre = document.genre if document.genre != genre_of(document.id) else None
        return Head(
            self._id if begins else None,
            self._nameless,
            number,
            first and (self._several or number != 0),
            fields,
            genre or "",
        )

    def _place(self, part: int, sentence: int | None = None) -> Location:
        return Location(self._document.file, document=self._document.id, part=part, sentence=sentence)

    def _sentence(self, part: int, position: int, sentence: Sentence, head: Head) -> str:
        self._sentences += 1
        updates = self._plan.updates.get((part, position), [])
        block = self._plan.blocks[part]
        fields = self._plan.fields[block]
        source = sentence.source
        if source is None or conllu_layout(sentence) is None:
            return self._new_sentence(part, position, sentence, head)
        links = self._plan.links
        if links is not None and not has_links(source.text):
            links = None
        text: str | None = source.text
        if links is not None or not is_unchanged(source, updates, fields):
            text = rename_entities(source, updates, fields) if links is None else None
        if text is not None and head.document is None and not head.states_part and not may_need_change(text):
            return _complete(text)
        lines = (source.text if text is None else text).split("\n")
        if text is None:
            change = SentenceChange(lines, sentence, source, fields, self._notices)
            origin = self._plan.origins[part, position]
            place = self._place(part, position)
            rewrite = None if links is None else partial(links.rewrite, origin, block, place)
            change.apply(updates, rewrite, place)
        self._set_head(lines, source, head, part, position)
        return _complete("\n".join(lines))

    def _set_head(self, lines: list[str], source: SentenceSource, head: Head, part: int, position: int) -> None:
        if head.document is not None:
            self._top = frozenset(top_lines(source.text))
            if not self._declares_fields(source, part):
                head = replace(head, fields="")
        set_head(lines, head, partial(self._lost, part, position))

    def _declares_fields(self, source: SentenceSource, part: int) -> bool:
        """Whether the block needs ``global.Entity``: not if its text had none and does not change."""
        if not begins_document(source.text) and not self._nameless:
            return True
        if any(line.startswith("#") and "global.Entity" in line for line in self._top):
            return True
        block = self._plan.blocks[part]
        return not source.layout and any(self._plan.blocks[place[0]] == block for place in self._plan.updates)

    def _lost(self, part: int, position: int, comment: str) -> None:
        if comment not in self._top:
            message = f"comments at the top of later parts are left out, such as {comment!r}"
            self._notices.add("comments at the top of a part left out", message, self._place(part, position))

    def _new_sentence(self, part: int, position: int, sentence: Sentence, head: Head) -> str:
        place = self._place(part, position)
        lines = new_head(replace(head, nameless=False))
        if not sentence.forms:
            self._notices.add("empty sentence left out", "CoNLL-U has no sentences without words", place)
            return "\n".join([*lines, "", ""]) if lines else ""
        fields = self._plan.fields[self._plan.blocks[part]]
        updates = self._plan.updates.get((part, position), [])
        placed = [Placed(each.spans, each.entity, new_content(sentence, each, fields)) for each in updates]
        cells = make_cells(placed, fields, place)
        lines += new_sentence(sentence, f"{self._id}-{self._sentences}", cells, self._notices, place)
        return "\n".join(lines) + "\n"

    def _empty_part(self, part: Part, head: Head) -> str:
        lines: list[str] = []
        if is_conllu_head(part.head):
            lines = part.head.split("\n")
            head = replace(head, fields="")
        set_head(lines, head, lambda _: None)
        return _complete("\n".join(lines))


def _has_words(part: Part) -> bool:
    return any(sentence.forms for sentence in part.sentences)


def _complete(text: str) -> str:
    """The text with its last line's end and a blank line after it, so that more text can follow."""
    if text.endswith(("\n\n", "\n\r\n")):
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    if not text.endswith("\n"):
        text += newline
    return text if not text.rpartition("\n")[0].rpartition("\n")[2].strip() else text + newline
