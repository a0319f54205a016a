"""What docs/operations.md and the files in deploy/ say holds for the real server."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
import trustme
import yaml

from client.cli.commands.serve import command as serve_command
from client.remote.sync import RemoteMerger
from tests.service.test_metrics import scrape, shown
from tests.support.command_line import PATIENCE, ROOT, free_port, run, serving
from tests.support.running_server import until
from tests.support.samples import long_document

DOCUMENT = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
DEPLOY = ROOT / "deploy"
ADDRESS = "127.0.0.1:50051"
KUBECTL = shutil.which("kubectl")
SYSTEMD_ANALYZE = shutil.which("systemd-analyze")
GRPCURL = "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4"

_EXAMPLE = re.compile(r"```sh\n(grpcurl .*?)\n```\n\n```(json|text)\n(.*?)\n```", re.DOTALL)


@pytest.fixture(scope="session")
def grpcurl(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of grpcurl, which is fetched if need be."""
    found = shutil.which("grpcurl")
    if found is not None:
        return str(Path(found).parent)
    go = shutil.which("go")
    if go is None:
        pytest.skip("neither grpcurl nor go to fetch it with")
    folder = tmp_path_factory.mktemp("grpcurl")
    environment = {**os.environ, "GOBIN": str(folder)}
    try:
        done = subprocess.run(
            [go, "install", GRPCURL], env=environment, capture_output=True, text=True, check=False, timeout=300
        )
    except subprocess.TimeoutExpired:
        pytest.skip("grpcurl could not be fetched within 300 s")
    if done.returncode != 0:
        pytest.skip(f"grpcurl could not be fetched: {done.stderr.strip().splitlines()[-1:]}")
    return str(folder)


def _values(text: str) -> list[Any]:
    """The JSON values that stand one after the other."""
    decoder, values, place = json.JSONDecoder(), [], 0
    while place < len(text):
        value, place = decoder.raw_decode(text, place)
        values.append(value)
        while place < len(text) and text[place].isspace():
            place += 1
    return values


@pytest.mark.network
def test_grpcurl_does_what_the_document_shows(grpcurl: str) -> None:
    examples = _EXAMPLE.findall(DOCUMENT)
    assert len(examples) == DOCUMENT.count("```sh\ngrpcurl ") == 5
    environment = {**os.environ, "PATH": f"{grpcurl}:{os.environ['PATH']}"}
    with serving("--workers", "0") as (_, address):
        for command, kind, expected in examples:
            done = subprocess.run(
                ["/bin/sh", "-c", command.replace(ADDRESS, address)],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=PATIENCE,
            )
            assert done.returncode == 0, f"{command}\n{done.stderr}"
            if kind == "json":
                assert _values(done.stdout) == _values(expected)
            else:
                assert done.stdout.strip() == expected


def _section(title: str) -> str:
    return DOCUMENT.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_every_option_of_the_server_is_in_the_table() -> None:
    named = set(re.findall(r"`(--[\w*-]+)`", _section("Options")))
    wildcards = tuple(each.removesuffix("*") for each in named if each.endswith("*"))
    options = {
        name
        for parameter in serve_command.params
        if isinstance(parameter, click.Option)
        for name in (*parameter.opts, *parameter.secondary_opts)
        if name.startswith("--")
    } - {"--insecure-listen-anywhere"}

    assert {each for each in options if not each.startswith(wildcards)} <= named
    assert {each for each in named if not each.endswith("*")} <= options | {"--insecure-listen-anywhere"}


