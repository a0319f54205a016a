"""Writes files that appear complete or not at all, and removes leftovers of killed programs.

Until a file is complete it has a hidden name in the same folder: ``.NAME.`` and eight hexadecimal digits. The program
that writes it holds a lock, which the system releases however the program ends. So a file that can be locked is a
leftover.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

if sys.platform != "win32":
    import fcntl

_TEMPORARY = re.compile(r"\.(.+)\.[0-9a-f]{8}", re.DOTALL)


@contextmanager
def atomic_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A new file that takes this name, and the mode of an existing file of the name, when all is written.

    Raises ``OSError`` that names ``path`` if it cannot be written.
    """
    target = Path(path)
    # Named before it is created, so that a signal at any time finds a file to remove.
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    lock: int | None = None
    try:
        with open(temporary, "xb", opener=_private) as stream:  # Path.open has no opener
            # The lock ends with the last descriptor, so this one keeps it until the file has its name.
            lock = os.dup(stream.fileno())
            yield stream
        temporary.chmod(_mode_of(target))
        temporary.replace(target)
    except BaseException as error:
        # If the path leads through a file, there is no such file to remove.
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(error, OSError) and (error.filename == str(temporary) or is_write_error(error)):
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        raise
    finally:
        if lock is not None:
            os.close(lock)


def write_atomically(path: Path, write: Callable[[IO[bytes]], object]) -> None:
    """Let ``write`` fill a file that takes its name when all is on the disk. Raises ``OSError`` that names the file."""
    with atomic_file(path) as stream:
        write(stream)
        stream.flush()
        os.fsync(stream.fileno())


def is_write_error(error: OSError) -> bool:
    """Whether writing to an open file failed; such errors do not name the file."""
    return error.filename is None and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


def remove_leftovers_of(paths: Iterable[Path]) -> None:
    """Remove what killed programs have left of these files. Files that cannot be removed stay."""
    names: dict[Path, set[str]] = {}
    for path in paths:
        names.setdefault(path.parent, set()).add(path.name)
    for folder, wanted in names.items():
        remove_leftovers(folder, wanted.__contains__)


def remove_leftovers(folder: Path, is_wanted: Callable[[str], bool]) -> None:
    """As :func:`remove_leftovers_of`, for all files of a folder whose names ``is_wanted`` accepts."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _TEMPORARY.fullmatch(entry.name)
            if found is not None and is_wanted(found[1]):
                _remove_if_unlocked(entry.path)


def _private(path: str, flags: int) -> int:
    while True:
        number = os.open(path, flags, 0o600)
        # Between the two steps another program can have removed it as a leftover.
        _lock(number, wait=True)
        if _has_path(number, path):
            return number
        os.close(number)


def _remove_if_unlocked(path: str) -> None:
    with contextlib.suppress(OSError):
        number = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            state = os.fstat(number)
            ours = stat.S_ISREG(state.st_mode) and stat.S_IMODE(state.st_mode) == 0o600  # noqa: PLR2004  # as made above
            if ours and state.st_uid == os.geteuid() and _lock(number, wait=False) and _has_path(number, path):
                Path(path).unlink()
        finally:
            os.close(number)


def _lock(number: int, *, wait: bool) -> bool:
    """Lock the file; whether that worked. Not every system has locks."""
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _has_path(number: int, path: str) -> bool:
    """Whether an open file still has this name."""
    try:
        return os.path.samestat(os.fstat(number), os.lstat(path))
    except FileNotFoundError:
        return False


def _mode_of(target: Path) -> int:
    """The mode of the file that is replaced, or else the default mode of new files."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
