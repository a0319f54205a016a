"""A metric that is registered is in every output: nothing else lists metrics."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
KEY, PARTS = (str(ROOT / "examples" / name / "ferry.conll") for name in ("key", "parts"))

REGISTER = """
import sys
from types import MappingProxyType
from client.evaluation.scoring import metrics
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.metric import Metric

chains = Metric("chains", "Chains", "nobody", lambda overlap: Counts(1, len(overlap.key_sizes), 1, 2), compared=True)
metrics.METRICS = MappingProxyType({**metrics.METRICS, "chains": chains})
metrics.COMPARED_METRICS = (*metrics.COMPARED_METRICS, "chains")

from client.cli.main import main

sys.argv = ["merge-baseline", *sys.argv[1:]]
sys.exit(main())
"""


def _run(*arguments: str) -> str:
    command = [sys.executable, "-c", REGISTER, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True, cwd=ROOT).stdout


def test_a_registered_metric_is_in_all_outputs_of_score() -> None:
    data = json.loads(_run("score", KEY, PARTS, "--json"))

    assert data["total"]["metrics"]["chains"]["precision"] == 1 / 2
    assert "+lea+chains|" in data["signature"]
    text = _run("score", KEY, PARTS, "--per-document")
    assert "\nChains " in text
    assert "LEA  Chains  CoNLL" in text
    assert r"\multicolumn{3}{c}{Chains}" in _run("score", KEY, PARTS, "--latex")


def test_a_registered_metric_is_in_all_outputs_of_a_comparison(tmp_path: Path) -> None:
    markdown, report = tmp_path / "tables.md", tmp_path / "report.html"
    arguments = ("--keep-parts", "--json", "--markdown", str(markdown), "--report", str(report), "--resamples", "9")
    data = json.loads(_run("compare", KEY, *arguments))

    assert data["strategies"][0]["total"]["metrics"]["chains"]["precision"] == 1 / 2
    assert "chains" in data["pairs"]
    assert "| LEA | Chains | gain |" in markdown.read_text("utf-8")
    assert ">Chains<" in report.read_text("utf-8")


def test_one_file_and_one_line_of_the_program_name_a_metric() -> None:
    named = {
        file.relative_to(ROOT).as_posix(): len(found)
        for file in ROOT.glob("client/**/*.py")
        if (found := re.findall(r"\bLEA\b|[\"']lea[\"']", file.read_text("utf-8")))
    }

    registry = "client/evaluation/scoring/metrics.py"
    assert set(named) == {"client/evaluation/scoring/lea.py", registry}
    assert named[registry] == 1
