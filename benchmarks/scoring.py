"""Time and memory of `merge-baseline score`, beside other scorers on the same files, and whether the digits agree.

    python benchmarks/scoring.py --perl-scorer PATH --coval PATH --litbank PATH

Inputs: LitBank cut into parts of 700 tokens (singletons kept), its key against greedy merges; a generated
document of 100,000 tokens, key against greedy merges; one of 1,000,000 tokens against greedy merges and three odd
responses. A time is that of the whole command, start-up and parsing included: ours computes all metrics, link scores
and the floor, the official scorer and coval MUC, B³ and CEAFe, scorch (where it is installed) its five. Peers that are
absent are skipped. Writes the section "scores" of docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import scoring_peers as peers
from benchmarks.generated_task import (
    Generated,
    generate,
    write_key,
    write_merged_at_random,
    write_one_chain,
    write_parts,
    write_shuffled,
)
from benchmarks.processes import Measured, run, take_turns
from benchmarks.results import machine, table, write_section
from merger import read_documents

PROGRAM = str(Path(sys.executable).parent / "merge-baseline")
MEDIUM = (100_000, 3_000, 13_000)
LARGE = (1_000_000, 100_000, 300_000)
"""Tokens, chains, mentions."""


@dataclass(frozen=True)
class Peers:
    """Where the peers are, and how long each may take."""

    official: Path | None
    coval: Path | None
    scorch: str | None
    timeout: float


def main() -> None:
    """Parse the command line, measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--perl-scorer", type=Path, help="folder of the official scorer (scorer.pl)")
    parser.add_argument("--coval", type=Path, help="folder of coval (scorer.py)")
    parser.add_argument("--litbank", type=Path, help="folder of LitBank's CoNLL files")
    parser.add_argument("--tagger", default="corenlp", help="for LitBank, which has no tags; default: corenlp")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peer-timeout", type=float, default=120, help="seconds that one run of a peer may take")
    parser.add_argument("--skip-large", action="store_true", help="without the document of 1,000,000 tokens")
    arguments = parser.parse_args()
    others = Peers(arguments.perl_scorer, arguments.coval, peers.scorch_program(), arguments.peer_timeout)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = ["## Scores", "", f"`benchmarks/scoring.py` on {machine()}."]
        compared = []
        if arguments.litbank is not None:
            compared.append(("LitBank", *_litbank(arguments.litbank, arguments.tagger, folder)))
        compared.append(("generated, medium", *_generated(MEDIUM, folder / "medium")))
        lines += ["", *_compare(compared, others, arguments.repeats)]
        if not arguments.skip_large:
            lines += ["", *_large(folder / "large", min(arguments.repeats, 3))]
    print("\n".join(lines))
    write_section("scores", lines)


def _litbank(corpus: Path, tagger: str, folder: Path) -> tuple[Path, Path]:
    task = folder / "litbank"
    run([PROGRAM, "split", str(corpus), "--tokens", "700", "--singletons", "keep", "-o", str(task)])
    response = task / "greedy.conll"
    run([PROGRAM, "merge", str(task / "parts.conll"), "--singletons", "keep", "--tagger", tagger, "-o", str(response)])
    return task / "key.conll", response


def _generated(size: tuple[int, int, int], folder: Path) -> tuple[Path, Path]:
    document = generate("generated", *size)
    folder.mkdir()
    write_parts(document, folder / "parts.conll")
    write_key(document, folder / "key.conll")
    run([PROGRAM, "merge", str(folder / "parts.conll"), "-o", str(folder / "greedy.conll")])
    return folder / "key.conll", folder / "greedy.conll"


def _compare(inputs: Sequence[tuple[str, Path, Path]], others: Peers, repeats: int) -> list[str]:
    rows, digits = [], []
    for label, key, response in inputs:
        measured = _measure(key, response, others, repeats)
        ours = measured["ours"]
        cells = [ours.shown(), f"{ours.memory:.0f}"]
        for name in ("coval", "official", "scorch"):
            found = measured.get(name)
            cells += [found.shown(), found.ratio_to(ours)] if found else ["-", "-"]
        rows.append([label, *_sizes(key), *cells])
        digits += _digits(label, key, response, measured, others)
    header = ["input", "tokens", "chains", "mentions", "ours: s", "MiB", "coval: s", "ratio"]
    header += ["official scorer: s", "ratio", "scorch: s", "ratio"]
    note = f"Medians of {repeats} runs that took turns; a peer that needs more than 15 s ran once"
    return [
        *table(header, rows),
        "",
        f"{note}, for {others.timeout:.0f} s at most for each of its commands.",
        "",
        *digits,
    ]


def _measure(key: Path, response: Path, others: Peers, repeats: int) -> dict[str, Measured]:
    sides = [peers.ours(PROGRAM, key, response)]
    if others.coval is not None:
        sides.append(peers.coval(others.coval, key, response))
    if others.official is not None:
        sides.append(peers.official(others.official, key, response))
    if others.scorch is not None:
        folders = key.with_name("scorch-key"), key.with_name("scorch-response")
        for path, folder in zip((key, response), folders, strict=True):
            peers.write_for_scorch(list(read_documents(str(path))), folder)
        sides.append(peers.scorch(others.scorch, *folders))
    return take_turns(sides, repeats, others.timeout)


def _sizes(path: Path) -> list[str]:
    tokens = chains = mentions = 0
    for document in read_documents(str(path)):
        tokens += document.token_count
        chains += len(document.chains)
        mentions += sum(len(chain.mentions) for chain in document.chains)
    return [f"{tokens:,}", f"{chains:,}", f"{mentions:,}"]


def _digits(label: str, key: Path, response: Path, measured: dict[str, Measured], others: Peers) -> list[str]:
    data = json.loads(measured["ours"].outputs[0])
    lines = []
    if others.official is not None:
        compared, differences = peers.official_differences(others.official, key, response, data, others.timeout)
        verdict = "; ".join(differences) or "the same digits"
        lines.append(f"- {label}, official scorer, {', '.join(compared) or 'nothing in the time'}: {verdict}.")
    if "coval" in measured and measured["coval"].finished:
        differences = peers.coval_differences(measured["coval"].outputs[0], data)
        lines.append(f"- {label}, coval, muc, bcub, ceafe: {'; '.join(differences) or 'the same digits'}.")
    return lines


def _large(folder: Path, repeats: int) -> list[str]:
    key, greedy = _generated(LARGE, folder)
    document: Generated = generate("generated", *LARGE)
    responses = {"greedy merges": greedy}
    for label, write in (
        ("chains merged at random", write_merged_at_random),
        ("everything in one chain", write_one_chain),
        ("every mention in a chain at random", write_shuffled),
    ):
        responses[label] = folder / f"{write.__name__}.conll"
        write(document, responses[label])
    rows = []
    for label, response in responses.items():
        ours = take_turns([peers.ours(PROGRAM, key, response)], repeats, 600)["ours"]
        rows.append([label, *_sizes(response), ours.shown(), f"{ours.processor:.1f}", f"{ours.memory:.0f}"])
    tokens, chains, mentions = (f"{number:,}" for number in LARGE)
    return [
        f"One document of {tokens} tokens, its key with {chains} chains and {mentions} mentions; medians of {repeats}:",
        "",
        *table(["response", "tokens", "chains", "mentions", "ours: s", "processor s", "MiB"], rows),
    ]


if __name__ == "__main__":
    main()
