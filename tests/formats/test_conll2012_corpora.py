"""Real files come back byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from merger.formats import ReadOptions, read_documents, write_documents
from merger.notices import Notices, Policy
from tests.support.shared_data import needs, shared_files

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[kp]*/*.conll"))
LITBANK = shared_files("litbank", "*.conll")
OFFICIAL = [*shared_files("scorer-cases", "*.key"), *shared_files("scorer-cases", "*.response")]
REPEATED = {"TC-A-7.response", "TC-A-8.response", "TC-A-9.response"}
"""They have a span twice; it is read, and so written, once."""


def written(path: Path, policy: Policy) -> bytes:
    notices = Notices(policy)
    documents = read_documents(str(path), options=ReadOptions(notices))
    return "".join(write_documents(documents, "conll2012", notices)).encode()


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_examples_come_back_byte_for_byte(path: Path) -> None:
    assert written(path, Policy.STRICT) == path.read_bytes()


@needs("litbank")
def test_all_of_litbank_comes_back_byte_for_byte() -> None:
    assert len(LITBANK) == 65
    for path in LITBANK:
        assert written(path, Policy.STRICT) == path.read_bytes(), path.name


@needs("scorer-cases")
@pytest.mark.parametrize("path", [path for path in OFFICIAL if path.name not in REPEATED], ids=lambda path: path.name)
def test_the_official_test_files_come_back_byte_for_byte(path: Path) -> None:
    assert written(path, Policy.STRICT) == path.read_bytes()


@needs("scorer-cases")
@pytest.mark.parametrize("path", [path for path in OFFICIAL if path.name in REPEATED], ids=lambda path: path.name)
def test_the_official_test_files_with_repeated_spans_lose_the_repetitions_only(path: Path) -> None:
    rows, back = path.read_text(encoding="utf-8").split("\n"), written(path, Policy.LENIENT).decode().split("\n")

    assert len(rows) == len(back)
    for before, after in zip(rows, back, strict=True):
        if before != after:
            assert before.rpartition("\t")[0] == after.rpartition("\t")[0]
            assert len(after) < len(before)
