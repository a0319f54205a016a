from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from client.evaluation.comparison.data import (
    Comparison,
    DistanceBin,
    DocumentFacts,
    DocumentOutcome,
    Setup,
    StrategyOutcomes,
)
from client.evaluation.comparison.summary import compare
from client.evaluation.scoring import COMPARED_METRICS
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import NO_LINKS
from client.evaluation.scoring.scores import Scores
from client.report.plots import plot_by_genre, plot_by_length, plot_links_by_distance, plot_scores

SVG = "{http://www.w3.org/2000/svg}"
SETUP = Setup("key", "given", "dropped", "merge-baseline compare key")
PLOTS = (plot_scores, plot_by_genre, plot_by_length, plot_links_by_distance)
NAMES = ["none", "greedy", "corenlp", "oracle"]
GENRES = ["bio", "fiction", "news"]
# 60 of 100 are an F1 of 60 for merging nothing. Each row is a strategy, each column a genre's one document.
SCORES: list[list[float | None]] = [[60, 60, 60], [52, 64, None], [75, 71, 80], [100, 100, 100]]
DISTANCES = [[(4, 0), (0, 0), (8, 0)], [(4, 3), (0, 0), (8, 2)], [(4, 4), (0, 0), (8, 6)], [(4, 4), (0, 0), (8, 8)]]


def fixed(right: float) -> Scores:
    """Recall and precision are right / 100 by every metric, and so are F1 and their mean."""
    return Scores(dict.fromkeys(COMPARED_METRICS, Counts(right, 100, right, 100)))


def outcome(name: str, right: float | None) -> DocumentOutcome:
    return (
        DocumentOutcome(name, failure="broken")
        if right is None
        else DocumentOutcome(name, Result(fixed(right), fixed(60), NO_LINKS))
    )


def comparison(
    names: Sequence[str] = NAMES,
    genres: Sequence[str | None] = GENRES,
    scores: Sequence[Sequence[float | None]] = SCORES,
    distances: Sequence[Sequence[tuple[int, int]]] = DISTANCES,
) -> Comparison:
    """A comparison on documents of 400, 800, 1,200 ... tokens; ``distances`` are links and found links by bin."""
    documents = [
        DocumentFacts(f"d{number}", genre, tokens=400 * (number + 1), chains=5, parts=2)
        for number, genre in enumerate(genres)
    ]
    by_strategy = [
        StrategyOutcomes(
            name, name, tuple(outcome(facts.id, right) for facts, right in zip(documents, row, strict=True))
        )
        for name, row in zip(names, scores, strict=True)
    ]
    made = compare(documents, by_strategy, SETUP)
    bins = [[_bin(number, *each) for number, each in enumerate(row)] for row in distances]
    strategies = zip(made.strategies, bins or [[] for _ in names], strict=True)
    return replace(made, strategies=tuple(replace(each, distances=tuple(row)) for each, row in strategies))


def _bin(number: int, links: int, found: int) -> DistanceBin:
    return DistanceBin(("up to 10 tokens", "11 to 50 tokens", "over 50 tokens")[number], None, links, found)


def drawn(plot: Callable[[Comparison], str | None], shown: Comparison | None = None) -> ET.Element:
    svg = plot(comparison() if shown is None else shown)
    assert svg is not None
    return ET.fromstring(svg)  # noqa: S314  # well-formed XML is part of what is tested


def text_of(element: ET.Element | None) -> str:
    assert element is not None
    return element.text or ""


