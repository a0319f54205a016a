"""``merge-baseline corenlp``: installations that it finds, and failed fetches. `make corenlp` runs a real fetch."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from merger.backends.corenlp.install import cache_folder, find_installation, home_folder, install
from merger.errors import UnavailableError
from tests.support.command_line import run
from tests.support.corenlp_here import needs_corenlp, needs_shift_reduce

needs_maven = pytest.mark.java(None if shutil.which("mvn") else "there is no mvn on the PATH")


@needs_shift_reduce
def test_status_shows_what_is_there() -> None:
    done = run("corenlp", "status", "--json")
    found = json.loads(done.out)

    assert done.code == 0
    assert found["ready"] is True
    assert found["algorithms"] == ["deterministic", "statistical", "fastneural", "neural"]
    assert found["parsers"] == ["shift-reduce", "pcfg"]
    assert "version" in found["java_version"]
    assert Path(found["home"]).is_dir()
    assert f"home: {found['home']}" in run("corenlp", "status").out


def test_status_says_what_is_missing_and_what_to_do(tmp_path: Path) -> None:
    environment = {"PATH": str(tmp_path), "JAVA_HOME": "", "CORENLP_HOME": "", "XDG_CACHE_HOME": str(tmp_path)}

    done = run("corenlp", "status", env=environment)
    data = json.loads(run("corenlp", "status", "--json", env=environment).out)

    assert done.code == 3
    assert "no java" in done.err
    assert "merge-baseline corenlp install --with shift-reduce" in done.err
    assert data["ready"] is False
    assert data["home"].startswith(str(tmp_path))


@needs_shift_reduce
def test_nothing_is_fetched_where_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    home = find_installation().home
    monkeypatch.setenv("PATH", "")

    assert install(("shift-reduce",), home).home == home


def test_without_maven_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(UnavailableError, match="no mvn on the PATH"):
        install((), tmp_path / "new")


@needs_maven
def test_a_fetch_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    # Offline, and with an empty repository, Maven finds nothing.
    settings = {
        "MAVEN_ARGS": "",
        "MAVEN_OPTS": f"-Dmaven.repo.local={tmp_path / 'm2'} -Dhttps.proxyHost=127.0.0.1 "
        "-Dhttps.proxyPort=1 -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=1",
    }
    done = run("corenlp", "install", "--to", tmp_path / "new", env=settings)

    assert done.code == 3
    assert "Maven could not fetch CoreNLP: " in done.err
    assert [path.name for path in tmp_path.iterdir() if path.name != "m2"] == []


@pytest.mark.network
@needs_corenlp
@needs_maven
def test_a_missing_jar_is_fetched_again(tmp_path: Path) -> None:
    # All but the basic models would be 480 MB to copy: the jar that is fetched is the parser's, from Maven's own cache.
    target = tmp_path / "home"
    target.mkdir()
    for jar in find_installation().home.glob("*.jar"):
        if "models-english" not in jar.name:
            (target / jar.name).symlink_to(jar)
    lines: list[str] = []

    found = install(("shift-reduce",), target, lines.append)

    assert found.parsers == ("shift-reduce", "pcfg")
    assert not any(path.name.startswith(".") for path in tmp_path.iterdir())


@needs_corenlp
def test_a_damaged_jar_is_named(tmp_path: Path) -> None:
    for jar in find_installation().home.glob("*.jar"):
        (tmp_path / jar.name).symlink_to(jar)
    broken = next(tmp_path.glob("*-models.jar"))
    broken.unlink()
    broken.write_bytes(b"PK\x03\x04 cut off")

    with pytest.raises(UnavailableError, match=f"{broken.name} is damaged"):
        find_installation(str(tmp_path))


def test_a_folder_of_something_else_is_not_filled(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as jar:
        jar.writestr("x", "y")

    with pytest.raises(UnavailableError, match="does not hold CoreNLP"):
        install((), tmp_path)


def test_where_it_looks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CORENLP_HOME", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder().parent == tmp_path / "merge-baseline"
    assert home_folder() == cache_folder()

    monkeypatch.setenv("CORENLP_HOME", str(tmp_path / "a"))
    assert home_folder() == tmp_path / "a"
    assert home_folder(str(tmp_path / "b")) == tmp_path / "b"

    # Relative paths are to be ignored, by the XDG specification.
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert cache_folder() == Path(os.path.expanduser("~/.cache")) / "merge-baseline" / cache_folder().name  # noqa: PTH111
