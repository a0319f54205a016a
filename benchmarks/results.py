"""The page of results: every benchmark writes its own section of docs/performance.md, and says on what it ran."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
_TOP = """# Performance

Every section is written by the benchmark that it names. Ratios are between two sides of one run, which took turns: the
medians of several repeats.
"""


def write_section(name: str, lines: Sequence[str]) -> None:
    """Replace what stands between ``<!-- name -->`` and ``<!-- /name -->`` on the page, or add it at the end."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else _TOP
    section = "\n".join([f"<!-- {name} -->", *lines, f"<!-- /{name} -->"])
    pattern = re.compile(rf"<!-- {re.escape(name)} -->.*?<!-- /{re.escape(name)} -->", re.DOTALL)
    changed, found = pattern.subn(lambda _: section, text)
    PAGE.write_text(changed if found else f"{text.rstrip()}\n\n{section}\n", encoding="utf-8")


def machine() -> str:
    """The machine in a line: processor, processors to use, system, Python. No name and no path."""
    info = Path("/proc/cpuinfo")
    models = re.findall(r"^model name\s*:\s*(.+)$", info.read_text(), re.MULTILINE) if info.exists() else []
    model = models[0].strip() if models else platform.machine()
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{model}, {usable} processors, {platform.system()} {platform.machine()}, {python}"


def interleaved(
    sides: Mapping[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Median seconds of each side by a clock, where all of them run once before any runs again."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(repeats):
        for name, run in sides.items():
            begin = clock()
            run()
            seconds[name].append(clock() - begin)
    return {name: median(each) for name, each in seconds.items()}


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table; the first column is text, the others are numbers."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    return ["| " + " | ".join(cells) + " |" for cells in (header, marks, *rows)]
