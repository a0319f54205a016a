"""Options that several commands share, and their values."""

from __future__ import annotations

import errno
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from client.cli.failures import NothingLeftError, failures_data, show_failures
from client.cli.main import EXIT_INPUT, EXIT_OK
from client.cli.output import notices_data, show_notices
from merger.document import Document
from merger.errors import InputError, Location, OptionError
from merger.formats import FORMATS, ReadOptions, format_of, read_documents
from merger.formats.open_inputs import STDIN, display_name
from merger.message_text import printable
from merger.notices import Notices, Policy

FORMAT_NAMES = click.Choice(list(FORMATS))
Result = TypeVar("Result")
_LONGEST = 1e6
"""Seconds; more than eleven days."""


class Seconds(click.FloatRange):
    """A time in seconds: above 0 or, with ``zero``, from 0 on."""

    def __init__(self, *, zero: bool = False) -> None:
        super().__init__(0, _LONGEST, min_open=not zero)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401  # click's signature
        """The number. Raises ``click.BadParameter``."""
        seconds = super().convert(value, param, ctx)
        # click accepts it in every range.
        if math.isnan(seconds):
            self.fail(f"{value} is not a number.", param, ctx)
        return seconds


class Folder(click.Path):
    """The name of a folder. An empty name, as of an empty shell variable, is refused."""

    def __init__(self) -> None:
        super().__init__(file_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401  # click's signature
        """The name. Raises ``click.BadParameter``."""
        if value == "":
            self.fail("the name is empty; `.` is the current folder", param, ctx)
        if value == STDIN:
            self.fail("a folder cannot be standard output; `./-` is a folder of that name", param, ctx)
        return super().convert(value, param, ctx)


def is_given(parameter: str) -> bool:
    """Whether the user gave this parameter, even with its default value."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source not in {None, ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP}


@dataclass(slots=True)
class Reading:
    """How the command reads its inputs."""

    format_name: str | None
    options: ReadOptions

    @property
    def notices(self) -> Notices:
        """The notices of reading."""
        return self.options.notices

    @property
    def failures(self) -> list[InputError]:
        """The errors of documents that were left out. With ``--strict`` the first error is raised instead."""
        return [] if self.options.failures is None else self.options.failures

    def documents(self, *paths: str) -> Iterator[Document]:
        """Read the documents of these inputs. Raises :class:`~merger.errors.InputError` for a missing path."""
        return self._read(paths, self.options)

    def gold(self, *paths: str) -> Iterator[Document]:
        """Read the gold side of a comparison: ``--clusters-field`` is for the other side."""
        return self._read(paths, replace(self.options, clusters_field=None))

    def parts(self, path: str, *, option: str = "--parts") -> Iterator[Document]:
        """Read the documents before merging; ``option`` is the command's name for them.

        Raises :class:`~merger.errors.OptionError` for a merged document: usually the key was given by mistake.
        """
        for document in self.gold(path):
            for chain in document.chains:
                first, last = chain.mentions[0].part, chain.mentions[-1].part
                if first != last:
                    place = f"chain {chain.id} of document {printable(document.id)} lies in parts {first} and {last}"
                    raise OptionError(
                        f"{option} {display_name(path)} has merged documents, not those before merging: {place}; "
                        "`merge-baseline split` writes parts and key"
                    )
            yield document

    def response(self, *paths: str) -> Iterator[Document]:
        """Read documents with their predicted clusters, even if they have gold clusters, too."""
        return self._read(paths, replace(self.options, predicted=True))

    def _read(self, paths: Sequence[str], options: ReadOptions) -> Iterator[Document]:
        for path in paths:
            if path and path != STDIN and not os.path.lexists(path):
                raise InputError(f"cannot be read: {os.strerror(errno.ENOENT)}", Location(display_name(path)))
        return read_documents(paths, self.format_name, options)

    def collecting(self, failures: list[InputError]) -> Reading:
        """The same reading with another list for failures, unless failures are raised."""
        if self.options.failures is None:
            return self
        return Reading(self.format_name, replace(self.options, failures=failures))

    def each(self, documents: Iterable[Document], work: Callable[[Document], Result]) -> Iterator[Result]:
        """Yield the results of ``work`` on every document. Documents with an ``InputError`` are left out.

        Raises :class:`~client.cli.failures.NothingLeftError` at the end if all were left out.
        """
        done = False
        for document in documents:
            try:
                result = work(document)
            except InputError as error:
                self.fail(error)
            else:
                done = True
                yield result
        if not done:
            self.check_left(0)

    def as_options(self) -> dict[str, str]:
        """The options that change what is read, by name."""
        pattern = self.options.part_pattern
        return {
            "format": self.format_name or "",
            "policy": self.notices.policy.value,
            "part-pattern": "" if pattern is None else pattern.pattern,
            "clusters-field": self.options.clusters_field or "",
            "columns": self.options.columns,
        }

    def fail(self, error: InputError) -> None:
        """Leave a document out, or with ``--strict`` raise its error."""
        if self.options.failures is None:
            raise error
        self.options.failures.append(error)

    def check_left(self, documents: int) -> None:
        """Raise :class:`~client.cli.failures.NothingLeftError` if all documents failed."""
        if not documents and self.failures:
            raise NothingLeftError(self.failures)

    def print_problems(self) -> int:
        """Print notices and failures on standard error, and return the exit code."""
        show_notices(self.notices)
        show_failures(self.failures)
        return EXIT_INPUT if self.failures else EXIT_OK

    def problems_data(self) -> dict[str, Any]:
        """Notices and failures as JSON data."""
        return {"notices": notices_data(self.notices), "failures": failures_data(self.failures)}


class TargetFormat:
    """The format of the output: the requested one, or else the format of the first document.

    A name of the ``output`` that belongs to another format is noted.
    """

    def __init__(self, requested: str | None, output: str | None = None) -> None:
        self._requested = requested
        self._name = requested
        self._output = output

    def of(self, document: Document, notices: Notices) -> str:
        """The name of the format to write a document in. Documents in another format are noted."""
        own = format_of(document)
        if self._name is None:
            self._name = own
            self._check_name(own, notices)
        elif self._requested is None and own != self._name:
            title = FORMATS[self._name].title
            message = f"not in the format of the first document: all are written as {title} (--to chooses the format)"
            notices.add("several formats", message, Location(document.file, document=document.id))
        return self._name

    def _check_name(self, written: str, notices: Notices) -> None:
        plain = (self._output or "").removesuffix(".gz")
        for each in FORMATS.values():
            if each.name != written and plain.endswith(each.suffixes):
                title = FORMATS[written].title
                message = f"{plain} is written as {title}, like the input (use --to {each.name} for the other format)"
                notices.add("name of another format", message)


def reading_options(command: Callable[..., object]) -> Callable[..., object]:
    """Add ``--format``, ``--strict``, ``--lenient``, ``--part-pattern``, ``--clusters-field`` and ``--columns``.

    The command gets them as ``reading``.
    """

    @wraps(command)
    def with_reading(
        *,
        format_name: str | None,
        strict: bool,
        lenient: bool,
        part_pattern: str | None,
        clusters_field: str | None,
        columns: str | None,
        **rest: object,
    ) -> object:
        if strict and lenient:
            raise click.UsageError("--strict and --lenient cannot be combined")
        policy = Policy.STRICT if strict else Policy.LENIENT if lenient else Policy.NORMAL
        return command(reading=make_reading(format_name, policy, part_pattern, clusters_field, columns), **rest)

    wrapped: Callable[..., object] = with_reading
    decorators = [
        click.option("--format", "format_name", type=FORMAT_NAMES, help="Format of the input. Recognised by default."),
        click.option(
            "--strict",
            is_flag=True,
            help="Stop at the first error, including errors that are otherwise repaired with a warning. Without it, "
            "bad documents are reported and left out, and the exit code is 1.",
        ),
        click.option(
            "--lenient",
            is_flag=True,
            help="Also repair contradictions (unclosed mentions, a span in two chains), with a warning.",
        ),
        click.option(
            "--part-pattern",
            metavar="REGEX",
            help="For inputs whose parts have document ids of their own: a pattern with the groups 'document' and "
            r"'part', such as '(?P<document>.*)_(?P<part>\d+)'.",
        ),
        click.option(
            "--clusters-field",
            callback=_not_empty,
            metavar="NAME",
            help="The JSON key with the clusters, for jsonlines. Default: clusters, or else predicted_clusters. In "
            "commands with a gold and an automatic side, NAME is for the automatic side (default: predicted_clusters, "
            "or else clusters).",
        ),
        click.option(
            "--columns",
            metavar="NAME=N,...",
            help="Columns of CoNLL-2012-like files, counted from 1, as in word=2,tag=5,speaker=- (- for none). Other "
            "names: upos, lemma, part, head. Recognised by default. The last column is always coreference. Does not "
            "apply to the file of the strategy precomputed.",
        ),
    ]
    for decorator in reversed(decorators):
        wrapped = decorator(wrapped)
    return wrapped


def _not_empty(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:  # noqa: ARG001  # click's signature
    """The value. Raises ``click.BadParameter`` for an empty one, as of an empty shell variable."""
    if value == "":
        raise click.BadParameter("the name is empty")
    return value


def make_reading(
    format_name: str | None,
    policy: Policy,
    part_pattern: str | None,
    clusters_field: str | None = None,
    columns: str | None = None,
) -> Reading:
    """Turn the shared options into options of the readers.

    Raises :class:`~merger.errors.OptionError` for a bad pattern, one without the groups, and for bad columns.
    """
    pattern = None
    if part_pattern is not None:
        try:
            pattern = re.compile(part_pattern)
        except re.error as error:
            raise OptionError(f"--part-pattern: {error}") from None
        if not {"document", "part"} <= pattern.groupindex.keys():
            raise OptionError("--part-pattern: expected the groups (?P<document>...) and (?P<part>...)")
    if columns == "":
        raise OptionError("--columns: the text is empty")
    failures: list[InputError] | None = None if policy is Policy.STRICT else []
    notices = Notices(policy)
    try:
        options = ReadOptions(notices, pattern, clusters_field=clusters_field, columns=columns or "", failures=failures)
    except OptionError as error:
        raise OptionError(f"--{error}") from None
    return Reading(format_name, options)


output_option = click.option(
    "-o",
    "--output",
    default="-",
    show_default=True,
    metavar="PATH",
    help="File to write to, - for standard output. Compressed if the name ends in .gz.",
)
overwrite_option = click.option(
    "--overwrite-input", is_flag=True, help="Allow --output to be an input. It is replaced when all is written."
)


def overwrite_folder_option(meaning: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """``--overwrite``, for a command with a folder of outputs, with the help ``meaning``."""
    return click.option("--overwrite", is_flag=True, help=meaning)


json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on standard output.")


def singletons_option(
    meaning: str, *, default: str = "drop"
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """``--singletons keep|drop``, with the help ``meaning``."""
    return click.option(
        "--singletons", type=click.Choice(["keep", "drop"]), default=default, show_default=True, help=meaning
    )


def check_stdin(*paths: str | None) -> None:
    """Check that standard input is read at most once. Raises ``click.UsageError``."""
    if paths.count(STDIN) > 1:
        raise click.UsageError(f"standard input ({STDIN}) can be read only once")


def _inputs(context: click.Context, parameter: click.Parameter, paths: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001  # click's signature
    check_stdin(*paths)
    return paths


inputs_argument = click.argument("inputs", nargs=-1, required=True, metavar="INPUT...", callback=_inputs)
