"""Remembers in the output folder which input files are done, and by what, so that a later run can leave them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from client.atomic_files import remove_leftovers_of, write_whole
from client.engines.checkpoint_records import merged_from, merged_record, notices_from, notices_record
from client.engines.jobs import Merged
from client.folder_owners import FOLDER
from merger.errors import OptionError
from merger.notices import Notice, Policy

_MADE_BY = ".made-by.json"
"""Hidden once more, as no record is: files of inputs with such names are not found."""

_OPTIONS = ("strategy", "singletons", "to", "format", "policy", "part-pattern", "clusters-field", "columns")
"""What whoever runs it has chosen."""


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
    written. One that is damaged does not count.
    """

    def __init__(self, folder: Path, made_by: Mapping[str, str], *, resume: bool) -> None:
        """Raises ``OSError`` if the folder cannot be made.

        With ``resume`` :class:`~merger.errors.OptionError` if what is there was made with other options: names of
        outputs may depend on them, so that files of both runs would be left.
        """
        self.damaged: list[Path] = []
        """Records that are none."""
        self._outputs = folder
        self._folder = folder / FOLDER
        self._made_by = dict(made_by)
        if resume:
            self._check_options()
        self._folder.mkdir(parents=True, exist_ok=True)

    def _check_options(self) -> None:
        path = self._folder / _MADE_BY
        try:
            before = json.loads(path.read_bytes())
            differences = [
                f"{_in_words(name, before[name])}, not {_in_words(name, self._made_by[name])}"
                for name in _OPTIONS
                if before[name] != self._made_by[name]
            ]
        except FileNotFoundError:
            return
        except (KeyError, TypeError, ValueError):
            # Each record says it for itself too.
            self.damaged.append(path)
            return
        if differences:
            raise OptionError(
                f"option resume: what is in {self._outputs} was made with {', with '.join(differences)}: expected the "
                "same options, another folder, or option overwrite and not option resume, which merges all files again"
            )

    def get(self, path: str, output: str) -> DoneFile | None:
        """What is known of an input file whose output has this name in the folder, or ``None``.

        Raises ``OSError`` for files that cannot be read.
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
            self.damaged.append(record_path)
            return None

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

    def begin(self, outputs: Sequence[str]) -> None:
        """Drop the records of these outputs, and remember what makes them. Raises ``OSError``."""
        paths = [self._record(output) for output in outputs]
        for path in paths:
            path.unlink(missing_ok=True)
        made_by = self._folder / _MADE_BY
        remove_leftovers_of([made_by, *paths])
        write_whole(made_by, lambda stream: _write(stream, self._made_by))

    def _record(self, output: str) -> Path:
        return self._folder / f"{output}.json"


def _write(stream: IO[bytes], record: Mapping[str, Any]) -> None:
    stream.write(json.dumps(record).encode() + b"\n")


def _in_words(option: str, value: str) -> str:
    """A choice as it is made on the command line."""
    if option == "strategy":
        return f"strategy {value}"
    if option == "policy":
        return "neither --strict nor --lenient" if value == Policy.NORMAL.value else f"--{value}"
    return f"--{option} {value}" if value else f"no --{option}"


def digest(path: Path) -> str:
    """The SHA-256 of a file. Raises ``OSError``."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
