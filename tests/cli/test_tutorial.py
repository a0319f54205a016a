"""Pages whose programs are run: what they print is what the pages show."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from client.cli.main import main
from tests.support.command_line import EXAMPLES, ROOT
from tests.support.conll_text import block

pytestmark = pytest.mark.usefixtures("process_as_before")

PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")


def _blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def _pattern(shown: str) -> str:
    """What output must match: ``...`` stands for any text, on a line of its own for any lines."""
    lines = [r"(?:.*\n)*?" if line == "..." else _line(line) for line in shown.splitlines()]
    return "".join(lines)


def _line(line: str) -> str:
    return ".*".join(map(re.escape, line.split("..."))) + r"\n"


def test_every_command_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(EXAMPLES / "key", tmp_path / "novels")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    steps = [step for block in _blocks("console") for step in re.split(r"^\$ ", block, flags=re.MULTILINE) if step]
    assert len(steps) > 5

    for step in steps:
        command, _, shown = step.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "merge-baseline"
        with pytest.raises(SystemExit) as left:
            main(arguments)
        output = capsys.readouterr()
        assert left.value.code == 0, output.err
        assert re.fullmatch(_pattern(shown), output.out + output.err), f"{command}\n{output.out}{output.err}"

    (decision,) = _blocks("json")
    assert decision in (tmp_path / "greedy.jsonl").read_text("utf-8")
    (program,) = _blocks("python")
    exec(compile(program, "tutorial.md", "exec"), {})  # noqa: S102  # it is the page's program
    assert capsys.readouterr().out == re.findall(r"# (0\.\d+)$", program, re.MULTILINE)[0] + "\n"


def test_the_strategy_of_the_page_on_extending_merges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of chains 0 and 1, both of part 0, chain 0 alone is in part 1 too."""
    (tmp_path / "task").mkdir()
    rows = ("a (0)\nb (1)\nc (0)\nd (1)", "a (0)\nb (2)\nc (0)\nd (2)")
    blocks = [block(rows[part], part=f"{part:03}") for part in (0, 1)]
    (tmp_path / "task" / "parts.conll").write_text("".join(blocks), "utf-8")
    monkeypatch.chdir(tmp_path)

    (program,) = _blocks("python", (ROOT / "docs" / "api" / "extending.md").read_text("utf-8"))
    exec(compile(program, "extending.md", "exec"), {})  # noqa: S102  # it is the page's program

    assert capsys.readouterr().out == "d 1 links\n"
