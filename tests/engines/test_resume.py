from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engines.corpora import FUZZY, long, small, small_ones
from tests.engines.disturbed import run_below, run_limited
from tests.engines.test_local import MANY
from tests.support import command_line
from tests.support.command_line import Done
from tests.support.in_process import error_of, output_of, run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX shells")

BROKEN = small("nw/broken").replace("(c)", "(c", 1)


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """The second run has too little CPU for the long document: it can only end well if that is not merged again."""
    file, merged, decisions = (tmp_path / name for name in ("parts.conll", "merged.conll", "decisions.jsonl"))
    whole = small("nw/a") + long("nw/long", MANY) + small("nw/z")
    arguments = ("merge", file, *FUZZY, "-o", merged, "--decisions", decisions, "--resume", "--jobs", "2", "--strict")
    file.write_text(whole + BROKEN, "utf-8")
    first = command_line.run(*arguments)
    kept = _files(tmp_path)
    file.write_text(whole + small("nw/mended"), "utf-8")
    second = run_limited(*arguments)
    undisturbed = run("merge", file, *FUZZY, "--decisions", tmp_path / "undisturbed")

    assert (first.code, second.code) == (1, 0)
    assert kept[0] == "merged.conll.parts/00000001.part"
    assert "merged.conll" not in kept
    assert merged.read_text("utf-8") == undisturbed.out
    assert decisions.read_text("utf-8") == (tmp_path / "undisturbed").read_text("utf-8")
    assert second.err == undisturbed.err
    assert not (tmp_path / "merged.conll.parts").exists()


def _resumed(folder: Path, name: str, before: tuple[str, ...], after: tuple[str, ...], text: str = "") -> Done:
    """Resume a run that an error ended, with other arguments or another text; what it wrote must be right."""
    file, merged = folder / f"{name}.conll", folder / f"{name}.merged"
    file.write_text(small("nw/a") + BROKEN, "utf-8")
    run("merge", file, "-o", merged, "--resume", "--strict", *before)
    file.write_text(text or small("nw/a"), "utf-8")
    done = run("merge", file, "-o", merged, "--resume", "--strict", *after)
    assert merged.read_text("utf-8") == output_of("merge", file, *after)
    return done


def test_what_is_kept_does_not_count_for_something_else(tmp_path: Path) -> None:
    _resumed(tmp_path, "strategy", ("-s", "none"), ("-s", "greedy"))
    _resumed(tmp_path, "option", ("-s", "greedy"), ("-s", "greedy:match=mention"))
    _resumed(tmp_path, "singletons", (), ("--singletons", "keep"))
    _resumed(tmp_path, "format", (), ("--to", "jsonlines"))
    _resumed(tmp_path, "content", (), (), small("nw/a").replace("cat", "dog"))


def test_without_resume_nothing_is_kept_and_nothing_taken(tmp_path: Path) -> None:
    file = tmp_path / "parts.conll"
    file.write_text(small("nw/a") + BROKEN, "utf-8")

    assert run("merge", file, "-o", tmp_path / "merged.conll", "--strict").code == 1
    assert _files(tmp_path) == ["parts.conll"]


def _cut_second_record(data: bytes) -> bytes:
    head, first, second, third = data.splitlines(keepends=True)
    return head + first + second[:-20] + b"\n" + third


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda data: data[:-20], 4),
        (_cut_second_record, 3),
        (lambda data: data.replace(b'"token_count"', b'"tokens"', 1), 2),
        (lambda data: data[20:], 1),
        (lambda data: bytes(len(data)), 1),
        (lambda _: b"", 1),
    ],
    ids=["cut off", "cut in between", "lacks a field", "head cut", "zeros", "empty"],
)
def test_what_is_damaged_of_a_partition_is_told_and_merged_again(
    tmp_path: Path, damage: Callable[[bytes], bytes], line: int
) -> None:
    file, merged = tmp_path / "parts.conll", tmp_path / "merged.conll"
    file.write_text(small_ones(3) + BROKEN, "utf-8")
    run("merge", file, "-o", merged, "--resume", "--strict")
    (partition,) = (tmp_path / "merged.conll.parts").iterdir()
    partition.write_bytes(damage(partition.read_bytes()))
    file.write_text(small_ones(3), "utf-8")

    done = run("merge", file, "-o", merged, "--resume", "--strict")

    assert done.code == 0
    assert done.err.splitlines()[0] == (
        f"merge-baseline: note: {partition}:{line}: not a record of merged documents; its documents are merged again"
    )
    assert merged.read_text("utf-8") == output_of("merge", file)
    assert _files(tmp_path) == ["merged.conll", "parts.conll"]
    assert not partition.parent.exists()


