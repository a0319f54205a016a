"""How the time of a coreference backend grows with the document.

    python benchmarks/coreference_growth.py CORPUS [--write] corenlp:algorithm=deterministic stanza ...

Documents of the corpus are joined to texts of 1,000 to 20,000 tokens. Every size is run once after a warm-up; prints
wall seconds and seconds per 1,000 tokens as a Markdown table, and the exponent of the growth fitted over the sizes.
With ``--write`` the table goes into docs/performance.md, with each backend's options but those that are the operator's.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

import numpy as np

from benchmarks.results import machine, table, write_section
from merger import Document, Notices, Part, Policy, ReadOptions, Sentence, read_documents
from merger.backends.base import Backend
from merger.progress import WorkContext
from merger.strategies import STRATEGIES, parse_spec
from merger.strategies.coreference import CoreferenceStrategy

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000)


def main() -> None:
    """Parse the command line and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("backends", nargs="+")
    parser.add_argument("--write", action="store_true", help="write the section of docs/performance.md")
    arguments = parser.parse_args()
    documents = read_documents(arguments.corpus, None, ReadOptions(Notices(Policy.LENIENT)))
    sentences = [sentence for document in documents for part in document.parts for sentence in part.sentences]
    rows = []
    for spec in arguments.backends:
        rows.append(_row(spec, sentences))
        print(*table(rows[-1], [])[:1], flush=True)
    lines = [
        "## Growth of the coreference pass",
        "",
        f"`benchmarks/coreference_growth.py` on {machine()}; every size once, after a warm-up.",
        "",
        *table(["backend", *(f"{size:,} tokens: s (s per 1,000)" for size in SIZES), "exponent"], rows),
    ]
    print("\n", *lines, sep="\n")
    if arguments.write:
        write_section("coreference-growth", lines)


def _row(spec: str, sentences: Sequence[Sentence]) -> list[str]:
    name, options = parse_spec(spec)
    strategy = STRATEGIES[name]
    if not issubclass(strategy, CoreferenceStrategy):
        raise SystemExit(f"{name} has no backend")
    backend: Backend = strategy.backend_class(options)
    with backend:
        backend.predict(_text(sentences, SIZES[0]), WorkContext())
        seconds = []
        for size in SIZES:
            begin = time.perf_counter()
            backend.predict(_text(sentences, size), WorkContext())
            seconds.append(time.perf_counter() - begin)
        signature = backend.signature
    exponent = float(np.polyfit(np.log(SIZES), np.log(seconds), 1)[0])
    cells = [f"{each:.1f} ({1000 * each / size:.2f})" for each, size in zip(seconds, SIZES, strict=True)]
    return [signature, *cells, f"{exponent:.2f}"]


def _text(sentences: Sequence[Sentence], tokens: int) -> Document:
    taken: list[Sentence] = []
    count = 0
    for sentence in sentences:
        if count + len(sentence.forms) > tokens:
            break
        taken.append(sentence)
        count += len(sentence.forms)
    return Document("growth", (Part(tuple(taken)),))


if __name__ == "__main__":
    main()
