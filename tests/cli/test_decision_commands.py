from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from merger.formats import ReadOptions, read_documents
from merger.notices import Notices, Policy
from tests.cli.test_merge import TINY, TINY_MERGED
from tests.support.building import clusters
from tests.support.command_line import EXAMPLES, NAMES, ROOT
from tests.support.in_process import error_of, invoke, output_of, run
from tests.support.shared_data import SHARED_DATA, needs

FOLDERS = [("parts", "key", "conll"), ("corefud", "corefud-key", "conllu")]
FORMER = [(parts, key, f"{name}.{suffix}") for parts, key, suffix in FOLDERS for name in NAMES]
VALIDATOR = Draft202012Validator(json.loads((ROOT / "docs" / "decisions.schema.json").read_text("utf-8")))


def _records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def _line(part: int, chain: str, antecedent: str | None = None, annotator: str = "ann", **about: object) -> str:
    """A decision on a chain of the tiny document; antecedents are in its first part."""
    return json.dumps(
        {
            "document": "nw/tiny",
            "part": part,
            "chain": chain,
            "antecedent": None if antecedent is None else {"part": 0, "chain": antecedent},
            "annotator": annotator,
            **about,
        }
    )


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    file = tmp_path / "tiny.conll"
    file.write_text(TINY, "utf-8")
    return file


def _decide(folder: Path, annotator: str, antecedent: str | None) -> Path:
    """Annotator's decisions on the tiny document: a and b are new, c is what is given."""
    file = folder / f"{annotator}.jsonl"
    lines = [_line(0, "a", annotator=annotator), _line(0, "b", annotator=annotator)]
    file.write_text("\n".join([*lines, _line(1, "c", antecedent, annotator)]) + "\n", "utf-8")
    return file


@pytest.mark.parametrize(("parts", "key", "name"), FORMER)
def test_decisions_read_off_a_key_give_the_key_byte_for_byte(parts: str, key: str, name: str, tmp_path: Path) -> None:
    before, after, decisions = EXAMPLES / parts / name, EXAMPLES / key / name, tmp_path / "decisions.jsonl"

    output_of("decisions", before, after, "--annotator", "ann", "-o", decisions)

    assert output_of("apply", before, decisions) == after.read_bytes().decode()
    assert {record["annotator"] for record in _records(decisions)} == {"ann"}


def test_a_split_is_undone_byte_for_byte_and_its_decisions_are_those_of_its_key(tmp_path: Path) -> None:
    run("split", EXAMPLES / "key", "--keep-parts", "-o", tmp_path)
    parts, key, decisions = (tmp_path / name for name in ("parts.conll", "key.conll", "decisions.jsonl"))
    read = tmp_path / "read.jsonl"

    run("decisions", parts, key, "--annotator", "human", "-o", read)

    assert output_of("apply", parts, decisions).encode() == key.read_bytes()
    assert _records(decisions) == [{**record, "split": "keep"} for record in _records(read)]


def test_decisions_can_be_read_off_another_format_without_part_boundaries(tmp_path: Path) -> None:
    parts, key = EXAMPLES / "parts" / "ferry.conll", EXAMPLES / "key" / "ferry.conll"
    run("split", key, "--into", "1", "-o", tmp_path, "--to", "jsonlines")
    whole = tmp_path / "key.jsonlines"
    assert "part_ids" not in whole.read_text("utf-8")

    arguments = ("--annotator", "ann")

    assert output_of("decisions", parts, whole, *arguments) == output_of("decisions", parts, key, *arguments)


@pytest.mark.parametrize("strategy", ["none", "greedy", "greedy:match=token"])
def test_the_decisions_of_a_strategy_give_what_it_merged(strategy: str, tmp_path: Path) -> None:
    parts, merged, decisions = EXAMPLES / "parts" / "wells.conll", tmp_path / "merged.conll", tmp_path / "d.jsonl"
    output_of("merge", parts, "-s", strategy, "-o", merged, "--decisions", decisions)

    assert output_of("apply", parts, decisions).encode() == merged.read_bytes()
    for record in _records(decisions):
        VALIDATOR.validate(record)


def test_decisions_that_join_more_than_an_antecedent_give_what_was_merged(tmp_path: Path) -> None:
    parts, clusters_file = EXAMPLES / "parts" / "wells.conll", tmp_path / "clusters.conll"
    merged, decisions = tmp_path / "merged.conll", tmp_path / "d.jsonl"
    # Puts chains of one part together, and so does the pass that follows it.
    output_of("merge", parts, "-s", "greedy:match=token", "-o", clusters_file)
    strategy = f"precomputed:path={clusters_file},policy=any-link,within-part"
    output_of("merge", parts, "-s", strategy, "-o", merged, "--decisions", decisions)

    assert any("also" in record for record in _records(decisions))
    assert output_of("apply", parts, decisions).encode() == merged.read_bytes()
    for record in _records(decisions):
        VALIDATOR.validate(record)


