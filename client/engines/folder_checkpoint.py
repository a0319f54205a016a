"""Remembers in the output folder which input files are done, and how, so that a later run can skip them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from client.atomic_files import remove_leftovers_of
from client.checkpoint_format import decoded, write_record
from client.engines.checkpoint_records import merged_from, merged_record, notices_from, notices_record
from client.engines.jobs import Merged
from client.folder_owners import FOLDER
from merger.errors import OptionError
from merger.notices import Notice, Policy

_MADE_BY = ".made-by.json"
"""Hidden, so that no record of an input file has this name: hidden input files are not read."""

_OPTIONS: Final = ("strategy", "singletons", "to", "format", "policy", "part-pattern", "clusters-field", "columns")
"""What the user chooses."""


@dataclass(frozen=True, slots=True)
class DoneFile:
    """An input file whose output is written.

    ``documents`` are without their text, which ``output`` has; ``notices`` are those of reading.
    """

    output: str
    documents: tuple[Merged, ...]
    notices: tuple[Notice, ...]


class FolderCheckpoint:
    """A record for every input file that is done, in a folder inside the output folder.

    A record is used if strategy, options, version and the content of the input are the same, and the output is still as
    it was written. Damaged records are not used.
    """

    def __init__(self, folder: Path, made_by: Mapping[str, str], *, resume: bool) -> None:
        """Raises ``OSError`` if the folder cannot be made.

        With ``resume`` :class:`~merger.errors.OptionError` if the outputs were made with other options: names of
        outputs can depend on options, so the folder would have files of both runs.
        """
        self.damaged: list[Path] = []
        """Files that should be records and are not."""
        self._outputs = folder
        self._folder = folder / FOLDER
        self._made_by = dict(made_by)
        if resume:
            self._check_options()
        self._folder.mkdir(parents=True, exist_ok=True)

    def _check_options(self) -> None:
        path = self._folder / _MADE_BY
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return
        differences = decoded(content, self._differences)
        if differences is None:
            # Each record has what made it, too.
            self.damaged.append(path)
        if differences:
            raise OptionError(
                f"option resume: the files in {self._outputs} were made with {', with '.join(differences)}: expected "
                "the same options, another folder, or option overwrite instead of option resume, to redo all files"
            )

    def _differences(self, before: Mapping[str, str]) -> list[str]:
        return [
            f"{_in_words(name, before[name])}, not {_in_words(name, self._made_by[name])}"
            for name in _OPTIONS
            if before[name] != self._made_by[name]
        ]

    def get(self, path: str, output: str) -> DoneFile | None:
        """The record of an input file whose output has this name in the folder; ``None`` if no record can be used.

        Raises ``OSError`` for files that cannot be read.
        """

        def parse(record: Mapping[str, Any]) -> DoneFile | bool:
            if record["made_by"] != self._made_by:
                return False
            if [record["input"], record["output"]] != [digest(Path(path)), digest(self._outputs / output)]:
                return False
            documents = tuple(map(merged_from, record["documents"]))
            return DoneFile(output, documents, notices_from(record["notices"]))

        try:
            done = decoded(self._record(output).read_bytes(), parse)
        except FileNotFoundError:
            return None
        if done is None:
            self.damaged.append(self._record(output))
        return done if isinstance(done, DoneFile) else None

    def add(self, input_digest: str, done: DoneFile) -> None:
        """Record a file whose output is written. Raises ``OSError``."""
        record: dict[str, Any] = {
            "made_by": self._made_by,
            "input": input_digest,
            "output": digest(self._outputs / done.output),
            "documents": [merged_record(replace(merged, text="")) for merged in done.documents],
            "notices": notices_record(done.notices),
        }
        write_record(self._record(done.output), record)

    def start(self, outputs: Sequence[str]) -> None:
        """Drop the records of these outputs, and record what makes them. Raises ``OSError``."""
        paths = [self._record(output) for output in outputs]
        for path in paths:
            path.unlink(missing_ok=True)
        made_by = self._folder / _MADE_BY
        remove_leftovers_of([made_by, *paths])
        write_record(made_by, self._made_by)

    def _record(self, output: str) -> Path:
        return self._folder / f"{output}.json"


def _in_words(option: str, value: str) -> str:
    """A choice as the command line writes it."""
    if option == "strategy":
        return f"strategy {value}"
    if option == "policy":
        return "neither --strict nor --lenient" if value == Policy.NORMAL.value else f"--{value}"
    return f"--{option} {value}" if value else f"no --{option}"


def digest(path: Path) -> str:
    """The SHA-256 of a file. Raises ``OSError``."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
