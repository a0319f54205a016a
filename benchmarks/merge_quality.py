"""Quality and cost of strategies on whole-document annotation that is cut into parts.

    python benchmarks/merge_quality.py CORPUS --tokens 400 none greedy corenlp:algorithm=statistical ...

Every strategy runs on the same parts, in the same process; prints a Markdown table: CoNLL F1, link precision and
recall, gain over the floor, wall seconds per 1,000 tokens and, on Linux, the peak memory of this process and of its
children.
Documents that a strategy fails on are listed and left out of its row.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from client.evaluation.scoring.evaluate import Evaluation, evaluate
from client.evaluation.scoring.render import percent
from merger import Cut, MergeTask, Notices, Policy, ReadOptions, make_strategy, merge_document, read_documents
from merger import split_document as split
from merger.errors import InputError
from merger.strategies import parse_spec


def main() -> None:
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("strategies", nargs="+")
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--first", type=int, help="only so many documents")
    arguments = parser.parse_args()
    options = ReadOptions(Notices(Policy.LENIENT))
    documents = list(read_documents(arguments.corpus, None, options))[: arguments.first]
    tasks = [split(document, Cut.TOKENS, arguments.tokens) for document in documents]
    tokens = sum(document.token_count for document in documents)
    print(
        f"{len(tasks)} documents, {tokens} tokens, {sum(len(task.parts.parts) for task in tasks)} parts of up to "
        f"{arguments.tokens} tokens; {platform.machine()}, Python {platform.python_version()}\n"
    )
    print("| strategy | CoNLL F1 | link P | link R | gain | s per 1,000 tokens | peak memory |")
    print("|---|---|---|---|---|---|---|")
    for spec in arguments.strategies:
        print(_row(spec, tasks, tokens), flush=True)


def _row(spec: str, tasks: Sequence[MergeTask], tokens: int) -> str:
    strategy = make_strategy(*parse_spec(spec))
    strategy.warm()
    begin = time.perf_counter()
    merged, done = [], []
    for task in tasks:
        try:
            merged.append(merge_document(task.parts, strategy, key=task.key).document)
            done.append(task)
        except InputError as error:
            print(f"{spec}: {error}", file=sys.stderr)
    seconds = time.perf_counter() - begin
    memory = _memory()
    strategy.close()
    evaluation: Evaluation = evaluate([task.key for task in done], merged, parts=[task.parts for task in done])
    total = evaluation.total
    links = total.links.links if total.links else None
    cells = (
        f"{strategy.signature}" + (f" ({len(done)} of {len(tasks)} documents)" if len(done) < len(tasks) else ""),
        percent(total.conll_f1),
        percent(links.precision) if links and links.precision_denominator else "-",
        percent(links.recall) if links else "-",
        percent(total.gain),
        f"{1000 * seconds / tokens:.3f}",
        memory,
    )
    return "| " + " | ".join(cells) + " |"


def _memory() -> str:
    """Peak resident memory of this process and the sum of its children's, in GiB."""
    own = _peak(Path("/proc/self/status"))
    children = Path("/proc/self/task").glob("*/children")
    pids = {pid for file in children for pid in file.read_text().split()}
    below = sum(_peak(Path(f"/proc/{pid}/status")) for pid in pids)
    return f"{own:.1f} GiB" + (f" + {below:.1f} GiB" if below else "")


def _peak(status: Path) -> float:
    try:
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0.0
    return int(line.split()[1]) / 2**20


if __name__ == "__main__":
    main()
