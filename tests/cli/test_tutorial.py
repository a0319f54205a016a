"""Pages whose programs are run: what they print is what the pages show."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from client.cli.main import main
from tests.support.command_line import EXAMPLES, ROOT, serving
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


def test_every_command_and_program_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    novel = "".join(path.read_text("utf-8") for path in sorted((EXAMPLES / "key").iterdir()))
    (tmp_path / "novel.conll").write_text(novel, "utf-8")
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^ {4}(merge-baseline .*?)(?: > .*)?$", text, re.MULTILINE)
    (serve,) = (each for each in commands if " serve " in each)
    here = [each for each in commands if each != serve and "--server" not in each]
    (remote,) = set(commands) - {serve, *here}
    assert len(here) == 4

    for command in here:
        _run(command, capsys)
    (program,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102  # it is the page's program
    assert 0 < float(capsys.readouterr().out.split()[0]) < 1

    (name, port) = re.findall(r"--server (\w+):(\d+)", remote)[0]
    assert f"--port {port}" in serve
    with serving("--workers", "1") as (_, address):
        assert _run(remote.replace(f"{name}:{port}", address), capsys).startswith("#begin document (")
    others = {line.split()[0] for line in re.findall(r"^ {4}(\w.*)$", text, re.MULTILINE)} - {"merge-baseline"}
    assert others == {"make", "uv", "strategy", "none", "greedy", "corenlp", "oracle"}


def _run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    _, *arguments = shlex.split(command)
    with pytest.raises(SystemExit) as left:
        main(arguments)
    output = capsys.readouterr()
    assert left.value.code == 0, output.err
    return output.out


def test_the_readme_is_short_and_its_picture_small() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    (picture,) = re.findall(r"!\[.*\]\((.*)\)", text)

    assert len(text.splitlines()) <= 120
    assert (ROOT / picture).stat().st_size < 300_000