def test_what_split_decisions_and_vote_write_follows_the_schema(tmp_path: Path) -> None:
    run("split", EXAMPLES / "key", "--tokens", "150", "-o", tmp_path)
    parts, human = tmp_path / "parts.conll", tmp_path / "decisions.jsonl"
    ann, none, voted = (tmp_path / f"{name}.jsonl" for name in ("ann", "none", "voted"))
    run("decisions", parts, tmp_path / "key.conll", "--annotator", "ann", "-o", ann)
    run("merge", parts, "-s", "none", "-o", tmp_path / "none.conll", "--decisions", none)
    run("vote", parts, human, none, ann, "-o", voted)

    for file in (human, ann, none, voted):
        assert _records(file)
        for record in _records(file):
            VALIDATOR.validate(record)
    # Two of three say what the key says.
    assert output_of("apply", parts, voted) == output_of("apply", parts, human)


@needs("ontogum")
def test_the_decisions_on_a_corpus_give_its_merges_and_are_read_off_them(tmp_path: Path) -> None:
    run("split", SHARED_DATA / "ontogum", "--lenient", "--tokens", "400", "-o", tmp_path)
    parts, key, decisions = (tmp_path / name for name in ("parts.conllu", "key.conllu", "decisions.jsonl"))
    merged, oracle, read = tmp_path / "merged.conllu", tmp_path / "oracle.conllu", tmp_path / "read.jsonl"

    output_of("apply", parts, decisions, "-o", merged)
    output_of("merge", parts, "-s", "oracle", "--key", key, "-o", oracle)
    output_of("decisions", parts, key, "--annotator", "human", "-o", read)

    # The key has the corpus's own chain ids, which parts don't have: its chains are the same, and the bytes those of
    # the ceiling.
    assert merged.read_bytes() == oracle.read_bytes()
    options = ReadOptions(Notices(Policy.STRICT))
    wanted = {document.id: clusters(document) for document in read_documents(str(key), options=options)}
    assert {document.id: clusters(document) for document in read_documents(str(merged))} == wanted
    assert len(wanted) == 67
    assert _records(decisions) == [{**record, "split": "tokens=400"} for record in _records(read)]


def test_apply_takes_hand_written_decisions_and_says_what_they_did(tmp_path: Path, tiny: Path) -> None:
    done = run("apply", tiny, _decide(tmp_path, "ann", "a"))

    assert done.out == TINY_MERGED
    assert done.err.splitlines() == [
        "1 document, 4 part chains: 1 linked to an earlier chain, 2 merged chains; decisions of ann",
        ("merge-baseline: note: singletons without a decision were left out (--singletons keep passes them through)"),
    ]


def test_apply_reads_decisions_from_standard_input_and_reports_as_json(tmp_path: Path, tiny: Path) -> None:
    lines = _decide(tmp_path, "ann", None).read_text("utf-8")

    report = json.loads(output_of("apply", tiny, "-", "--singletons", "keep", "--json", stdin=lines))

    assert report == {
        "made_by": ["ann"],
        "documents": [{"id": "nw/tiny", "parts": 2, "part_chains": 4, "merged_chains": 4, "links": 0}],
        "notices": [],
        "failures": [],
    }


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["{"], "<stdin>:1: not JSON: "),
        ([_line(0, "a"), _line(0, "z")], "<stdin>:2 (document nw/tiny, part 0): a decision on chain z, which part 0"),
        ([_line(0, "a"), _line(0, "b"), _line(1, "c", "c")], "<stdin>:3 (document nw/tiny, part 1): chain c is linked"),
        ([_line(0, "a"), _line(0, "b")], "<stdin> (document nw/tiny, part 1): no decision on chain c"),
        (
            [_line(0, "a"), _line(0, "a", "b")],
            "<stdin>:2 (document nw/tiny, part 0): contradictory decisions on chain a",
        ),
        (
            [_line(0, "a"), _line(0, "b"), _line(1, "c"), _line(0, "a").replace("tiny", "other")],
            "<stdin>:4 (document nw/other, part 0): the parts lack this document",
        ),
    ],
)
def test_decisions_that_do_not_fit_fail_with_their_place_and_leave_no_output(
    lines: list[str], says: str, tmp_path: Path, tiny: Path
) -> None:
    merged = tmp_path / "merged.conll"

    error = error_of("apply", tiny, "-", "-o", merged, stdin="\n".join(lines), code=1)

    assert error.startswith(says)
    assert not merged.exists()


