from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from merger.decisions.model import Decision, Evidence, MentionPair
from merger.decisions.reader import parse_record, read_decision_records, read_strategy
from merger.decisions.records import Decided, DecisionRecord, Vote, decision_line
from merger.document import ChainRef, Mention, make_mention
from merger.errors import DecisionError, FormatError, Location
from merger.formats import DECISION_RECORD

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "decisions.schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
PLACE = Location("d.jsonl", 3)

LINKED = {"document": "nw/1", "part": 1, "chain": "7", "antecedent": {"part": 0, "chain": "3"}, "annotator": "ann"}
PAIR = {"mention": [1, 2, [[0, 1], [4, 4]]], "antecedent": [0, 0, [[3, 5]]]}
FULL = {
    "document": "nw/1",
    "part": 2,
    "chain": "7",
    "antecedent": {"part": 0, "chain": "3"},
    "also": [{"part": 1, "chain": "3"}],
    "strategy": "greedy[match=noun]+tagger:stanza",
    "split": "tokens=400",
    "seconds": 2.5,
    "confidence": 0.75,
    "evidence": {"rule": "fuzzy", "text": "Ann", "pairs": [PAIR], "score": 92.5},
    "decided": "preference",
    "votes": [{"by": "ann", "antecedent": None}, {"by": "bob", "antecedent": {"part": 0, "chain": "3"}}],
}


def _read(record: object) -> DecisionRecord:
    return parse_record(json.dumps(record), PLACE)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_a_record_is_read_with_who_decided_how_and_why() -> None:
    VALIDATOR.validate(FULL)

    pair = MentionPair(make_mention(1, 2, ((0, 1), (4, 4))), Mention(0, 0, 3, 5))
    assert _read(FULL) == DecisionRecord(
        "nw/1",
        Decision(ChainRef(2, "7"), ChainRef(0, "3"), Evidence("fuzzy", "Ann", (pair,), 92.5), also=(ChainRef(1, "3"),)),
        strategy="greedy[match=noun]+tagger:stanza",
        split="tokens=400",
        seconds=2.5,
        confidence=0.75,
        decided=Decided.PREFERENCE,
        votes=(Vote("ann", None), Vote("bob", ChainRef(0, "3"))),
    )
    assert _read(FULL).maker == "greedy[match=noun]+tagger:stanza"
    assert _read(FULL).location == Location("d.jsonl", 3, "nw/1", 2)


def test_a_record_is_written_as_it_was_read_with_the_document_first() -> None:
    line = decision_line(_read(FULL))

    assert json.loads(line) == FULL
    assert line.encode().startswith(DECISION_RECORD)
    assert line.endswith("}\n")


@pytest.mark.parametrize("evidence", [{}, {"evidence": None}])
def test_evidence_may_be_null_or_absent(evidence: dict[str, None]) -> None:
    record = {**LINKED, **evidence}

    VALIDATOR.validate(record)
    assert _read(record).decision.evidence is None


