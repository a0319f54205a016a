"""Remembers in the output folder which input files are done, so that a later run can leave them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from client.engines.jobs import Merged
from client.engines.kept import merged_from, merged_record, notices_from, notices_record, write_whole
from merger.errors import FormatError, Location
from merger.notices import Notice

FOLDER = ".merge-baseline"
"""Hidden, so that a folder of outputs may be an input."""


@dataclass(frozen=True, slots=True)
class DoneFile:
    """An input file whose output is written.

    ``documents`` are without their text, which ``output`` has; ``notices`` are those of reading.
    """

    output: str
    documents: tuple[Merged, ...]
    notices: tuple[Notice, ...]


class Manifest:
    """A record for every input file that is done, in a folder inside the output folder.

    A record counts for the same strategy, options, version and content of the input, and while the output is as it was
    written.
    """

    def __init__(self, folder: Path, made_by: str) -> None:
        """Raises ``OSError`` if the folder cannot be made."""
        self._outputs = folder
        self._folder = folder / FOLDER
        self._made_by = made_by
        self._folder.mkdir(parents=True, exist_ok=True)

    def get(self, path: str, output: str) -> DoneFile | None:
        """What is known of an input file whose output has this name in the folder, or ``None``.

        Raises :class:`~merger.errors.FormatError` for a record that is none, and ``OSError``.
        """
        record_path = self._record(output)
        try:
            record = json.loads(record_path.read_bytes())
            if record["made_by"] != self._made_by:
                return None
            if [record["input"], record["output"]] != [digest(Path(path)), digest(self._outputs / output)]:
                return None
            documents = tuple(map(merged_from, record["documents"]))
            return DoneFile(output, documents, notices_from(record["notices"]))
        except FileNotFoundError:
            return None
        except (KeyError, TypeError, ValueError):
            raise FormatError(
                "not a record of merged documents",
                Location(str(record_path)),
                hint="without --resume the work begins anew",
            ) from None

    def add(self, input_digest: str, done: DoneFile) -> None:
        """Remember a file whose output was written. Raises ``OSError`` if it cannot be."""
        record: dict[str, Any] = {
            "made_by": self._made_by,
            "input": input_digest,
            "output": digest(self._outputs / done.output),
            "documents": [merged_record(replace(merged, text="")) for merged in done.documents],
            "notices": notices_record(done.notices),
        }
        path = self._record(done.output)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, lambda stream: _write(stream, record))

    def forget(self, outputs: Sequence[str]) -> None:
        """Drop the records of these outputs."""
        for output in outputs:
            self._record(output).unlink(missing_ok=True)

    def _record(self, output: str) -> Path:
        return self._folder / f"{output}.json"


def _write(stream: IO[bytes], record: dict[str, Any]) -> None:
    stream.write(json.dumps(record).encode() + b"\n")


def digest(path: Path) -> str:
    """The SHA-256 of a file. Raises ``OSError``."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
