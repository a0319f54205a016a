"""Writes results: standard output, or a file that appears whole or not at all."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from merger.notices import Notices

STDOUT = "-"


@contextmanager
def open_output(path: str) -> Iterator[IO[str]]:
    """A text stream in UTF-8 with line ends as given; the file takes its name only when all is written.

    A symbolic link stays one, and devices and pipes are written directly. Raises ``OSError`` that names ``path`` if it
    cannot be written.
    """
    if path == STDOUT:
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="")  # type: ignore[union-attr]  # a TextIOWrapper in the console
        yield sys.stdout
        return
    target = Path(path).resolve()
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    try:
        descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    try:
        with os.fdopen(descriptor, "wb") as raw:
            if target.suffix == ".gz":
                # Without a name and a time in its header the same content gives the same bytes.
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    yield from _text(cast("IO[bytes]", packed))
            else:
                yield from _text(raw)
        Path(temporary).chmod(_mode_of(target))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _text(raw: IO[bytes]) -> Iterator[IO[str]]:
    import io

    text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    yield text
    text.flush()
    text.detach()


def _mode_of(target: Path) -> int:
    """The mode a new file would have here, or the one the file has that is replaced."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def counted(number: int, noun: str) -> str:
    """``1 document``, ``2 documents``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def write_pieces(path: str, pieces: Iterable[str]) -> None:
    """Write text piece by piece."""
    with open_output(path) as stream:
        for piece in pieces:
            stream.write(piece)


def write_json(data: Any) -> None:  # noqa: ANN401  # whatever json takes
    """Print data as JSON on standard output."""
    with open_output(STDOUT) as stream:
        json.dump(data, stream, ensure_ascii=False, indent=2, allow_nan=False)
        stream.write("\n")


def show_notices(notices: Notices) -> None:
    """Print the notices on standard error, one line each."""
    for notice in notices:
        sys.stderr.write(f"merge-baseline: note: {notice}\n")


def notices_data(notices: Notices) -> list[dict[str, Any]]:
    """The notices as JSON data."""
    return [
        {
            "kind": notice.kind,
            "message": notice.message,
            "count": notice.count,
            "file": notice.location.file,
            "line": notice.location.line,
            "document": notice.location.document,
            "part": notice.location.part,
        }
        for notice in notices
    ]
