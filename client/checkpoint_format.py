"""The file format of everything that a run remembers: JSON records, each in a file or on a line of its own.

``merge`` keeps merged documents in it (:mod:`client.engines`), ``compare`` keeps outcomes
(:mod:`client.evaluation.comparison.checkpoint`), and output folders keep what made each file
(:mod:`client.folder_owners`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from client.atomic_files import write_atomically
from merger.errors import FormatError

_T = TypeVar("_T")


class Line(NamedTuple):
    """A line of a file. ``number`` is 1-based, ``offset`` is in bytes from the start of the file."""

    number: int
    offset: int
    content: bytes


def encoded(record: object) -> bytes:
    """A record as a line, with its line end."""
    return json.dumps(record).encode() + b"\n"


def decoded(content: bytes, parse: Callable[[Any], _T]) -> _T | None:
    """What ``parse`` returns for a record; ``None`` if the record is damaged, which ``parse`` need not check."""
    try:
        return parse(json.loads(content))
    except (AttributeError, FormatError, IndexError, KeyError, TypeError, ValueError):
        return None


def write_record(path: Path, record: object) -> None:
    """Write a file with one record, which is complete or not there. Raises ``OSError``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, lambda stream: stream.write(encoded(record)))


def read_lines(path: Path) -> Iterator[Line]:
    """The lines of a file; the last one has no line end if a killed run wrote it. Raises ``OSError``."""
    offset = 0
    with path.open("rb") as stream:
        for number, content in enumerate(stream, start=1):
            yield Line(number, offset, content)
            offset += len(content)


def read_line(path: Path, offset: int) -> bytes:
    """The line that starts at this offset in bytes. Raises ``OSError``."""
    with path.open("rb") as stream:
        stream.seek(offset)
        return stream.readline()
