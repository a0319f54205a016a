"""How long short commands take, beside Python itself.

    python benchmarks/startup.py [--repeats 41]

Runs `python -c pass`, the program with `--version` and `--help`, `score` on an example document, and, as the limit,
the import of the third-party and standard libraries that `score` cannot do without. Prints medians of runs that took
turns, and ratios to Python itself; bytecode is cached, as in an installed package. Writes the
section "startup" of docs/performance.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.processes import environment
from benchmarks.results import interleaved, machine, table, write_section

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAM = str(Path(sys.executable).parent / "merge-baseline")
LIBRARIES = "import click, dataclasses, pathlib"


def main() -> None:
    """Parse the command line, measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=41)
    repeats = parser.parse_args().repeats
    key, parts = str(EXAMPLES / "key" / "ferry.conll"), str(EXAMPLES / "parts" / "ferry.conll")
    with tempfile.TemporaryDirectory() as folder:
        merged = str(Path(folder) / "merged.conll")
        subprocess.run([PROGRAM, "merge", parts, "-o", merged], check=True, capture_output=True)
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "merge-baseline --version": [PROGRAM, "--version"],
            "merge-baseline --help": [PROGRAM, "--help"],
            f"python -c '{LIBRARIES}'": [sys.executable, "-c", LIBRARIES],
            "merge-baseline score, one small document": [PROGRAM, "score", key, merged],
        }
        runners = {name: _runner(command) for name, command in commands.items()}
        for runner in runners.values():
            runner()
        seconds = interleaved(runners, repeats)
    itself = seconds["python -c pass"]
    rows = [[f"`{name}`", f"{1000 * each:.0f}", f"{each / itself:.1f}"] for name, each in seconds.items()]
    lines = [
        "## Start-up",
        "",
        f"`benchmarks/startup.py` on {machine()}; medians of {repeats} runs that took turns.",
        "",
        *table(["command", "ms", "ratio to Python itself"], rows),
        "",
        "What a command may import is checked by the tests, by name.",
    ]
    print("\n".join(lines))
    write_section("startup", lines)


def _runner(command: Sequence[str]) -> Callable[[], object]:
    return lambda: subprocess.run(command, check=True, capture_output=True, env=environment())


if __name__ == "__main__":
    main()
