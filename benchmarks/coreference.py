"""The coreference pass beside CoreNLP's own command line, on the same text.

    python benchmarks/coreference.py [--algorithms deterministic ...] [--documents 15] [--write] [PATH ...]

Ours is one backend: its server process is started, then answers for every document. The other side is
``java edu.stanford.nlp.pipeline.StanfordCoreNLP`` with the same jars, heap, annotators and properties, a file a
document (``-filelist``), cut at spaces and line ends, so that its tokens and sentences are ours: its answers are read
and compared. Tags and speakers of the documents are left out on both sides, as text alone has none. Every repeat runs
both sides, each in a new Java. Start-up of ours is the time until the server has answered for a sample of two
sentences; of the command line, a run on that sample. The pass is what the documents take beyond that. Java's processor
time, of all its threads, is told too: other work on the machine changes it less than the time on the clock.

In the same server the documents then go a second time, one at a time, and two at a time. The inputs are the documents
of examples/, and each PATH: so many documents of a file or folder, spread evenly over it. With ``--write`` the results
go into docs/performance.md.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from benchmarks.results import machine, table, write_section
from merger import Document, Notices, Part, Policy, ReadOptions, Sentence, read_documents
from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.corenlp.install import find_installation
from merger.backends.corenlp.messages import decode_annotation, encode_document
from merger.backends.corenlp.models import ALGORITHM_MODELS
from merger.backends.corenlp.process import find_java
from merger.backends.corenlp.sentences import sent_sentences
from merger.backends.mention_matching import Cluster
from merger.progress import WorkContext

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "key"
TARGET = 1.1
_MAIN = "edu.stanford.nlp.pipeline.StanfordCoreNLP"
_CUT = {
    "tokenize.whitespace": "true",
    "ssplit.eolonly": "true",
    "outputFormat": "serialized",
    # Not compressed, whatever the file's name says.
    "outputSerializer": "edu.stanford.nlp.pipeline.ProtobufAnnotationSerializer",
}
_TOTAL = re.compile(r"^TOTAL: ([\d.]+) sec\. for (\d+) tokens", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Input:
    """Documents to measure on, as both sides get them."""

    name: str
    documents: tuple[Document, ...]

    @property
    def tokens(self) -> int:
        """Tokens of all documents."""
        return sum(document.token_count for document in self.documents)


@dataclass(frozen=True, slots=True)
class Ours:
    """Seconds of one life of the server.

    ``python`` and ``java`` are processor time of this process and of the server during ``first``.
    """

    start: float
    first: float
    python: float
    java: float
    again: float
    parallel: float
    total: float
    clusters: tuple[tuple[Cluster, ...], ...]


@dataclass(frozen=True, slots=True)
class Theirs:
    """Seconds of a run of the command line.

    ``annotators`` is what it says its annotators took, ``java`` its processor time.
    """

    total: float
    java: float
    annotators: float
    clusters: tuple[tuple[Cluster, ...], ...]


def main() -> None:
    """Parse the command line, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument(
        "--algorithms", nargs="+", choices=tuple(ALGORITHM_MODELS), default=["deterministic", "statistical"]
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--documents", type=int, default=15, help="so many documents of each PATH")
    parser.add_argument("--memory", default="6G", help="Java's heap, on both sides")
    parser.add_argument("--write", action="store_true", help="write the section of docs/performance.md")
    arguments = parser.parse_args()
    inputs = [
        _input("examples", EXAMPLES, None),
        *(_input(path.name, path, arguments.documents) for path in arguments.paths),
    ]
    version = find_installation().version
    rows, parallel, shares, notes = [], [], [], []
    for each in inputs:
        for algorithm in arguments.algorithms:
            backend = CoreNLPBackend({"algorithm": algorithm, "memory": arguments.memory})
            runs = [_take_turns(backend, each, arguments.memory) for _ in range(arguments.repeats)]
            name = f"{each.name}, {algorithm}"
            rows.append(_row(name, each, runs))
            parallel.append(_parallel_row(name, each, [ours for ours, _, _ in runs]))
            shares.append(_share_row(name, each, runs))
            notes.append(f"- {name}: {_agreement(runs[-1][0].clusters, runs[-1][2].clusters)}")
            print(rows[-1], parallel[-1], shares[-1], notes[-1], sep="\n", flush=True)
    lines = [
        "## Coreference pass",
        "",
        f"`benchmarks/coreference.py` on {machine()}, CoreNLP {version}, heap {arguments.memory}.",
        f"Medians of {arguments.repeats} repeats that took turns, each side in a new Java every time.",
        "",
        *table(
            [
                *("documents, algorithm", "documents", "tokens", "start-up: ours, s", "command line, s"),
                *("s per 1,000 tokens: ours", "command line", "ours / command line", "with start-up"),
                "Java's processor time: ours / command line",
            ],
            rows,
        ),
        "",
        f"The target is a ratio of at most {TARGET}. The same documents again in the server that has done them once:",
        "",
        *table(
            [
                *("documents, algorithm", "s per 1,000 tokens: one at a time", "two at a time", "two / one"),
                "again / first time",
            ],
            parallel,
        ),
        "",
        "Where the time of ours goes, in ms per 1,000 tokens; what is not named is Java's, and the way there and back.",
        "The annotators' own time is what the command line says of itself.",
        "",
        *table(
            [
                *(
                    "documents, algorithm",
                    "wall",
                    "Python: processor time",
                    "writing requests",
                    "reading the words of answers",
                ),
                "the command line's annotators",
            ],
            shares,
        ),
        "",
        "Documents with the same clusters on both sides:",
        "",
        *notes,
    ]
    print("\n", *lines, sep="\n")
    if arguments.write:
        write_section("coreference", lines)


def _input(name: str, path: Path, count: int | None) -> Input:
    documents = list(read_documents(str(path), None, ReadOptions(Notices(Policy.LENIENT))))
    step = max(1, len(documents) // count) if count else 1
    return Input(name, tuple(_as_text(document) for document in documents[::step][:count]))


def _as_text(document: Document) -> Document:
    """Words alone, as a text with spaces and line ends can carry them."""
    sent = sent_sentences(document)
    sentences = tuple(Sentence(tuple(word.replace(" ", "_") for word in sentence.words)) for sentence in sent)
    return Document(document.id, (Part(sentences),))


def _take_turns(backend: CoreNLPBackend, given: Input, memory: str) -> tuple[Ours, Theirs, Theirs]:
    """Ours, the command line on the sample, the command line on the documents."""
    properties = {**backend._properties(tagged=False), **_CUT}  # noqa: SLF001  # the same ones, whatever they become
    properties["annotators"] = f"tokenize,{properties['annotators']}"
    sample = Document(
        "sample", (Part((Sentence(("Ann", "has", "a", "cat", ".")), Sentence(("She", "likes", "it", ".")))),)
    )
    ours = _ours(backend, given.documents)
    return ours, _theirs([sample], properties, memory), _theirs(given.documents, properties, memory)


def _ours(backend: CoreNLPBackend, documents: Sequence[Document]) -> Ours:
    watch = WorkContext()
    begin = perf_counter()
    backend.warm(watch)
    start = perf_counter() - begin
    used, java = process_time(), _java(backend)
    clusters = tuple(backend.predict(document, watch) for document in documents)
    python, java = process_time() - used, _java(backend) - java
    first = perf_counter() - begin - start
    then = perf_counter()
    for document in documents:
        backend.predict(document, watch)
    again = perf_counter() - then
    then = perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda document: backend.predict(document, watch), documents))
    parallel = perf_counter() - then
    then = perf_counter()
    backend.close()
    return Ours(start, first, python, java, again, parallel, start + first + perf_counter() - then, clusters)


