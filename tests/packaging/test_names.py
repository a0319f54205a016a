"""Programs beside modules of other projects that have the names of ours, each in a process and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from merge_baseline.names import HOME, NAMES
from merger.version import VERSION
from tests.support.command_line import EXAMPLES, PROGRAM, serving

PARTS = EXAMPLES / "parts" / "ferry.conll"


def write_modules(folder: Path, *paths: str) -> None:
    """Modules and packages, as ``client.py`` and ``protos/__init__.py``, that have nothing that ours have."""
    for path in paths:
        target = folder / path
        target.parent.mkdir(exist_ok=True)
        target.write_text('WHOSE = "theirs"\n', "utf-8")


def write_every_name(folder: Path) -> None:
    write_modules(
        folder, "client.py", "server.py", *(f"{each}/__init__.py" for each in ("merger", "protos", "service"))
    )


def python(*arguments: str | Path, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, without the variables of this test run."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment | dict(env or {}),
        timeout=120,
    )


def script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a script that stands in the folder, from elsewhere."""
    (folder / "script.py").write_text(text, "utf-8")
    return python(folder / "script.py", cwd=folder.parent)


@pytest.mark.parametrize(
    ("theirs", "statement"),
    [
        (("client.py", "protos/__init__.py", "server.py"), "from merge_baseline import merge_document, read_documents"),
        (("client.py", "protos/__init__.py", "server.py"), "import merger; merger.read_documents"),
        (("protos/__init__.py", "server.py", "service/__init__.py"), "from merge_baseline import evaluate"),
        (("server.py", "service/__init__.py"), "from merge_baseline import RemoteMerger"),
        # Python takes any package before a folder without __init__.py.
        (tuple(f"{name}/notes.txt" for name in NAMES), "import client, merger, protos, server, service; server.serve"),
    ],
)
def test_a_script_gets_ours_where_it_needs_none_of_theirs(
    theirs: tuple[str, ...], statement: str, tmp_path: Path
) -> None:
    write_modules(tmp_path, *theirs)

    done = script(tmp_path, statement)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("theirs", "statement"),
    [
        ("merger.py", "from merge_baseline import read_documents"),
        ("merger/__init__.py", "import client"),
        ("merger/__init__.py", "import protos"),
        ("merger/__init__.py", "import service"),
        ("merger/__init__.py", "import server"),
        ("client.py", "from merge_baseline import evaluate"),
        ("client/__init__.py", "import merge_baseline; merge_baseline.evaluate"),
        ("protos/__init__.py", "from merge_baseline import RemoteMerger"),
        ("protos/__init__.py", "from client import AsyncRemoteMerger"),
        ("protos/__init__.py", "import protos; from merge_baseline import RemoteMerger"),
        ("protos/__init__.py", "import service"),
        ("service/__init__.py", "import server"),
    ],
)
def test_a_script_that_needs_a_name_of_theirs_gets_an_error_with_the_file(
    theirs: str, statement: str, tmp_path: Path
) -> None:
    write_modules(tmp_path, theirs)

    done = script(tmp_path, statement)

    assert done.returncode == 1
    file = theirs.partition("/")[0]
    name = file.removesuffix(".py")
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: {tmp_path / file} is in the way: merge-baseline has a module {name!r} of its own, and Python "
        "finds this one. Rename it, or run your program where it is not on sys.path."
    )


@pytest.mark.parametrize("name", ["client", "merger"])
def test_their_module_by_their_name_is_theirs_and_python_names_its_file(name: str, tmp_path: Path) -> None:
    write_modules(tmp_path, f"{name}.py")

    assert script(tmp_path, f"import {name}; assert {name}.WHOSE == 'theirs'").returncode == 0
    failed = script(tmp_path, f"from {name} import evaluate")

    assert str(tmp_path / f"{name}.py") in failed.stderr.splitlines()[-1]