def test_a_document_without_decisions_is_left_out_and_an_error_unless_lenient(tmp_path: Path, tiny: Path) -> None:
    more = TINY.replace("nw/tiny", "nw/more") + TINY
    decisions = _decide(tmp_path, "ann", "a")
    tiny.write_text(more, "utf-8")
    says = f"{tiny} (document nw/more): this document has no decisions (with --lenient: "

    done = run("apply", tiny, decisions)

    assert (done.code, done.out) == (1, TINY_MERGED)
    assert done.err.splitlines()[-1].startswith(f"merge-baseline: error: {says}")
    assert error_of("apply", tiny, decisions, "--strict", code=1).startswith(says)
    assert output_of("apply", tiny, decisions, "--lenient") == TINY_MERGED


def test_a_merged_file_without_a_document_is_a_note_and_one_without_any_an_error(tmp_path: Path, tiny: Path) -> None:
    other = TINY.replace("nw/tiny", "nw/more")
    tiny.write_text(TINY + other, "utf-8")
    merged = tmp_path / "merged.conll"
    merged.write_text(TINY_MERGED, "utf-8")

    done = run("decisions", tiny, merged, "--annotator", "ann")

    assert done.code == 0
    assert {json.loads(line)["document"] for line in done.out.splitlines()} == {"nw/tiny"}
    assert "(document nw/more): MERGED lacks this document" in done.err
    assert "singletons are not merged and have no decision" in done.err
    error_of("decisions", tiny, merged, "--annotator", "ann", "--strict", code=1)
    tiny.write_text(other, "utf-8")
    error = error_of("decisions", tiny, merged, "--annotator", "ann", code=1)
    assert error == f"{tiny} (document nw/more): MERGED lacks this document (it has 'nw/tiny')"


def test_an_annotator_needs_a_name(tiny: Path) -> None:
    assert "needs a name" in error_of("decisions", tiny, tiny, "--annotator", " ", code=2)


@pytest.mark.parametrize(
    ("prefer", "antecedent", "decided"),
    [
        ((), "a", "preference"),
        (("--prefer", "bob"), "b", "preference"),
        (("--prefer", "cem"), None, "preference"),
    ],
)
def test_a_three_way_split_is_decided_by_the_preferred_annotator(
    prefer: tuple[str, ...], antecedent: str | None, decided: str, tmp_path: Path, tiny: Path
) -> None:
    files = [_decide(tmp_path, *said) for said in (("ann", "a"), ("bob", "b"), ("cem", None))]

    done = run("vote", tiny, *files, *prefer)

    name = prefer[-1] if prefer else "ann"
    a, b = ({"part": 0, "chain": chain} for chain in "ab")
    assert json.loads(done.out.splitlines()[-1]) == {
        "document": "nw/tiny",
        "part": 1,
        "chain": "c",
        "antecedent": None if antecedent is None else {"part": 0, "chain": antecedent},
        "strategy": f"vote[annotators=ann+bob+cem,prefer={name}]",
        "evidence": None,
        "decided": decided,
        "votes": [
            {"by": "ann", "antecedent": a},
            {"by": "bob", "antecedent": b},
            {"by": "cem", "antecedent": None},
        ],
    }
    assert done.err.splitlines() == [
        (
            f"1 document, 1 decision: 0 by majority (0 unanimous), 1 by preference; "
            f"vote[annotators=ann+bob+cem,prefer={name}]"
        )
    ]


def test_a_majority_outvotes_the_preferred_annotator(tmp_path: Path, tiny: Path) -> None:
    files = [_decide(tmp_path, *said) for said in (("ann", None), ("bob", "a"), ("cem", "a"))]
    voted = tmp_path / "voted.jsonl"

    report = json.loads(output_of("vote", tiny, *files, "--json", "-o", voted))

    counts = ("documents", "decisions", "unanimous", "majority", "preference", "first_part_chains")
    assert [report[name] for name in counts] == [1, 1, 0, 1, 0, 2]
    assert output_of("apply", tiny, voted) == TINY_MERGED


def test_annotators_may_have_worked_on_different_documents(tmp_path: Path, tiny: Path) -> None:
    tiny.write_text(TINY + TINY.replace("nw/tiny", "nw/more"), "utf-8")
    ann, bob = _decide(tmp_path, "ann", None), _decide(tmp_path, "bob", "a")
    lines = bob.read_text("utf-8")
    bob.write_text(lines + lines.replace("nw/tiny", "nw/more"), "utf-8")

    done = run("vote", tiny, ann, bob)

    # On nw/tiny ann decides, who is preferred; on nw/more there is only bob.
    voted = {(each["document"], each["chain"]): each for each in map(json.loads, done.out.splitlines())}
    assert voted["nw/tiny", "c"]["antecedent"] is None
    assert voted["nw/more", "c"]["antecedent"] == {"part": 0, "chain": "a"}
    assert [each["by"] for each in voted["nw/more", "c"]["votes"]] == ["bob"]
    assert f"{tiny} (document nw/more): ann has no decisions on this document" in done.err


