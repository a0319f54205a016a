"""What a command writes where, and names that are hard to show."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.test_merge import TINY
from tests.support.command_line import EXAMPLES
from tests.support.in_process import error_of, output_of, run

KEY = EXAMPLES / "key" / "ferry.conll"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.conll"
    file.write_text(TINY, "utf-8")
    return file


def test_two_outputs_of_one_name_are_a_usage_error(tmp_path: Path, tiny: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    one, other = tmp_path / "out", tmp_path / "link" / "out"

    error = error_of("merge", tiny, "-o", one, "--decisions", other, code=2)

    assert error.startswith("--output and --decisions are one file")
    assert not one.exists()


@pytest.mark.parametrize("directory", [True, False])
def test_decisions_over_an_input_are_a_usage_error(tmp_path: Path, tiny: Path, *, directory: bool) -> None:
    error = error_of("merge", tmp_path if directory else tiny, "--decisions", tiny, code=2)

    assert error.startswith("--decisions would be written over an input")
    assert tiny.read_text("utf-8") == TINY


@pytest.mark.parametrize(("command", "more"), [("merge", ()), ("convert", ("--to", "conll2012"))])
def test_an_output_over_an_input_must_be_asked_for(command: str, more: tuple[str, ...], tiny: Path) -> None:
    made = output_of(command, tiny, *more)

    error = error_of(command, tiny, *more, "-o", tiny, code=2)

    assert error.startswith(f"--output would be written over an input: {tiny} (--overwrite-input allows it)")
    assert tiny.read_text("utf-8") == TINY
    output_of(command, tiny, *more, "-o", tiny, "--overwrite-input")
    assert tiny.read_text("utf-8") == made


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX device files")
def test_two_outputs_may_be_one_device(tiny: Path) -> None:
    assert run("merge", tiny, "-o", os.devnull, "--decisions", os.devnull).code == 0


def test_a_split_over_its_own_input_is_a_usage_error(tmp_path: Path) -> None:
    key = tmp_path / "key.conll"
    shutil.copy(KEY, key)

    error = error_of("split", key, "--tokens", "100", "-o", tmp_path, code=2)

    assert error.startswith("key.conll would be written over an input")
    assert key.read_bytes() == KEY.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["key.conll"]


@pytest.mark.parametrize("command", [("split", KEY, "--tokens", "100"), ("compare", KEY, "-s", "none")])
def test_an_empty_name_of_a_folder_is_not_the_current_one(command: tuple[str | Path, ...]) -> None:
    assert "the name is empty" in error_of(*command, "-o", "", code=2)


def test_a_failed_split_leaves_a_folder_that_was_there_before(tmp_path: Path) -> None:
    error_of(
        "split",
        "-",
        "--into",
        "99",
        "-o",
        tmp_path,
        stdin=TINY.partition("#begin document (nw/tiny); part 001")[0],
        code=1,
    )

    assert tmp_path.is_dir()


def test_inputs_of_several_formats_are_told(tmp_path: Path, tiny: Path) -> None:
    shutil.copy(EXAMPLES / "corefud" / "clock.conllu", tmp_path / "z.conllu")
    mixed = run("merge", tmp_path, "-s", "none", "-o", tmp_path / "out")
    told = run("merge", tmp_path, "-s", "none", "--to", "jsonlines", "-o", tmp_path / "out")

    assert f"{tmp_path}/z.conllu (document st/clock): not in the format of the first document" in mixed.err
    assert "written as CoNLL-2012" in mixed.err
    assert "not in the format of the first document" not in told.err
    assert tiny.exists()


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="file names are Unicode there")
def test_a_file_name_that_is_not_utf_8_is_shown_with_its_bytes_escaped(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.conll")).write_text(TINY, "utf-8")
    shown = f"{tmp_path}/caf\\xe9.conll"

    assert output_of("validate", tmp_path).startswith(f"{shown}: ok: ")
    assert json.loads(output_of("validate", tmp_path, "--json"))["files"][0]["file"] == shown
    absent = os.fsdecode(os.fsencode(tmp_path) + b"/th\xe9")
    assert error_of("merge", absent, code=1) == f"{tmp_path}/th\\xe9: cannot be read: No such file or directory"
    error = error_of("merge", tmp_path, "-o", f"{absent}/x", code=1)
    assert error == f"{tmp_path}/th\\xe9/x: No such folder: {tmp_path}/th\\xe9"


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="file names are Unicode there")
def test_reports_of_a_comparison_show_such_a_name_in_the_same_way(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("matplotlib")
    odd = tmp_path / os.fsdecode(b"k\xff.conll")
    shutil.copy(KEY, odd)
    shown = f"{tmp_path}/k\\xff.conll"
    page, tables = tmp_path / "report.html", tmp_path / "tables.md"
    arguments = (odd, "--keep-parts", "-s", f"file:{odd}", "--baseline", f"file:{odd}")

    data = json.loads(output_of("compare", *arguments, "--json", "--report", page, "--markdown", tables))
    text = output_of("compare", *arguments)

    assert (data["key"], data["baseline"]) == (shown, f"file:{shown}")
    assert [each["name"] for each in data["strategies"]] == ["none", f"file:{shown}", "oracle"]
    assert shown in data["command"]
    assert shown in text
    assert shown in page.read_text("utf-8")
    assert f"made by: merge-baseline compare '{shown}'" in tables.read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="no such names there")
def test_a_file_name_of_two_lines_is_shown_on_one(tmp_path: Path) -> None:
    (tmp_path / "a\nb.conll").write_text("x\n", "utf-8")

    error = error_of("merge", tmp_path / "a\nb.conll", code=1)

    assert repr(f"{tmp_path}/a\nb.conll") in error


def test_an_id_of_two_lines_is_shown_on_one() -> None:
    lines = json.dumps({"doc_key": "a\nb", "sentences": [["x"]], "clusters": [[[0, 5]]]}) + "\n"

    assert r"'a\nb'" in error_of("merge", "-", stdin=lines, code=1)


def test_a_folder_of_another_merge_asks_before_its_files_are_replaced(tmp_path: Path, tiny: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / tiny.name).write_text("of another task")

    error = error_of("merge", tiny, "-o", folder, code=2)

    assert error.startswith(
        f"output folder {folder} has {tiny.name}, not written by a run with these inputs and options: "
    )
    assert "--overwrite" in error
    assert (folder / tiny.name).read_text() == "of another task"
    output_of("merge", tiny, "-o", folder, "--overwrite")
    merged = (folder / tiny.name).read_bytes()
    output_of("merge", tiny, "-o", folder)
    assert (folder / tiny.name).read_bytes() == merged
    assert tiny.name in error_of("merge", tiny, "-o", folder, "--strategy", "greedy:match=mention", code=2)


def test_a_split_asks_before_it_is_mixed_with_another_one(tmp_path: Path) -> None:
    folder = tmp_path / "task"
    output_of("split", KEY, "--into", "2", "-o", folder)
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    output_of("split", KEY, "--into", "2", "-o", folder)
    error = error_of("split", KEY, "--into", "3", "-o", folder, code=2)
    stale = error_of("split", KEY, "--into", "2", "--to", "conllu", "-o", folder, code=2)

    for name in ("parts.conll", "key.conll", "decisions.jsonl"):
        assert name in error
        assert name in stale
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    output_of("split", KEY, "--into", "2", "--to", "conllu", "--overwrite", "-o", folder)
    assert {path.name for path in folder.iterdir() if path.is_file()} == {
        "parts.conllu",
        "key.conllu",
        "decisions.jsonl",
    }
