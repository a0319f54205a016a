"""``merge-baseline validate``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import click

from client.cli.failures import failures_data
from client.cli.main import EXIT_INPUT, EXIT_OK
from client.cli.messages import print_note
from client.cli.option_names import with_flags
from client.cli.options import Reading, inputs_argument, json_option, reading_options
from client.cli.output import counted, notices_data, open_report, write_json
from client.cli.progress import documents_with_progress
from merger.document import ChainScope, Document
from merger.errors import InputError
from merger.formats import find_inputs, read_documents
from merger.formats.conll2012.format import Conll2012Format
from merger.formats.conll2012.rows import layout_of
from merger.formats.open_inputs import display_name
from merger.formats.part_names import look_like_parts
from merger.message_text import printable
from merger.notices import Notices, Policy

_WORDS = 8
"""First words of a file to show."""


@click.command(short_help="check files and list their problems")
@inputs_argument
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Also print a line for each file without problems. A single file always has a line.",
)
@json_option
@reading_options
def command(
    inputs: tuple[str, ...],
    verbose: bool,
    as_json: bool,
    reading: Reading,
) -> int:
    """Check files: print their counts, and list their problems.

    There are three kinds of problems: errors, for which other commands leave the document out; errors that --lenient
    repairs; and oddities that are repaired with a note, most of which are errors with --strict. For each file, the
    first words show whether the columns were recognised. The exit code is 1 if there are problems.
    """
    files = [path for each in inputs for path in find_inputs(each)]
    ids: list[str] = []
    reports = [_check(path, reading, ids) for path in files]
    alike = look_like_parts(ids) if len(ids) == sum(report["parts"] for report in reports) else None
    if alike is not None:
        print_note(f"no document has two parts; {alike}")
    bad = sum(1 for report in reports if _has_problems(report))
    if as_json:
        write_json({"files": reports, "files_with_problems": bad})
        return EXIT_INPUT if bad else EXIT_OK
    with open_report() as stream:
        for report in reports:
            if verbose or len(files) == 1 or _has_problems(report):
                stream.write(_line(report))
            stream.writelines(f"  {text}\n" for text in _problems(report))
        if len(files) > 1:
            stream.write(_summary(reports, bad))
    return EXIT_INPUT if bad else EXIT_OK


def _check(path: str, reading: Reading, ids: list[str]) -> dict[str, Any]:
    """Counts and problems of a file. Adds the ids of its documents to ``ids``."""
    policy = reading.notices.policy
    notices = _Checks(Policy.LENIENT if policy is Policy.NORMAL else policy)
    # Here the strict reader goes on with the next document, too.
    failures: list[InputError] = []
    options = replace(reading.options, notices=notices, failures=failures)
    counts = dict.fromkeys(("documents", "parts", "tokens", "chains", "mentions", "merged"), 0)
    first: Document | None = None
    for document in documents_with_progress(read_documents(path, reading.format_name, options), display_name(path)):
        first = first or document
        ids.append(document.id)
        counts["documents"] += 1
        counts["parts"] += len(document.parts)
        counts["tokens"] += document.token_count
        counts["chains"] += len(document.chains)
        counts["mentions"] += sum(len(chain.mentions) for chain in document.chains)
        counts["merged"] += document.scope is ChainScope.DOCUMENT
    problems = notices_data(notices)
    for problem_data, notice in zip(problems, notices, strict=True):
        problem_data["text"] = with_flags(str(notice))
        problem_data["error_unless_lenient"] = notice.kind in notices.lenient
    read = {"first_words": _first_words(first), "columns": _columns(first)}
    return {"file": display_name(path), **counts, **read, "problems": problems, "failures": failures_data(failures)}


def _first_words(document: Document | None) -> list[str]:
    sentences = () if document is None else (each for part in document.parts for each in part.sentences)
    words = (form for each in sentences for index, form in enumerate(each.forms) if index not in each.empty)
    return list(islice(words, _WORDS))


def _columns(document: Document | None) -> dict[str, int] | None:
    """The columns that a CoNLL-2012-like file was read by, counted from 1."""
    sources = () if document is None else (each.source for part in document.parts for each in part.sentences)
    source = next(iter(sources), None)
    if source is None or source.format != Conll2012Format.name:
        return None
    layout = layout_of(source)
    return {name: index + 1 for name, index in layout._asdict().items() if index is not None}


def _has_problems(report: dict[str, Any]) -> bool:
    return bool(report["problems"] or report["failures"])


def _problems(report: dict[str, Any]) -> Iterator[str]:
    for problem in report["problems"]:
        yield f"error unless --lenient: {problem['text']}" if problem["error_unless_lenient"] else problem["text"]
    for failure in report["failures"]:
        yield f"error: {failure['text']}"


def _line(report: dict[str, Any]) -> str:
    state = "PROBLEMS" if _has_problems(report) else "ok"
    return f"{printable(report['file'])}: {state}: {_counts([report])}\n{_words_line(report)}"


def _words_line(report: dict[str, Any]) -> str:
    """The first words, which show at once if a wrong column was read."""
    words, columns = report["first_words"], report["columns"]
    if not words:
        return ""
    text = " ".join(printable(word) for word in words) + (" ..." if report["tokens"] > len(words) else "")
    where = f" (column {columns['word']})" if columns else ""
    return f"  first words{where}: {text}\n"


def _summary(reports: Sequence[dict[str, Any]], bad: int) -> str:
    failed = sum(failure["count"] for report in reports for failure in report["failures"])
    left_out = f"; {counted(failed, 'document')} cannot be read" if failed else ""
    return f"{counted(len(reports), 'file')}, {bad or 'none'} with problems: {_counts(reports)}{left_out}\n"


def _counts(reports: Sequence[dict[str, Any]]) -> str:
    nouns = ("document", "part", "token", "chain", "mention")
    return ", ".join(counted(sum(report[f"{noun}s"] for report in reports), noun) for noun in nouns)


class _Checks(Notices):
    """Notices that know which of their kinds are errors under the normal policy."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.lenient: set[str] = set()

    def repair(self, kind: str, error: InputError, repair: str) -> None:
        """As in :class:`~merger.notices.Notices`."""
        self.lenient.add(kind)
        if self.policy is Policy.LENIENT:
            repair = f"with policy lenient {repair}, and otherwise the document is left out"
        super().repair(kind, error, repair)
