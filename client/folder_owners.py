"""Remembers in an output folder which run made which file, so that another run doesn't replace files unasked."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from client.atomic_files import write_whole
from merger.errors import OptionError
from merger.message_text import shown

FOLDER = ".merge-baseline"
"""Hidden, so that a folder of outputs may be an input."""
_RECORD = ".owners.json"
_SHOWN = 5
"""Files that an error names."""


class FolderOwners:
    """The runs that made the files of one folder. A run is what was asked for: the command, its inputs and options."""

    def __init__(self, folder: Path) -> None:
        """Raises ``OSError`` if the record is there and cannot be read."""
        self._folder = folder
        self._path = folder / FOLDER / _RECORD
        self._runs: dict[str, str] = {}
        try:
            found = json.loads(self._path.read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return
        if isinstance(found, dict):
            self._runs = {name: run for name, run in found.items() if isinstance(run, str)}

    def check(self, runs: Mapping[str, str], besides: Iterable[str] = ()) -> None:
        """See that what is there of these files, by name, was made by the run that is to make them now.

        ``besides`` are names that would pass for output of this run. Raises :class:`~merger.errors.OptionError` that
        names the files of others.
        """
        others = [name for name, run in runs.items() if self._runs.get(name) != run and self._is_there(name)]
        others += [name for name in besides if name not in runs and self._is_there(name)]
        if not others:
            return
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        names = ", ".join(map(shown, others[:_SHOWN])) + more
        raise OptionError(
            f"output folder {shown(str(self._folder))} has {names}, which a run with these inputs and options has not "
            "made: expected another folder, or option overwrite, which replaces them"
        )

    def claim(self, runs: Mapping[str, str]) -> None:
        """Remember which run makes each file. Raises ``OSError``."""
        self._runs.update(runs)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        content = json.dumps(self._runs).encode() + b"\n"
        write_whole(self._path, lambda stream: stream.write(content))

    def _is_there(self, name: str) -> bool:
        return os.path.lexists(self._folder / name)


def run_text(command: str, paths: Iterable[str], options: Mapping[str, str]) -> str:
    """A run as text: the same for the same files and options, from whichever folder the command is run."""
    return json.dumps([command, [path if path == "-" else str(Path(path).resolve()) for path in paths], dict(options)])
