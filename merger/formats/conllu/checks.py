"""Checks of coreference in the MISC column: impossible values and values that are not read.

Sources: the errors of udvalidate (``--coref``) and udapi (``strict``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from merger.errors import AnnotationError, FormatError, Location
from merger.formats.conllu.entity import Fields, RawMention
from merger.formats.conllu.links import LINK_ATTRIBUTES, Link, parse_links
from merger.formats.conllu.misc import get_attribute, split_end
from merger.message_text import printable, shorten
from merger.notices import Notices

_ATTRIBUTES = {name.casefold(): name for name in ("Entity", "Bridge", "SplitAnte")}

_ENTITY_TWICE = re.compile(r"Entity=[^\t\n]*\|Entity=")


def needs_check(cells: Sequence[str]) -> bool:
    """Whether MISC cells can have links or faults for :func:`check_misc` (a quick test)."""
    text = "\t".join(cells)
    lower = text.lower()
    behind_bar = text.count("|Entity=")
    in_front = text.count("\tEntity=") + text.startswith("Entity=")
    if lower.count("entity") > in_front + behind_bar or (behind_bar and _ENTITY_TWICE.search(text)):
        return True
    return "bridge" in lower or "split" in lower


def misspelt(misc: str) -> Iterator[tuple[str, str]]:
    """Attributes of a cell not read because of case or blanks in their name, each with the correct name."""
    for attribute in split_end(misc)[0].split("|"):
        found, equals, _ = attribute.partition("=")
        name = _ATTRIBUTES.get(found.strip().casefold())
        if equals and name is not None and name != found:
            yield attribute, name


def repeated(misc: str) -> str:
    """The name of an attribute about coreference that a cell has twice, empty if there is none."""
    names = [attribute.partition("=")[0] for attribute in misc.split("|") if "=" in attribute]
    return next((name for name in ("Entity", *LINK_ATTRIBUTES) if names.count(name) > 1), "")


def check_misc(misc: str, notices: Notices, find_place: Callable[[], Location]) -> bool:
    """Check the cell of a word: a note for an attribute that is not read, an error for a repeated one.

    Returns whether an attribute is repeated and the policy is lenient: then the first one is read.
    """
    for attribute, name in misspelt(misc):
        message = f"{shorten(attribute)!r} in MISC is not read"
        error = FormatError(message, find_place(), expected=f"`{name}=` without blanks")
        notices.warn("attribute of MISC not read", error)
    name = repeated(misc)
    if name:
        error = FormatError(f"{name} twice in one MISC", find_place(), expected=f"one `{name}=`")
        notices.repair("attribute of MISC twice", error, "the first one is kept")
    return bool(name)


def check_head(mention: RawMention, fields: Fields, notices: Notices, place: Location) -> None:
    """Note a head that is not a token of its mention (counted from 1)."""
    text = fields.get(mention.content, fields.index_of("head"))
    count = sum(last - first + 1 for first, last in mention.spans)
    if fields.heads[mention.content] <= count:
        return
    message = f"head {shorten(text)!r} of a mention of entity {printable(mention.id)} is not one of its tokens"
    error = AnnotationError(message, place, expected=f"a number from 1 to {count}")
    notices.warn("head beyond the mention", error)


class _PlacedLink(NamedTuple):
    link: Link
    name: str
    place: Location


class LinkCheck:
    """Checks the links of a document as they are read, and at its end that their entities exist."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._found: list[_PlacedLink] = []

    def add(self, place: Location, misc: str, starting: Sequence[str]) -> None:
        """Check the links of a word; ``starting`` are the entities with mentions that start there."""
        for name in LINK_ATTRIBUTES:
            if value := get_attribute(misc, name):
                self._add(place, name, parse_links(value), starting)

    def _add(self, place: Location, name: str, links: Sequence[Link], starting: Sequence[str]) -> None:
        antecedents: dict[str, set[str]] = {}
        for link in links:
            if not link.source or not link.target:
                message = f"{name} has {link.text!r}, which is not a link"
                self._warn("not a link", message, place, "links such as e1<e2")
                continue
            self._found.append(_PlacedLink(link, name, place))
            if link.source not in starting:
                message = f"{name} has {printable(link.text)}, but no mention of {printable(link.source)} begins here"
                self._warn("misplaced link", message, place, "links at the first word of a mention of theirs")
            antecedents.setdefault(link.source, set()).add(link.target)
        if name == "Bridge":
            return
        for source, targets in antecedents.items():
            if len(targets) == 1:
                message = f"{name} of {printable(source)} has one antecedent, so it is left out in writing"
                self._warn("one split antecedent", message, place, "at least two")

    def finish(self, entities: Mapping[str, object]) -> None:
        """Note links whose entities the document lacks."""
        for link, name, place in self._found:
            for entity in (link.target, link.source):
                if entity not in entities:
                    message = f"{name} has {printable(link.text)}, but the document has no entity {printable(entity)}"
                    self._warn("link to an unknown entity", message, place, "ids of entities with mentions")

    def _warn(self, kind: str, message: str, place: Location, expected: str) -> None:
        self._notices.warn(kind, AnnotationError(message, place, expected=expected))
