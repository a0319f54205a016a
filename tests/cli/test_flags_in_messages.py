"""Messages of the library name options; the command line names its flags."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from client.cli.commands.serve import command
from client.cli.option_names import option_of, with_flags
from tests.support.in_process import error_of, run

ROOT = Path(__file__).parents[2]
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_ALLOWED = {
    # A command to run, and what the terminal's tables say below themselves.
    "merger/backends/corenlp/models.py",
    "client/evaluation/comparison/render.py",
    "client/evaluation/scoring/render.py",
    # Style sheets.
    "client/report/inline_svg.py",
    "client/report/plot_sheet.py",
}


def _strings(path: Path) -> list[str]:
    """The texts of a module but for docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


def test_no_text_of_the_library_names_a_flag() -> None:
    files = [
        file
        for folder in ("merger", "protos", "client", "service")
        for file in (ROOT / folder).rglob("*.py")
        if not {"cli", "doctor"} & set(file.relative_to(ROOT).parts)
    ]
    named = {
        f"{file.relative_to(ROOT)}: {text}"
        for file in [*files, ROOT / "server.py"]
        if str(file.relative_to(ROOT)) not in _ALLOWED
        for text in _strings(file)
        # Checkpoints of folders are keyed by flags, which their messages show.
        if _FLAG.search(text) and file.name != "folder_checkpoint.py"
    }
    assert not named


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tag it (option tagger, such as spacy)", "tag it (--tagger, such as spacy)"),
        ("left out (option keep_singletons keeps them)", "left out (--singletons keep keeps them)"),
        ("(with policy lenient: dropped)", "(with --lenient: dropped)"),
        ("not enabled (server option enable)", "not enabled (serve --enable)"),
        ("option match: 'x' is not one of", "option match: 'x' is not one of"),
        ("option one-to-one: 1 is not yes or no", "option one-to-one: 1 is not yes or no"),
    ],
)
def test_phrases_become_flags(text: str, shown: str) -> None:
    assert with_flags(text) == shown


def test_limits_have_flags_that_exist() -> None:
    known = {option for parameter in command.params for option in parameter.opts}
    assert {option_of(name) for name in ("stream_bytes", "tokens", "enable_taggers", "grace_seconds")} <= known


def test_the_command_line_names_its_flags(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("The cat sat.\n")
    assert "name it: --format" in error_of("merge", tmp_path / "text", code=1)
    untagged = "#begin document (n); part 000\nn\t0\t0\tAnn\t-\t-\t-\t-\t-\t-\t-\t(0)\nn\t0\t1\ther"
    untagged += "\t-\t-\t-\t-\t-\t-\t-\t(0)\n\n#end document\n"
    error = run("merge", "-", stdin=untagged).err
    assert "greedy:match=mention needs no tags" in error
    assert "--tagger, such as spacy" in error
