"""Turns a matplotlib figure into an SVG element that takes font, colours and size from its HTML page."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARK = "mark"
"""Class of the groups that show one value each; the ids of their artists start with it."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_FONT_FAMILY = re.compile(r"font-family:\s*(?:'[^']*'|[^;'])*;?\s*")
_COLOUR = re.compile(r"#[0-9a-f]{6}\b")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_STYLE = (
    "width:100%;max-width:var(--plot-width,32rem);height:auto;font-family:inherit;stroke-linejoin:round;"
    "color:var(--ink,currentColor);fill:currentColor"
)


def inline_svg(
    figure: Figure,
    name: str,
    title: str,
    description: str,
    *,
    colours: Mapping[str, str],
    tooltips: Mapping[str, str],
    links: Mapping[str, str],
) -> str:
    """The figure as an ``svg`` element for HTML5.

    Every id starts with ``name``, so that a page can have several plots. ``colours`` maps each colour of the figure
    (``#rrggbb``, lower case) to a CSS colour. ``tooltips`` has texts for artists, by their ``gid``. ``links`` has the
    targets of clicks on artists; they become attributes ``data-to`` for the page's script, so that screen readers still
    see the plot as one image.
    """
    root = _parsed(figure)
    _drop(root, {"metadata", "style"})
    used = {reference for element in root.iter() for reference in _references(element)}
    for element in root.iter():
        _adapt(element, name, used, colours, tooltips, links)
    root.attrib = {
        "xmlns": _SVG,
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-labelledby": f"{name}-title {name}-desc",
        "style": _STYLE,
    }
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(place, element)
    return ET.tostring(root, encoding="unicode")


def _parsed(figure: Figure) -> ET.Element:
    """The tree without namespaces, which HTML does not have."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    root = ET.fromstring(stream.getvalue())  # noqa: S314  # matplotlib wrote it, just now
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _drop(parent: ET.Element, tags: set[str]) -> None:
    """Remove elements, such as matplotlib's style sheet, which would apply to the whole page."""
    for child in list(parent):
        if child.tag in tags:
            parent.remove(child)
        else:
            _drop(child, tags)
    for child in list(parent):
        if child.tag in {"defs", "g"} and not len(child):
            parent.remove(child)


def _references(element: ET.Element) -> list[str]:
    found = [match[1] for value in element.attrib.values() for match in _REFERENCE.finditer(value)]
    href = element.get(_XLINK_HREF)
    return found if href is None else [*found, href.removeprefix("#")]


def _adapt(
    element: ET.Element,
    name: str,
    used: set[str],
    colours: Mapping[str, str],
    tooltips: Mapping[str, str],
    links: Mapping[str, str],
) -> None:
    """Give an element this page's ids, colours and font, and its tooltip."""
    own = element.attrib.pop("id", "")
    if own in used:
        element.set("id", f"{name}-{own}")
    elif own.startswith(MARK):
        element.set("class", MARK)
    if own in tooltips:
        tooltip = ET.Element("title")
        tooltip.text = tooltips[own]
        element.insert(0, tooltip)
    if own in links:
        element.set("data-to", links[own])
    href = element.attrib.pop(_XLINK_HREF, None)
    if href is not None:
        element.set("href", f"#{name}-{href.removeprefix('#')}")
    for key, value in element.attrib.items():
        element.set(key, _REFERENCE.sub(rf"url(#{name}-\1)", value))
    style = element.get("style")
    if style is not None:
        style = _COLOUR.sub(lambda match: colours.get(match[0], match[0]), _FONT_FAMILY.sub("", style))
        element.set("style", style)
    if element.get("transform", "").startswith("rotate(-0 "):
        del element.attrib["transform"]
    # Remove matplotlib's indentation.
    element.tail = None
    if element.tag not in {"text", "title", "desc"}:
        element.text = None
