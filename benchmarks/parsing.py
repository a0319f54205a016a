r"""How long reading and writing take, beside a bare loop over the same lines and beside udapi.

    python benchmarks/parsing.py [--tokens 1000000] [--repeats 5] [--write] [PATH ...]

The inputs are the documents of examples/, repeated to so many tokens, with their chains and without, and each PATH: a
file or a directory of one format, all of whose files are put together. The bare loop is ``for line in file:
line.split()``, with ``"\t"`` for CoNLL-U. Reading is from a file to documents, which are dropped; writing is of
documents in memory that were read from that format (it finds that nothing has changed) and of what the strategy
``none`` makes of them (all chains of later parts have new names, so it changes their cells). udapi reads the same
CoNLL-U files if it is installed (``pip install udapi``; a peer, no dependency). Memory is the peak of a process that
reads and of one that reads and writes, one document at a time, without what the interpreter takes, per 1,000,000
tokens. Two lines show where the limit is: a loop that only turns every sentence's rows into columns, and a profile of
reading. With ``--write`` the results go into docs/performance.md.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import process_time

from benchmarks.results import interleaved, machine, table, write_section
from merger import Document, Notices, Policy, ReadOptions, make_strategy, merge_document, read_documents
from merger.formats import find_inputs, format_of, write_document

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
_MENTIONS = {
    "conll2012": (re.compile(r"(?<= )[0-9()|]*[()][0-9()|]*$", re.MULTILINE), "-"),
    "conllu": (re.compile(r"Entity=[^|\n]*\|?"), ""),
}
_IDS = {
    "conll2012": re.compile(r"^(#begin document \([^)]*)", re.MULTILINE),
    "conllu": re.compile(r"^(# newdoc id = .*)$", re.MULTILINE),
}
_NOTES = (
    "The bare loop drops every row at once: its few objects stay in the processor's cache. `columns` keeps the rows of",
    "a sentence and transposes them, and no more. To this a reader adds every sentence with its text, words and tags",
    "as shared objects, and for every mention some eight small tuples. Own time by module, from a profile of reading:",
)
_MEMORY = """
import sys
from pathlib import Path
def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1])
from merger import Notices, Policy, ReadOptions, read_documents
from merger.formats import write_document
notices = Notices(Policy.LENIENT)
before = peak()
for document in read_documents(sys.argv[1], sys.argv[2], ReadOptions(notices)):
    if sys.argv[3] == "write":
        for _ in write_document(document, sys.argv[2], notices):
            pass
print(peak() - before)
"""


@dataclass(frozen=True, slots=True)
class Input:
    """A file of one format to measure on."""

    name: str
    path: Path
    format: str


def main() -> None:
    """Parse the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", action="store_true", help="write the section of docs/performance.md")
    arguments = parser.parse_args()
    has_udapi = importlib.util.find_spec("udapi") is not None
    lines = [
        "## Parsing and writing",
        "",
        f"`benchmarks/parsing.py`: medians of {arguments.repeats} interleaved repeats, processor time, on {machine()}.",
        "",
        *table(
            [
                *(
                    "input",
                    "lines",
                    "tokens",
                    "mentions",
                    "bare loop: s",
                    "columns / bare",
                    "read / bare",
                    "write / bare",
                ),
                *("merged: write / bare", "udapi / read", "peak MiB per 1M tokens: read", "and write"),
            ],
            [],
        ),
    ]
    print("\n".join(lines), flush=True)
    profiles = []
    with tempfile.TemporaryDirectory() as folder:
        for each in _inputs(Path(folder), arguments.tokens, arguments.paths):
            cells = _measure(each, arguments.repeats, has_udapi=has_udapi)
            lines += table(cells, [])[:1]
            print(lines[-1], flush=True)
            profiles.append(f"- {each.name}: {_profile(each)}")
    notes = ["", *_NOTES, "", *profiles]
    if not has_udapi:
        notes += ["", "udapi is not installed: it was left out."]
    print("\n".join(notes))
    lines += notes
    if arguments.write:
        write_section("parsing", lines)


