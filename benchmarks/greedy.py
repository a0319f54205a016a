"""Time and memory of merging by the greedy rule, how they grow, and the naive double loop beside it.

    python benchmarks/greedy.py

Documents are made in memory, so that no parsing is in the times; the garbage collector is off (in `merge-baseline
merge` it runs rarely). Times are medians of repeats that take turns, in processor seconds, and where it says so on the
wall. An exponent is the slope of log time over log tokens, fitted to the medians at all sizes. Writes the section
"greedy" of docs/performance.md.
"""

from __future__ import annotations

import argparse
import gc
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from statistics import median

from benchmarks.greedy_naive import naive_links
from benchmarks.greedy_texts import TEXTS, half_alike, natural
from benchmarks.results import machine, table, write_section
from merger import Document, make_strategy, merge_document
from merger.options import OptionValue

READINGS = ("noun", "token", "mention", "head", "fuzzy")
TIES = ("recent", "first", "overlap")
SIZES = (10_000, 100_000, 1_000_000)
NAIVE_SIZES = (10_000, 20_000, 40_000)
HARD_SIZES = (10_000, 30_000, 100_000)
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True)
class Choice:
    """Options of the rule."""

    match: str
    tie: str = "recent"
    one_to_one: bool = False

    def run(self, document: Document) -> None:
        """Merge a document."""
        values: dict[str, OptionValue] = {"match": self.match, "tie": self.tie, "one-to-one": self.one_to_one}
        merge_document(document, make_strategy("greedy", values))


@dataclass(frozen=True)
class Taken:
    """Median processor and wall seconds at each size."""

    sizes: Sequence[int]
    processor: Sequence[float]
    wall: Sequence[float]

    @property
    def exponent(self) -> float:
        """Slope of the least squares line through the logarithms."""
        points = [(math.log(size), math.log(seconds)) for size, seconds in zip(self.sizes, self.processor, strict=True)]
        x, y = (sum(each) / len(points) for each in zip(*points, strict=True))
        return math.fsum((a - x) * (b - y) for a, b in points) / math.fsum((a - x) ** 2 for a, _ in points)


