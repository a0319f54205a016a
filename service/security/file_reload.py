"""An object loaded from files, and loaded again when they change."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

from service.errors import ServerStartError

CHECK_SECONDS: Final = 1.0
"""The files are checked at most this often."""

_log = logging.getLogger("merge_baseline.server")

_T = TypeVar("_T")
_Seen = tuple[tuple[int, ...] | None, ...]


class FileReload(Generic[_T]):
    """Keeps the last good object while the files are broken, and logs the reason. Safe to use from several threads.

    ``load`` raises :class:`~service.errors.ServerStartError` for bad files. ``what`` names the object in logs.
    """

    def __init__(self, what: str, paths: Sequence[str], load: Callable[[], _T]) -> None:
        """Loads the object. Raises the errors of ``load``."""
        self._what = what
        self._paths = tuple(paths)
        self._load = load
        self._lock = threading.Lock()
        self._last_error = ""
        self._seen = self._look()
        self._current = load()
        self._next_check = time.monotonic() + CHECK_SECONDS

    def get(self) -> _T:
        """The object of the files as they are, or as they last were before they broke."""
        if time.monotonic() < self._next_check:
            return self._current
        with self._lock:
            if time.monotonic() >= self._next_check:
                self._check()
                self._next_check = time.monotonic() + CHECK_SECONDS
            return self._current

    def _check(self) -> None:
        seen = self._look()
        if seen == self._seen:
            return
        try:
            loaded = self._load()
        except ServerStartError as error:
            # Tried again at every check, but logged once: files are often replaced one after the other.
            if str(error) != self._last_error:
                self._last_error = str(error)
                _log.error("%s: the old one stays in use: %s", self._what, error)
            return
        self._current = loaded
        self._last_error = ""
        # A change during the load is found at the next check.
        self._seen = seen
        _log.info("%s: a new one is in use", self._what)

    def _look(self) -> _Seen:
        return tuple(_state(path) for path in self._paths)


def _state(path: str) -> tuple[int, ...] | None:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def read_text(path: str, what: str) -> str:
    """The text of an operator's file.

    Raises :class:`~service.errors.ServerStartError` that names the file and why it can't be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ServerStartError(f"{what} {path}: cannot be read: {error.strerror or error}") from error
    except ValueError:
        raise ServerStartError(f"{what} {path}: not a text in UTF-8") from None


def warn_of_others(path: str, what: str, bits: int, action: str) -> None:
    """Log a warning if everybody on the machine has one of these permission ``bits`` on the file."""
    with contextlib.suppress(OSError):
        if Path(path).stat().st_mode & bits:
            _log.warning("%s %s: everybody on this machine may %s it; chmod 600 is enough", what, path, action)