BAD: list[tuple[dict[str, Any], str]] = [
    ({"document": 1}, "d.jsonl:3: 'document' is a number; expected a string"),
    ({"part": -1}, "d.jsonl:3 (document nw/1): 'part' is -1; expected a whole number from 0 on"),
    ({"part": 0.5}, "d.jsonl:3 (document nw/1): 'part' is a number; expected a whole number from 0 on"),
    ({"part": True}, "'part' is a boolean; expected a whole number from 0 on"),
    ({"chain": 7}, "d.jsonl:3 (document nw/1, part 1): 'chain' is a number; expected a string"),
    ({"antecedent": "3"}, '\'antecedent\' is a string; expected a chain as {"part": 0, "chain": "a"}'),
    ({"antecedent": {"part": 0}}, "no field 'chain' in 'antecedent'"),
    ({"antecedent": {"part": 0, "chain": "3", "mention": 1}}, "unknown field 'antecedent'.mention"),
    ({"also": []}, "'also' is a list; expected a list with something in it"),
    ({"also": [None]}, "also[0] is null; expected a chain"),
    ({"annotator": ""}, "'annotator' is empty; expected a name"),
    ({"strategy": "greedy"}, "both annotator and strategy given; expected one of them"),
    ({"seconds": -1}, "'seconds' is -1; expected 0 or more"),
    ({"seconds": "3"}, "'seconds' is a string; expected a number"),
    ({"confidence": 1.5}, "'confidence' is 1.5; expected a number from 0 to 1"),
    ({"confidence": None}, "'confidence' is null; expected a number"),
    ({"evidence": []}, "'evidence' is a list; expected an object"),
    ({"evidence": {}}, "no field 'rule' in 'evidence'"),
    (
        {"evidence": {"rule": "noun", "pairs": [{"mention": PAIR["mention"]}]}},
        "no field 'antecedent' in evidence.pairs[0]",
    ),
    ({"evidence": {"rule": "noun", "pairs": [{**PAIR, "mention": [0, 1]}]}}, "evidence.pairs[0].mention is a list"),
    ({"evidence": {"rule": "noun", "pairs": [{**PAIR, "mention": [0, 1, [[2]]]}]}}, "are not pairs"),
    ({"evidence": {"rule": "noun", "pairs": [{**PAIR, "mention": [0, 1, []]}]}}, "has no tokens"),
    ({"evidence": {"rule": "noun", "score": True}}, "score is a boolean; expected a number"),
    ({"decided": "majority"}, "expected it beside 'decided'"),
    ({"votes": [{"by": "ann", "antecedent": None}]}, "no field 'decided'"),
    (
        {"decided": "loudly", "votes": [{"by": "ann", "antecedent": None}]},
        "'decided' is 'loudly'; expected majority or",
    ),
    ({"decided": "majority", "votes": [{"by": "ann"}]}, "no field 'antecedent' in votes[0]"),
    ({"anotator": "ann"}, "unknown field 'anotator'"),
]


@pytest.mark.parametrize(("change", "says"), BAD)
def test_a_bad_record_is_an_error_with_its_place_and_breaks_the_schema(change: dict[str, Any], says: str) -> None:
    record = {**LINKED, **change}

    with pytest.raises(FormatError) as caught:
        _read(record)

    assert says in str(caught.value)
    assert str(caught.value).startswith("d.jsonl:3")
    assert not VALIDATOR.is_valid(record)


@pytest.mark.parametrize("field", ["document", "part", "chain", "antecedent", "annotator"])
def test_a_record_without_a_field_it_needs_is_an_error_and_breaks_the_schema(field: str) -> None:
    record = {name: value for name, value in LINKED.items() if name != field}

    with pytest.raises(FormatError, match=field):
        _read(record)
    assert not VALIDATOR.is_valid(record)


