"""What a program that was killed has left is taken away by the next run, and nothing else is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engines.corpora import FUZZY, long, small, small_ones
from tests.engines.disturbed import ended, kill, started, wait_for, workers_of
from tests.engines.test_local import ENDLESS
from tests.support import command_line
from tests.support.in_process import output_of, run
from tests.support.running_server import stopped, until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc, and locks files")


_RECORDS = {".made-by.json", ".owners.json"}
"""Files that are there between runs too."""


def _hidden(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob(".*") if path.is_file() and path.name not in _RECORDS)


@pytest.mark.parametrize("more", [(), ("--resume",)])
@pytest.mark.parametrize("output", ["merged.conll", "new/"])
def test_a_file_that_a_killed_run_was_writing_goes_with_the_next_run(
    tmp_path: Path, output: str, more: tuple[str, ...]
) -> None:
    file, out = tmp_path / "parts.conll", tmp_path / "out"
    out.mkdir()
    file.write_text(small_ones(5) + long("nw/long", ENDLESS), "utf-8")
    arguments: tuple[str | Path, ...] = ("merge", file, *FUZZY, "-o", f"{out}/{output}", "--jobs", "2", *more)
    arguments = (*arguments, "--decisions", out / "decisions.jsonl")
    with started(*arguments) as process:
        wait_for(lambda: workers_of(process, 1.0), process)
        # One for the documents, and one for the decisions.
        assert until(lambda: len(_hidden(out)) == 2)
        kill([process.pid, *workers_of(process)])
        ended(process)
    left = _hidden(out)
    file.write_text(small_ones(5), "utf-8")
    done = command_line.run(*arguments)

    assert len(left) == 2
    assert done.code == 0
    assert _hidden(out) == []
    merged = out / (output if output != "new/" else "new/parts.conll")
    assert merged.read_text("utf-8") == output_of("merge", file, *FUZZY)


def test_what_another_run_is_writing_stays(tmp_path: Path) -> None:
    file, slow, merged = tmp_path / "parts.conll", tmp_path / "slow.conll", tmp_path / "merged.conll"
    file.write_text(small("nw/a"), "utf-8")
    slow.write_text(long("nw/long", ENDLESS), "utf-8")
    with started("merge", slow, *FUZZY, "-o", merged, "--jobs", "2") as process:
        wait_for(lambda: workers_of(process, 1.0), process)
        assert until(lambda: len(_hidden(tmp_path)) == 1)
        # However long the other one takes.
        with stopped(process.pid):
            before = _hidden(tmp_path)
            run("merge", file, "-o", merged)
            during = _hidden(tmp_path)
        kill([process.pid, *workers_of(process)])
        ended(process)
    run("merge", file, "-o", merged)

    assert len(before) == 1
    assert during == before
    assert _hidden(tmp_path) == []


def test_hidden_files_of_others_stay(tmp_path: Path) -> None:
    """Those of another output, with another mode, or with another kind of name."""
    file, merged = tmp_path / "parts.conll", tmp_path / "merged.conll"
    file.write_text(small("nw/a"), "utf-8")
    others = [tmp_path / name for name in (".other.conll.0123abcd", ".merged.conll.swp", ".merged.conll.0123abcde")]
    readable = tmp_path / ".merged.conll.0123abcd"
    for path in (*others, readable):
        path.write_text("mine", "utf-8")
        path.chmod(0o600)
    readable.chmod(0o644)
    left = tmp_path / ".merged.conll.00000000"
    left.touch(0o600)

    run("merge", file, "-o", merged)

    assert _hidden(tmp_path) == sorted([*others, readable])


def test_an_unfinished_partition_goes_and_its_folder_with_it(tmp_path: Path) -> None:
    file, merged = tmp_path / "parts.conll", tmp_path / "merged.conll"
    file.write_text(small("nw/a"), "utf-8")
    folder = tmp_path / "merged.conll.parts"
    folder.mkdir()
    (folder / ".00000001.part.0123abcd").touch(0o600)

    run("merge", file, "-o", merged, "--resume")

    assert not folder.exists()
    assert merged.read_text("utf-8") == output_of("merge", file)


def test_an_unfinished_record_goes(tmp_path: Path) -> None:
    file, out = tmp_path / "parts.conll", tmp_path / "out"
    file.write_text(small("nw/a"), "utf-8")
    run("merge", file, "-o", f"{out}/")
    (out / ".merge-baseline" / ".parts.conll.json.0123abcd").touch(0o600)
    (out / "parts.conll").unlink()

    run("merge", file, "-o", f"{out}/", "--resume")

    assert _hidden(out) == []
    assert (out / "parts.conll").read_text("utf-8") == output_of("merge", file)