@pytest.mark.parametrize("program", [(PROGRAM,), ("-m", "merge_baseline")])
def test_the_command_works_in_a_folder_with_all_names(program: tuple[str, ...], tmp_path: Path) -> None:
    write_every_name(tmp_path)

    merged = python(*program, "merge", PARTS, PARTS.with_name("clock.conll"), "--jobs", "2", "-s", "none", cwd=tmp_path)

    assert merged.returncode == 0, merged.stderr
    assert merged.stdout.startswith("#begin document (")


def test_the_processes_of_a_server_work_in_a_folder_with_all_names(tmp_path: Path) -> None:
    write_every_name(tmp_path)

    with serving("--workers", "1", cwd=tmp_path) as (_, address):
        done = python(PROGRAM, "merge", PARTS, "--server", address, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("#begin document (")


@pytest.mark.parametrize("program", [(PROGRAM,), ("-m", "merge_baseline")])
def test_the_command_names_the_file_if_pythonpath_leads_to_theirs(program: tuple[str, ...], tmp_path: Path) -> None:
    write_every_name(tmp_path)

    done = python(*program, "--version", cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})

    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"merge-baseline: error: {tmp_path / 'client.py'} is in the way: ")
    assert done.stderr.count("\n") == 1


def test_python_m_client_names_the_file_too(tmp_path: Path) -> None:
    write_modules(tmp_path, "protos/__init__.py")

    done = python("-m", "client", "--version", cwd=tmp_path)

    assert done.returncode == 3
    assert done.stderr.startswith(f"merge-baseline: error: {tmp_path / 'protos'} is in the way: ")


def test_python_m_runs_from_the_home_of_the_modules_too() -> None:
    done = python("-m", "merge_baseline", "--version", cwd=Path(HOME))

    assert (done.returncode, done.stdout) == (0, f"merge-baseline {VERSION}\n")


def test_tests_of_another_project_get_the_error_as_well(tmp_path: Path) -> None:
    write_modules(tmp_path, "client.py")
    (tmp_path / "test_theirs.py").write_text("from merge_baseline import evaluate\n", "utf-8")

    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)

    assert done.returncode == 2
    assert f"ImportError: {tmp_path / 'client.py'} is in the way: " in done.stdout


def test_every_public_name_is_offered_once_and_none_besides(tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "import client, merger, merge_baseline\n"
        "from merge_baseline import *\n"
        "names = [*client.__all__, *merger.__all__]\n"
        "assert sorted(names) == merge_baseline.__all__ == dir(merge_baseline)\n"
        "assert evaluate is client.evaluate and Document is merger.Document\n"
        "merge_baseline.no_such_name\n",
    )

    assert done.stderr.splitlines()[-1] == "AttributeError: module 'merge_baseline' has no attribute 'no_such_name'"


def _findings(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
    return {each["check"]: each for each in json.loads(done.stdout)["findings"]}


def test_doctor_finds_files_in_the_folder_and_distributions_with_our_names(tmp_path: Path) -> None:
    write_modules(tmp_path, "client.py", "protos/__init__.py", "service/notes.txt")
    other = tmp_path / "installed" / "grpc_tutorial-1.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: grpc-tutorial\nVersion: 1.0\n", "utf-8")
    (other / "top_level.txt").write_text("server\n", "utf-8")

    found = _findings(
        python(PROGRAM, "doctor", "--json", "--port", "0", cwd=tmp_path, env={"PYTHONPATH": str(other.parent)})
    )
    nothing = _findings(python(PROGRAM, "doctor", "--json", "--port", "0", cwd=tmp_path / "service"))

    files = found["files with our names"]
    assert files["level"] == "warn"
    assert files["found"].endswith(f": {tmp_path / 'client.py'}, {tmp_path / 'protos'}")
    packages = found["packages with our names"]
    assert (packages["level"], packages["found"]) == (
        "fail",
        "installed beside merge-baseline: server (from grpc-tutorial)",
    )
    assert {nothing[check]["level"] for check in ("files with our names", "packages with our names")} == {"ok"}
