"""What `--json` prints follows the schemas in docs/, with fractions from 0 to 1 everywhere."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.command_line import PROGRAM
from tests.support.in_process import invoke

_DOCS = Path(__file__).parents[2] / "docs"
# Part 0: chains 0 and 1; part 1: chains 0 and 1; and a document of one part without chains.
_PARTS = """#begin document (d); part 000
d 0 0 Ada NNP - - - - - - (0)
d 0 1 Bo NNP - - - - - - (1)
d 0 2 she PRP - - - - - - (0)
d 0 3 he PRP - - - - - - (1)
d 0 4 rain NN - - - - - - (2)

#end document
#begin document (d); part 001
d 1 0 Ada NNP - - - - - - (0)
d 1 1 Bo NNP - - - - - - (1)
d 1 2 she PRP - - - - - - (0)
d 1 3 he PRP - - - - - - (1)

#end document
#begin document (e); part 000
e 0 0 Rain NN - - - - - - -

#end document
"""


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """A folder with parts, and two annotators: ann links both chains, bob the first only."""
    (tmp_path / "parts.conll").write_text(_PARTS)
    for name, links in (("ann", {"0": "0", "1": "1"}), ("bob", {"0": "0"})):
        records = [_record(name, 0, chain, None) for chain in "01"]
        records += [_record(name, 1, chain, links.get(chain)) for chain in "01"]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
        applied = invoke(
            "apply", tmp_path / "parts.conll", tmp_path / f"{name}.jsonl", "-o", tmp_path / f"{name}.conll"
        )
        assert applied.exit_code == 0, applied.stderr
    return tmp_path


def _record(name: str, part: int, chain: str, antecedent: str | None) -> dict[str, Any]:
    linked = None if antecedent is None else {"part": 0, "chain": antecedent}
    return {"document": "d", "part": part, "chain": chain, "antecedent": linked, "annotator": name, "evidence": None}


def _checked(schema: str, *arguments: str | Path) -> dict[str, Any]:
    """The data that a command prints, which follows a schema."""
    result = invoke(*arguments, "--json")
    assert result.exception is None, result.stderr
    data: dict[str, Any] = json.loads(result.stdout)
    validator = Draft202012Validator(json.loads((_DOCS / f"{schema}.schema.json").read_text("utf-8")))
    validator.check_schema(validator.schema)
    validator.validate(data)
    return data


def test_scores(task: Path) -> None:
    key, response, parts = (task / name for name in ("ann.conll", "bob.conll", "parts.conll"))

    data = _checked("score", "score", key, response, "--parts", parts)

    # Bob finds one of two links, and two of Ann's chains of four mentions become one of four and two of two:
    # MUC recall (3 + 2) / (3 + 3).
    assert data["total"]["metrics"]["muc"]["recall"] == 5 / 6
    assert data["total"]["links"]["recall"] == 1 / 2
    assert data["total"]["decisions"] == {"count": 2, "matching": 1, "strict_match": 1 / 2}
    assert _checked("score", "score", parts, parts, "--metric", "muc")["total"]["conll_f1"] is None


def test_what_is_undefined_is_null(task: Path) -> None:
    empty = task / "empty.conll"
    empty.write_text(_PARTS[_PARTS.index("#begin document (e)") :])

    total = _checked("score", "score", empty, empty)["total"]

    assert total["conll_f1"] is None
    assert {(counts["recall"], counts["precision"], counts["f1"]) for counts in total["metrics"].values()} == {
        (None, None, None)
    }


def test_a_response_that_lacks_documents_says_so_in_data_and_before_the_table(task: Path) -> None:
    response = task / "some.conll"
    response.write_text((task / "bob.conll").read_text().split("#begin document (e)")[0])

    data = _checked("score", "score", task / "ann.conll", response)
    command = [PROGRAM, "score", str(task / "ann.conll"), str(response)]
    lines = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, text=True).stdout

    assert [(document["id"], document["in_response"]) for document in data["documents"]] == [("d", True), ("e", False)]
    headline = "2 documents; 1 of them missing in the response, which counts as without chains"
    assert lines.index("the response lacks this document") < lines.index(headline) < lines.index("MUC")


def test_agreement(task: Path) -> None:
    data = _checked("agreement", "agreement", task / "ann.jsonl", task / "bob.jsonl", "--parts", task / "parts.conll")

    assert data["total"]["mean"]["strict_match"]["value"] == 1 / 2
    # On a document without chains there is nothing to decide, so nothing is missing.
    assert data["notices"] == []


@pytest.mark.parametrize(("given", "note"), [(("ann", "bob"), False), (("ann", "same"), True)])
def test_votes_are_on_chains_that_have_a_choice(task: Path, given: tuple[str, str], note: bool) -> None:  # noqa: FBT001
    (task / "same.jsonl").write_text((task / "ann.jsonl").read_text().replace('"ann"', '"same"'))
    files = [task / f"{name}.jsonl" for name in given]

    data = _checked("vote", "vote", task / "parts.conll", *files, "-o", task / "voted.jsonl")

    # Of two decisions that differ, the first annotator's counts.
    unanimous = 2 if note else 1
    expected = {"documents": 2, "decisions": 2, "unanimous": unanimous, "majority": unanimous}
    assert data | expected | {"preference": 2 - unanimous, "first_part_chains": 2} == data
    assert [notice["kind"] for notice in data["notices"]] == (["ann and same decide the same"] if note else [])
    agreement = _checked("agreement", "agreement", *files, "--parts", task / "parts.conll")
    assert len(agreement["notices"]) == note


def test_statistics(task: Path) -> None:
    one = _checked("stats", "stats", task / "parts.conll")
    two = _checked("stats", "stats", task / "parts.conll", task / "ann.conll")

    assert one["input"] == two["parts"]
    # Four chains of two mentions in three parts become two of four in two documents.
    assert (one["input"]["total"]["chains_per_document"], two["merged"]["total"]["chains_per_document"]) == (4 / 3, 1)
    text = invoke("stats", task / "parts.conll").stdout
    assert "singletons, which are not counted: 1\n" in text
    assert "()" not in text
