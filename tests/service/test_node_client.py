"""A client in another language, made from the .proto files alone, calls the real server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from protos.convert.documents import document_to_message
from tests.support.command_line import PATIENCE, ROOT, serving
from tests.support.samples import long_document

CLIENT = Path(__file__).parent / "node_client"


@pytest.fixture(scope="session")
def client(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs the client, with its packages installed outside of the source tree."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("no node and npm")
    folder = tmp_path_factory.mktemp("node_client")
    for name in ("package.json", "package-lock.json", "client.js"):
        shutil.copy(CLIENT / name, folder)
    install = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    try:
        done = subprocess.run(install, cwd=folder, capture_output=True, text=True, check=False, timeout=180)
    except subprocess.TimeoutExpired:
        pytest.skip("the client's packages could not be installed within 180 s")
    if done.returncode != 0:
        pytest.skip(f"the client's packages could not be installed: {done.stderr.strip().splitlines()[:1]}")
    return [node, str(folder / "client.js")]


@pytest.mark.network
def test_a_client_in_node_lists_merges_and_streams(client: list[str]) -> None:
    document = json_format.MessageToDict(document_to_message(long_document(3)))
    # google/rpc/status.proto is where Python's package for it is.
    includes = [str(ROOT), sysconfig.get_path("purelib")]
    with serving("--workers", "0") as (_, address):
        done = subprocess.run(
            [*client, address, *includes],
            input=json.dumps(document),
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * PATIENCE,
        )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)

    assert {"none", "greedy", "oracle"} <= set(result["strategies"])
    # Each part has a chain of "York": the first is new, the others are linked to it.
    merged = result["merged"]
    assert [decision["chain"].get("part", 0) for decision in merged["decisions"]] == [0, 1, 2]
    assert [decision.get("antecedent") is not None for decision in merged["decisions"]] == [False, True, True]
    assert all(decision["antecedent"]["chain"] == "0" for decision in merged["decisions"][1:])
    assert [len(chain["members"]) for chain in merged["chains"]] == [3]
    assert result["requestId"] == "node-1"
    *parts, summary = result["streamed"]
    assert [part["message"] for part in parts] == ["part"] * 3
    assert [decision for part in parts for decision in part["part"]["decisions"]] == merged["decisions"]
    assert summary["summary"]["chains"] == merged["chains"]
    assert result["refused"]["code"] == "INVALID_ARGUMENT"
    assert "no-such-strategy" in result["refused"]["details"]
    assert result["refused"]["more"] == 1


def test_the_clients_lock_names_no_registry() -> None:
    lock = json.loads((CLIENT / "package-lock.json").read_text(encoding="utf-8"))

    assert lock["packages"]["node_modules/@grpc/grpc-js"]["integrity"].startswith("sha512-")
    assert not any("resolved" in package for package in lock["packages"].values())
