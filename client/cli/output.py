"""Writes results to standard output, or to a file that appears complete or not at all."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from client.atomic_files import atomic_file, is_write_error
from client.cli.messages import print_note
from client.cli.option_names import with_flags
from merger.formats.open_inputs import display_name
from merger.notices import Notices

STDOUT = "-"


@contextmanager
def open_output(path: str) -> Iterator[IO[str]]:
    """A text stream in UTF-8 with line ends as given; the file takes its name only when all is written.

    A symbolic link stays a link; devices and pipes are written directly. Raises ``OSError`` that names ``path``.
    """
    if path == STDOUT:
        sys.stdout.reconfigure(encoding="utf-8", errors="strict", newline="")  # type: ignore[union-attr]  # a TextIOWrapper in the console
        yield sys.stdout
        return
    target = Path(path).resolve()
    check_folders([path])
    if target.exists() and not target.is_file():
        try:
            with target.open("w", encoding="utf-8", newline="") as stream:
                yield stream
        except OSError as error:
            if is_write_error(error):
                raise OSError(error.errno, error.strerror, path) from None
            raise
        return
    try:
        with atomic_file(target) as raw:
            if target.suffix == ".gz":
                import gzip

                # Without name and time in the header, the same content gives the same bytes.
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    yield from _text(cast("IO[bytes]", packed))
            else:
                yield from _text(raw)
    except OSError as error:
        if error.filename == str(target):
            raise OSError(error.errno, error.strerror, path) from None
        raise


@contextmanager
def open_report() -> Iterator[IO[str]]:
    """Standard output for reports: bytes of arguments that are not UTF-8 are escaped, as in JSON."""
    with open_output(STDOUT) as stream:
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a TextIOWrapper in the console
        yield stream


def _text(raw: IO[bytes]) -> Iterator[IO[str]]:
    import io

    text = io.TextIOWrapper(raw, encoding="utf-8", newline="")
    yield text
    text.flush()
    text.detach()


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
    import json

    with open_report() as stream:
        json.dump(data, stream, ensure_ascii=False, indent=2, allow_nan=False)
        stream.write("\n")


def show_notices(notices: Notices) -> None:
    """Print the notices on standard error, one line each."""
    for notice in notices:
        print_note(notice, notice.location)


def check_paths(
    outputs: Mapping[str, str | None], inputs: Iterable[str], *, overwrite_input: bool | None = None
) -> None:
    """Check that no two outputs have the same path, and that no output is an input.

    ``outputs`` are paths by option. With ``overwrite_input``, ``--output`` can be an input: the file takes its name
    when all is written. It is ``None`` if the command has no such option. Raises ``click.UsageError``.
    """
    import click

    files = {option: Path(path) for option, path in outputs.items() if path not in {None, STDOUT}}
    # Devices and pipes can be shared.
    files = {option: path.resolve() for option, path in files.items() if path.is_file() or not path.exists()}
    taken: dict[Path, str] = {}
    for option, path in files.items():
        if path in taken:
            raise click.UsageError(f"{taken[path]} and {option} are one file: {outputs[option]}")
        taken[path] = option
    existing = {
        option: path
        for option, path in files.items()
        if path.is_file() and not (overwrite_input and option == "--output")
    }
    if not existing:
        return
    for name in inputs:
        for option, path in existing.items():
            if name != STDOUT and Path(name).is_file() and path.samefile(name):
                allowed = " (--overwrite-input allows it)" if overwrite_input is False and option == "--output" else ""
                raise click.UsageError(f"{option} would be written over an input: {outputs[option]}{allowed}")


def check_folders(paths: Iterable[str | None]) -> None:
    """Check that files can be created at these paths, before the results of the work could be lost.

    Raises ``OSError`` that names the path.
    """
    for path in paths:
        if path is None or path == STDOUT:
            continue
        target = Path(path).resolve()
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if target.exists() and not target.is_file():
            continue
        if not target.parent.is_dir():
            folder = str(Path(path).parent)
            reason = "No such folder" if not target.parent.exists() else os.strerror(errno.ENOTDIR)
            raise FileNotFoundError(errno.ENOENT, f"{reason}: {display_name(folder)}", path)
        if not os.access(target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)


def notices_data(notices: Notices) -> list[dict[str, Any]]:
    """The notices as JSON data."""
    return [
        {
            "kind": notice.kind,
            "message": with_flags(notice.message),
            "count": notice.count,
            "file": notice.location.file,
            "line": notice.location.line,
            "document": notice.location.document,
            "part": notice.location.part,
        }
        for notice in notices
    ]