def test_a_full_disk_leaves_nothing_and_the_error_that_ended_the_run_is_told(tmp_path: Path) -> None:
    """An error in the input ends the run, and what was done before it, more than a KiB, cannot be kept."""
    file, merged = tmp_path / "parts.conll", tmp_path / "merged.conll"
    file.write_text(small_ones(5) + BROKEN, "utf-8")

    # To the program, a limit of 1 KiB for each file is as a full disk.
    done = run_below("-f 1", "merge", file, "-o", merged, "--resume", "--strict")

    assert done.code == 1
    note, error = done.err.splitlines()
    assert note == (
        f"merge-baseline: note: the last finished documents are not kept: {merged}.parts/00000001.part: File too large"
    )
    assert error.startswith(f"merge-baseline: error: {file}:")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts.conll"]


def test_resuming_needs_a_place(tmp_path: Path) -> None:
    assert error_of("merge", "-", "--resume", code=2).startswith("--resume needs --output PATH")
    assert _files(tmp_path) == []


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with two files of two documents each, one of them packed away in a folder of its own."""
    folder = tmp_path / "corpus"
    (folder / "deep").mkdir(parents=True)
    (folder / "one.conll").write_text(small("nw/1") + small("nw/2"), "utf-8")
    (folder / "deep" / "two.conll").write_text(small("nw/3") + small("nw/4"), "utf-8")
    return folder


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_folder_of_outputs_has_one_for_each_input(tmp_path: Path, corpus: Path, jobs: str) -> None:
    command_line.run("merge", corpus, "-o", f"{tmp_path}/new/", "--jobs", jobs)

    for name in ("one.conll", "deep/two.conll"):
        assert (tmp_path / "new" / name).read_text("utf-8") == output_of("merge", corpus / name)
    visible = [name for name in _files(tmp_path / "new") if not name.startswith(".")]
    assert visible == ["deep/two.conll", "one.conll"]


def test_another_format_has_another_name(tmp_path: Path, corpus: Path) -> None:
    run("merge", corpus, "-o", f"{tmp_path}/new/", "--to", "jsonlines")

    merged = (tmp_path / "new" / "one.jsonlines").read_text("utf-8")
    assert merged == output_of("merge", corpus / "one.conll", "--to", "jsonlines")


def test_files_that_are_done_are_left_and_told_of(tmp_path: Path, corpus: Path) -> None:
    (corpus / "one.conll").write_text(small("nw/1") + long("nw/2", MANY), "utf-8")
    out = tmp_path / "new"
    arguments = ("merge", corpus, *FUZZY, "-o", f"{out}/", "--jobs", "2", "--decisions", tmp_path / "decisions")
    first = command_line.run(*arguments)
    decisions = (tmp_path / "decisions").read_text("utf-8")
    one, two = ((out / name).stat().st_mtime_ns for name in ("one.conll", "deep/two.conll"))
    again = run_limited(*arguments, "--resume")
    same = (tmp_path / "decisions").read_text("utf-8")
    (corpus / "deep" / "two.conll").write_text(small("nw/3"), "utf-8")
    changed = run_limited(*arguments, "--resume", "--json")

    assert (first.code, again.code, again.err, same) == (0, 0, first.err, decisions)
    assert [document["id"] for document in json.loads(changed.out)["documents"]] == ["nw/3", "nw/1", "nw/2"]
    assert (out / "one.conll").stat().st_mtime_ns == one
    assert (out / "deep" / "two.conll").stat().st_mtime_ns > two
    assert (out / "deep" / "two.conll").read_text("utf-8") == output_of("merge", corpus / "deep" / "two.conll", *FUZZY)


def test_an_output_that_was_changed_is_made_again(tmp_path: Path, corpus: Path) -> None:
    merged = tmp_path / "new" / "one.conll"
    run("merge", corpus, "-o", f"{tmp_path}/new/")
    right = merged.read_text("utf-8")
    merged.write_text("wrong", "utf-8")
    run("merge", corpus, "-o", f"{tmp_path}/new/", "--resume")

    assert merged.read_text("utf-8") == right


@pytest.mark.parametrize(
    ("before", "now", "difference"),
    [
        ((), ("--to", "jsonlines"), "no --to, not --to jsonlines"),
        (("--to", "jsonlines"), ("--to", "conllu"), "--to jsonlines, not --to conllu"),
        (("-s", "none"), ("-s", "oracle", "--key", "{corpus}"), "strategy none, not strategy oracle"),
        (("--singletons", "keep"), (), "--singletons keep, not --singletons drop"),
        ((), ("--lenient",), "neither --strict nor --lenient, not --lenient"),
        (("--format", "conll2012"), ("--strict",), "--format conll2012, not no --format, with neither --strict nor"),
    ],
)
def test_other_options_than_those_of_the_outputs_are_refused_and_named(
    tmp_path: Path, corpus: Path, before: tuple[str, ...], now: tuple[str, ...], difference: str
) -> None:
    out = tmp_path / "new"
    run("merge", corpus, "-o", f"{out}/", *before)
    there = {name: (out / name).read_bytes() for name in _files(out)}
    now = tuple(each.format(corpus=corpus) for each in now)

    error = error_of("merge", corpus, "-o", f"{out}/", "--resume", *now, code=2)
    untouched = {name: (out / name).read_bytes() for name in _files(out)}
    anew = run("merge", corpus, "-o", f"{out}/", "--overwrite", *now)
    resumed = run("merge", corpus, "-o", f"{out}/", "--resume", *now)

    assert error.startswith(f"--resume: the files in {out} were made with {difference}")
    assert untouched == there
    assert (anew.code, resumed.code) == (0, 0)
    assert resumed.err == anew.err


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\0"])
def test_a_damaged_record_is_told_and_its_file_made_again(tmp_path: Path, corpus: Path, content: bytes) -> None:
    out = tmp_path / "new"
    whole = run("merge", corpus, "-o", f"{out}/")
    record = out / ".merge-baseline" / "one.conll.json"
    kept = record.read_bytes()
    right, left = (out / "one.conll").read_text("utf-8"), (out / "deep" / "two.conll").stat().st_mtime_ns
    record.write_bytes(content)
    (out / "one.conll").write_text("wrong", "utf-8")

    done = run("merge", corpus, "-o", f"{out}/", "--resume")

    note = f"merge-baseline: note: {record}: not a record of merged documents; its documents are merged again\n"
    assert (done.code, done.err) == (0, note + whole.err)
    assert (out / "one.conll").read_text("utf-8") == right
    assert (out / "deep" / "two.conll").stat().st_mtime_ns == left
    assert record.read_bytes() == kept


def test_without_a_word_on_who_made_the_outputs_each_record_counts_by_itself(tmp_path: Path, corpus: Path) -> None:
    out = tmp_path / "new"
    run("merge", corpus, "-o", f"{out}/")
    made_by = out / ".merge-baseline" / ".made-by.json"
    kept = made_by.read_bytes()
    before = (out / "one.conll").stat().st_mtime_ns
    made_by.write_bytes(b"{")

    done = run("merge", corpus, "-o", f"{out}/", "--resume")

    assert done.code == 0
    assert done.err.startswith(f"merge-baseline: note: {made_by}: not a record")
    assert (out / "one.conll").stat().st_mtime_ns == before
    assert made_by.read_bytes() == kept


def test_files_before_an_error_are_there_and_the_one_with_it_is_not(tmp_path: Path, corpus: Path) -> None:
    # Names are in order, and folders' names are names too: deep/ comes before one.conll.
    (corpus / "one.conll").write_text(small("nw/1") + BROKEN, "utf-8")
    done = command_line.run("merge", corpus, "-o", f"{tmp_path}/new/", "--jobs", "2", "--strict")

    assert done.code == 1
    assert [name for name in _files(tmp_path / "new") if not name.startswith(".")] == ["deep/two.conll"]


def test_a_document_in_two_files_is_an_error_where_files_stand_alone(tmp_path: Path, corpus: Path) -> None:
    (corpus / "one.conll").write_text(small("nw/4"), "utf-8")
    error = error_of("merge", corpus, "-o", f"{tmp_path}/new/", "--strict", code=1)
    done = run("merge", corpus, "-o", f"{tmp_path}/new/")

    assert error.startswith(f"{corpus}/one.conll (document nw/4): {corpus}/deep/two.conll has this document too")
    assert (done.code, done.err.splitlines()[-1]) == (1, f"merge-baseline: error: {error}")
    assert [name for name in _files(tmp_path / "new") if not name.startswith(".")] == ["deep/two.conll"]


def test_a_folder_of_outputs_is_never_that_of_the_inputs(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "one.conll").write_text(small("nw/1"), "utf-8")

    assert "written over an input" in error_of("merge", corpus, "-o", corpus, code=2)
    assert "would both be written to" in error_of(
        "merge", corpus, tmp_path / "one.conll", "-o", f"{tmp_path}/x/", code=2
    )
    assert "needs inputs with names" in error_of("merge", "-", "-o", f"{tmp_path}/x/", code=2)
