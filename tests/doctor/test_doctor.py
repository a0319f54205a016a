"""Set-ups that are wrong on purpose, and what `merge-baseline doctor` says of them."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trustme

from client.doctor.findings import FEATURES, Level
from client.doctor.packages import fits, problems, requires_by_extra
from client.doctor.service import check_memory
from service.options import ServerOptions
from tests.support.certificates import Files, issue
from tests.support.command_line import NOWHERE, PROGRAM, ROOT, error_of, run, serving
from tests.support.corenlp_here import needs_corenlp

FREE = ("--port", "0")
Findings = dict[str, dict[str, Any]]


def findings(*arguments: str | Path, env: Mapping[str, str] | None = None) -> tuple[int, Findings]:
    """The exit code, and what was found by the check's name."""
    done = run("doctor", "--json", *FREE, *arguments, env=env)
    return done.code, read(done.out)


def read(output: str) -> Findings:
    found = json.loads(output)
    failed = any(each["level"] == "fail" for each in found["findings"])
    assert found["ok"] is not failed
    return {each["check"]: each for each in found["findings"]}


@pytest.fixture
def nothing(tmp_path: Path) -> dict[str, str]:
    """An environment without Java and without CoreNLP."""
    empty = tmp_path / "empty"
    empty.mkdir()
    return {"PATH": str(empty), "JAVA_HOME": "", "CORENLP_HOME": "", "XDG_CACHE_HOME": str(empty)}


@needs_corenlp
def test_a_table_names_what_was_looked_at_and_how_it_is() -> None:
    done = run("doctor", *FREE)

    assert done.code == 0, done.out
    rows = [line.split(maxsplit=2) for line in done.out.splitlines() if line and not line.startswith(" ")]
    assert ["ok", "Python"] in [row[:2] for row in rows]
    assert ["ok", "gRPC", "grpcio"] in [[*row[:2], row[2].split()[0]] for row in rows if len(row) == 3]
    assert done.out.splitlines()[-1].startswith("0 fails, ")


def test_what_is_missing_is_a_warning_unless_it_must_work(nothing: dict[str, str]) -> None:
    code, found = findings(env=nothing)
    assert code == 0
    assert found["Java"]["level"] == found["CoreNLP"]["level"] == "warn"

    code, found = findings("--for", "corenlp", env=nothing)

    assert code == 1
    assert found["Java"]["level"] == found["CoreNLP"]["level"] == "fail"
    assert "no java" in found["Java"]["found"]
    assert "install Java" in found["Java"]["advice"]
    assert "merge-baseline corenlp install" in found["CoreNLP"]["advice"]


def test_a_java_home_without_java_fails(nothing: dict[str, str], tmp_path: Path) -> None:
    code, found = findings(env={**nothing, "JAVA_HOME": str(tmp_path)})

    assert code == 1
    assert found["Java"]["level"] == "fail"
    assert str(tmp_path) in found["Java"]["found"]


def test_a_java_that_is_too_old_fails(nothing: dict[str, str], tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'java version \"1.7.0_80\"' >&2\n", encoding="ascii")
    java.chmod(0o755)

    code, found = findings("--for", "corenlp", env={**nothing, "JAVA_HOME": str(tmp_path)})

    assert code == 1
    assert found["Java"]["level"] == "fail"
    assert "1.7.0_80" in found["Java"]["found"]


@pytest.mark.parametrize("content", [None, b"not an archive"])
def test_a_corenlp_home_that_is_not_whole_fails(nothing: dict[str, str], tmp_path: Path, content: bytes | None) -> None:
    home = tmp_path / "home"
    home.mkdir()
    if content is not None:
        (home / "stanford-corenlp.jar").write_bytes(content)

    code, found = findings(env={**nothing, "CORENLP_HOME": str(home)})

    assert code == 1
    assert found["CoreNLP"]["level"] == "fail"
    assert ("damaged" if content else "does not hold") in found["CoreNLP"]["found"]


def test_a_package_of_a_version_that_does_not_fit_fails(tmp_path: Path) -> None:
    info = tmp_path / "jinja2-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: jinja2\nVersion: 2.0\n", encoding="ascii")

    code, found = findings(env={"PYTHONPATH": str(tmp_path)})

    assert code == 1
    assert found["extra report"]["level"] == "fail"
    assert "jinja2 2.0 (needed: >=3" in found["extra report"]["found"]
    assert "merge-baseline[report]" in found["extra report"]["advice"]


def test_what_is_not_installed_is_told_from_what_does_not_fit() -> None:
    missing, unfit = problems([("no-such-package-anywhere", ">=1"), ("click", ">=99"), ("grpcio", ">=1.0")])

    assert missing == ["no-such-package-anywhere"]
    assert len(unfit) == 1
    assert unfit[0].startswith("click ")


@pytest.mark.parametrize(
    ("installed", "clauses", "expected"),
    [
        ("1.15.2", "<1.16,>=1.15", True),
        ("1.16", "<1.16,>=1.15", False),
        ("1.15", ">=1.15.0", True),
        ("1.9", ">=1.10", False),
        ("2.17", "==2.17", True),
        ("2.17.1", "==2.17", False),
        ("3.0rc1", ">=3", True),
        ("5", "", True),
    ],
)
def test_versions_are_compared_by_their_numbers(installed: str, clauses: str, expected: bool) -> None:  # noqa: FBT001
    assert fits(installed, clauses) is expected


