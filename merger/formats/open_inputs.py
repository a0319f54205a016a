"""Opens what a user names: a file, a directory, a ``.gz``, standard input. Text is UTF-8, with or without a BOM."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from merger.errors import FormatError, InputError, Location
from merger.formats.paragraphs import split_lines

STDIN = "-"
_CHUNK = 1 << 18
_GZIP_MAGIC = b"\x1f\x8b"
_NULS = 4
"""NUL bytes that no text begins with, in UTF-8 or in UTF-16."""
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def find_files(path: str, suffixes: tuple[str, ...], passed_over: list[str] | None = None) -> list[str]:
    """The files that a path stands for: itself, or the files below a directory in natural order.

    Below a directory that is every file whose name ends in a known suffix or that and ``.gz``, without hidden files and
    folders; ``part2`` comes before ``part10``. Pipes, sockets and devices with such names go into ``passed_over``.

    Raises :class:`~merger.errors.InputError` if there is nothing.
    """
    if path == STDIN or not path or not Path(path).is_dir():
        return [path]
    endings = tuple(suffixes) + tuple(suffix + ".gz" for suffix in suffixes)
    found = []
    for file in Path(path).rglob("*"):
        if not file.name.endswith(endings) or _is_hidden(file.relative_to(path)):
            continue
        if _may_hold_text(file):
            found.append(str(file))
        elif passed_over is not None and not file.is_dir():
            passed_over.append(str(file))
    if not found:
        raise InputError(
            "no annotation file in this directory",
            Location(display_name(path)),
            expected=f"names ending in {', '.join(suffixes)}",
        )
    return sorted(found, key=_natural)


def _is_hidden(file: Path) -> bool:
    return any(name.startswith(".") for name in file.parts)


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", name)]


def display_name(path: str) -> str:
    r"""The name under which a path appears in messages: bytes that are not UTF-8 as ``\xff``."""
    return "<stdin>" if path == STDIN else readable_name(path)


def readable_name(argument: str) -> str:
    r"""A command-line argument as text that can be written: bytes that are not UTF-8 become ``\xff``."""
    return os.fsencode(argument).decode("utf-8", "backslashreplace")


def open_bytes(path: str) -> BinaryIO:
    """Open for reading, unpacking gzip by its first bytes.

    Raises :class:`~merger.errors.InputError` if it cannot be opened.
    """
    if not path:
        raise InputError("the name of an input is empty", expected=f"a file, a directory or {STDIN}")
    name = display_name(path)
    if path != STDIN and _is_endless(path):
        raise InputError("a device, not a file", Location(name), expected="a file or a pipe")
    try:
        raw = _stdin(name) if path == STDIN else Path(path).open("rb", _CHUNK)  # noqa: SIM115  # the reader closes it
        if raw.closed:
            raise InputError("standard input was read before", Location(name), expected=f"{STDIN} once")
        buffered = cast("io.BufferedReader", raw)
        if buffered.peek(2)[:2] == _GZIP_MAGIC:
            return cast("BinaryIO", _Unpacked(buffered))
    except (OSError, ValueError) as error:
        raise _unreadable(error, Location(name)) from None
    return buffered


def _is_endless(path: str) -> bool:
    """Whether it is a device that can produce bytes for ever. A terminal does not."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116  # the name may be no text
        if not (stat.S_ISCHR(mode) or stat.S_ISBLK(mode)) or os.path.samefile(path, os.devnull):  # noqa: PTH121
            return False
        with Path(path).open("rb", buffering=0) as stream:
            return not stream.isatty()
    except (OSError, ValueError):
        return False


def _stdin(name: str) -> BinaryIO:
    # `None` if the process was started without one (`<&-`), although the stubs exclude it.
    stream = cast("TextIO | None", sys.stdin)
    if stream is None:
        raise InputError("standard input is closed", Location(name))
    return stream.buffer


