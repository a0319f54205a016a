"""``Bridge`` and ``SplitAnte`` values: the links between entities, and their changes when entities change.

Sources: the CorefUD 1.x format description, and the errors of udvalidate: an anaphor with only one split antecedent,
two ``SplitAnte`` of one anaphor, and two different bridges between the same entities.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from merger.errors import Location
from merger.message_text import printable
from merger.notices import Notices

LINK_ATTRIBUTES = ("Bridge", "SplitAnte", "Split")
"""The attributes of MISC with links; ``Split`` is an older name of ``SplitAnte``."""


class Link(NamedTuple):
    """``target<source:relation``: from the anaphor ``source`` to the entity ``target``.

    ``ending`` is the relation with its colon, or empty. An invalid link has an empty source.
    """

    text: str
    target: str
    source: str
    ending: str


def has_links(text: str) -> bool:
    """Whether a row can have links between entities."""
    return "Bridge=" in text or "SplitAnte=" in text or "Split=" in text


def parse_links(value: str) -> list[Link]:
    """The links of a ``Bridge`` or ``SplitAnte`` value."""
    links = []
    for text in value.split(","):
        target, _, rest = text.partition("<")
        source, colon, relation = rest.partition(":")
        links.append(Link(text, target, source, colon + relation))
    return links


class _WrittenLink(NamedTuple):
    """A link as read, the entities that it joins now, and their raw ids."""

    link: Link
    target: str
    source: str

    @property
    def text(self) -> str:
        return f"{self.target}<{self.source}{self.link.ending}" if self.link.source else self.link.text


class Links:
    """The new ids for entity ids in the original text, for ``Bridge`` and ``SplitAnte``."""

    def __init__(self, notices: Notices) -> None:
        self._notices = notices
        self._went: dict[tuple[int, int, str], Counter[str]] = {}
        self._known: set[tuple[int, str]] = set()
        self._used: set[tuple[int, str]] = set()
        self._bridges: dict[tuple[int, str, str], tuple[int, Link]] = {}
        self._anaphors: dict[tuple[int, str], tuple[int, str]] = {}

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
        # An id without a mention in the original text stays, unless it is now the id of another entity.
        return None if (origin, raw) in self._known or (block, raw) in self._used else raw

    def rewrite(
        self, origin: int, block: int, place: Location, name: str, value: str, here: Mapping[str, str | None]
    ) -> str:
        """The value of attribute ``name`` with the ids as written, without the links that cannot stay.

        ``here`` maps raw ids to written ones (``None``: gone) for the mentions that begin at the word.
        """
        links: list[_WrittenLink] = []
        for link in parse_links(value):
            if not link.source:
                links.append(_WrittenLink(link, "", ""))
                continue
            source = here[link.source] if link.source in here else self._resolve(origin, block, link.source)
            target = self._resolve(origin, block, link.target)
            if source is None or target is None:
                message = f"link {printable(link.text)} is left out: one of its entities is no longer in this text"
                self._notices.add("link to a lost entity", message, place)
            elif source == target and link.source != link.target:
                message = f"link {printable(link.text)} is left out: its entities were merged into one"
                self._notices.add("link inside one entity", message, place)
            else:
                links.append(_WrittenLink(link, target, source))
        if name == "Bridge":
            links = [each for each in links if not each.source or self._bridge_stays(origin, block, place, each)]
        else:
            links = self._split_antecedents(origin, block, place, value, links)
        return ",".join(dict.fromkeys([each.text for each in links]))

    def _bridge_stays(self, origin: int, block: int, place: Location, each: _WrittenLink) -> bool:
        """Whether no other bridge between the same two merged entities has another relation."""
        first_origin, first = self._bridges.setdefault((block, each.target, each.source), (origin, each.link))
        was_same = (first_origin, first[1:3]) == (origin, each.link[1:3])
        if was_same or first.ending == each.link.ending:
            return True
        message = (
            f"link {printable(each.link.text)} is left out: link {printable(first.text)} now joins the same entities "
            "with another relation"
        )
        self._notices.add("link with two relations", message, place)
        return False

    def _split_antecedents(
        self, origin: int, block: int, place: Location, value: str, links: Sequence[_WrittenLink]
    ) -> list[_WrittenLink]:
        """The links of the anaphors that keep two antecedents and have no others from an anaphor merged with them."""
        antecedents: dict[tuple[str, str], set[str]] = {}
        for each in links:
            antecedents.setdefault((each.link.source, each.source), set()).add(each.target)
        gone = {link.source for link in parse_links(value) if link.source}
        stays: list[tuple[str, str]] = []
        for (raw, written), targets in antecedents.items():
            if not raw:
                stays.append((raw, written))
            elif len(targets) > 1:
                gone.discard(raw)
                first = self._anaphors.setdefault((block, written), (origin, raw))
                if first == (origin, raw):
                    stays.append((raw, written))
                else:
                    other = printable(first[1])
                    message = (
                        f"SplitAnte of {printable(raw)} is left out: entity {other} is now the same and has its own"
                    )
                    self._notices.add("second split antecedent", message, place)
        for raw in gone:
            name = f"SplitAnte of {printable(raw)} in {printable(value)}"
            message = f"{name} is left out: it has fewer than two antecedents now"
            self._notices.add("split antecedent left out", message, place)
        return [each for each in links if (each.link.source, each.source) in stays]
