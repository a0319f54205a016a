"""A fast path for most changed sentences of CoNLL-U: some entities get other ids, and nothing else changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from merger.document import SentenceSource
from merger.formats.conllu.changes import MentionUpdate, shows
from merger.formats.conllu.entity import REPAIRED, Fields

_VALUE = re.compile(r"Entity=(?<=[\t|]Entity=)([^|\t\n]*)(?=[^\t\n]*$)", re.MULTILINE)
# Closing brackets with fields, as in old files: the text found there is not an id.
_ID = re.compile(r"(?<![^()])(?:(?<=\()[^()-]+|[^()]+)")


def rename_entities(source: SentenceSource, updates: Sequence[MentionUpdate], target: Fields) -> str | None:
    """The sentence's text with the new ids of the chains.

    ``None`` for changes that need :class:`~merger.formats.conllu.changes.SentenceChange`: new, removed or retyped
    mentions, merged entities, stretches, and repaired values.
    """
    new_ids = _new_ids(source, updates, target)
    if new_ids is None:
        return None
    pieces: list[str] = []
    text, end, last_row, openings, closings = source.text, 0, -1, 0, 0
    for match in _VALUE.finditer(text):
        start, value = match.start(1), match[1]
        row = text.rfind("\n", 0, start) + 1
        if row == last_row or text[row] == "#" or value != value.strip():
            return None
        last_row = row
        openings += value.count("(")
        closings += value.count(")")
        try:
            renamed = _ID.sub(lambda found: new_ids[found[0]], value)
        except KeyError:
            return None
        pieces += (text[end:start], renamed)
        end = match.end(1)
    # Values on rows that end in a tab are skipped.
    if openings != len(updates) or closings != len(updates):
        return None
    return "".join([*pieces, text[end:]])


def _new_ids(source: SentenceSource, updates: Sequence[MentionUpdate], target: Fields) -> dict[str, str] | None:
    """From the ids in the text to the new ones; ``None`` if more than ids changes, or the mapping is not one to one."""
    details = source.details
    if REPAIRED in details or len(updates) != len(details) or source.layout != target.text or target.id_index:
        return None
    new_ids: dict[str, str] = {}
    spans_seen = set()
    for spans, entity, overrides, _ in updates:
        content = details.get(spans)
        if content is None or len(spans) > 1:
            return None
        if overrides and not shows(content, overrides, target):
            return None
        if new_ids.setdefault(target.entity(content), entity) != entity:
            return None
        spans_seen.add(spans)
    if len(spans_seen) < len(updates) or len(set(new_ids.values())) < len(new_ids):
        return None
    return new_ids