def _inputs(folder: Path, tokens: int, paths: list[Path]) -> Iterator[Input]:
    for kind, format_name in (("parts", "conll2012"), ("corefud", "conllu")):
        texts = [file.read_text(encoding="utf-8") for file in sorted((EXAMPLES / kind).iterdir())]
        count = sum(document.token_count for document in _read(EXAMPLES / kind, format_name))
        pattern, empty = _MENTIONS[format_name]
        for name, shown in (("with chains", texts), ("without", [pattern.sub(empty, text) for text in texts])):
            path = folder / f"{kind}-{name.replace(' ', '-')}"
            with path.open("w", encoding="utf-8") as file:
                for number in range(max(1, round(tokens / count))):
                    file.writelines(_IDS[format_name].sub(rf"\1-{number}", _with_misc(text)) for text in shown)
            yield Input(f"examples/{kind}, {name}", path, format_name)
            path.unlink()
    for given in paths:
        path = folder / "given"
        files = [Path(file) for file in find_inputs(str(given))]
        path.write_text("".join(file.read_text(encoding="utf-8") for file in files), encoding="utf-8")
        yield Input(given.name, path, format_of(next(iter(read_documents(str(path), None, _options())))))


def _with_misc(text: str) -> str:
    """CoNLL-U rows that have nothing left in MISC with a ``_`` there."""
    return text.replace("\t\n", "\t_\n").replace("|\n", "\n")


def _options() -> ReadOptions:
    return ReadOptions(Notices(Policy.LENIENT))


def _read(path: Path, format_name: str) -> Iterator[Document]:
    return read_documents(str(path), format_name, _options())


def _measure(given: Input, repeats: int, *, has_udapi: bool) -> list[str]:
    reading: dict[str, Callable[[], object]] = {
        "bare": lambda: _bare(given),
        "columns": lambda: _columns(given),
        "read": lambda: sum(1 for _ in _read(given.path, given.format)),
    }
    if has_udapi and given.format == "conllu":
        reading["udapi"] = lambda: _udapi(given.path)
    seconds = interleaved(reading, repeats, process_time)
    bare = seconds["bare"]
    ratios = {side: each / bare for side, each in seconds.items()}
    # Only now, as a full memory makes reading slower.
    documents = list(_read(given.path, given.format))
    strategy = make_strategy("none")
    merged = [merge_document(document, strategy).document for document in documents]
    writing: dict[str, Callable[[], object]] = {
        "bare": reading["bare"],
        "write": lambda: _write(documents, given.format),
        "merged": lambda: _write(merged, given.format),
    }
    seconds = interleaved(writing, repeats, process_time)
    ratios |= {side: each / seconds["bare"] for side, each in seconds.items()}
    tokens = sum(document.token_count for document in documents)
    mentions = sum(1 for document in documents for _ in document.mentions())
    with given.path.open(encoding="utf-8") as file:
        lines = sum(1 for _ in file)
    return [
        given.name,
        f"{lines:,}",
        f"{tokens:,}",
        f"{mentions:,}",
        f"{bare:.3f}",
        *(f"{ratios[side]:.1f}" for side in ("columns", "read", "write", "merged")),
        f"{ratios['udapi'] / ratios['read']:.1f}" if "udapi" in ratios else "-",
        *(f"{_peak(given, what) * 1e6 / tokens:.0f}" if _has_proc() else "-" for what in ("read", "write")),
    ]


def _bare(given: Input) -> None:
    separator = "\t" if given.format == "conllu" else None
    with given.path.open(encoding="utf-8") as file:
        for line in file:
            line.split(separator)


def _columns(given: Input) -> None:
    """What no reader that keeps columns can do without."""
    separator = "\t" if given.format == "conllu" else None
    rows: list[list[str]] = []
    with given.path.open(encoding="utf-8") as file:
        for line in file:
            if line[0] == "#":
                line.split(separator)
            elif line == "\n":
                list(zip(*rows, strict=False))
                rows = []
            else:
                rows.append(line.split(separator))


def _profile(given: Input) -> str:
    """The share of each module in reading, built-in functions on their own."""
    profile = cProfile.Profile()
    profile.runcall(lambda: sum(1 for _ in _read(given.path, given.format)))
    shares: Counter[str] = Counter()
    for entry in profile.getstats():
        code = entry.code
        shares["built-ins" if isinstance(code, str) else Path(code.co_filename).stem] += round(entry.inlinetime * 1e6)
    total = shares.total()
    return ", ".join(f"{name} {100 * share / total:.0f} %" for name, share in shares.most_common(7))


def _write(documents: list[Document], format_name: str) -> None:
    notices = Notices(Policy.LENIENT)
    for document in documents:
        for _ in write_document(document, format_name, notices):
            pass


def _udapi(path: Path) -> None:
    importlib.import_module("udapi.core.document").Document().load_conllu(str(path))


def _has_proc() -> bool:
    return Path("/proc/self/status").exists()


def _peak(given: Input, what: str) -> float:
    """MiB that a process takes more at its peak than after its imports."""
    command = [sys.executable, "-c", _MEMORY, str(given.path), given.format, what]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1024


if __name__ == "__main__":
    main()
