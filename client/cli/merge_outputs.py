"""Where `merge` writes documents: a stream, or a folder with a file for each input file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import IO, Protocol

import click

from client.atomic_files import remove_leftovers_of
from client.cli.failures import NothingLeftError
from client.cli.messages import print_note
from client.cli.output import STDOUT, open_output
from client.engines.folder_checkpoint import DoneFile, FolderCheckpoint, digest
from client.engines.job_source import FileByFile, Inputs, OneStream
from client.engines.jobs import JobSource, Merged, Outcome
from client.engines.stream_checkpoint import StreamCheckpoint
from client.folder_owners import FolderOwners
from merger.formats import FORMATS, find_inputs
from merger.formats.open_inputs import STDIN
from merger.notices import Notice

CHECKPOINT_SUFFIX = ".parts"
"""The name of the folder with the checkpoint is the name of the output and this."""


def is_folder(output: str) -> bool:
    """Whether an output is a folder: an existing folder, or a name with a slash at the end."""
    return output != STDOUT and (output.endswith(("/", os.sep)) or Path(output).is_dir())


class MergedOutput(Protocol):
    """Writes outcomes in order. The output is complete when its ``ExitStack`` is left without an exception."""

    @property
    def source(self) -> JobSource:
        """The jobs to run."""

    def take(self, outcome: Outcome) -> Iterable[Merged]:
        """Write an outcome without ``error``, and return its documents, also those of earlier runs.

        Raises ``OSError`` if it cannot be written.
        """

    def notices(self, outcome: Outcome) -> Iterable[Notice]:
        """The notices of reading, in this run or in the run that did the work."""


class StreamOutput:
    """All documents in one file, on standard output, or nowhere."""

    def __init__(self, stack: ExitStack, path: str | None, inputs: Inputs, checkpoint: StreamCheckpoint | None) -> None:
        self._checkpoint = checkpoint
        if checkpoint is not None:
            # Entered before the output, so that the checkpoint is removed after the output is complete.
            stack.push(self._leave)
            for location in checkpoint.damaged:
                _note_damage(str(location))
        self._stream: IO[str] | None = None if path is None else stack.enter_context(open_without_leftovers(path))
        self.source: JobSource = OneStream(inputs, None if checkpoint is None else dict(checkpoint.known))

    def take(self, outcome: Outcome) -> Iterator[Merged]:
        """As :meth:`MergedOutput.take`."""
        merged = outcome.merged
        if self._checkpoint is not None:
            if merged is not None:
                self._checkpoint.add(outcome.job, merged)
            elif outcome.failure is None:
                merged = self._checkpoint.get(outcome.job)
        if merged is not None:
            if self._stream is not None:
                self._stream.write(merged.text)
            yield merged

    def notices(self, outcome: Outcome) -> Iterable[Notice]:
        """As :meth:`MergedOutput.notices`."""
        return outcome.notices

    def _leave(self, kind: object, error: object, where: object) -> None:  # noqa: ARG002  # the signature of __exit__
        if self._checkpoint is not None:
            if error is None:
                self._checkpoint.remove()
            elif self._is_left(self._checkpoint):
                print_note(f"finished documents are kept in {self._checkpoint.folder}; --resume continues with them")

    @staticmethod
    def _is_left(checkpoint: StreamCheckpoint) -> bool:
        try:
            return checkpoint.leave()
        except OSError as problem:
            # The run ends with its own error.
            print_note(f"the last finished documents are not kept: {problem.filename}: {problem.strerror}")
            return checkpoint.folder.exists()


class FolderOutput:
    """A file for each input file, written as soon as its documents are done; no file if all of them failed."""

    def __init__(
        self,
        stack: ExitStack,
        folder: str,
        inputs: Inputs,
        names: Mapping[str, str],
        checkpoint: FolderCheckpoint,
        runs: Mapping[str, str],
        *,
        resume: bool,
        overwrite: bool,
    ) -> None:
        """``names`` are those of :func:`output_names`, ``runs`` the runs (as text) that make these outputs.

        Raises :class:`~merger.errors.OptionError` for outputs of other runs, unless they are to be overwritten.
        """
        self._folder = Path(folder)
        self._names = names
        self._checkpoint = checkpoint
        self._kept: dict[str, DoneFile] = {}
        self._digests: dict[str, str] = {}
        self._current: str | None = None
        self._documents: list[Merged] = []
        self._notices: list[Notice] = []
        self._failed = False
        self._stream: IO[str] | None = None
        self._file = stack.enter_context(ExitStack())
        stack.push(self._leave)
        for path, name in self._names.items():
            done = self._checkpoint.get(path, name) if resume else None
            if done is not None:
                self._kept[path] = done
            else:
                self._digests[path] = digest(Path(path))
        started = {name: runs[name] for path, name in self._names.items() if path not in self._kept}
        owners = FolderOwners(self._folder)
        if not overwrite:
            owners.check(started)
        for record in self._checkpoint.damaged:
            _note_damage(str(record))
        owners.claim(started)
        self._checkpoint.start([self._names[path] for path in self._digests])
        remove_leftovers_of(
            [Path(folder, self._names[path]).resolve() for path in self._names if path not in self._kept]
        )
        ids = {path: [merged.id for merged in done.documents] for path, done in self._kept.items()}
        self.source: JobSource = FileByFile(replace(inputs, paths=tuple(self._names)), ids)

    def take(self, outcome: Outcome) -> Iterator[Merged]:
        """As :meth:`MergedOutput.take`."""
        path = outcome.job.file or ""
        if path != self._current:
            self._finish()
            self._current = path
        if outcome.job.done_before:
            yield from self._kept[path].documents
            return
        self._notices.extend(outcome.notices)
        self._failed = self._failed or outcome.failure is not None
        if outcome.merged is not None:
            self._stream = self._stream or self._open(path)
            self._stream.write(outcome.merged.text)
            self._documents.append(replace(outcome.merged, text=""))
            yield outcome.merged

    def notices(self, outcome: Outcome) -> Iterable[Notice]:
        """As :meth:`MergedOutput.notices`."""
        return self._kept[outcome.job.file or ""].notices if outcome.job.done_before else outcome.notices

    def _open(self, path: str) -> IO[str]:
        target = self._folder / self._names[path]
        target.parent.mkdir(parents=True, exist_ok=True)
        return self._file.enter_context(open_output(str(target)))

    def _finish(self) -> None:
        """Complete the current file."""
        path = self._current
        if path is None or path in self._kept:
            return
        self._file.close()
        if self._stream is None:
            # An output of an earlier run would look like the output of this file.
            (self._folder / self._names[path]).unlink(missing_ok=True)
        if not self._failed:
            done = DoneFile(self._names[path], tuple(self._documents), tuple(self._notices))
            self._checkpoint.add(self._digests[path], done)
        self._documents, self._notices, self._failed, self._stream = [], [], False, None

    def _leave(self, kind: object, error: object, where: object) -> None:  # noqa: ARG002  # the signature of __exit__
        if error is None or isinstance(error, NothingLeftError):
            self._finish()


def _note_damage(location: str) -> None:
    print_note(f"{location}: not a record of merged documents; its documents are merged again")


def open_without_leftovers(path: str) -> AbstractContextManager[IO[str]]:
    """As ``open_output``, and removes what killed runs have left of the file."""
    if path != STDOUT:
        remove_leftovers_of([Path(path).resolve()])
    return open_output(path)


def output_names(paths: Sequence[str], folder: str, target: str | None) -> dict[str, str]:
    """The names of the outputs in the folder, by the paths of the input files.

    A file below an input directory keeps its relative path. Raises ``click.UsageError`` if two outputs would have the
    same name, or an output would be written over an input.
    """
    names: dict[str, str] = {}
    owners: dict[str, str] = {}
    for path in paths:
        if path == STDIN:
            raise click.UsageError(f"--output {folder}: a folder of outputs needs inputs with names, not {STDIN}")
        for file in find_inputs(path):
            name = os.path.relpath(file, path) if Path(path).is_dir() else Path(file).name
            name = _with_suffix_of(name, target)
            if name in owners:
                raise click.UsageError(f"{owners[name]} and {file} would both be written to {Path(folder, name)}")
            owners[name] = file
            names[file] = name
    for file in names:
        for name in names.values():
            written = Path(folder, name)
            if written.is_file() and written.samefile(file):
                raise click.UsageError(f"--output {folder} would be written over an input: {file}")
    return names


def _with_suffix_of(name: str, target: str | None) -> str:
    if target is None:
        return name
    plain = name.removesuffix(".gz")
    suffixes = [suffix for each in FORMATS.values() for suffix in each.suffixes if plain.endswith(suffix)]
    stem = plain.removesuffix(max(suffixes, key=len)) if suffixes else plain
    return f"{stem}{FORMATS[target].suffixes[0]}{'.gz' if plain != name else ''}"
