"""Keeps merged documents in a folder beside the output until that is whole, so that an interrupted run can go on."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, NamedTuple

from client.atomic_files import remove_leftovers, write_whole
from client.engines.checkpoint_records import merged_from, merged_record
from client.engines.jobs import Job, Merged
from merger.errors import Location

_SUFFIX = ".part"
_MOST_DOCUMENTS = 256
_MOST_CHARACTERS = 1 << 24
_MOST_SECONDS = 5.0


class _Place(NamedTuple):
    path: Path
    offset: int


class Partitions:
    """Merged documents in files of many, each written whole: the partitions of the output.

    A partition is closed after 256 documents, 16 million characters or five seconds, whichever comes first. Its first
    line names what made it, and a merged document is handed out again only for that and for the same content. Failures
    are not kept.
    """

    def __init__(self, folder: Path, made_by: Mapping[str, str], *, resume: bool) -> None:
        """Without ``resume`` what is there goes. Raises ``OSError`` if the folder cannot be read or written."""
        self.folder = folder
        self.damaged: list[Location] = []
        """What is no record of a merged document, once for each partition."""
        self._made_by = dict(made_by)
        self._head = json.dumps({"made_by": self._made_by}).encode() + b"\n"
        self._places: dict[str, _Place] = {}
        self._fingerprints: dict[str, str] = {}
        self._lines: list[bytes] = []
        self._size = 0
        self._begun = 0.0
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
        """The fingerprints of the documents that are here, by document id."""
        return self._fingerprints

    def _read(self, path: Path) -> None:
        self._number = max(self._number, int(path.stem) if path.stem.isdecimal() else 0)
        damaged: list[int] = []
        with path.open("rb") as stream:
            head = _head_of(stream.readline())
            if head is None:
                damaged.append(1)
            elif head != self._made_by:
                return
            else:
                offset = stream.tell()
                for number, line in enumerate(stream, start=2):
                    if not self._know(line, _Place(path, offset)):
                        damaged.append(number)
                    offset += len(line)
        if damaged:
            self.damaged.append(Location(str(path), damaged[0]))

    def _know(self, line: bytes, place: _Place) -> bool:
        """Take in a record; whether it is one."""
        try:
            record = json.loads(line)
            name, fingerprint = merged_from(record["merged"]).id, record["fingerprint"]
        except (KeyError, TypeError, ValueError):
            return False
        self._fingerprints[name] = fingerprint
        self._places[name] = place
        return True

    def get(self, job: Job) -> Merged:
        """The document of a job whose fingerprint is :attr:`known`."""
        place = self._places[job.id]
        with place.path.open("rb") as stream:
            stream.seek(place.offset)
            return merged_from(json.loads(stream.readline())["merged"])

    def add(self, job: Job, merged: Merged) -> None:
        """Keep a merged document. Raises ``OSError`` if it cannot be written."""
        now = time.monotonic()
        if not self._lines:
            self._begun = now
        line = json.dumps({"fingerprint": job.fingerprint, "merged": merged_record(merged)}).encode() + b"\n"
        self._lines.append(line)
        self._size += len(line)
        full = len(self._lines) >= _MOST_DOCUMENTS or self._size >= _MOST_CHARACTERS
        if full or now - self._begun >= _MOST_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Close the partition that is being filled."""
        if not self._lines:
            return
        self._number += 1
        write_whole(self.folder / f"{self._number:08}{_SUFFIX}", self._write)
        self._lines = []
        self._size = 0

    def _write(self, stream: IO[bytes]) -> None:
        stream.write(self._head)
        stream.writelines(self._lines)

    def leave(self) -> bool:
        """Close what is being filled, for a later run; whether there is anything for it.

        Raises ``OSError`` if it cannot be written.
        """
        try:
            self.flush()
        finally:
            with contextlib.suppress(OSError):
                self.folder.rmdir()
        return self.folder.exists()

    def remove(self) -> None:
        """Take the partitions away, and the folder if nothing else is in it: the output is whole."""
        for path in self.folder.glob(f"*{_SUFFIX}"):
            path.unlink()
        with contextlib.suppress(OSError):
            self.folder.rmdir()


def _head_of(line: bytes) -> object:
    """What made a partition, by its first line; ``None`` if that does not say it."""
    try:
        return json.loads(line)["made_by"]
    except (KeyError, TypeError, ValueError):
        return None
