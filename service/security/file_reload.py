"""Something made of files, made anew when they change."""

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
"""How often the files are looked at, at most."""

_log = logging.getLogger("merge_baseline.server")

_T = TypeVar("_T")
_Seen = tuple[tuple[int, ...] | None, ...]


class Reloading(Generic[_T]):
    """Keeps the last good thing while the files are broken, and logs why. Safe to use from several threads.

    ``load`` raises :class:`~service.errors.ServerStartError` for bad files, ``what`` names the thing in logs.
    """

    def __init__(self, what: str, paths: Sequence[str], load: Callable[[], _T]) -> None:
        """Raises what ``load`` raises."""
        self._what = what
        self._paths = tuple(paths)
        self._load = load
        self._lock = threading.Lock()
        self._complaint = ""
        self._seen = self._look()
        self._current = load()
        self._next_check = time.monotonic() + CHECK_SECONDS

    def get(self) -> _T:
        """The thing as the files say it is, or last said before they broke."""
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
            # Tried again at every look, but told once: files are often replaced one after the other.
            if str(error) != self._complaint:
                self._complaint = str(error)
                _log.error("%s: the old one stays in use: %s", self._what, error)
            return
        self._current = loaded
        self._complaint = ""
        # What changed while it was read is read again at the next look.
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
    """The text of a file of the operator's.

    Raises :class:`~service.errors.ServerStartError` that names the file and why it can't be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ServerStartError(f"{what} {path}: cannot be read: {error.strerror or error}") from error
    except ValueError:
        raise ServerStartError(f"{what} {path}: not a text in UTF-8") from None


def warn_of_others(path: str, what: str, bits: int, deed: str) -> None:
    """Log a warning if everybody on the machine may do with the file what the permission bits allow."""
    with contextlib.suppress(OSError):
        if Path(path).stat().st_mode & bits:
            _log.warning("%s %s: everybody on this machine may %s it; chmod 600 is enough", what, path, deed)
