"""The plots of a report, as SVG elements to be put into an HTML page.

Each takes its colours from the page's custom properties ``--ink``, ``--muted``, ``--grid``, ``--paper`` (the
background) and ``--series-1`` to ``--series-7``, and its font from the element around it. It is as wide as this
element, up to ``--plot-width``. All properties have defaults. Missing values are gaps; a plot without any value is
``None``. The plots need the extra ``report`` and raise :class:`ImportError` without it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from client.evaluation.comparison.data import CEILING, FLOOR, Comparison, StrategySummary
from client.evaluation.scoring.render import percent
from client.report.plot_data import Axis, Table, axis_around, by_distance, by_group, score
from client.report.plot_descriptions import describe_bar, describe_scores, describe_table, floor_of_most, tooltip
from client.report.plot_sheet import (
    CEILING_STYLE,
    FLOOR_STYLE,
    GRID,
    MARGIN,
    MARK_SIZE,
    MUTED,
    SMALL,
    WIDTH,
    Legend,
    Sheet,
    Style,
    line,
    new_sheet,
    shorten,
    style_of,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BELOW = 44
"""Height of tick labels and the name of an axis, below a plot."""
_SCORE_ROW = 40
_LINES = 190
"""Height of a plot with lines."""
_LINE_HEIGHT = 14
_LEFT = 32
"""Width of the tick labels left of a plot with lines."""
_GENRE_NAME = 140
"""Width of the longest name of a genre."""
_GENRE_ROW = 24
"""Least height of a genre."""
_LANE = MARK_SIZE + 1
_WIDE_COLUMNS, _SMALLEST = 7, 10.0
"""With more bins the labels are smaller."""
_SHARE = Axis(0, 100, (0, 20, 40, 60, 80, 100))
_RANGE = re.compile(r"(?:(up to)|over|(\S+) to) (\S+) \w+")


def plot_scores(comparison: Comparison) -> str | None:
    """CoNLL F1 of each strategy over all its documents, as a dot on a bar from the floor to the ceiling.

    The floor is computed on the strategy's own documents; the ceiling is the oracle's score, or 100 without oracle.
    """
    strategies = comparison.strategies
    known = [value for value in map(score, strategies) if value is not None]
    if not known:
        return None
    floors = [None if each.total is None else each.total.floor_conll_f1 for each in strategies]
    oracle = next((score(each) for each in strategies if each.name == CEILING), None)
    ceiling = 1.0 if oracle is None else oracle
    axis = axis_around([*known, ceiling, *(floor for floor in floors if floor is not None)])
    head, body = MARGIN + 2 * SMALL, float(_SCORE_ROW * len(strategies))
    with new_sheet(head + body + _BELOW) as sheet:
        axes = sheet.axes((MARGIN + 6, head, WIDTH - 2 * MARGIN - 12, body), (axis.low, axis.high), (body, 0))
        _ticks_below(sheet, axes, axis, (WIDTH / 2, head + body))
        axes.grid(visible=False)
        bar = describe_bar(floor_of_most(strategies, floors), ceiling)
        sheet.text(MARGIN, MARGIN + SMALL, bar, size=SMALL, ink=MUTED)
        for row, (each, style) in enumerate(zip(strategies, _styles(strategies), strict=True)):
            _name_row(sheet, each, head + row * _SCORE_ROW + 17)
            y = row * _SCORE_ROW + 28
            axes.vlines(axis.ticks, y - 6, y + 6, color=GRID, linewidth=0.8)
            _score_row(sheet, axes, each, style, y, (floors[row], ceiling))
        description = describe_scores(strategies, floors, ceiling, axis)
        return sheet.svg("plot-scores", "CoNLL F1 of each strategy", description)


def plot_by_genre(comparison: Comparison) -> str | None:
    """CoNLL F1 by genre: a row for each genre with a dot for each strategy."""
    strategies = comparison.strategies
    table = by_group(strategies, "genre")
    if not any(facts.genre for facts in comparison.documents) or not table.values:
        return None
    axis, styles, names = axis_around(table.values), _styles(strategies), [each.name for each in strategies]
    labels = [f"{shorten(category.name, _GENRE_NAME)} ({category.size:,})" for category in table.categories]
    left = max(map(text_width, ("(documents)", *labels))) + 2 * MARGIN
    width = WIDTH - left - MARGIN - 6
    lanes = [
        _lanes([series.points[row].value for series in table.series], _LANE / width * (axis.high - axis.low) / 100)
        for row in range(len(labels))
    ]
    heights = [max(_GENRE_ROW, _LANE * (max(lane) - min(lane)) + 15) for lane in lanes]
    legend, body = Legend(names, styles), sum(heights)
    with new_sheet(legend.height + body + _BELOW) as sheet:
        sheet.legend(legend, lines=False)
        axes = sheet.axes((left, legend.height, width, body), (axis.low, axis.high), (body, 0))
        _ticks_below(sheet, axes, axis, (left + width / 2, legend.height + body))
        sheet.text(
            left - MARGIN, legend.height + body + _BELOW - 6, "(documents)", anchor="right", size=SMALL, ink=MUTED
        )
        top = 0.0
        for row, (category, lane) in enumerate(zip(table.categories, lanes, strict=True)):
            y = top + heights[row] / 2 - _LANE * (max(lane) + min(lane)) / 2
            top += heights[row]
            axes.axhline(y, color=GRID, linewidth=0.8)
            sheet.text(left - MARGIN, legend.height + y + 4, labels[row], full=category.name, anchor="right")
            for series, style, step in zip(table.series, styles, lane, strict=True):
                point = series.points[row]
                if point.value is not None:
                    tip = tooltip(series.name, category, point)
                    target = {"strategy": series.name, **category.target}
                    sheet.mark(axes, 100 * point.value, y + _LANE * step, style, tip, target)
        description = describe_table(table, axis, "A row for each genre with a dot", strategies)
        return sheet.svg("plot-by-genre", "CoNLL F1 by genre", description)


def plot_by_length(comparison: Comparison) -> str | None:
    """CoNLL F1 by the length of documents, in bins: a line for each strategy."""
    table = by_group(comparison.strategies, "length_bins")
    if not table.values:
        return None
    names = ("CoNLL F1", "document length in tokens (documents)")
    title = "CoNLL F1 by document length"
    return _lines(comparison.strategies, table, axis_around(table.values), names, ("plot-by-length", title))


def plot_links_by_distance(comparison: Comparison) -> str | None:
    """Share of the gold links that each strategy found, by distance in bins: a line for each strategy.

    Bins before the first link and after the last one are left out.
    """
    table = by_distance(comparison.strategies)
    if not table.values:
        return None
    names = ("gold links found, %", "distance to the antecedent in tokens (links)")
    title = "Gold links found, by distance to the antecedent"
    return _lines(comparison.strategies, table, _SHARE, names, ("plot-by-distance", title))


def _lines(
    strategies: Sequence[StrategySummary],
    table: Table,
    axis: Axis,
    axis_names: tuple[str, str],
    identity: tuple[str, str],
) -> str:
    """A plot with categories from left to right; ``axis_names`` of y and x, ``identity`` is id and title."""
    styles, names, columns = _styles(strategies), [each.name for each in strategies], len(table.categories)
    legend = Legend(names, styles)
    head, left = legend.height + 2 * SMALL, _LEFT + MARGIN
    width = float(WIDTH - left - MARGIN)
    unit = columns / width
    step = min(MARK_SIZE, 0.6 / unit / len(names)) * unit
    labels = [_bin_label(category.name, 1 / unit) for category in table.categories]
    size = SMALL if columns <= _WIDE_COLUMNS else _SMALLEST
    lines = max(map(len, labels))
    foot = head + _LINES + 5
    below = foot + (lines + 2) * _LINE_HEIGHT + 8
    with new_sheet(below + MARGIN) as sheet:
        sheet.legend(legend, lines=True)
        sheet.text(MARGIN, legend.height + SMALL - 1, axis_names[0], size=SMALL, ink=MUTED)
        axes = sheet.axes((left, head, width, _LINES), (-0.5, columns - 0.5), (axis.low, axis.high))
        axes.set_yticks(axis.ticks, _tick_labels(axis))
        for column, (category, label) in enumerate(zip(table.categories, labels, strict=True)):
            x = left + (column + 0.5) / unit
            for number, text in enumerate(label, start=1):
                sheet.text(x, foot + number * _LINE_HEIGHT, text, full=category.name, anchor="center", size=size)
            size_y = foot + (lines + 1) * _LINE_HEIGHT
            sheet.text(x, size_y, f"({category.size:,})", anchor="center", size=size, ink=MUTED)
        sheet.text(WIDTH / 2, below, axis_names[1], anchor="center", size=SMALL, ink=MUTED)
        for order, (series, style) in enumerate(zip(table.series, styles, strict=True)):
            # Side by side, so that equal values stay visible.
            shift = (order - (len(names) - 1) / 2) * step
            xs = [column + shift for column in range(columns)]
            line(axes, xs, [math.nan if each.value is None else 100 * each.value for each in series.points], style)
            for x, category, point in zip(xs, table.categories, series.points, strict=True):
                if point.value is not None:
                    target = {"strategy": series.name, **category.target}
                    sheet.mark(axes, x, 100 * point.value, style, tooltip(series.name, category, point), target)
        description = describe_table(table, axis, "A line from bin to bin", strategies)
        return sheet.svg(*identity, description)


def _styles(strategies: Sequence[StrategySummary]) -> list[Style]:
    """The styles of the bounds are fixed; the others are given in order."""
    bounds = {FLOOR: FLOOR_STYLE, CEILING: CEILING_STYLE}
    numbers = {name: number for number, name in enumerate(each.name for each in strategies if each.name not in bounds)}
    return [bounds[each.name] if each.name in bounds else style_of(numbers[each.name]) for each in strategies]


def _ticks_below(sheet: Sheet, axes: Axes, axis: Axis, middle: tuple[float, float]) -> None:
    """Tick labels and the name of the axis, below the middle of the lower edge of a plot."""
    axes.set_xticks(axis.ticks, _tick_labels(axis))
    sheet.text(middle[0], middle[1] + _BELOW - 6, "CoNLL F1", anchor="center", size=SMALL, ink=MUTED)


def _tick_labels(axis: Axis) -> list[str]:
    return [f"{tick:g}" for tick in axis.ticks]


def _name_row(sheet: Sheet, strategy: StrategySummary, baseline: float) -> None:
    """Name and score above the bar, and the number of documents if some are missing."""
    value, documents = score(strategy), len(strategy.outcomes)
    shown = "no score" if value is None else percent(value)
    some = f" ({strategy.done:,} of {documents:,} documents)" if strategy.done < documents else ""
    room = WIDTH - 3 * MARGIN - text_width(some + shown)
    sheet.text(MARGIN, baseline, shorten(strategy.name, room) + some, full=strategy.name + some)
    sheet.text(WIDTH - MARGIN, baseline, shown, anchor="right")


def _score_row(
    sheet: Sheet,
    axes: Axes,
    strategy: StrategySummary,
    style: Style,
    y: float,
    bounds: tuple[float | None, float],
) -> None:
    """The bar between the bounds, the line from the floor to the score, and the score."""
    floor, ceiling = bounds
    value = score(strategy)
    if floor is not None:
        axes.plot([100 * floor, 100 * ceiling], [y, y], color=GRID, linewidth=7, solid_capstyle="butt", clip_on=False)
    if value is not None:
        if floor is not None:
            axes.plot([100 * floor, 100 * value], [y, y], color=style.colour, linewidth=1.6, clip_on=False)
        target = {"strategy": strategy.name}
        sheet.mark(axes, 100 * value, y, style, f"{strategy.name}: {percent(value)}", target)


def _lanes(values: Sequence[float | None], apart: float) -> list[int]:
    """The lane of each value, so that values in one lane are ``apart``: 0, then alternately above and below it."""
    lanes, last = [0] * len(values), dict[int, float]()
    for value, index in sorted((value, index) for index, value in enumerate(values) if value is not None):
        number = next(each for each in range(len(values)) if value - last.get(each, -math.inf) >= apart)
        last[number] = value
        lanes[index] = (number + 1) // 2 * (1 if number % 2 else -1)
    return lanes


def _bin_label(name: str, width: float) -> tuple[str, ...]:
    """The name of a bin of tokens on one or two lines, without the unit, which the axis names."""
    match = _RANGE.fullmatch(name)
    if match is None:
        return (shorten(name, width, SMALL),)
    up_to, first, last = match.groups()
    words = (f"{first}–", last) if first else ("≤" if up_to else ">", last)
    whole = "".join(words) if first else " ".join(words)
    return (whole,) if text_width(whole, SMALL) < width - MARGIN else words
