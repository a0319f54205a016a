from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from merger.version import VERSION
from tests.support.command_line import WITHOUT_CORENLP

ROOT = Path(__file__).parents[2]
EVERYTHING = """
import importlib, pkgutil, sys
import client, merger, protos, server
for package in (client, merger, protos):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
from protos.merge_baseline.v1 import chain_merge_service_pb2, chain_merge_service_pb2_grpc
for package in (client, merger):
    assert [getattr(package, name) for name in package.__all__]
print(len(chain_merge_service_pb2.DESCRIPTOR.services_by_name))
print(*{str(module.__file__) for module in (client, merger, protos, server)}, sep="\\n")
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the working tree with the build tools that are here."""
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def binaries(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a new environment with the wheel in it, which borrows the dependencies installed here.

    The borrowed folder is only a path: what is installed there in editable mode is not followed, so no module of the
    working tree can stand in for one that the wheel lacks.
    """
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    paths = sysconfig.get_paths(scheme="venv", vars={"base": str(folder), "platbase": str(folder)})
    python = Path(paths["scripts"]) / Path(sys.executable).name
    _run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel)
    (Path(paths["purelib"]) / "borrowed.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    return Path(paths["scripts"])


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = inherited | WITHOUT_CORENLP
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, cwd=cwd, env=environment, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}

    code = {
        path.relative_to(ROOT).as_posix()
        for package in ("client", "merge_baseline", "merger", "protos", "service")
        for path in (ROOT / package).rglob("*")
        if path.suffix in {".py", ".pyi", ".proto", ".txt"}
        or path.name == "py.typed"
        or path.parent.name == "templates"
    }
    examples = {
        f"client/{path.relative_to(ROOT).as_posix()}"
        for folder in ("parts", "key")
        for path in (ROOT / "examples" / folder).iterdir()
    }
    assert len(examples) == 8
    assert inside == code | examples | {"server.py"}


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        about = {name.rpartition("/")[2]: archive.read(name) for name in archive.namelist() if ".dist-info/" in name}

    metadata = message_from_bytes(about["METADATA"])
    assert (metadata["Name"], metadata["Version"]) == ("merge-baseline", VERSION)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    extras = {"corenlp", "metrics", "otel", "ray", "report", "spacy", "stanza"}
    assert set(metadata.get_all("Provides-Extra", [])) == extras, "what only developers need is in dependency groups"
    assert "LICENSE" in about
    assert b"merge-baseline = merge_baseline.__main__:main" in about["entry_points.txt"]


def test_the_installed_program_tells_its_version_in_an_empty_folder(binaries: Path, tmp_path: Path) -> None:
    assert _run(binaries / "merge-baseline", "--version", cwd=tmp_path) == f"merge-baseline {VERSION}\n"


def test_the_installed_program_brings_the_documents_of_its_demo(binaries: Path, tmp_path: Path) -> None:
    shown = _run(binaries / "merge-baseline", "demo", cwd=tmp_path)

    assert " merged 4 documents, 15 parts, 194 part chains." in shown
    assert list(tmp_path.iterdir()) == []


def test_every_installed_module_can_be_imported_and_comes_from_the_wheel(binaries: Path, tmp_path: Path) -> None:
    services, *files = _run(binaries / Path(sys.executable).name, "-c", EVERYTHING, cwd=tmp_path).splitlines()

    assert services == "1"
    assert len(files) == 4
    assert all(Path(file).is_relative_to(binaries.parent) for file in files)
