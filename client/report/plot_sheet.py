"""The sheet of a plot: fixed units that the page scales, with marks, names and a legend."""

from __future__ import annotations

import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from client.report.inline_svg import MARK, inline_svg
from merger.message_text import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 420
"""Width in units. On a phone a unit is three quarters of a pixel, so that the text stays legible."""
MARGIN = 8
TEXT, SMALL = 13.0, 12.0
"""Sizes of text, in units."""
MARK_SIZE = 7.5
LEGEND_ROW = 20

# matplotlib needs real colours; these are placeholders for those of the page's style sheet.
INK, MUTED, GRID, PAPER = "#0a0a01", "#0a0a02", "#0a0a03", "#0a0a04"
SERIES = tuple(f"#0b0b{number:02x}" for number in range(1, 8))

_CSS = {
    INK: "currentColor",
    MUTED: "var(--muted,currentColor)",
    GRID: "var(--grid,#8884)",
    PAPER: "var(--paper,Canvas)",
}
# Okabe and Ito's colours, the light ones darker: a contrast of 3 to 1 or more on white and on near black (WCAG 1.4.11).
_DEFAULTS = ("#0072b2", "#d55e00", "#00936b", "#c46a9c", "#b07800", "#3a8fc4", "#858000")
_CSS |= {
    sentinel: f"var(--series-{number},{default})"
    for number, (sentinel, default) in enumerate(zip(SERIES, _DEFAULTS, strict=True), start=1)
}

_MARKERS = "os^DvPX<>"
_DASHES: tuple[tuple[float, ...], ...] = ((), (4, 1.5), (1, 1.2), (6, 1.5, 1, 1.5), (2.5, 1, 2.5, 3))
_LARGER = {"|": 2.0, "+": 2.0, "^": 1.5, "v": 1.5, "<": 1.0, ">": 1.0, "P": 1.0, "X": 1.0}
"""Corrections for markers that look smaller than a circle of the same size."""
_CHARACTER = 0.57
"""Width of a character relative to the size of the text, in wide fonts."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a strategy looks in every plot; ``dashes`` are lengths of stroke and gap in line widths, empty for none."""

    colour: str
    marker: str
    filled: bool
    dashes: tuple[float, ...]


FLOOR_STYLE = Style(MUTED, "|", filled=False, dashes=(1, 2.5))
CEILING_STYLE = Style(MUTED, "+", filled=False, dashes=(1, 2.5))


