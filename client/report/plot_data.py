"""The data of the plots: values of strategies by group of documents or by distance, and the range of the axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from client.evaluation.comparison.data import DistanceBin, Group, StrategySummary

_LEAST_SPAN = 2.0
"""The smallest span of an axis in percentage points, so that a tiny difference looks tiny."""
_STEPS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_INTERVALS = 6


@dataclass(frozen=True, slots=True)
class Category:
    """A group of documents or a bin of links, and its size (the largest one, if strategies differ).

    ``target`` has the fields of the document browser that select it.
    """

    name: str
    size: int
    noun: str
    target: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Point:
    """A strategy's value in a category, a fraction or ``None``, and the number of its documents or links."""

    value: float | None
    size: int


@dataclass(frozen=True, slots=True)
class Series:
    """A strategy with its point in each category."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Axis:
    """From ``low`` to ``high`` in percent, with ``ticks``."""

    low: float
    high: float
    ticks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Series over the same categories."""

    categories: tuple[Category, ...]
    series: tuple[Series, ...]

    @property
    def values(self) -> list[float]:
        """All values that are not ``None``."""
        return [point.value for series in self.series for point in series.points if point.value is not None]


def count(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def score(strategy: StrategySummary) -> float | None:
    """CoNLL F1 over all documents that the strategy has."""
    return None if strategy.total is None else strategy.total.conll_f1


def by_group(strategies: Sequence[StrategySummary], kind: str) -> Table:
    """CoNLL F1 of each strategy by groups of a kind."""
    names = list(strategies[0].groups[kind]) if strategies else []
    series = [Series(each.name, tuple(_in_group(each.groups[kind][name]) for name in names)) for each in strategies]
    return _table(names, series, "document", [{"group": f"{kind}:{name}"} for name in names])


def by_distance(strategies: Sequence[StrategySummary]) -> Table:
    """Share of the gold links that each strategy found by distance, from the first bin with links to the last."""
    bins = list(zip(*(each.distances for each in strategies), strict=True))
    filled = [number for number, across in enumerate(bins) if any(each.links for each in across)]
    kept = slice(filled[0], filled[-1] + 1) if filled else slice(0)
    series = [Series(each.name, tuple(map(_in_bin, each.distances[kept]))) for each in strategies]
    names = [across[0].name for across in bins[kept]]
    return _table(names, series, "link", [{"distance": name} for name in names])


def axis_around(values: Iterable[float]) -> Axis:
    """The axis for values (fractions): from tick to tick, with a margin around the values, within 0 to 100."""
    percents = [100 * value for value in values]
    low, high = min(percents), max(percents)
    room = max(0.04 * (high - low), (_LEAST_SPAN - (high - low)) / 2)
    low, high = max(0.0, low - room), min(100.0, high + room)
    step = next((each for each in _STEPS if (high - low) / each <= _INTERVALS), _STEPS[-1])
    ticks = tuple(step * number for number in range(math.floor(low / step), math.ceil(high / step) + 1))
    return Axis(ticks[0], ticks[-1], ticks)


def _in_group(group: Group) -> Point:
    return Point(None if group.result is None else group.result.conll_f1, group.documents)


def _in_bin(links: DistanceBin) -> Point:
    return Point(links.found / links.links if links.links else None, links.links)


def _table(names: Sequence[str], series: Sequence[Series], noun: str, targets: Sequence[Mapping[str, str]]) -> Table:
    sizes = [max(each.points[number].size for each in series) for number in range(len(names))]
    categories = (Category(name, size, noun, target) for name, size, target in zip(names, sizes, targets, strict=True))
    return Table(tuple(categories), tuple(series))