def test_votes_that_cannot_be_held_are_errors(tmp_path: Path, tiny: Path) -> None:
    ann, bob = _decide(tmp_path, "ann", None), _decide(tmp_path, "bob", "a")
    (tmp_path / "more").mkdir()
    second = _decide(tmp_path / "more", "ann", "a")
    kept = ann.read_bytes()

    assert error_of("vote", tiny, ann, code=1) == "decisions of ann; expected those of two annotators or more"
    assert error_of("vote", tiny, ann, bob, "--prefer", "zoe", code=2).startswith("--prefer zoe: no such annotator")
    assert f"ann decides on this document in {ann} too" in error_of("vote", tiny, ann, bob, second, code=1)
    assert "would be written over an input" in error_of("vote", tiny, ann, bob, "-o", ann, code=2)
    assert ann.read_bytes() == kept


@pytest.mark.parametrize("target", ["conll2012", "conllu", "jsonlines"])
def test_documents_in_place_of_decisions_are_named(target: str, tmp_path: Path) -> None:
    file = tmp_path / "merged"
    invoke("merge", EXAMPLES / "parts" / "wells.conll", "--to", target, "-o", file)

    error = error_of("apply", EXAMPLES / "parts" / "wells.conll", file, code=1)

    title = {"conll2012": "CoNLL-2012", "conllu": "CoNLL-U", "jsonlines": "jsonlines"}[target]
    assert f"the file looks like documents in {title}" in error
    assert "expected a decision" in error


def test_parts_in_place_of_merged_documents_are_noted() -> None:
    parts, key = EXAMPLES / "parts" / "wells.conll", EXAMPLES / "key" / "wells.conll"

    assert "no chain is linked" in run("decisions", parts, parts, "--annotator", "ann").err
    assert "no chain is linked" not in run("decisions", parts, key, "--annotator", "ann").err


@pytest.mark.parametrize(
    "command",
    [
        ("score", "KEY", "KEY", "--parts", "KEY"),
        ("compare", "KEY", "--parts", "KEY"),
        ("agreement", "KEY", "KEY", "--parts", "KEY"),
        ("decisions", "KEY", "KEY", "--annotator", "ann"),
    ],
)
def test_merged_documents_in_place_of_parts_are_one_error(command: tuple[str, ...]) -> None:
    error = error_of(*(str(EXAMPLES / "key") if word == "KEY" else word for word in command), code=2)

    assert "has merged documents, not those before merging" in error


@pytest.fixture
def merged_twice(tmp_path: Path) -> Path:
    """The merges and decisions of two strategies, ``greedy`` and ``none``."""
    for strategy in ("greedy", "none"):
        decided = tmp_path / f"{strategy}.jsonl"
        run("merge", EXAMPLES / "parts", "-s", strategy, "-o", tmp_path / f"{strategy}.conll", "--decisions", decided)
    return tmp_path


@pytest.mark.parametrize("more", [[], ["--parts", str(EXAMPLES / "parts")]])
def test_the_signature_of_a_score_names_the_strategy_of_decisions_that_made_the_response(
    merged_twice: Path, more: list[str]
) -> None:
    for strategy in ("greedy", "none"):
        response, decisions = merged_twice / f"{strategy}.conll", merged_twice / f"{strategy}.jsonl"
        scored = run("score", EXAMPLES / "key", response, "--decisions", decisions, *more)

        assert (scored.code, scored.err) == (0, "")
        assert f"|strategy:{strategy}" in scored.out


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ([], "lie in the parts"),
        (["--parts", str(EXAMPLES / "parts")], "by the decisions"),
    ],
)
def test_decisions_of_another_response_are_an_error_of_score(merged_twice: Path, more: list[str], says: str) -> None:
    for one, other in (("greedy", "none"), ("none", "greedy")):
        arguments = ("score", EXAMPLES / "key", merged_twice / f"{one}.conll")
        error = error_of(*arguments, "--decisions", merged_twice / f"{other}.jsonl", *more, code=1)

        assert "other decisions made this response" in error
        assert says in error
        assert "document " in error


@pytest.mark.parametrize("decided", ["greedy", "none"])
def test_a_response_without_part_boundaries_is_compared_with_the_parts_alone(merged_twice: Path, decided: str) -> None:
    invoke("split", merged_twice / "greedy.conll", "--into", "1", "-o", merged_twice / "one", "--to", "jsonlines")
    arguments = ("score", EXAMPLES / "key", merged_twice / "one" / "key.jsonlines")
    decisions = ("--decisions", merged_twice / f"{decided}.jsonl")

    assert (
        "it is not known whether the decisions made this response (--parts compares them)"
        in run(*arguments, *decisions).err
    )
    assert run(*arguments, *decisions, "--parts", EXAMPLES / "parts").code == (0 if decided == "greedy" else 1)