def test_the_metrics_of_the_document_are_those_that_are_shown() -> None:
    described = {
        name
        for row in re.findall(r"(?m)^\| (`.*?) \|", _section("Metrics"))
        for name in re.findall(r"`(merge_\w+)`", row)
    }
    with shown() as (address, port), RemoteMerger(address) as remote:
        remote.merge(long_document(1), "none")
        # A call is counted a moment after its answer has come.
        assert until(lambda: any(name.startswith("merge_baseline_calls_total") for name in scrape(port)))
        samples = {name.partition("{")[0] for name in scrape(port) if name.startswith("merge_baseline_")}
    # Of a histogram there are several; when a counter was made is of no interest.
    samples = {re.sub(r"_(?:bucket|sum|count)$", "", name) for name in samples if not name.endswith("_created")}
    only_where_it_applies = {
        "merge_baseline_backend_up",
        "merge_baseline_backend_state",
        "merge_baseline_backend_restarts_total",
        "merge_baseline_refused_total",
    }

    assert samples <= described
    assert described - samples <= only_where_it_applies


def _accepted(arguments: list[str]) -> None:
    """See that the server would take these arguments."""
    assert arguments[0] == "serve"
    with serve_command.make_context("serve", arguments[1:]) as context:
        assert context.params["port"] == 50051


