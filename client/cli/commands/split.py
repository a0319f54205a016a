"""``merge-baseline split``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

import click

from client.cli.cut_options import chosen_cut, cut_options
from client.cli.messages import print_status
from client.cli.options import (
    FORMAT_NAMES,
    Folder,
    Reading,
    TargetFormat,
    inputs_argument,
    json_option,
    overwrite_folder_option,
    reading_options,
    singletons_option,
)
from client.cli.output import check_paths, counted, open_output, write_json
from client.cli.progress import documents_with_progress
from client.folder_owners import FolderOwners, run_text
from merger.decisions.records import decision_record
from merger.document import Document
from merger.formats import FORMATS, find_inputs, write_document
from merger.formats.open_inputs import display_name
from merger.split import MergeTask, cut_text, split_document

_TASK_FILES = {f"{stem}{suffix}" for stem in ("parts", "key") for each in FORMATS.values() for suffix in each.suffixes}
"""Names of the files that a split writes, in any format."""


@click.command(short_help="make a merge task from whole-document annotation")
@inputs_argument
@cut_options
@singletons_option(
    "Mentions that are the only one of their chain in a part. keep: they are in parts and key, but no strategy merges "
    "them (strategies merge chains of two or more mentions). drop: they are left out of both.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    type=Folder(),
    help="The folder to write to. It is created if necessary.",
)
@click.option("--to", "target", type=FORMAT_NAMES, help="Format of the output. Default: the format of the input.")
@overwrite_folder_option("Replace parts.*, key.* and decisions.jsonl in the folder that other inputs or options made.")
@json_option
@reading_options
def command(
    inputs: tuple[str, ...],
    tokens: int | None,
    sentences: int | None,
    into: int | None,
    keep_parts: bool,
    singletons: str,
    output: str,
    target: str | None,
    overwrite: bool,
    as_json: bool,
    reading: Reading,
) -> int:
    """Make a merge task from documents with chains over the whole text.

    Documents are cut at sentence boundaries. The folder gets three files:

    \b
      parts.*          the parts, each with chains of its own (to be merged)
      key.*            the gold merges, over the same mentions
      decisions.jsonl  the gold decisions, one per chain and line

    \b
    Example:
      merge-baseline split ontogum/ --tokens 400 -o task/
    """
    cut, size = chosen_cut(tokens, sentences, into, keep=keep_parts)
    documents = reading.documents(*inputs)
    folder = Path(output)
    formats = TargetFormat(target)
    read = (file for path in inputs for file in find_inputs(path))
    counts = {"documents": 0, "parts": 0, "part_chains": 0, "merged_chains": 0, "links": 0, "mentions_dropped": 0}

    def cut_up(document: Document) -> tuple[MergeTask, str, list[str]]:
        """The task of a document, its output format, and its texts as parts and as key."""
        task = split_document(document, cut, size, keep_singletons=singletons == "keep", notices=reading.notices)
        written_as = formats.of(document, reading.notices)
        texts = ["".join(write_document(each, written_as, reading.notices)) for each in (task.parts, task.key)]
        return task, written_as, texts

    owners = FolderOwners(folder)
    asked = {
        "cut": cut_text(cut, size),
        "singletons": singletons,
        "to": target or "",
        **reading.as_options(),
    }
    run = run_text("split", inputs, asked)
    names: list[str] = []
    with ExitStack() as stack:
        streams: list[IO[str]] = []
        for task, written_as, texts in reading.each(documents_with_progress(documents, "splitting"), cut_up):
            if not streams:
                suffix = FORMATS[written_as].suffixes[0]
                names = [f"parts{suffix}", f"key{suffix}", "decisions.jsonl"]
                paths = [str(folder / name) for name in names]
                check_paths({Path(path).name: path for path in paths}, read)
                if not overwrite:
                    owners.check(dict.fromkeys(names, run), _TASK_FILES)
                stack.enter_context(_folder(folder))
                streams = [stack.enter_context(open_output(path)) for path in paths]
            for stream, text in zip(streams, texts, strict=False):
                stream.write(text)
            for decision in task.decisions:
                record = decision_record(task.parts.id, decision, annotator="human", split=cut_text(cut, size))
                streams[2].write(json.dumps(record, ensure_ascii=False) + "\n")
            _count(counts, task.parts, task.key, sum(d.antecedent is not None for d in task.decisions), task.dropped)
    for stale in sorted(_TASK_FILES - set(names)) if overwrite and names else ():
        (folder / stale).unlink(missing_ok=True)
    if names:
        owners.claim(dict.fromkeys(names, run))
    if as_json:
        write_json({"split": cut_text(cut, size), **counts, **reading.problems_data()})
    else:
        print_status(
            f"{counted(counts['documents'], 'document')} in {counted(counts['parts'], 'part')} "
            f"({cut_text(cut, size)}): {counts['part_chains']} part chains, {counts['merged_chains']} merged chains, "
            f"{counts['links']} links to make; in {display_name(output)}"
        )
    return reading.print_problems()


@contextmanager
def _folder(folder: Path) -> Iterator[None]:
    """Create the folder if necessary, and remove what was created if an exception ends the work."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for each in missing:
            with suppress(OSError):
                each.rmdir()
        raise


def _count(counts: dict[str, int], parts: Document, key: Document, links: int, dropped: int) -> None:
    counts["documents"] += 1
    counts["parts"] += len(parts.parts)
    counts["part_chains"] += len(parts.chains)
    counts["merged_chains"] += len(key.chains)
    counts["links"] += links
    counts["mentions_dropped"] += dropped
