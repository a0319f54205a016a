"""Reads decisions from JSON Lines, the format of docs/decisions.md. The parts are not needed here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from merger.decisions.fields import Fields, as_fields, as_ref
from merger.decisions.model import Decision, Evidence, MentionPair
from merger.decisions.records import Decided, DecisionRecord, Vote
from merger.document import ChainRef
from merger.errors import DecisionError, FormatError, Location
from merger.formats.open_inputs import display_name, open_bytes, read_lines
from merger.strict_json import JsonError, parse_object

_FIELDS = (
    "document",
    "part",
    "chain",
    "antecedent",
    "also",
    "annotator",
    "strategy",
    "split",
    "seconds",
    "confidence",
    "evidence",
    "decided",
    "votes",
)


def read_decision_records(path: str) -> Iterator[DecisionRecord]:
    """Yield the records of a file, a ``.gz`` or standard input (``-``); blank lines are skipped.

    Raises :class:`~merger.errors.FormatError` with file, line, document and part for a line that is not a record.
    """
    name = display_name(path)
    with open_bytes(path) as stream:
        for number, line in enumerate(read_lines(stream, name), start=1):
            if line.strip():
                yield parse_record(line, Location(name, number))


def parse_record(line: str, place: Location) -> DecisionRecord:
    """The record on a line. Raises :class:`~merger.errors.FormatError` at ``place``, with document and part."""
    try:
        content = parse_object(line)
    except JsonError as error:
        raise FormatError(str(error), place, expected="a decision (a JSON object)", hint=_looks_like(line)) from None
    if "document" not in content:
        raise FormatError(
            "no decision: no field 'document'",
            place,
            expected="a decision record as docs/decisions.md describes it",
            hint=_looks_like(line),
        )
    document = Fields(content, place).text("document")
    fields = Fields(content, replace(place, document=document))
    part = fields.index("part")
    fields = Fields(content, replace(fields.place, part=part))
    fields.check_names(_FIELDS)
    if ("annotator" in fields) == ("strategy" in fields):
        found = "both annotator and strategy" if "annotator" in fields else "neither annotator nor strategy"
        raise FormatError(f"{found} given", fields.place, expected="one of them: who decided")
    decided, votes = _votes(fields)
    return DecisionRecord(
        document,
        Decision(ChainRef(part, fields.text("chain")), fields.ref("antecedent"), evidence_of(fields), _also(fields)),
        annotator=fields.text("annotator", filled=True) if "annotator" in fields else None,
        strategy=fields.text("strategy", filled=True) if "strategy" in fields else None,
        split=fields.text("split", filled=True) if "split" in fields else None,
        seconds=fields.number("seconds"),
        confidence=fields.number("confidence", most=1),
        decided=decided,
        votes=votes,
        location=fields.place,
    )


def _looks_like(line: str) -> str | None:
    """A hint if the line is from a file of documents, not of decisions."""
    start = line.lstrip("\ufeff \t")
    signs = {"CoNLL-2012": ("#begin document",), "CoNLL-U": ("# ", "1\t"), "jsonlines": ("{",)}
    for title, beginnings in signs.items():
        if start.startswith(beginnings) and (title != "jsonlines" or '"sentences"' in line or '"tokens"' in line):
            return f"the file looks like documents in {title}: `merge-baseline decisions` reads decisions off those"
    return None


def read_strategy(path: str) -> str:
    """The maker of the decisions in a file of records: the strategy's signature, or the annotator.

    Raises :class:`~merger.errors.FormatError` for lines that are not records, and what :func:`only_maker` raises.
    """
    return only_maker(read_decision_records(path), path)


def only_maker(records: Iterable[DecisionRecord], path: str) -> str:
    """The maker of the decisions in a file: the strategy's signature, or the annotator.

    Raises :class:`~merger.errors.DecisionError` if the records are of several strategies or annotators, or if there are
    none.
    """
    makers = dict.fromkeys(record.maker for record in records)
    if len(makers) != 1:
        found = ", ".join(makers) or "nothing"
        place = Location(display_name(path))
        raise DecisionError(f"decisions of {found}", place, expected="those of one strategy or annotator")
    return next(iter(makers))


def _also(fields: Fields) -> tuple[ChainRef, ...]:
    return tuple(as_ref(item, f"also[{number}]", fields.place) for number, item in enumerate(fields.items("also")))


def _votes(fields: Fields) -> tuple[Decided | None, tuple[Vote, ...]]:
    if "decided" not in fields and "votes" not in fields:
        return None, ()
    decided = fields.text("decided")
    names = [each.value for each in Decided]
    if decided not in names:
        raise FormatError(f"'decided' is {decided!r}", fields.place, expected=" or ".join(names))
    votes = []
    for number, item in enumerate(fields.items("votes")):
        vote = as_fields(item, f"votes[{number}]", fields.place)
        vote.check_names(("by", "antecedent"))
        votes.append(Vote(vote.text("by", filled=True), vote.ref("antecedent")))
    if not votes:
        raise FormatError("no field 'votes'", fields.place, expected="it beside 'decided'")
    return Decided(decided), tuple(votes)


def evidence_of(fields: Fields) -> Evidence | None:
    """The field ``evidence`` of a record. Raises :class:`~merger.errors.FormatError`."""
    if fields.is_null("evidence"):
        return None
    evidence = fields.nested("evidence")
    evidence.check_names(("rule", "text", "pairs", "score"))
    pairs = []
    for number, item in enumerate(evidence.items("pairs")):
        name = f"evidence.pairs[{number}]"
        pair = as_fields(item, name, fields.place)
        pair.check_names(("mention", "antecedent"))
        pairs.append(MentionPair(pair.mention("mention"), pair.mention("antecedent")))
    return Evidence(
        evidence.text("rule", filled=True),
        evidence.text("text") if "text" in evidence else "",
        tuple(pairs),
        evidence.any_number("score") if "score" in evidence else None,
    )
