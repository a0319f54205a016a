"""Remembers in an output folder which run made which file, so that another run replaces files only when asked to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from client.checkpoint_format import decoded, write_record
from merger.errors import OptionError
from merger.message_text import printable

FOLDER = ".merge-baseline"
"""Hidden, so that a folder of outputs can be an input."""
_RECORD = ".owners.json"
_SHOWN = 5
"""Most files that an error names."""


class FolderOwners:
    """The runs that made the files of one folder. A run is a command with its inputs and options."""

    def __init__(self, folder: Path) -> None:
        """Raises ``OSError`` if there is a record that cannot be read."""
        self._folder = folder
        self._path = folder / FOLDER / _RECORD
        self._runs: dict[str, str] = {}
        try:
            content = self._path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
        runs = decoded(content, lambda record: {name: run for name, run in record.items() if isinstance(run, str)})
        self._runs = runs or {}

    def check(self, runs: Mapping[str, str], besides: Iterable[str] = ()) -> None:
        """Check that existing files were made by the run that is about to write them. ``runs`` has runs by file name.

        ``besides`` are names of files that could be mistaken for output of this run. Raises
        :class:`~merger.errors.OptionError` that names the files of other runs.
        """
        others = [name for name, run in runs.items() if self._runs.get(name) != run and self._is_there(name)]
        others += [name for name in besides if name not in runs and self._is_there(name)]
        if not others:
            return
        more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
        names = ", ".join(map(printable, others[:_SHOWN])) + more
        raise OptionError(
            f"output folder {printable(str(self._folder))} has {names}, not written by a run with these inputs and "
            "options: expected another folder, or option overwrite, which replaces them"
        )

    def claim(self, runs: Mapping[str, str]) -> None:
        """Record which run makes each file. Raises ``OSError``."""
        self._runs.update(runs)
        write_record(self._path, self._runs)

    def _is_there(self, name: str) -> bool:
        return os.path.lexists(self._folder / name)


def run_text(command: str, paths: Iterable[str], options: Mapping[str, str]) -> str:
    """A run as text: the same for the same files and options, whatever the current folder."""
    return json.dumps([command, [path if path == "-" else str(Path(path).resolve()) for path in paths], dict(options)])