class _Unpacked(gzip.GzipFile):
    """A gzip file that closes what it reads from."""

    def __init__(self, packed: io.BufferedReader) -> None:
        self._packed = packed
        super().__init__(fileobj=packed, mode="rb")

    def close(self) -> None:
        super().close()
        self._packed.close()


def _unreadable(error: OSError | ValueError, place: Location) -> InputError:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return InputError(f"cannot be read: {reason}", place)


def _may_hold_text(file: Path) -> bool:
    """Whether it is a file, or a link to a missing one, which must be reported."""
    return file.is_file() or (file.is_symlink() and not file.exists())


def read_texts(stream: BinaryIO, name: str, faults: list[InputError] | None = None) -> Iterator[str]:
    """Yield the text of a byte stream in pieces of whole lines, with their line ends. Only LF ends a line.

    Raises :class:`~merger.errors.FormatError` with the line for bytes that are not UTF-8 or a broken gzip file, and
    :class:`~merger.errors.InputError` if reading fails. With a list of ``faults`` such an error goes there, before its
    line is yielded: bytes that are not UTF-8 are replaced, and text ends where reading fails.
    """
    done = 0
    rest = b""
    first = True
    # `read` would wait for the whole chunk, and lose what was unpacked before a fault.
    read = getattr(stream, "read1", stream.read)
    while True:
        try:
            chunk = read(_CHUNK)
        except (EOFError, zlib.error, OSError) as error:
            fault = _not_read_on(error, Location(name, done + 1))
            if faults is None:
                raise fault from None
            faults.append(fault)
            chunk = b""
        data = rest + chunk
        # Without a mark every second byte of the first line is 0, as a rule.
        if first and data.startswith(b"\0" * _NULS):
            raise FormatError("no text: it begins with NUL bytes", Location(name, 1), expected="UTF-8")
        if first and (data.startswith(_UTF16_MARKS) or 0 in data[:2]):
            raise FormatError("the text is UTF-16", Location(name, 1), expected="UTF-8")
        cut = data.rfind(b"\n") + 1 if chunk else len(data)
        data, rest = data[:cut], data[cut:]
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            if faults is None:
                raise _not_decoded(error, Location(name, done + data.count(b"\n", 0, error.start) + 1)) from None
            text = _with_faults(data, Location(name, done + 1), faults)
        if first and text:
            text = text.removeprefix("\ufeff")
            first = False
        yield text
        done += data.count(b"\n")
        if not chunk:
            return


def _not_read_on(error: Exception, place: Location) -> InputError:
    # `BadGzipFile` is a kind of OSError.
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return _unreadable(error, place)
    return FormatError(f"broken gzip data: {error}", place)


def _not_decoded(error: UnicodeDecodeError, place: Location) -> FormatError:
    return FormatError(f"byte 0x{error.object[error.start]:02x} is not UTF-8", place, expected="UTF-8")


def _with_faults(data: bytes, first: Location, faults: list[InputError]) -> str:
    """The text of lines, some of which cannot be decoded, with U+FFFD in the place of their bytes."""
    lines = []
    for number, line in enumerate(data.split(b"\n"), first.line or 1):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError as error:
            faults.append(_not_decoded(error, replace(first, line=number)))
            lines.append(line.decode("utf-8", "replace"))
    return "\n".join(lines)


def read_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    """Yield the lines of a byte stream; as :func:`read_texts`."""
    for text in read_texts(stream, name):
        yield from split_lines(text)


def take_head(texts: Iterator[str], size: int = 1 << 14) -> tuple[str, Iterable[str]]:
    """The first lines of an input, about ``size`` characters, and all its text from the start."""
    taken: list[str] = []
    length = 0
    for text in texts:
        taken.append(text)
        length += len(text)
        if length >= size:
            break
    head = "".join(taken)
    return head[: head.find("\n", size - 1) + 1] or head, _again(taken, texts)


def _again(taken: list[str], texts: Iterator[str]) -> Iterator[str]:
    yield from taken
    taken.clear()
    yield from texts
