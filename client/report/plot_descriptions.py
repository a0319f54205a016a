"""Text descriptions of the plots, for readers who do not see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client.evaluation.comparison.data import CEILING, StrategySummary
from client.evaluation.scoring.render import percent
from client.report.plot_data import Axis, Category, Point, Series, Table, count, score


def tooltip(strategy: str, category: Category, point: Point) -> str:
    """The tooltip of a mark: ``greedy, news (15 documents): 88.08``."""
    return f"{strategy}, {category.name} ({count(point.size, category.noun)}): {percent(point.value)}"


def describe_bar(floor: float | None, ceiling: float) -> str:
    """The meaning of the bars in the plot of scores."""
    return f"Bar: floor{'' if floor is None else f' {percent(floor)}'} (merging nothing) to ceiling {percent(ceiling)}"


def describe_scores(
    strategies: Sequence[StrategySummary], floors: Sequence[float | None], ceiling: float, axis: Axis
) -> str:
    """The best strategy, every score, and the scores below their floor."""
    sentences = [
        f"A row with a dot for each of {_number(strategies)}; {_axis(axis)}",
        f"{describe_bar(floor_of_most(strategies, floors), ceiling)}.",
        *_best(strategies),
    ]
    for strategy, floor in zip(strategies, floors, strict=True):
        value = score(strategy)
        below = value is not None and floor is not None and value < floor
        shown = "no score" if value is None else percent(value)
        sentences.append(f"{strategy.name}: {shown}{', less than merging nothing' if below else ''}.")
    return " ".join(sentences)


def floor_of_most(strategies: Sequence[StrategySummary], floors: Sequence[float | None]) -> float | None:
    """The floor of the strategy with most documents."""
    return max(zip(strategies, floors, strict=True), key=lambda pair: pair[0].done)[1]


def describe_table(table: Table, axis: Axis, marks: str, strategies: Sequence[StrategySummary]) -> str:
    """The best strategy overall, the lowest and highest values of each, and the sizes of the categories."""
    sentences = [
        f"{marks} for each of {_number(strategies)}; {_axis(axis)}",
        f"Values from {percent(min(table.values))} to {percent(max(table.values))}.",
        *(f"{sentence[:-1]} CoNLL F1 over all documents." for sentence in _best(strategies)),
        *(f"{each.name}: {_range(each, table.categories)}." for each in table.series),
    ]
    noun = table.categories[0].noun
    sizes = ", ".join(f"{category.name} {category.size:,}" for category in table.categories)
    return " ".join([*sentences, f"{noun[0].upper()}{noun[1:]}s: {sizes}."])


def _number(strategies: Sequence[StrategySummary]) -> str:
    return "one strategy" if len(strategies) == 1 else f"{len(strategies)} strategies"


def _axis(axis: Axis) -> str:
    return f"the axis goes from {axis.low:g} to {axis.high:g}."


def _range(series: Series, categories: Sequence[Category]) -> str:
    known = [
        (each.value, category.name)
        for each, category in zip(series.points, categories, strict=True)
        if each.value is not None
    ]
    if not known:
        return "no value"
    (low, lowest), (high, highest) = (pick(known, key=lambda pair: pair[0]) for pick in (min, max))
    if low == high:
        return percent(low) + (f" ({lowest})" if len(known) == 1 else " everywhere")
    return f"from {percent(low)} ({lowest}) to {percent(high)} ({highest})"


def _best(strategies: Sequence[StrategySummary]) -> Iterator[str]:
    """A sentence on the best strategy, if there are several."""
    scores = [(score(each), each.name) for each in strategies if each.name != CEILING]
    known = [(value, name) for value, name in scores if value is not None]
    if len(known) > 1:
        top = max(value for value, _ in known)
        apart = f" apart from {CEILING}" if len(scores) < len(strategies) else ""
        yield f"Best{apart}: {' and '.join(name for value, name in known if value == top)}, {percent(top)}."