def test_a_misspelt_field_is_answered_with_the_right_one() -> None:
    with pytest.raises(FormatError, match=r"\(did you mean confidence\?\)"):
        _read({**LINKED, "confidense": 1})


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "d.jsonl:3: not JSON: "),
        ("[1]", "d.jsonl:3: not an object: a list; expected a decision (a JSON object)"),
        ('{"doc_key": "x"}', "no decision: no field 'document'"),
        ('{"document": "x", "document": "y"}', "key 'document' comes twice in an object"),
        (json.dumps({**LINKED, "seconds": 0}).replace(": 0}", ": NaN}"), "NaN is not a number in JSON"),
        (json.dumps({**LINKED, "seconds": 5}).replace(": 5}", ": 1e999}"), "'seconds' is a number out of range"),
        (
            json.dumps({**LINKED, "seconds": 5}).replace(": 5}", f": 1{'0' * 400}}}"),
            "'seconds' is a number out of range",
        ),
        (json.dumps({**LINKED, "chain": "\ud800"}), "'chain' has half of a surrogate pair"),
        ("[" * 100_000, "nested too deeply"),
        (
            json.dumps({**FULL, "evidence": {"rule": "x", "pairs": [{**PAIR, "mention": [0, 0, [[2, 1]]]}]}}),
            "ends before",
        ),
    ],
)
def test_a_line_that_is_no_record_is_an_error_with_its_place(line: str, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        parse_record(line, PLACE)

    assert says in str(caught.value)


def test_blank_lines_are_skipped_and_lines_counted_and_files_may_be_packed(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl.gz"
    file.write_bytes(gzip.compress(f"\n{json.dumps(LINKED)}\n\n{json.dumps(FULL)}".encode()))

    assert [record.location.line for record in read_decision_records(str(file))] == [2, 4]


def test_the_strategy_of_a_file_is_the_one_that_all_its_records_name(tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"
    file.write_text(f"{json.dumps(FULL)}\n{json.dumps(FULL)}\n", "utf-8")
    assert read_strategy(str(file)) == "greedy[match=noun]+tagger:stanza"

    file.write_text(f"{json.dumps(FULL)}\n{json.dumps(LINKED)}\n", "utf-8")
    with pytest.raises(DecisionError, match="expected those of one strategy or annotator"):
        read_strategy(str(file))

    file.write_text("", "utf-8")
    with pytest.raises(DecisionError, match="decisions of nothing"):
        read_strategy(str(file))


_INDEX = st.integers(0, 5)
_REFS = st.builds(ChainRef, _INDEX, st.text(max_size=3))
_SPANS = st.tuples(_INDEX, _INDEX).map(lambda ends: (min(ends), max(ends)))
_MENTIONS = st.builds(make_mention, _INDEX, _INDEX, st.lists(_SPANS, min_size=1, max_size=3).map(tuple))
_NAMES = st.text(min_size=1, max_size=5)
_EVIDENCE = st.builds(
    Evidence,
    _NAMES,
    st.text(max_size=5),
    st.lists(st.builds(MentionPair, _MENTIONS, _MENTIONS), max_size=2).map(tuple),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
)
_DECISIONS = st.builds(
    Decision, _REFS, st.none() | _REFS, st.none() | _EVIDENCE, st.lists(_REFS, max_size=2).map(tuple)
)
_MADE = st.one_of(
    st.fixed_dictionaries({"annotator": _NAMES}),
    st.fixed_dictionaries(
        {
            "strategy": _NAMES,
            "decided": st.sampled_from(Decided),
            "votes": st.lists(st.builds(Vote, _NAMES, st.none() | _REFS), min_size=1, max_size=3).map(tuple),
        }
    ),
)
_ABOUT = st.fixed_dictionaries(
    {
        "split": st.none() | _NAMES,
        "seconds": st.none() | st.floats(0, allow_infinity=False),
        "confidence": st.none() | st.floats(0, 1),
    }
)


@given(document=st.text(max_size=5), decision=_DECISIONS, made=_MADE, about=_ABOUT)
def test_what_is_written_is_read_back_and_follows_the_schema(
    document: str, decision: Decision, made: dict[str, Any], about: dict[str, Any]
) -> None:
    record = DecisionRecord(document, decision, **made, **about)

    line = decision_line(record)

    assert parse_record(line, PLACE) == record
    VALIDATOR.validate(json.loads(line))


_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.just(1.0),
    st.sampled_from(["", "a", "majority"]),
    st.just([]),
    st.just({}),
    st.just([{"part": 0, "chain": "a"}]),
    st.just({"part": 0, "chain": "a"}),
)


@given(
    base=st.sampled_from([LINKED, FULL]),
    changes=st.dictionaries(st.sampled_from([*FULL, "annotator", "other"]), _VALUES, max_size=2),
    removed=st.sets(st.sampled_from([*FULL, "annotator"]), max_size=2),
)
def test_the_reader_takes_exactly_what_the_schema_takes(
    base: dict[str, Any], changes: dict[str, Any], removed: set[str]
) -> None:
    record = {name: value for name, value in {**base, **changes}.items() if name not in removed}

    try:
        _read(record)
        taken = True
    except FormatError:
        taken = False

    assert taken == VALIDATOR.is_valid(record)
