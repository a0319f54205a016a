"""Plans the changes to each sentence of a CoNLL-U text: entity ids, types and rewritten links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from merger.document import Chain, ChainScope, Document, Part, Sentence
from merger.errors import Location
from merger.formats.conllu.changes import Attributes, MentionUpdate
from merger.formats.conllu.entity import DEFAULT_FIELDS, REPAIRED, Fields, unique_id, unique_prefix, writable_ids
from merger.formats.conllu.head import begins_document
from merger.formats.conllu.links import Links, has_links
from merger.message_text import printable
from merger.notices import Notices

_Place = tuple[int, int]
"""Part and sentence."""

SHARED_FIELDS = {"etype": "types", "identity": "identities"}
"""The fields that are the same for all mentions of an entity, and their names in messages."""


@dataclass(slots=True)
class Plan:
    """The data that the writer needs about a whole document.

    ``blocks`` has the ``# newdoc`` that each part goes into, ``fields`` the field order of each ``# newdoc``,
    ``origins`` the ``# newdoc`` that each sentence was read from, counted over the document.
    """

    blocks: list[int]
    fields: list[Fields]
    updates: dict[_Place, list[MentionUpdate]]
    origins: dict[_Place, int] = field(default_factory=dict)
    links: Links | None = None


def conllu_layout(sentence: Sentence) -> str | None:
    """The field order a sentence was read with, ``None`` if it was not read from CoNLL-U."""
    return sentence.source.layout if sentence.source is not None and sentence.source.format == "conllu" else None


def make_plan(document: Document, notices: Notices) -> Plan:
    """Plan the writing of a document."""
    whole = document.scope is ChainScope.DOCUMENT or len(document.parts) == 1
    blocks = [0 if whole else index for index in range(len(document.parts))]
    fields = _fields(document, blocks)
    names = _names(document, blocks, fields, notices)
    plan = Plan(blocks, fields, {})
    _find_origins(document, plan)
    defaults, overrides = _shared(document, plan, notices)
    for index, chain in enumerate(document.chains):
        name = names[index]
        for part, sentence, first, last, pieces in chain.mentions:
            update = MentionUpdate(pieces or ((first, last),), name, overrides[index], defaults[index])
            plan.updates.setdefault((part, sentence), []).append(update)
    if any(s.source is not None and has_links(s.source.text) for part in document.parts for s in part.sentences):
        plan.links = _make_links(document, plan, notices)
    return plan


def _names(document: Document, blocks: list[int], fields: list[Fields], notices: Notices) -> list[str]:
    """The written id of each chain.

    Where ids are unique in the file, an id that counts in its document or part gets both in front.
    """
    names = [chain.id for chain in document.chains]
    members: dict[int, list[int]] = {}
    for index, chain in enumerate(document.chains):
        members.setdefault(blocks[chain.mentions[0].part], []).append(index)
    for indexes in members.values():
        for index, name in zip(indexes, writable_ids([names[index] for index in indexes]), strict=True):
            if name != names[index]:
                message = (
                    f"chain id {names[index]!r} is written as {name}: Entity has no blanks or any of ()-|=[]<, in ids"
                )
                notices.add("chain renamed", message, Location(document.file, document=document.id))
                names[index] = name
    for block, indexes in members.items():
        if fields[block].are_unique:
            _make_unique(document, blocks, block, indexes, names)
    return names


def _make_unique(document: Document, blocks: list[int], block: int, indexes: list[int], names: list[str]) -> None:
    """Put document and part in front of ids that are not the text's own.

    These are numbers in a text with other ids, and all ids in a text without ids or whose ids all start with the
    document.
    """
    parts = [part for part, its_block in zip(document.parts, blocks, strict=True) if its_block == block]
    number = next((part.number for part in parts if any(s.forms for s in part.sentences)), parts[0].number)
    has_own = _has_ids_of_its_own(document.id, parts)
    orders: dict[str, Fields] = {}
    for index in indexes:
        contents = _read_contents(document, document.chains[index], orders)
        read = {fields.entity(content) for _, fields, content in contents}
        name = unique_id(document.id, number, names[index])
        if not has_own or name in read or (names[index].isdecimal() and names[index] not in read):
            names[index] = name


def _has_ids_of_its_own(name: str, parts: list[Part]) -> bool:
    """Whether a text has entity ids without the document's name in front, or a field order and no ids yet."""
    prefix = unique_prefix(name)
    has_layout = has_ids = False
    for part in parts:
        for sentence in part.sentences:
            if sentence.source is None or not (layout := conllu_layout(sentence)):
                continue
            has_layout = True
            fields = Fields(layout)
            for spans, content in sentence.source.details.items():
                has_ids = True
                if spans != REPAIRED and not fields.entity(content).startswith(prefix):
                    return True
    return has_layout and not has_ids


