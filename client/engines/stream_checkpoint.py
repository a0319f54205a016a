"""Keeps merged documents in a folder beside the output until the output is complete, so that a later run can go on."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final, NamedTuple

from client.atomic_files import remove_leftovers, write_atomically
from client.checkpoint_format import decoded, encoded, read_line, read_lines
from client.engines.checkpoint_records import merged_from, merged_record
from client.engines.jobs import Job, Merged
from merger.errors import FormatError, Location

_SUFFIX: Final = ".part"
_MAX_DOCUMENTS: Final = 256
_MAX_BYTES: Final = 1 << 24
_MAX_SECONDS: Final = 5.0


class _Position(NamedTuple):
    path: Path
    offset: int


class StreamCheckpoint:
    """Merged documents in files, each with many documents and each complete or not there.

    A file is finished after 256 documents, 16 MiB or five seconds, whichever comes first. Its first line names what
    made it; a merged document is used only if that and the document's content are the same. Failures are not kept.
    """

    def __init__(self, folder: Path, made_by: Mapping[str, str], *, resume: bool) -> None:
        """Without ``resume`` existing files are removed. Raises ``OSError`` if the folder cannot be read or written."""
        self.folder = folder
        self.damaged: list[Location] = []
        """The first damaged line of every damaged file."""
        self._made_by = dict(made_by)
        self._positions: dict[str, _Position] = {}
        self._fingerprints: dict[str, str] = {}
        self._lines: list[bytes] = []
        self._size = 0
        self._started = 0.0
        self._number = 0
        folder.mkdir(parents=True, exist_ok=True)
        remove_leftovers(folder, lambda name: name.endswith(_SUFFIX))
        for path in sorted(folder.glob(f"*{_SUFFIX}")):
            if resume:
                self._read(path)
            else:
                path.unlink()

    @property
    def known(self) -> dict[str, str]:
        """The fingerprints of the documents that are kept, by document id."""
        return self._fingerprints

    def _read(self, path: Path) -> None:
        self._number = max(self._number, int(path.stem) if path.stem.isdecimal() else 0)
        lines = read_lines(path)
        head = next(lines, None)
        made_by = None if head is None else decoded(head.content, lambda record: record["made_by"])
        if made_by is None:
            self.damaged.append(Location(str(path), 1))
        if made_by != self._made_by:
            return
        damaged = [line.number for line in lines if not self._learn(path, line.offset, line.content)]
        if damaged:
            self.damaged.append(Location(str(path), damaged[0]))

    def _learn(self, path: Path, offset: int, line: bytes) -> bool:
        """Note where a merged document is; whether the line has one."""
        known = decoded(line, lambda record: (merged_from(record["merged"]).id, record["fingerprint"]))
        if known is None:
            return False
        name, fingerprint = known
        self._fingerprints[name] = fingerprint
        self._positions[name] = _Position(path, offset)
        return True

    def get(self, job: Job) -> Merged:
        """The document of a job whose fingerprint is :attr:`known`."""
        merged = decoded(read_line(*self._positions[job.id]), lambda record: merged_from(record["merged"]))
        if merged is None:
            # It was read before; somebody has changed the file since.
            raise FormatError("not a record of merged documents any more", Location(str(self._positions[job.id].path)))
        return merged

    def add(self, job: Job, merged: Merged) -> None:
        """Keep a merged document. Raises ``OSError``."""
        now = time.monotonic()
        if not self._lines:
            self._started = now
        line = encoded({"fingerprint": job.fingerprint, "merged": merged_record(merged)})
        self._lines.append(line)
        self._size += len(line)
        full = len(self._lines) >= _MAX_DOCUMENTS or self._size >= _MAX_BYTES
        if full or now - self._started >= _MAX_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Finish the current file."""
        if not self._lines:
            return
        self._number += 1
        write_atomically(self.folder / f"{self._number:08}{_SUFFIX}", self._write)
        self._lines = []
        self._size = 0

    def _write(self, stream: IO[bytes]) -> None:
        stream.write(encoded({"made_by": self._made_by}))
        stream.writelines(self._lines)

    def leave(self) -> bool:
        """Finish the current file for a later run; whether anything is kept. Raises ``OSError``."""
        try:
            self.flush()
        finally:
            with contextlib.suppress(OSError):
                self.folder.rmdir()
        return self.folder.exists()

    def remove(self) -> None:
        """Remove the files, and the folder if nothing else is in it, as the output is complete."""
        for path in self.folder.glob(f"*{_SUFFIX}"):
            path.unlink()
        with contextlib.suppress(OSError):
            self.folder.rmdir()
