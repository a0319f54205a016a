"""``merge-baseline validate``."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import islice
from typing import Any

import click

from client.cli.entry import EXIT_INPUT, EXIT_OK
from client.cli.options import Reading, inputs_argument, json_option, reading_options
from client.cli.output import counted, notices_data, open_report, write_json
from client.cli.progress import documents_with_progress
from merger.document import ChainScope, Document
from merger.errors import InputError
from merger.formats import find_inputs, read_documents
from merger.formats.conll2012 import Conll2012Format
from merger.formats.conll2012_rows import layout_of
from merger.formats.inputs import display_name
from merger.notices import Notices, Policy
from merger.shown import shown

_WORDS = 8
"""Words that are shown of a file."""


@click.command(short_help="check files and list what is wrong with them")
@inputs_argument
@json_option
@reading_options
def command(
    inputs: tuple[str, ...],
    as_json: bool,
    reading: Reading,
) -> int:
    """Check files: what is in them, and what is wrong with them.

    Every file is read as --lenient does: listed are all problems that can be repaired and the first one, if any, that
    cannot be, which ends its file. The first words of each file are shown as they were read, with their column in
    CoNLL-2012-like files. Exits with 1 if there was any problem.
    """
    reports = [_check(path, reading) for each in inputs for path in find_inputs(each)]
    bad = sum(1 for report in reports if report["problems"] or report["error"])
    if as_json:
        write_json({"files": reports, "files_with_problems": bad})
    else:
        with open_report() as stream:
            for report in reports:
                stream.write(_line(report))
                stream.writelines(f"  {problem['text']}\n" for problem in report["problems"])
                if report["error"]:
                    stream.write(f"  {report['error']}\n")
    return EXIT_INPUT if bad else EXIT_OK


def _check(path: str, reading: Reading) -> dict[str, Any]:
    policy = reading.notices.policy
    notices = Notices(Policy.LENIENT if policy is Policy.NORMAL else policy)
    options = replace(reading.options, notices=notices)
    counts = {"documents": 0, "parts": 0, "tokens": 0, "chains": 0, "mentions": 0, "merged": 0}
    error = None
    first: Document | None = None
    try:
        for document in documents_with_progress(read_documents(path, reading.format_name, options), display_name(path)):
            first = first or document
            counts["documents"] += 1
            counts["parts"] += len(document.parts)
            counts["tokens"] += document.token_count
            counts["chains"] += len(document.chains)
            counts["mentions"] += sum(len(chain.mentions) for chain in document.chains)
            counts["merged"] += document.scope is ChainScope.DOCUMENT
    except InputError as problem:
        error = str(problem)
    problems = notices_data(notices)
    for problem_data, notice in zip(problems, notices, strict=True):
        problem_data["text"] = str(notice)
    read = {"first_words": _first_words(first), "columns": _columns(first)}
    return {"file": display_name(path), **counts, **read, "problems": problems, "error": error}


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
    return {name: index + 1 for name, index in asdict(layout).items() if index is not None}


def _line(report: dict[str, Any]) -> str:
    state = "ok" if not report["problems"] and not report["error"] else "PROBLEMS"
    counts = ", ".join(counted(report[f"{noun}s"], noun) for noun in ("document", "part", "token", "chain", "mention"))
    return f"{shown(report['file'])}: {state}: {counts}\n{_words_line(report)}"


def _words_line(report: dict[str, Any]) -> str:
    """What was read as words, so that another column is seen at once."""
    words, columns = report["first_words"], report["columns"]
    if not words:
        return ""
    text = " ".join(shown(word) for word in words) + (" ..." if report["tokens"] > len(words) else "")
    where = f" (column {columns['word']})" if columns else ""
    return f"  first words{where}: {text}\n"