def main() -> None:
    """Parse the command line, measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="tokens")
    arguments = parser.parse_args()
    gc.disable()
    Choice("fuzzy").run(natural(1000))  # imports what it needs
    sizes: Sequence[int] = sorted(arguments.sizes)
    intro = (
        f"`python benchmarks/greedy.py`; repeats that took turns: {arguments.repeats} at the largest size, three times "
        f"as many at the others. {machine()}."
    )
    lines = [
        "## Merging by the greedy rule",
        "",
        intro,
        "",
        *_naive(arguments.repeats),
        *_options(sizes, arguments.repeats),
        *_texts(sizes, arguments.repeats),
        *_hard(arguments.repeats),
        *_memory(sizes[-1]),
    ]
    print("\n".join(lines))
    write_section("greedy", lines)


def _naive(repeats: int) -> list[str]:
    """The default options against the rule written as a double loop."""
    rows = []
    for size in NAIVE_SIZES:
        document = natural(size)
        expected = naive_links(document)
        merged = merge_document(document, make_strategy("greedy")).decisions
        if {decision.chain: decision.antecedent for decision in merged} != expected:
            raise RuntimeError("the index and the double loop decide differently")
        ours, naive = _take_turns([partial(Choice("noun").run, document), partial(naive_links, document)], repeats)
        rows.append([f"{size:,}", f"{ours[0]:.3f}", f"{naive[0]:.3f}", f"{naive[0] / ours[0]:.0f}"])
    header = ["tokens", "index, s", "double loop, s", "times faster"]
    return [
        "The rule's double loop beside the index, on the same documents, with the same decisions:",
        "",
        *table(header, rows),
        "",
    ]


def _options(sizes: Sequence[int], repeats: int) -> list[str]:
    choices = [Choice(*each) for each in product(READINGS, TIES, (False, True))]
    taken = _measure(natural, choices, sizes, repeats)
    rows = [
        [
            f"{choice.match}, {choice.tie}" + (", one-to-one" if choice.one_to_one else ""),
            f"{each.processor[-1]:.2f}",
            f"{each.wall[-1]:.2f}",
            f"{each.exponent:.2f}",
        ]
        for choice, each in zip(choices, taken, strict=True)
    ]
    header = ["options", f"processor s at {sizes[-1]:,} tokens", "wall s", "exponent"]
    at = ", ".join(f"{size:,}" for size in sizes)
    intro = f"Chains that go on through the parts, a part chain in ten tokens; exponents fitted at {at} tokens:"
    return [intro, "", *table(header, rows), ""]


def _texts(sizes: Sequence[int], repeats: int) -> list[str]:
    """Every text with every reading: the worst of two tie rules, one of them one-to-one."""
    rows = []
    for name, make in TEXTS.items():
        choices = [Choice(match, *rest) for match in READINGS for rest in (("recent", False), ("overlap", True))]
        taken = _measure(make, choices, sizes, repeats)
        cells = []
        for match in READINGS:
            both = [each for choice, each in zip(choices, taken, strict=True) if choice.match == match]
            cells.append(f"{max(each.processor[-1] for each in both):.2f} ({max(each.exponent for each in both):.2f})")
        rows.append([name, *cells])
    intro = (
        "Texts made to be hard for the index, processor seconds at the largest size and (exponent), the worse of "
        "`tie=recent` and `tie=overlap` with `one-to-one`:"
    )
    return [intro, "", *table(["text", *READINGS], rows), ""]


def _hard(repeats: int) -> list[str]:
    (taken,) = _measure(half_alike, [Choice("fuzzy")], HARD_SIZES, repeats)
    figures = ", ".join(f"{s:.2f} s at {n:,} tokens" for n, s in zip(taken.sizes, taken.processor, strict=True))
    limit = (
        "`match=fuzzy` is slowest where all strings share many of their letters, here the last "
        f"six of fourteen: all pairs have to be looked at. {figures}; exponent {taken.exponent:.2f}."
    )
    return [limit, ""]


def _memory(size: int) -> list[str]:
    """Resident memory that merging adds to the document, by what Linux says."""
    if not _STATUS.exists():
        return []
    rows = []
    for match in ("noun", "fuzzy"):
        # In a process of its own, where nothing that was freed before is used again.
        with get_context("spawn").Pool(1) as pool:
            added, peak = pool.apply(_added, (match, size))
        rows.append([f"match={match}", f"{added / size * 1_000_000:.0f}", f"{peak:.0f}"])
    header = ["options", "MiB that merging adds for 1,000,000 tokens", "peak MiB of the process, document included"]
    return ["Memory:", "", *table(header, rows)]


def _added(match: str, size: int) -> tuple[float, float]:
    """MiB at the peak above what there was before merging, and at the peak."""
    document = natural(size)
    gc.collect()
    gc.disable()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak so far is forgotten
    before = _mib("VmRSS:")
    Choice(match).run(document)
    return _mib("VmHWM:") - before, _mib("VmHWM:")


def _mib(name: str) -> float:
    return next(int(line.split()[1]) / 1024 for line in _STATUS.read_text().splitlines() if line.startswith(name))


def _measure(
    make: Callable[[int], Document], choices: Sequence[Choice], sizes: Sequence[int], repeats: int
) -> list[Taken]:
    at_size = []
    for size in sizes:
        document = make(size)
        gc.collect()
        # What takes hundredths of a second needs more repeats.
        turns = repeats if size == sizes[-1] else 3 * repeats
        at_size.append(_take_turns([partial(choice.run, document) for choice in choices], turns))
        print(f"{make.__name__}, {size:,} tokens: measured", flush=True)
    return [
        Taken(sizes, [each[index][0] for each in at_size], [each[index][1] for each in at_size])
        for index in range(len(choices))
    ]


def _take_turns(sides: Sequence[Callable[[], object]], repeats: int) -> list[tuple[float, float]]:
    """Median processor and wall seconds of each side, where all run once before any runs again."""
    taken: list[list[tuple[float, float]]] = [[] for _ in sides]
    for _ in range(repeats):
        for index, side in enumerate(sides):
            processor, wall = time.process_time(), time.perf_counter()
            side()
            taken[index].append((time.process_time() - processor, time.perf_counter() - wall))
    return [(median(each[0] for each in side), median(each[1] for each in side)) for side in taken]


if __name__ == "__main__":
    main()
