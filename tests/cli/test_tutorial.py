"""The tutorial's commands, run in its order in one folder, print what the page shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from client.cli.main import main
from tests.support.command_line import EXAMPLES, ROOT

pytestmark = pytest.mark.usefixtures("process_as_before")

PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")


def _blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


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