def style_of(number: int) -> Style:
    """The style of the strategy with this number, from 0; 18 marks differ even without colours."""
    filled = (number + number // len(_MARKERS)) % 2 == 0
    return Style(SERIES[number % len(SERIES)], _MARKERS[number % len(_MARKERS)], filled, _DASHES[number % len(_DASHES)])


def shorten(name: str, width: float, size: float = TEXT) -> str:
    """A name on one line of this width, without its middle if it is too long."""
    name = one_line(name)
    if text_width(name, size) <= width:
        return name
    head, tail = name[: len(name) // 2], name[len(name) // 2 :]
    while head and text_width(f"{head}…{tail}", size) > width:
        head, tail = (head[:-1], tail) if len(head) >= len(tail) else (head, tail[1:])
    return f"{head}…{tail}"


def text_width(text: str, size: float = TEXT) -> float:
    """The width of a text in units, at most in most fonts; the font of the page is unknown here."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return size * (wide + _CHARACTER * (len(text) - wide))


class Legend:
    """Names with their marks, in columns, for the top of a sheet; ``height`` is in units."""

    def __init__(self, names: Sequence[str], styles: Sequence[Style]) -> None:
        widest = max(text_width(one_line(name)) for name in names) + _KEY + MARGIN
        columns = max(1, min(3, len(names), int((WIDTH - 2 * MARGIN) / widest)))
        self.texts = [one_line(name) for name in names]
        if columns == 1:
            # A long legend gets two columns, unless the shortened names would be ambiguous.
            columns = 2 if len(names) > _LONG_LEGEND else 1
            short = [shorten(name, _column(columns) - _KEY - MARGIN) for name in names]
            if len(set(short)) < len(set(names)):
                columns, short = 1, [shorten(name, _column(1) - _KEY) for name in names]
            self.texts = short
        self.names, self.styles = names, styles
        self.columns, self.rows = columns, -(-len(names) // columns)
        self.height = float(self.rows * LEGEND_ROW + MARGIN)

    def place(self, number: int) -> tuple[float, float]:
        """Left and middle of an entry: one column after the other."""
        column, row = divmod(number, self.rows)
        return MARGIN + column * _column(self.columns), (row + 0.55) * LEGEND_ROW


_KEY = 30
"""Width of the mark and line before a name."""
_LONG_LEGEND = 4


def _column(columns: int) -> float:
    return (WIDTH - 2 * MARGIN) / columns


class Sheet:
    """A figure of :data:`WIDTH` by ``height`` units; y goes down from the top."""

    def __init__(self, figure: Figure, height: float) -> None:
        self.figure = figure
        self._height = height
        self._tooltips: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._artists = count()

    def axes(
        self, box: tuple[float, float, float, float], x_range: tuple[float, float], y_range: tuple[float, float]
    ) -> Axes:
        """Empty axes in a box of left, top, width and height."""
        left, top, width, height = box
        axes = self.figure.add_axes(
            (left / WIDTH, 1 - (top + height) / self._height, width / WIDTH, height / self._height)
        )
        axes.set(xlim=x_range, ylim=y_range, xticks=[], yticks=[])
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0, labelsize=SMALL, labelcolor=MUTED, pad=5)
        axes.grid(color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        return axes

    def text(
        self, x: float, y: float, text: str, *, full: str = "", anchor: str = "left", size: float = TEXT, ink: str = INK
    ) -> None:
        """One line of text with its baseline at y; ``full`` is its tooltip if it is longer."""
        gid = f"text-{next(self._artists)}"
        if one_line(full) not in text:
            self._tooltips[gid] = one_line(full)
        self.figure.text(
            x / WIDTH,
            1 - y / self._height,
            text,
            gid=gid,
            ha=anchor,
            va="baseline",
            size=size,
            color=ink,
            parse_math=False,
        )

    def mark(
        self, axes: Axes, x: float, y: float, style: Style, tooltip: str, target: Mapping[str, str] | None = None
    ) -> None:
        """One value; ``target`` has the fields of the document browser that a click on it selects."""
        gid = f"{MARK}-{next(self._artists)}"
        if target:
            self._links[gid] = f"#{urlencode(target, errors='replace')}"
        self._tooltips[gid] = one_line(tooltip)
        _mark(axes, x, y, style, gid)

    def legend(self, legend: Legend, *, lines: bool) -> None:
        """Names with their marks (and lines), at the top."""
        axes = self.axes((0, 0, WIDTH, legend.height), (0, WIDTH), (legend.height, 0))
        axes.grid(visible=False)
        for number, (name, text, style) in enumerate(zip(legend.names, legend.texts, legend.styles, strict=True)):
            left, y = legend.place(number)
            if lines:
                line(axes, (left, left + _KEY - 8), (y, y), style)
            _mark(axes, left + (_KEY - 8) / 2, y, style, "")
            self.text(left + _KEY, y + 4.5, text, full=name)

    def svg(self, name: str, title: str, description: str) -> str:
        """The sheet as an element of a page."""
        texts = (one_line(title), one_line(description))
        return inline_svg(self.figure, name, *texts, colours=_CSS, tooltips=self._tooltips, links=self._links)


def line(axes: Axes, x: Sequence[float], y: Sequence[float], style: Style) -> None:
    """A line from point to point; not-a-number leaves a gap."""
    axes.plot(
        x,
        y,
        color=style.colour,
        linewidth=1.6,
        linestyle=(0, style.dashes) if style.dashes else "solid",
        clip_on=False,
        solid_capstyle="butt",
    )


def _mark(axes: Axes, x: float, y: float, style: Style, gid: str) -> None:
    axes.plot(
        [x],
        [y],
        linestyle="none",
        marker=style.marker,
        markersize=MARK_SIZE + _LARGER.get(style.marker, 0) + (0.8 if style.filled else 0),
        markerfacecolor=style.colour if style.filled else PAPER,
        markeredgecolor=PAPER if style.filled else style.colour,
        markeredgewidth=1.6 if not style.filled else 0.8,
        clip_on=False,
        zorder=3,
        gid=gid or None,
    )


@contextmanager
def new_sheet(height: float) -> Iterator[Sheet]:
    """A new sheet, independent of the user's settings for matplotlib."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "merge-baseline"})
        # The font of the page has the letters that matplotlib's font lacks.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        # At 72 dots per inch a dot is a point, and both are a unit.
        figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72)
        FigureCanvasSVG(figure)
        yield Sheet(figure, height)