def _java(backend: CoreNLPBackend) -> float:
    """Processor seconds of the server so far."""
    peer = backend._handle.get()._peer  # noqa: SLF001  # nobody else has to know the process
    seconds = peer.process.cpu_seconds() if peer is not None and peer.process is not None else None
    return seconds or 0.0


def _children() -> float:
    """Processor seconds of children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _theirs(documents: Sequence[Document], properties: Mapping[str, str], memory: str) -> Theirs:
    with tempfile.TemporaryDirectory() as folder:
        texts = [Path(folder, f"{index:04}.txt") for index in range(len(documents))]
        for path, document in zip(texts, documents, strict=True):
            lines = (" ".join(sentence.forms) for part in document.parts for sentence in part.sentences)
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        files = Path(folder, "files")
        files.write_text("".join(f"{path}\n" for path in texts), encoding="utf-8")
        command = [find_java(), f"-Xmx{memory}", "-cp", str(find_installation().home / "*"), _MAIN]
        for key, value in {**properties, "filelist": str(files), "outputDirectory": folder}.items():
            command += [f"-{key}", value]
        used, begin = _children(), perf_counter()
        done = subprocess.run(  # the Java that the server runs in, with the same properties
            command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        total, java = perf_counter() - begin, _children() - used
        said = _TOTAL.search(done.stderr)
        if done.returncode or said is None:
            raise SystemExit(f"the command line failed: {done.stderr[-1000:]}")
        clusters = tuple(
            decode_annotation(path.with_name(f"{path.name}.ser.gz").read_bytes(), sent_sentences(document)).clusters
            for path, document in zip(texts, documents, strict=True)
        )
    return Theirs(total, java, float(said[1]), clusters)


def _row(name: str, given: Input, runs: Sequence[tuple[Ours, Theirs, Theirs]]) -> list[str]:
    thousands = given.tokens / 1000
    start, first = median(ours.start for ours, _, _ in runs), median(ours.first for ours, _, _ in runs)
    bare = median(sample.total for _, sample, _ in runs)
    pass_ = median(full.total - sample.total for _, sample, full in runs)
    whole = median(ours.total for ours, _, _ in runs) / median(full.total for _, _, full in runs)
    java = median(ours.java for ours, _, _ in runs) / median(full.java - sample.java for _, sample, full in runs)
    return [
        *(name, f"{len(given.documents)}", f"{given.tokens:,}", f"{start:.1f}", f"{bare:.1f}"),
        *(f"{first / thousands:.2f}", f"{pass_ / thousands:.2f}", f"{first / pass_:.2f}", f"{whole:.2f}"),
        f"{java:.2f}",
    ]


def _parallel_row(name: str, given: Input, runs: Sequence[Ours]) -> list[str]:
    thousands = given.tokens / 1000
    again, parallel = median(ours.again for ours in runs), median(ours.parallel for ours in runs)
    first = median(ours.first for ours in runs)
    return [
        *(name, f"{again / thousands:.2f}", f"{parallel / thousands:.2f}", f"{parallel / again:.2f}"),
        f"{again / first:.2f}",
    ]


def _share_row(name: str, given: Input, runs: Sequence[tuple[Ours, Theirs, Theirs]]) -> list[str]:
    scale = 1_000_000 / given.tokens
    annotators = median(full.annotators - sample.annotators for _, sample, full in runs)
    values = [median(ours.first for ours, _, _ in runs), median(ours.python for ours, _, _ in runs)]
    values += [_writing(given), _reading(given), annotators]
    return [name, *(f"{value * scale:,.0f}" for value in values)]


def _writing(given: Input) -> float:
    begin = perf_counter()
    for document in given.documents:
        encode_document(sent_sentences(document))
    return perf_counter() - begin


def _reading(given: Input) -> float:
    """Reads requests as if they were answers, which have the same words but no clusters."""
    made = [(encode_document(sent), sent) for sent in map(sent_sentences, given.documents)]
    begin = perf_counter()
    for data, sentences in made:
        decode_annotation(data, sentences)
    return perf_counter() - begin


def _agreement(ours: Sequence[Sequence[Cluster]], theirs: Sequence[Sequence[Cluster]]) -> str:
    same = sum(set(one) == set(other) for one, other in zip(ours, theirs, strict=True))
    found = sum(len(clusters) for clusters in theirs)
    shared = sum(len(set(one) & set(other)) for one, other in zip(ours, theirs, strict=True))
    return f"{same} of {len(ours)}; {shared:,} of the {found:,} clusters of the command line"


if __name__ == "__main__":
    main()