def _read_contents(document: Document, chain: Chain, orders: dict[str, Fields]) -> Iterator[tuple[_Place, Fields, str]]:
    """The texts of opening brackets that a chain's mentions were read from; ``orders`` keeps the field orders."""
    parts = document.parts
    for part, sentence, first, last, pieces in chain.mentions:
        source = parts[part].sentences[sentence].source
        if source is None or (content := source.details.get(pieces or ((first, last),))) is None:
            continue
        fields = orders.get(source.layout)
        if fields is None:
            fields = orders[source.layout] = Fields(source.layout)
        yield (part, sentence), fields, content


def _fields(document: Document, blocks: list[int]) -> list[Fields]:
    """The field order of each block: its first sentence's that has one; unknown if the text has none."""
    orders: dict[int, str] = {}
    has_nameless = set()
    for block, part in zip(blocks, document.parts, strict=True):
        for sentence in part.sentences:
            if layout := conllu_layout(sentence):
                orders.setdefault(block, layout)
                break
            if layout == "" and sentence.source is not None and sentence.source.details:
                has_nameless.add(block)
    return [
        Fields(orders.get(block, "" if block in has_nameless else DEFAULT_FIELDS))
        for block in range(max(blocks, default=-1) + 1)
    ]


def _find_origins(document: Document, plan: Plan) -> None:
    origin = 0
    for part_index, part in enumerate(document.parts):
        for index, sentence in enumerate(part.sentences):
            if sentence.source is not None and begins_document(sentence.source.text):
                origin += 1
            plan.origins[part_index, index] = origin


def _shared(document: Document, plan: Plan, notices: Notices) -> tuple[list[Attributes], list[Attributes]]:
    """The fields that the mentions of each chain share: values for new mentions, and values for all mentions.

    The latter are the fields that differ in a chain merged from several entities.
    """
    defaults: list[Attributes] = [()] * len(document.chains)
    overrides = list(defaults)
    present = [name for name in SHARED_FIELDS if any(fields.index_of(name) >= 0 for fields in plan.fields)]
    orders: dict[str, Fields] = {}
    for index, chain in enumerate(document.chains) if present else ():
        entities = set()
        counts: dict[str, dict[str, int]] = {name: {} for name in present}
        for place, fields, content in _read_contents(document, chain, orders):
            entities.add((plan.origins[place], fields.entity(content)))
            for name in present:
                value = fields.get(content, fields.index_of(name))
                counts[name][value] = counts[name].get(value, 0) + 1
        for name in present:
            values = {value: count for value, count in counts[name].items() if value}
            if not values:
                continue
            chosen = max(values, key=values.__getitem__)
            defaults[index] += ((name, chosen),)
            if len(counts[name]) > 1 and len(entities) > 1:
                overrides[index] += ((name, chosen),)
            if len(values) > 1 and len(entities) > 1:
                found = ", ".join(f"{value} ({count})" for value, count in Counter(values).most_common())
                notices.add(
                    f"entity {SHARED_FIELDS[name]} differ in a merged chain",
                    f"chain {printable(chain.id)} has the {SHARED_FIELDS[name]} {found}: all its mentions are written "
                    f"with {chosen}",
                    Location(document.file, document=document.id),
                )
    return defaults, overrides


def _make_links(document: Document, plan: Plan, notices: Notices) -> Links:
    links = Links(notices)
    for part_index, part in enumerate(document.parts):
        block = plan.blocks[part_index]
        for index, sentence in enumerate(part.sentences):
            updates = plan.updates.get((part_index, index), [])
            written = {each.spans: each.entity for each in updates}
            for each in updates:
                links.use(block, each.entity)
            layout = conllu_layout(sentence)
            if layout is None or sentence.source is None:
                continue
            fields = Fields(layout)
            for spans, content in sentence.source.details.items():
                if spans == REPAIRED:
                    continue
                raw = fields.entity(content)
                links.note(plan.origins[part_index, index], block, raw, written.get(spans))
    return links
