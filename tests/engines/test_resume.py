from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import Done, error_of, output_of, run
from tests.engines.corpora import FUZZY, long, small
from tests.engines.disturbed import run_limited
from tests.engines.test_local import MANY

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX shells")

BROKEN = small("nw/broken").replace("(c)", "(c", 1)


def _files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    """The second run has too little CPU for the long document: it can only end well if that is not merged again."""
    file, merged, decisions = (tmp_path / name for name in ("parts.conll", "merged.conll", "decisions.jsonl"))
    whole = small("nw/a") + long("nw/long", MANY) + small("nw/z")
    arguments = ("merge", file, *FUZZY, "-o", merged, "--decisions", decisions, "--resume", "--jobs", "2")
    file.write_text(whole + BROKEN, "utf-8")
    first = run(*arguments)
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
    run("merge", file, "-o", merged, "--resume", *before)
    file.write_text(text or small("nw/a"), "utf-8")
    done = run("merge", file, "-o", merged, "--resume", *after)
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

    assert run("merge", file, "-o", tmp_path / "merged.conll").code == 1
    assert _files(tmp_path) == ["parts.conll"]


def test_a_broken_partition_is_named(tmp_path: Path) -> None:
    file = tmp_path / "parts.conll"
    file.write_text(small("nw/a") + BROKEN, "utf-8")
    run("merge", file, "-o", tmp_path / "merged.conll", "--resume")
    (partition,) = (tmp_path / "merged.conll.parts").iterdir()
    partition.write_bytes(partition.read_bytes()[:-20])

    assert error_of("merge", file, "-o", tmp_path / "merged.conll", "--resume", code=1) == (
        f"{partition}:2: not a partition of merged documents (without --resume the work begins anew)"
    )


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
    run("merge", corpus, "-o", f"{tmp_path}/new/", "--jobs", jobs)

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
    first = run(*arguments)
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


def test_files_before_an_error_are_there_and_the_one_with_it_is_not(tmp_path: Path, corpus: Path) -> None:
    # Names are in order, and folders' names are names too: deep/ comes before one.conll.
    (corpus / "one.conll").write_text(small("nw/1") + BROKEN, "utf-8")
    done = run("merge", corpus, "-o", f"{tmp_path}/new/", "--jobs", "2")

    assert done.code == 1
    assert [name for name in _files(tmp_path / "new") if not name.startswith(".")] == ["deep/two.conll"]


def test_a_document_in_two_files_is_an_error_where_files_stand_alone(tmp_path: Path, corpus: Path) -> None:
    (corpus / "one.conll").write_text(small("nw/4"), "utf-8")
    error = error_of("merge", corpus, "-o", f"{tmp_path}/new/", code=1)

    assert error.startswith(f"{corpus}/one.conll (document nw/4): {corpus}/deep/two.conll has this document too")


def test_a_folder_of_outputs_is_never_that_of_the_inputs(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "one.conll").write_text(small("nw/1"), "utf-8")

    assert "written over an input" in error_of("merge", corpus, "-o", corpus, code=2)
    assert "would both be written to" in error_of(
        "merge", corpus, tmp_path / "one.conll", "-o", f"{tmp_path}/x/", code=2
    )
    assert "needs inputs with names" in error_of("merge", "-", "-o", f"{tmp_path}/x/", code=2)