def manifests() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")):
        found.extend(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    return found


def test_the_manifests_belong_together() -> None:
    by_kind = {each["kind"]: each for each in manifests()}
    assert set(by_kind["Kustomization"]["resources"]) == {
        path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")
    } - {"kustomization.yaml"}
    deployment = by_kind["Deployment"]["spec"]
    pod = deployment["template"]["spec"]
    (container,) = pod["containers"]
    labels = deployment["template"]["metadata"]["labels"]

    _accepted(container["args"])
    assert deployment["replicas"] > by_kind["PodDisruptionBudget"]["spec"]["minAvailable"]
    for selector in (
        deployment["selector"]["matchLabels"],
        by_kind["Service"]["spec"]["selector"],
        by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"],
        by_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"],
    ):
        assert selector == labels
    ports = {each["name"]: each["containerPort"] for each in container["ports"]}
    assert {each["port"] for each in by_kind["Service"]["spec"]["ports"]} == set(ports.values())
    for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
        assert container[probe]["grpc"]["port"] == ports["grpc"]
    # preStop and the grace fit in the time that Kubernetes gives.
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    grace = int(next(each for each in container["args"] if each.startswith("--grace=")).partition("=")[2])
    assert pause + grace < pod["terminationGracePeriodSeconds"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container["securityContext"]["readOnlyRootFilesystem"]


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl")
def test_kustomize_builds_the_manifests() -> None:
    done = subprocess.run(
        [str(KUBECTL), "kustomize", str(DEPLOY / "kubernetes")],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert done.returncode == 0, done.stderr
    assert len(list(yaml.safe_load_all(done.stdout))) == 4
    assert "image: merge-baseline:" in done.stdout


@pytest.mark.skipif(KUBECTL is None, reason="no kubectl")
def test_with_tls_the_probes_reach_the_server_that_the_manifests_start(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(KUBECTL), "kustomize", str(DEPLOY / "kubernetes-tls")],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    by_kind = {each["kind"]: each for each in yaml.safe_load_all(done.stdout)}
    pod = by_kind["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (mount,) = [each for each in container["volumeMounts"] if each["name"] == "tls"]
    (volume,) = [each for each in pod["volumes"] if each["name"] == "tls"]
    _accepted(container["args"])
    assert "--insecure-listen-anywhere" not in container["args"]
    assert all("appProtocol" not in port for port in by_kind["Service"]["spec"]["ports"] if port["name"] == "grpc")
    # To be read by the server's group alone, whose file it is.
    assert volume["secret"]["defaultMode"] == 0o440
    assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsGroup"]

    ca = trustme.CA()
    certificate = ca.issue_cert(by_kind["Service"]["metadata"]["name"])
    (tmp_path / "ca.crt").write_bytes(ca.cert_pem.bytes())
    (tmp_path / "tls.crt").write_bytes(b"".join(each.bytes() for each in certificate.cert_chain_pems))
    (tmp_path / "tls.key").write_bytes(certificate.private_key_pem.bytes())

    def here(arguments: list[str]) -> list[str]:
        return [each.replace(mount["mountPath"], str(tmp_path)) for each in arguments]

    def is_ready(arguments: list[str]) -> bool:
        ready = run(*arguments)
        return (ready.code, ready.out) == (0, "SERVING\n")

    changed = {"--host": "127.0.0.1", "--port": "0", "--metrics-port": "0", "--workers": "1"}
    served = [each for each in here(container["args"][1:]) if each.partition("=")[0] not in changed]
    listening = [each for pair in changed.items() for each in pair]
    with serving(*served, *listening) as (_, address):
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            program, *arguments = here(container[probe]["exec"]["command"])
            assert program == "merge-baseline"
            assert container[probe]["timeoutSeconds"] > 5
            # Asked again, as probes are: the program gives itself some seconds for an answer.
            assert until(partial(is_ready, [each.replace(ADDRESS, address) for each in arguments]))
        in_clear = run("health", address)
    assert in_clear.code == 3


@pytest.mark.skipif(SYSTEMD_ANALYZE is None, reason="no systemd-analyze")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    unit = (DEPLOY / "systemd" / "merge-baseline.service").read_text(encoding="utf-8")
    # There is a program here, though not where it belongs.
    there = unit.replace("/opt/merge-baseline/bin/merge-baseline", sys.executable)
    assert there.count(sys.executable) == 2
    path = tmp_path / "merge-baseline.service"
    path.write_text(there, encoding="utf-8")

    done = subprocess.run(
        [str(SYSTEMD_ANALYZE), "verify", str(path)], capture_output=True, text=True, check=False, timeout=PATIENCE
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_the_unit_gives_the_server_time_and_options_that_it_takes() -> None:
    unit = (DEPLOY / "systemd" / "merge-baseline.service").read_text(encoding="utf-8")
    environment = (DEPLOY / "systemd" / "environment").read_text(encoding="utf-8")
    found = re.search(r"(?m)^MERGE_BASELINE_OPTIONS=(.*)$", environment)
    stop = re.search(r"(?m)^TimeoutStopSec=(\d+)$", unit)
    assert found is not None
    assert stop is not None

    arguments = shlex.split(found[1])
    _accepted(["serve", *arguments])
    assert float(arguments[arguments.index("--grace") + 1]) < int(stop[1])


def test_the_image_runs_the_server_which_refuses_to_listen_unprotected() -> None:
    text = (DEPLOY / "docker" / "Dockerfile").read_text(encoding="utf-8")
    entry, default = (json.loads(each) for each in re.findall(r"(?m)^(?:ENTRYPOINT|CMD) (\[.*\])$", text))
    users = re.findall(r"(?m)^USER (\S+)$", text)

    assert entry == ["merge-baseline"]
    _accepted(default)
    done = run(*[str(free_port()) if each == "50051" else each for each in default])
    assert done.code == 3
    assert "--insecure-listen-anywhere" in done.err
    # What is switched to for installing is switched back.
    assert users[-1] == "10001:10001"
    assert text.count("HEALTHCHECK") == 1


def test_the_image_gets_all_that_it_needs_to_be_built(tmp_path: Path) -> None:
    lines = (DEPLOY / "docker" / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    kept = [line.removeprefix("!") for line in lines if line.startswith("!")]
    assert lines[0] == "*"
    for name in kept:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)

    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=5 * PATIENCE,
    )

    assert done.returncode == 0, done.stderr


def test_the_health_command_tells_of_the_service_and_of_its_strategies() -> None:
    with serving("--workers", "0") as (process, address):
        patient = ("health", address, "--timeout", f"{PATIENCE:g}")
        assert run(*patient).out == "SERVING\n"
        assert run(*patient, "--strategy", "greedy").out == "SERVING\n"
        unknown = run(*patient, "--strategy", "corenlp")
        assert unknown.code == 3
        assert "has no service merge_baseline.v1.ChainMergeService/corenlp" in unknown.err
        process.terminate()
        process.wait(PATIENCE)
        gone = run("health", address, "--timeout", "1")
    assert gone.code == 3
    assert "no health check at" in gone.err
