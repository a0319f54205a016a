"""What a document's chains want at every sentence of its CoNLL-U text: entity ids, types and rewritten links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from merger.document import ChainScope, Document, Sentence
from merger.errors import Location
from merger.formats.conllu_changes import Wanted, has_links
from merger.formats.conllu_head import begins_document
from merger.formats.corefud_entity import DEFAULT_FIELDS, REPAIRED, Fields, writable_ids
from merger.notices import Notices
from merger.shown import shown

_Place = tuple[int, int]
"""Part and sentence."""


@dataclass(slots=True)
class Plan:
    """What the writer needs to know about a whole document.

    ``blocks`` has the ``# newdoc`` that each part goes into, ``fields`` the field order of each ``# newdoc``,
    ``origins`` the ``# newdoc`` that each sentence was read from, counted over the document.
    """

    blocks: list[int]
    fields: list[Fields]
    wanted: dict[_Place, list[Wanted]]
    origins: dict[_Place, int] = field(default_factory=dict)
    links: Links | None = None


def conllu_layout(sentence: Sentence) -> str | None:
    """The field order a sentence was read with, ``None`` if it was not read from CoNLL-U."""
    return sentence.source.layout if sentence.source is not None and sentence.source.format == "conllu" else None


def make_plan(document: Document, notices: Notices) -> Plan:
    """Plan the writing of a document."""
    whole = document.scope is ChainScope.DOCUMENT or len(document.parts) == 1
    blocks = [0 if whole else index for index in range(len(document.parts))]
    names = _names(document, blocks, notices)
    plan = Plan(blocks, _fields(document, blocks), {})
    _find_origins(document, plan)
    etypes, overrides = _etypes(document, plan, notices)
    for index, chain in enumerate(document.chains):
        override = etypes[index] if index in overrides else None
        default = etypes.get(index, "")
        name = names[index]
        for part, sentence, first, last, pieces in chain.mentions:
            wanted = Wanted(pieces or ((first, last),), name, override, default)
            plan.wanted.setdefault((part, sentence), []).append(wanted)
    if any(s.source is not None and has_links(s.source.text) for part in document.parts for s in part.sentences):
        plan.links = _make_links(document, plan, notices)
    return plan


def _names(document: Document, blocks: list[int], notices: Notices) -> list[str]:
    """The written id of each chain."""
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
    return names


def _fields(document: Document, blocks: list[int]) -> list[Fields]:
    """The field order of each block: its first sentence's that has one; unknown if the text came without."""
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


def _etypes(document: Document, plan: Plan, notices: Notices) -> tuple[dict[int, str], set[int]]:
    """The type of each chain that has one, and the chains whose mentions must all be given it.

    These are the chains that were put together from entities of different types.
    """
    etypes: dict[int, str] = {}
    overrides: set[int] = set()
    if all(fields.etype_index < 0 for fields in plan.fields):
        return etypes, overrides
    orders: dict[str, Fields] = {}
    parts = document.parts
    for index, chain in enumerate(document.chains):
        counts: dict[str, int] = {}
        entities = set()
        for part, sentence, first, last, pieces in chain.mentions:
            source = parts[part].sentences[sentence].source
            if source is None or (content := source.details.get(pieces or ((first, last),))) is None:
                continue
            fields = orders.get(source.layout)
            if fields is None:
                fields = orders[source.layout] = Fields(source.layout)
            entities.add((plan.origins[part, sentence], fields.entity(content)))
            if etype := fields.get(content, fields.etype_index):
                counts[etype] = counts.get(etype, 0) + 1
        if not counts:
            continue
        etypes[index] = max(counts, key=counts.__getitem__)
        if len(counts) > 1 and len(entities) > 1:
            overrides.add(index)
            found = ", ".join(f"{etype} ({count})" for etype, count in Counter(counts).most_common())
            notices.add(
                "entity types differ in a merged chain",
                f"chain {shown(chain.id)} has the types {found}: {etypes[index]} is written for all its mentions",
                Location(document.file, document=document.id),
            )
    return etypes, overrides


class Links:
    """Where entity ids of the text that was read went, for ``Bridge`` and ``SplitAnte``."""

    def __init__(self, document: Document, notices: Notices) -> None:
        self._document = document
        self._notices = notices
        self._went: dict[tuple[int, int, str], Counter[str]] = {}
        self._known: set[tuple[int, str]] = set()
        self._used: set[tuple[int, str]] = set()

    def note(self, origin: int, block: int, raw: str, written: str | None) -> None:
        """A mention of entity ``raw`` of a ``# newdoc`` that was read is now one of ``written``, or gone."""
        self._known.add((origin, raw))
        if written is not None:
            self._went.setdefault((origin, block, raw), Counter())[written] += 1

    def use(self, block: int, written: str) -> None:
        """An entity id is in use in a ``# newdoc`` that is written."""
        self._used.add((block, written))

    def _resolve(self, origin: int, block: int, raw: str) -> str | None:
        went = self._went.get((origin, block, raw))
        if went is not None:
            return went.most_common(1)[0][0]
        # An id without any mention in the text that was read stays, unless a reader would take it for another's.
        return None if (origin, raw) in self._known or (block, raw) in self._used else raw

    def rewrite(self, origin: int, block: int, value: str, here: Mapping[str, str]) -> str:
        """A ``Bridge`` or ``SplitAnte`` value (``target<source:relation,...``) with the ids as written."""
        place = Location(self._document.file, document=self._document.id)
        links: dict[str, None] = {}
        for link in value.split(","):
            target, arrow, rest = link.partition("<")
            source, colon, relation = rest.partition(":")
            new_source = here.get(source) or self._resolve(origin, block, source)
            new_target = self._resolve(origin, block, target)
            if not arrow:
                links[link] = None
            elif new_source is None or new_target is None:
                message = f"link {shown(link)} is left out: one of its entities is not in this text any more"
                self._notices.add("link to a lost entity", message, place)
            elif new_source == new_target and source != target:
                message = f"link {shown(link)} is left out: its entities are one now"
                self._notices.add("link inside one entity", message, place)
            else:
                links[f"{new_target}<{new_source}{colon}{relation}"] = None
        return ",".join(links)


def _make_links(document: Document, plan: Plan, notices: Notices) -> Links:
    links = Links(document, notices)
    for part_index, part in enumerate(document.parts):
        block = plan.blocks[part_index]
        for index, sentence in enumerate(part.sentences):
            wanted = plan.wanted.get((part_index, index), [])
            written = {each.spans: each.entity for each in wanted}
            for each in wanted:
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
