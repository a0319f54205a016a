"""Statistics as text, with parts and merged documents side by side, and as JSON data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from client.evaluation.statistics.corpus import CHAIN_BINS, DISTANCE_BINS, FAR, Corpus, CorpusStatistics, histogram
from client.evaluation.text_table import table

Sides = Mapping[str, Corpus]
"""One corpus or two, by the names over their columns."""

_NOTHING = CorpusStatistics()


def as_text(sides: Sides) -> str:
    """The tables as lines of text."""
    lines = table(_overview(sides))
    lines += ["", "chains per document", *table(_histogram(sides, "chains_per_text", CHAIN_BINS))]
    lines += [
        "",
        "tokens from a mention to its antecedent",
        *table([*_histogram(sides, "distances", DISTANCE_BINS), *_distances(sides)]),
    ]
    singletons = ", ".join(
        f"{corpus.total.singletons:,}" + (f" ({name})" if name else "") for name, corpus in sides.items()
    )
    lines += ["", f"singletons, which are not counted: {singletons}"]
    if "parts" in sides:
        lines.append("parts: every part counts as a document of its own, as in OntoNotes")
    return "\n".join(lines) + "\n"


def _overview(sides: Sides) -> list[tuple[str, ...]]:
    """Tables 1 and 2: a row for each genre, one for all, one for the documents of several parts."""
    genres = sorted({genre for corpus in sides.values() for genre in corpus.genres})
    rows: list[tuple[str, ...]] = [
        (" → ".join(sides), "docs", "tokens", "tokens/doc", "chains/doc", "mentions/doc", "mentions/chain")
    ]
    rows += [_row(genre, [corpus.genres.get(genre, _NOTHING) for corpus in sides.values()]) for genre in genres]
    rows.append(_row("all", [corpus.total for corpus in sides.values()]))
    rows.append(_row("of several parts", [corpus.merged for corpus in sides.values()]))
    return rows


def _row(name: str, statistics: Sequence[CorpusStatistics]) -> tuple[str, ...]:
    sizes = dict.fromkeys(f"{each.tokens:,}" for each in statistics)
    return (
        name,
        " → ".join(f"{each.texts:,}" for each in statistics),
        # Merging changes no token. Two sizes mean that these are not the same documents.
        " → ".join(sizes),
        " → ".join(_number(each.tokens_per_text, 0) for each in statistics),
        " → ".join(_number(each.mean_chains, 1) for each in statistics),
        " → ".join(_number(each.mentions_per_text, 1) for each in statistics),
        " → ".join(_number(each.mentions_per_chain, 2) for each in statistics),
    )


def _histogram(sides: Sides, name: str, ends: Sequence[int]) -> list[tuple[str, ...]]:
    columns = [histogram(_counter(corpus.total, name), ends) for corpus in sides.values()]
    rows: list[tuple[str, ...]] = [("", *sides)]
    for bins in zip(*columns, strict=True):
        first, last, _ = bins[0]
        label = f"over {first - 1:,}" if last is None else f"{first:,}" if first == last else f"{first:,} to {last:,}"
        rows.append((label, *(f"{count:,}" for _, _, count in bins)))
    return rows


def _distances(sides: Sides) -> list[tuple[str, ...]]:
    totals = [corpus.total for corpus in sides.values()]
    return [
        ("mean", *(_number(each.mean_distance, 1) for each in totals)),
        ("longest", *(_number(each.longest_distance, 0) for each in totals)),
        (f"mentions over {FAR:,} tokens", *(f"{each.far_mentions:,}" for each in totals)),
    ]


def _counter(statistics: CorpusStatistics, name: str) -> Counter[int]:
    return statistics.distances if name == "distances" else statistics.chains_per_text


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def as_data(sides: Sides) -> dict[str, Any]:
    """The statistics as JSON data; averages in full precision, ``null`` for an average over nothing."""
    return {
        name: {
            "total": _data(corpus.total),
            "genres": {genre: _data(each) for genre, each in corpus.genres.items()},
            "several_parts": _data(corpus.merged),
            "documents": [
                {"id": document, "tokens": tokens, "chains": chains} for document, tokens, chains in corpus.points
            ],
        }
        for name, corpus in sides.items()
    }


def _data(statistics: CorpusStatistics) -> dict[str, Any]:
    return {
        "documents": statistics.texts,
        "tokens": statistics.tokens,
        "chains": statistics.chains,
        "mentions": statistics.mentions,
        "singletons": statistics.singletons,
        "longest_document": statistics.longest_text,
        "tokens_per_document": statistics.tokens_per_text,
        "chains_per_document": statistics.mean_chains,
        "mentions_per_document": statistics.mentions_per_text,
        "mentions_per_chain": statistics.mentions_per_chain,
        "chains_histogram": _bins(statistics.chains_per_text, CHAIN_BINS),
        "antecedent_distance": {
            "mean": statistics.mean_distance,
            "longest": statistics.longest_distance,
            f"over_{FAR}": statistics.far_mentions,
            "histogram": _bins(statistics.distances, DISTANCE_BINS),
        },
    }


def _bins(counts: Counter[int], ends: Sequence[int]) -> list[dict[str, int | None]]:
    return [{"from": first, "to": last, "count": count} for first, last, count in histogram(counts, ends)]