def marks(root: ET.Element) -> dict[str, tuple[float, float]]:
    """Where each mark is, by what its tooltip says."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "mark":
            (use,) = group.iter(f"{SVG}use")
            found[text_of(group.find(f"{SVG}title"))] = (float(use.attrib["x"]), float(use.attrib["y"]))
    return found


def of(strategy: str, places: Mapping[str, tuple[float, float]]) -> list[tuple[float, float]]:
    return [place for text, place in places.items() if text.startswith(f"{strategy},")]


def texts(root: ET.Element) -> dict[str, tuple[float, float]]:
    return {text_of(each): (float(each.attrib["x"]), float(each.attrib["y"])) for each in root.iter(f"{SVG}text")}


def description(root: ET.Element) -> str:
    return text_of(root.find(f"{SVG}desc"))


def test_there_is_a_mark_for_every_score_and_its_tooltip_has_it() -> None:
    assert list(marks(drawn(plot_by_genre))) == [
        "none, bio (1 document): 60.00",
        "greedy, bio (1 document): 52.00",
        "corenlp, bio (1 document): 75.00",
        "oracle, bio (1 document): 100.00",
        "none, fiction (1 document): 60.00",
        "greedy, fiction (1 document): 64.00",
        "corenlp, fiction (1 document): 71.00",
        "oracle, fiction (1 document): 100.00",
        "none, news (1 document): 60.00",
        "corenlp, news (1 document): 80.00",
        "oracle, news (1 document): 100.00",
    ]
    assert len(marks(drawn(plot_by_length))) == 11
    # Four strategies in two of the three bins: the one between has no links.
    assert len(marks(drawn(plot_links_by_distance))) == 8
    assert set(marks(drawn(plot_scores))) == {"none: 60.00", "greedy: 58.00", "corenlp: 75.33", "oracle: 100.00"}


@pytest.mark.parametrize("plot", [plot_scores, plot_by_genre])
def test_dots_are_where_the_axis_has_their_values(plot: Callable[[Comparison], str | None]) -> None:
    """Each dot is as far between the ticks of 60 and 100 as its value is."""
    root = drawn(plot)
    ticks, places = texts(root), marks(root)

    low, high = ticks["60"][0], ticks["100"][0]

    for text, (x, _) in places.items():
        value = float(text.rpartition(": ")[2])
        # Values are shown cut after two digits: 0.01 of 40 points, on about 400 units.
        assert (x - low) / (high - low) == pytest.approx((value - 60) / 40, abs=0.01 / 40 + 0.0001)


@pytest.mark.parametrize("plot", [plot_by_length, plot_links_by_distance])
def test_marks_on_lines_are_as_high_as_their_values(plot: Callable[[Comparison], str | None]) -> None:
    root = drawn(plot)
    ticks, places = texts(root), marks(root)
    # Tick labels are centred on their values: the distance between two is that of the values.
    unit = (ticks["60"][1] - ticks["80"][1]) / 20
    (base,) = {y for text, (_, y) in places.items() if text.startswith("oracle,")}

    for text, (_, y) in places.items():
        assert y - base == pytest.approx((100 - float(text.rpartition(": ")[2])) * unit, abs=0.1)


def test_bins_go_from_left_to_right_and_equal_values_lie_beside_each_other() -> None:
    places = marks(drawn(plot_by_length, comparison(scores=[[60, 60, 60]] * 4)))

    assert len(set(places.values())) == len(places) == 12
    for strategy in NAMES:
        xs = [x for x, _ in of(strategy, places)]
        assert xs == sorted(xs)
    # All of a bin come before all of the next one.
    lefts, rights = zip(
        *((min(xs), max(xs)) for xs in zip(*([x for x, _ in of(each, places)] for each in NAMES), strict=True)),
        strict=True,
    )
    assert all(right < left for right, left in zip(rights, lefts[1:], strict=False))


@pytest.mark.parametrize(("middle", "goes_on"), [(72, True), (None, False)])
def test_a_missing_value_breaks_the_line(middle: float | None, goes_on: bool) -> None:  # noqa: FBT001  # a parameter
    """Three lengths: a line begins at the first mark, unless the second value is missing."""
    root = drawn(plot_by_length, comparison(["one"], GENRES, [[70, middle, 80]], [[(1, 1)]]))
    (first, _), *_ = marks(root).values()

    pieces = [
        [float(x) for x in re.findall(r"[ML] ([\d.]+) ", piece)]
        for path in root.iter(f"{SVG}path")
        if "var(--series" in path.attrib.get("style", "")
        for piece in re.findall("M[^M]*", path.attrib["d"])
    ]

    assert any(xs[:1] == [first] and len(xs) > 1 for xs in pieces) == goes_on


def test_labels_have_the_number_of_documents_or_links() -> None:
    """News has two documents, of which greedy has one; the bin between the others has no links."""
    genres = drawn(
        plot_by_genre, comparison(["greedy", "other"], ["news", "news", None], [[50, None, 40], [50, 60, 70]], [])
    )
    lengths, distances = drawn(plot_by_length), drawn(plot_links_by_distance)

    assert {"news (2)", "unknown (1)"} <= set(texts(genres))
    assert "greedy, news (1 document): 50.00" in marks(genres)
    assert {"≤ 500", "501–1,000", "1,001–2,000", "(1)"} <= set(texts(lengths))
    assert {"≤ 10", "11–50", "> 50", "(4)", "(0)", "(8)"} <= set(texts(distances))


def test_bins_before_the_first_link_and_behind_the_last_are_left_out() -> None:
    root = drawn(plot_links_by_distance, comparison(["greedy"], ["news"], [[60]], [[(0, 0), (4, 1), (0, 0)]]))

    assert list(marks(root)) == ["greedy, 11 to 50 tokens (4 links): 25.00"]
    assert not {"≤ 10", "> 50"} & set(texts(root))


def test_the_scores_say_every_value_and_which_strategies_lose_to_merging_nothing() -> None:
    """Greedy has (52 + 64) / 200, on two of the documents; corenlp (75 + 71 + 80) / 300."""
    root = drawn(plot_scores)

    assert text_of(root.find(f"{SVG}title")) == "CoNLL F1 of each strategy"
    assert {"60.00", "58.00", "75.33", "100.00", "greedy (2 of 3 documents)"} <= set(texts(root))
    said = description(root)
    assert "floor 60.00 (merging nothing) to ceiling 100.00." in said
    assert "Best apart from oracle: corenlp, 75.33." in said
    assert "greedy: 58.00, less than merging nothing." in said
    assert "corenlp: 75.33." in said


def test_a_strategy_without_a_score_keeps_its_row() -> None:
    root = drawn(plot_scores, comparison(["none", "broken"], ["news"], [[60], [None]], []))

    assert {"broken (0 of 1 documents)", "no score"} <= set(texts(root))
    assert list(marks(root)) == ["none: 60.00"]
    assert "broken: no score." in description(root)


def test_the_description_says_the_range_and_where_it_is() -> None:
    said = description(drawn(plot_by_genre))

    assert "4 strategies" in said
    assert "Values from 52.00 to 100.00." in said
    assert "Best apart from oracle: corenlp, 75.33 CoNLL F1 over all documents." in said
    assert "greedy: from 52.00 (bio) to 64.00 (fiction)." in said
    assert "oracle: 100.00 everywhere." in said
    assert "Documents: bio 1, fiction 1, news 1." in said
    said = description(drawn(plot_links_by_distance))
    assert "corenlp: from 75.00 (over 50 tokens) to 100.00 (up to 10 tokens)." in said
    assert "Links: up to 10 tokens 4, 11 to 50 tokens 0, over 50 tokens 8." in said


@pytest.mark.parametrize("plot", PLOTS)
def test_a_plot_is_an_image_with_a_name_that_fits_its_place(plot: Callable[[Comparison], str | None]) -> None:
    svg = plot(comparison())
    assert svg is not None
    assert svg.startswith("<svg ")
    root = drawn(plot)

    assert root.get("role") == "img"
    (title,), (desc,) = root.findall(f"{SVG}title"), root.findall(f"{SVG}desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert "width" not in root.attrib
    assert "height" not in root.attrib
    assert root.attrib["viewBox"].split()[:2] == ["0", "0"]
    assert "width:100%" in root.attrib["style"]
    # The page's font is used, and none named by matplotlib.
    assert re.findall(r"font-family:([^;\"]*)", svg) == ["inherit"]


@pytest.mark.parametrize("plot", PLOTS)
def test_colours_are_the_pages_or_have_contrast_on_white_and_on_black(
    plot: Callable[[Comparison], str | None],
) -> None:
    """A contrast of 3 to 1 is WCAG 2.2's for graphics (1.4.11); its relative luminance is worked out here."""
    svg = plot(comparison())
    assert svg is not None
    used = set(re.findall(r"(?:fill|stroke|color): *([^;\"]+)", svg))
    defaults = [
        match[1] for each in used if (match := re.fullmatch(r"var\(--series-\d,#([0-9a-f]{6})\)", each)) is not None
    ]

    assert {re.sub(r"-\d,#[0-9a-f]{6}", "-N", each) for each in used} <= {
        "none",
        "currentColor",
        "var(--ink,currentColor)",
        "var(--muted,currentColor)",
        "var(--grid,#8884)",
        "var(--paper,Canvas)",
        "var(--series-N)",
    }
    assert len(defaults) == 2
    for default in defaults:
        assert 1.05 / (luminance(default) + 0.05) >= 3
        assert (luminance(default) + 0.05) / (luminance("15181c") + 0.05) >= 3


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return sum(share * each for share, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


HOSTILE = ["<script>alert(1)</script>", "$x_1$ & \"b\" ]]> 'c'", "&amp;$", "漢字\x00\ud800\n{url(#x)}"]


@pytest.mark.parametrize("plot", PLOTS)
def test_names_are_text_whatever_stands_in_them(plot: Callable[[Comparison], str | None]) -> None:
    shown = comparison(HOSTILE, HOSTILE[:3], SCORES)

    svg = plot(shown)
    assert svg is not None
    root = drawn(plot, shown)

    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= {
        *("svg", "title", "desc", "defs", "clipPath", "rect"),
        *("g", "path", "use", "text"),
    }
    assert "<script" not in svg
    attributes = {name for each in root.iter() for name in each.attrib}
    assert not {name for name in attributes if name.startswith("on")}
    assert all(each.attrib["href"].startswith("#") for each in root.iter(f"{SVG}use"))
    said = description(root)
    for name in HOSTILE[:3]:
        assert name in said
    assert "漢字\\x00\\ud800\\n" in said
    svg.encode("utf-8")


def test_names_with_signs_of_formulas_are_shown_as_they_are() -> None:
    root = drawn(plot_by_genre, comparison(["$x_1$", "$\\frac{$"], ["$g^2$"], [[60], [70]], []))

    assert {"$x_1$", "$\\frac{$", "$g^2$ (1)"} <= set(texts(root))


def test_long_names_lose_their_middle_and_keep_it_in_the_tooltip() -> None:
    name, genre = f"file:{'long/' * 30}merged.conll", "g" * 200
    shown = comparison([name], [genre], [[60]], [[(1, 1)]])

    for plot in PLOTS:
        root = drawn(plot, shown)
        titles = {text_of(each) for each in root.iter(f"{SVG}title")}
        shortened = [text for text in texts(root) if text.startswith("file:")]
        assert name in titles
        assert len(shortened) == 1
        assert "…" in shortened[0]
        assert shortened[0].endswith("merged.conll")
        assert name in description(root)
    assert genre in {text_of(each) for each in drawn(plot_by_genre, shown).iter(f"{SVG}title")}


def test_a_tooltip_belongs_to_the_text_that_it_is_longer_than() -> None:
    """Texts that are whole have none, though a shortened one comes after them."""
    genre = "g" * 200
    root = drawn(plot_by_genre, comparison(["greedy"], ["bio", genre], [[60, 70]], []))
    parents = {child: parent for parent in root.iter() for child in parent}

    tooltips = {
        text_of(text): text_of(parents[text].find(f"{SVG}title"))
        for text in root.iter(f"{SVG}text")
        if parents[text].find(f"{SVG}title") is not None and parents[text] is not root
    }

    assert list(tooltips.values()) == [genre]
    (shown,) = tooltips
    assert shown.startswith("ggg")
    assert "…" in shown


def test_names_that_differ_in_the_middle_only_can_be_told_apart() -> None:
    names = [f"greedy:tags=NN+NNS,{option},match=mention" for option in ("a", "b", "c", "d", "e")]
    root = drawn(plot_by_length, comparison(names, ["news"], [[60]] * 5, [[(1, 1)]] * 5))

    assert len([text for text in texts(root) if text.startswith("greedy")]) == 5


def test_ten_strategies_and_twenty_genres_do_not_cover_each_other() -> None:
    """All scores but the oracle's lie within nine points; a mark is 7.5 units across."""
    names = ["none", *(f"strategy-{number}" for number in range(8)), "oracle"]
    scores: list[list[float | None]] = [[60 + (7 * row + 3 * column) % 10 for column in range(20)] for row in range(9)]
    shown = comparison(names, [f"genre-{number:02}" for number in range(20)], [*scores, [100] * 20], [])
    root = drawn(plot_by_genre, shown)
    places = marks(root)

    assert len(places) == 200
    everywhere = list(places.values())
    for number, (x, y) in enumerate(everywhere):
        assert all(max(abs(x - other), abs(y - lower)) >= 7.5 for other, lower in everywhere[:number])
    # The legend is above all marks, and no two names are on the same place.
    legend = [place for text, place in texts(root).items() if text in names]
    assert max(y for _, y in legend) < min(y for _, y in everywhere)
    assert len(set(legend)) == 10
    rows = sorted(y for text, (_, y) in texts(root).items() if text.startswith("genre-"))
    assert all(lower - upper >= 13 for upper, lower in pairwise(rows))
    # A shape and whether it is filled tell the strategies apart without colour.
    looks: dict[str, set[tuple[str, bool]]] = {}
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "mark":
            (use,) = group.iter(f"{SVG}use")
            filled = "fill: var(--series" in use.attrib["style"]
            name = text_of(group.find(f"{SVG}title")).partition(",")[0]
            looks.setdefault(name, set()).add((outline(root, use.attrib["href"]), filled))
    assert {len(each) for each in looks.values()} == {1}
    assert len({next(iter(each)) for each in looks.values()}) == 10


def outline(root: ET.Element, href: str) -> str:
    (path,) = (each for each in root.iter(f"{SVG}path") if each.get("id") == href.removeprefix("#"))
    return path.attrib["d"]


def test_ids_are_unique_on_a_page_and_references_stay_in_their_plot() -> None:
    seen: list[str] = []
    for plot in PLOTS:
        root = drawn(plot)
        own = [each.attrib["id"] for each in root.iter() if "id" in each.attrib]
        values = [value for each in root.iter() for name, value in each.attrib.items() if name != "data-to"]
        references = {found for value in values for found in re.findall(r"^#(.+)|url\(#([^)]+)\)", value)}
        assert {one or other for one, other in references} <= set(own)
        seen += own
    assert len(set(seen)) == len(seen) > 8


def test_a_plot_is_always_the_same_whatever_matplotlib_is_set_to() -> None:
    import matplotlib as mpl

    first = [plot(comparison()) for plot in PLOTS]
    with mpl.rc_context({"svg.fonttype": "path", "axes.grid": False, "lines.marker": "x", "font.size": 30}):
        settings = dict(mpl.rcParams)
        assert [plot(comparison()) for plot in PLOTS] == first
        assert dict(mpl.rcParams) == settings
    for svg in first:
        assert svg is not None
        assert "Matplotlib" not in svg
        assert "date" not in svg


@pytest.mark.parametrize(
    ("plot", "shown"),
    [
        *((plot, comparison([], [], [], [])) for plot in PLOTS),
        *((plot, comparison(["none"], [], [[]], [[]])) for plot in PLOTS),
        *((plot, comparison(["none"], ["news"], [[None]], [[(0, 0)]])) for plot in PLOTS),
        (plot_by_genre, comparison(["none"], [None, None], [[60, 60]], [])),
        (plot_links_by_distance, comparison(["none"], ["news"], [[60]], [[(0, 0), (0, 0)]])),
    ],
)
def test_nothing_to_show_is_no_plot(plot: Callable[[Comparison], str | None], shown: Comparison) -> None:
    assert plot(shown) is None


def test_one_document_is_enough() -> None:
    shown = comparison(["greedy"], ["news"], [[60]], [[(2, 1)]])

    assert [list(marks(drawn(plot, shown))) for plot in PLOTS] == [
        ["greedy: 60.00"],
        ["greedy, news (1 document): 60.00"],
        ["greedy, up to 500 tokens (1 document): 60.00"],
        ["greedy, up to 10 tokens (2 links): 50.00"],
    ]


def test_matplotlib_is_loaded_when_a_plot_is_drawn() -> None:
    code = "import sys, client.report.plots; sys.exit('matplotlib' in sys.modules or 'numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