def test_every_extra_for_users_is_looked_at() -> None:
    named = requires_by_extra().keys() - {""}

    assert named <= {*FEATURES}


@needs_corenlp
def test_a_port_that_is_taken_is_a_warning_and_a_fail_for_who_wants_to_serve_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, level, code in (([], "warn", 0), (["--for", "serve"], "fail", 1)):
            done = run("doctor", "--json", "--port", port, *arguments)
            assert done.code == code
            found = read(done.out)[f"port 127.0.0.1:{port}"]
            assert found["level"] == level
            assert found["found"] == "in use"


def test_an_address_of_another_machine_is_not_to_be_served_on() -> None:
    code, found = findings("--for", "serve", "--host", "192.0.2.1")

    assert code == 1
    assert found["port 192.0.2.1:0"]["level"] == "fail"


def test_a_server_that_is_not_there_fails() -> None:
    code, found = findings("--server", NOWHERE)

    assert code == 1
    assert found[f"server {NOWHERE}"]["level"] == "fail"
    assert "no server answers" in found[f"server {NOWHERE}"]["found"]


def test_a_server_that_answers_is_fine_and_what_its_operator_did_not_enable_is_no_fault() -> None:
    with serving("--workers", "0") as (_, address):
        code, found = findings("--server", address)

    assert code == 0
    assert "greedy" in found[f"server {address}"]["found"]
    assert found[f"server {address}"]["level"] == "ok"
    assert not [check for check in found if check.startswith(f"server {address}, ")]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files.below(tmp_path)


def tls_findings(files: Files) -> tuple[int, Findings]:
    return findings("--check-cert", files.certificate, "--check-key", files.key)


def test_a_ca_for_callers_is_looked_at_with_the_certificate_only(files: Files) -> None:
    error = error_of("doctor", "--check-client-ca", files.client_ca, code=2)

    assert error.startswith("--check-client-ca is for a server with TLS: --check-cert and --check-key are missing")


@needs_corenlp
def test_a_certificate_that_is_valid_for_long_is_fine(files: Files) -> None:
    files.put(issue(trustme.CA(), valid_days=90))

    code, found = tls_findings(files)

    assert code == 0
    assert found["TLS certificate"]["level"] == "ok"
    assert found["TLS certificate"]["found"].endswith("90 days")
    assert found["TLS key"]["level"] == "ok"


@needs_corenlp
def test_a_certificate_that_ends_soon_is_a_warning(files: Files) -> None:
    files.put(issue(trustme.CA(), valid_days=5))

    code, found = tls_findings(files)

    assert code == 0
    assert found["TLS certificate"]["level"] == "warn"


def test_certificates_and_keys_that_cannot_be_used_fail(files: Files) -> None:
    ca = trustme.CA()
    files.put(issue(ca, valid_days=-1))
    code, found = tls_findings(files)
    assert code == 1
    assert "expired" in found["TLS"]["found"]

    files.put(issue(ca))
    files.key.write_bytes(issue(ca).private_key_pem.bytes())
    code, found = tls_findings(files)
    assert code == 1
    assert "does not belong" in found["TLS"]["found"]

    files.key.unlink()
    code, found = tls_findings(files)
    assert code == 1
    assert "cannot be read" in found["TLS"]["found"]


@needs_corenlp
def test_a_key_that_everybody_may_read_is_a_warning(files: Files) -> None:
    files.put(issue(trustme.CA(), valid_days=90))
    files.key.chmod(0o644)

    code, found = tls_findings(files)

    assert code == 0
    assert found["TLS key"]["level"] == "warn"


@needs_corenlp
@pytest.mark.parametrize(("limit", "level", "code"), [(200, "fail", 1), (1024, "warn", 0)])
def test_few_open_files_are_named(limit: int, level: str, code: int) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit -n {limit} && exec "$0" doctor --json --port 0', PROGRAM],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == code, done.stderr
    found = read(done.stdout)["open files"]
    assert found["level"] == level
    assert "LimitNOFILE=" in found["advice"]


def test_a_clock_from_before_the_program_was_installed_fails(tmp_path: Path) -> None:
    for package in ("client", "merge_baseline", "merger", "protos", "service"):
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "server.py", tmp_path)
    ten_days_ahead = time.time() + 10 * 86400
    os.utime(tmp_path / "client" / "doctor" / "machine.py", (ten_days_ahead, ten_days_ahead))

    done = subprocess.run(
        [sys.executable, "-c", "from client.cli.main import main; main(['doctor', '--json', '--port', '0'])"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )

    assert done.returncode == 1, done.stderr
    assert read(done.stdout)["clock"]["level"] == "fail"


def test_a_server_is_told_the_memory_that_its_messages_may_take() -> None:
    # 50 for itself, 32 for connections, 256 of messages, 2 * 64 for copies of one, 64 for replay.
    assert ServerOptions().most_memory_bytes == (50 + 32 + 256 + 2 * 64 + 64) * 2**20
    finding = check_memory(ServerOptions())
    assert "up to 0.5 GiB by default" in finding.found
    assert check_memory(ServerOptions(queue_bytes=2**40)).level is Level.WARN
