"""Messages on standard error: errors, notes and status lines."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from client.cli.option_names import with_flags
from merger.errors import Location
from merger.message_text import one_line

_LONGEST_LINE: Final = 160
"""Most characters to show of a line of a file."""
_BOLD_RED, _YELLOW, _DIM = "1;31", "33", "2"


class _Detail:
    """What to print beside errors: set by options, and reset when the command line starts."""

    quiet = False
    verbose = False


def reset_detail() -> None:
    """Back to the default: notes and status lines, and lines of files on a terminal only."""
    _Detail.quiet = _Detail.verbose = False


def set_quiet() -> None:
    """Print errors only. Raises ``ValueError`` after :func:`set_verbose`."""
    if _Detail.verbose:
        raise ValueError
    _Detail.quiet = True


def set_verbose() -> None:
    """Print the line of the file under each error and note. Raises ``ValueError`` after :func:`set_quiet`."""
    if _Detail.quiet:
        raise ValueError
    _Detail.verbose = True


def shows_progress() -> bool:
    """Whether to show progress: standard error is a terminal, and ``--quiet`` is not set."""
    return sys.stderr.isatty() and not _Detail.quiet


def print_status(text: str) -> None:
    """Print a status line, unless ``--quiet`` is set."""
    if not _Detail.quiet:
        _write(text)


def print_note(text: object, location: Location | None = None) -> None:
    """Print a note, unless ``--quiet`` is set; with ``--verbose`` also the line of the file that it is about."""
    if not _Detail.quiet:
        _write(str(text), "note", _YELLOW)
        if _Detail.verbose:
            _write_source(location)


def print_error(text: object, location: Location | None = None) -> None:
    """Print an error; on a terminal, or with ``--verbose``, also the line of the file that it is about."""
    _write(str(text), "error", _BOLD_RED)
    if _Detail.verbose or shows_progress():
        _write_source(location)


def print_interrupted() -> None:
    """Print that the run was interrupted."""
    _write("merge-baseline: interrupted")


def _write(text: str, label: str = "", style: str = "") -> None:
    # Names in a message can have line ends.
    text = one_line(with_flags(text))
    front = f"merge-baseline: {_styled(f'{label}:', style)} " if label else ""
    # If standard error cannot be written, there is nobody to report to.
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{front}{text}\n")


def _write_source(location: Location | None) -> None:
    line = None if location is None else _source_line(location)
    if line is None or location is None:
        return
    shown = one_line(line.expandtabs(4))
    if len(shown) > _LONGEST_LINE:
        shown = f"{shown[: _LONGEST_LINE - 1]}…"
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{_styled(f'{location.line:>6} |', _DIM)} {shown}\n")


def _source_line(location: Location) -> str | None:
    """The line of the file that a location is about, if it can be read again."""
    if location.file is None or location.line is None or not Path(location.file).is_file():
        return None
    import gzip
    from itertools import islice

    # The file can be damaged: show what can be read.
    with contextlib.suppress(OSError, EOFError):
        opener = gzip.open if location.file.endswith(".gz") else open
        with opener(location.file, "rt", encoding="utf-8", errors="backslashreplace") as stream:
            lines: Iterator[str] = islice(stream, location.line - 1, location.line)
            return next(lines, "").rstrip("\r\n") or None
    return None


def _styled(text: str, style: str) -> str:
    """The text in colour if the terminal has colours and ``NO_COLOR`` is not set (https://no-color.org)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stderr.isatty()
    return text if plain else f"\x1b[{style}m{text}\x1b[0m"
