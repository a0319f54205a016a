"""What the benchmarks of the service share: documents, a server as a process, and calls with bytes as messages."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from merger.document import Chain, Document, Mention, Part, Sentence, make_chain
from protos.convert.documents import document_to_message
from protos.merge_baseline import v1

SERVICE = "/merge_baseline.v1.ChainMergeService"
ROOT = Path(__file__).parents[1]

_PART_TOKENS = 700
_SENTENCE_TOKENS = 20
_WORDS = 3_000
_MENTION_SHARE = 0.3
_MENTIONS_A_CHAIN = 5
_TAGS = ("NN", "NNP", "DT", "VB", "IN")


def document(tokens: int) -> Document:
    """A made-up document: parts of 700 tokens, three mentions in ten tokens, five mentions a chain, tags."""
    random_ = random.Random(tokens)  # noqa: S311  # test data
    parts: list[Part] = []
    chains: list[Chain] = []
    for begin in range(0, tokens, _PART_TOKENS):
        index = len(parts)
        sizes = [
            min(_SENTENCE_TOKENS, tokens - start)
            for start in range(begin, min(tokens, begin + _PART_TOKENS), _SENTENCE_TOKENS)
        ]
        sentences = [
            Sentence(
                tuple(f"w{random_.randrange(_WORDS)}" for _ in range(size)),
                tuple(random_.choice(_TAGS) for _ in range(size)),
            )
            for size in sizes
        ]
        parts.append(Part(tuple(sentences), index))
        mentions = [
            Mention(index, number, token, token)
            for number, sentence in enumerate(sentences)
            for token in range(len(sentence))
            if random_.random() < _MENTION_SHARE
        ]
        owners: dict[int, list[Mention]] = {}
        for mention in mentions:
            owners.setdefault(random_.randrange(1 + len(mentions) // _MENTIONS_A_CHAIN), []).append(mention)
        chains.extend(make_chain(str(owner), own) for owner, own in owners.items())
    return Document(f"{tokens} tokens", tuple(parts), tuple(chains))


def document_request(tokens: int) -> bytes:
    """A MergeDocumentRequest with a document of this size, for the greedy strategy."""
    message = document_to_message(document(tokens))
    return v1.MergeDocumentRequest(document=message, strategy=v1.StrategySpec(name="greedy")).SerializeToString()


def stream_requests(tokens: int) -> list[bytes]:
    """The same document as the messages of a stream."""
    setup = v1.MergeStreamSetup(strategy=v1.StrategySpec(name="greedy"))
    parts = document_to_message(document(tokens)).parts
    messages = [v1.MergeStreamRequest(setup=setup), *(v1.MergeStreamRequest(part=part) for part in parts)]
    return [message.SerializeToString() for message in messages]


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[int, str]]:
    """The real server as a process of its own on a free port: its process id and its address."""
    program = Path(sys.executable).parent / "merge-baseline"
    with started([str(program), "serve", "--port", "0", "--log-level", "error", *arguments]) as server:
        yield server


@contextmanager
def started(command: list[str]) -> Iterator[tuple[int, str]]:
    """A process that prints ``serving on ADDRESS``; it is told to stop, and must stop well."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            line = "" if process.stdout is None else process.stdout.readline()
            found = re.fullmatch(r"serving on (\S+)\n", line)
            if found is None:
                raise SystemExit(f"the server did not start: {line}")
            yield process.pid, found[1]
            process.terminate()
            code = process.wait(60)
            if code:
                raise SystemExit(f"the server ended with code {code}")
        finally:
            process.kill()


def children_of(pid: int) -> list[int]:
    """The process ids of a process's children."""
    lists = (path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(child) for each in lists for child in each.split()]


def rss_mib(pid: int) -> float:
    """The resident memory of a process in MiB, 0 if it is gone."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0.0
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu_seconds(pid: int) -> float:
    """The processor time of a process in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
