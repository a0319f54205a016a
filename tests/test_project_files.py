"""What the files beside the code say of the code."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import client
import merger
from merger.version import VERSION

PACKAGES = (client, merger)
ROOT = Path(__file__).parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPES = re.findall(r"^### (Add .*)\n\n((?:(?!^#).*\n)*)", CONTRIBUTING, re.MULTILINE)
DECISIONS = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/adr").glob("[0-9]*.md"))
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*/|(?:[\w.-]+/)*[\w.-]+\.(?:py|md|proto|toml|json|yml|yaml|cff)")


def _paths(text: str) -> set[str]:
    """The paths that a page names between backticks."""
    return {each for each in re.findall(r"`([^`\n]+)`", text) if _PATH.fullmatch(each)}


def _text_files(*places: str) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            no_text = file.suffix in {".binpb", ".png"}
            generated = "_pb2" in file.name or "__pycache__" in file.parts
            if file.is_file() and not no_text and not generated:
                yield file


def _found(command: str) -> set[str]:
    """The files that ``git grep -l... 'PATTERN' -- PLACES`` lists, generated code left out."""
    git, grep, options, pattern, dashes, *places = shlex.split(command)
    assert (git, grep, dashes) == ("git", "grep", "--")
    assert set(options) <= set("-lwiE")
    if "w" in options:
        pattern = rf"\b(?:{pattern})\b"
    wanted = re.compile(pattern, re.MULTILINE | (re.IGNORECASE if "i" in options else re.NOFLAG))
    files = _text_files(*places)
    return {file.relative_to(ROOT).as_posix() for file in files if wanted.search(file.read_text("utf-8"))}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "SECURITY.md", *DECISIONS])
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    named = _paths((ROOT / page).read_text("utf-8"))

    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_every_decision_is_in_the_list() -> None:
    listed = re.findall(r"^- \[(\d+)\. .*\]\((.*)\)$", (ROOT / "docs/adr/README.md").read_text("utf-8"), re.MULTILINE)

    assert [f"docs/adr/{file}" for _, file in listed] == DECISIONS
    for number, file in listed:
        assert (ROOT / "docs/adr" / file).read_text("utf-8").startswith(f"# {number}. ")


@pytest.mark.parametrize(("title", "recipe"), RECIPES, ids=[title for title, _ in RECIPES])
def test_a_recipe_names_every_file_of_its_example(title: str, recipe: str) -> None:
    (command,) = re.findall(r"^Example: `(.+)`$", recipe, re.MULTILINE)

    found = _found(command)

    assert len(found) > 1, f"{title}: the example is gone; name another one"
    assert found - _paths(recipe) == set(), f"{title}: add these to the list"


def test_the_citation_has_the_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == VERSION


def test_continuous_integration_runs_every_python_that_the_metadata_names() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    metadata = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = {each.rpartition(" ")[2] for each in metadata["classifiers"] if "Python :: 3." in each}

    assert set(workflow["jobs"]["tests"]["strategy"]["matrix"]["python"]) == named


@pytest.mark.parametrize("file", ["CONTRIBUTING.md", ".github/workflows/ci.yml", ".github/workflows/release.yml"])
def test_every_make_target_that_is_named_exists(file: str) -> None:
    rules = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    text = (ROOT / file).read_text("utf-8")
    runs = re.findall(r"(?:`|run: |^    )make ((?:[a-z-]+ ?)+)", text, re.MULTILINE)

    assert {target for run in runs for target in run.split()} <= rules


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("  bool retag = 2;", "  bool retag = 2;\n  bool added = 100;", None),
        ("  bool retag = 2;", "", 'Previously present field "2" with name "retag"'),
        ("  bool retag = 2;", "  bool retag = 3;", 'Previously present field "2" with name "retag"'),
        ("  bool retag = 2;", "  string retag = 2;", 'changed type from "bool" to "string"'),
    ],
    ids=["added", "removed", "another number", "another type"],
)
def test_what_would_break_callers_of_the_last_release_is_found(
    old: str, new: str, complaint: str | None, tmp_path: Path
) -> None:
    folder = tmp_path / "protos/merge_baseline/v1"
    folder.mkdir(parents=True)
    files = []
    for file in (ROOT / "protos/merge_baseline/v1").glob("*.proto"):
        text = file.read_text("utf-8")
        assert (old in text) is (file.name == "tagger.proto")
        (folder / file.name).write_text(text.replace(old, new), "utf-8")
        files.append(f"protos/merge_baseline/v1/{file.name}")
    image = tmp_path / "image.binpb"
    paths: list[str | Path] = ["-I", tmp_path, "-I", sysconfig.get_path("purelib")]
    protoc: list[str | Path] = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        *paths,
        "--include_imports",
        "-o",
        image,
        *files,
    ]
    subprocess.run(protoc, check=True, timeout=60)
    buf = Path(sys.executable).parent / "buf"

    done = subprocess.run(
        [buf, "breaking", image, "--against", "protos/released.binpb", "--path", "protos"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert (done.returncode == 0) is (complaint is None), done.stdout + done.stderr
    assert complaint is None or complaint in done.stdout


def test_the_site_is_built_without_a_warning_and_its_roles_are_links(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="needs the dependency group docs: make venv")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=120)

    assert (done.returncode, done.stderr + done.stdout) == (0, "")
    pages = {each.__name__: (tmp_path / f"api/{each.__name__}/index.html").read_text("utf-8") for each in PACKAGES}
    missing = [f"{each.__name__}.{name}" for each in PACKAGES for name in each.__all__]
    missing = [path for path in missing if f'id="{path}"' not in pages[path.partition(".")[0]]]
    assert missing == [], "they need a docstring"
    page = pages["merger"]
    # So it stands in the docstring of make_strategy, with a role.
    assert re.search(
        r'Raises <a class="[^"]*" [^>]*href="#merger\.OptionError"><code>OptionError</code></a> for an', page
    )
    assert not re.search(r":(class|meth|func|attr|data|mod):", page)
    assert "&gt;&gt;&gt;" not in re.sub(r"<pre>.*?</pre>", "", page, flags=re.DOTALL)
