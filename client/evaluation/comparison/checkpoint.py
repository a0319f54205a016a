"""Outcomes in a folder, one JSON line each, so that an interrupted comparison can continue."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from client.checkpoint_format import decoded, encoded, read_lines
from client.evaluation.comparison.columns import counts_row
from client.evaluation.comparison.data import DocumentOutcome
from client.evaluation.comparison.decision_errors import JudgedDecision, decision_data
from client.evaluation.scoring.counts import Counts
from client.evaluation.scoring.evaluate import Result
from client.evaluation.scoring.links import LinkCounts
from client.evaluation.scoring.metrics import COMPARED_METRICS
from client.evaluation.scoring.scores import Scores
from merger.decisions.fields import Fields
from merger.decisions.reader import evidence_of
from merger.document import ChainRef
from merger.errors import FormatError, Location
from merger.version import VERSION


class OutcomeCheckpoint:
    """The outcomes of one strategy, by document.

    Failures are written for people to read, and the next run tries them again. A line that an interruption cut off is
    removed. An outcome is reused only for the same strategy, version and content of the document.
    """

    def __init__(self, folder: Path, signature: str, *, resume: bool) -> None:
        """Without ``resume`` the file is emptied.

        Raises ``OSError`` if the file can't be read or written. With ``resume`` :class:`~merger.errors.FormatError` for
        a line that is no outcome.
        """
        self._made_by = _made_by(signature)
        self._path = _path(folder, signature, self._made_by)
        self._outcomes: dict[tuple[str, str], DocumentOutcome] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if resume and self._path.exists():
            self._read()
        else:
            self._path.write_bytes(b"")

    def _read(self) -> None:
        for number, offset, line in read_lines(self._path):
            if not line.endswith(b"\n"):
                with self._path.open("r+b") as file:
                    file.truncate(offset)
            elif not decoded(line, self._learn):
                raise FormatError(
                    "not an outcome of a comparison",
                    Location(str(self._path), number),
                    hint="option overwrite instead of option resume starts the comparison anew",
                )

    def _learn(self, record: Mapping[str, Any]) -> bool:
        """Add the outcome of a record, if it can be reused. Always true."""
        if record["made_by"] == self._made_by and record["failure"] is None:
            outcome = _outcome(record)
            self._outcomes[outcome.document, record["fingerprint"]] = outcome
        return True

    def get(self, document: str, fingerprint: str) -> DocumentOutcome | None:
        """The earlier outcome of a document with this content, if there is one."""
        return self._outcomes.get((document, fingerprint))

    def add(self, outcome: DocumentOutcome, fingerprint: str) -> None:
        """Append an outcome to the file."""
        record = {"made_by": self._made_by, "fingerprint": fingerprint, **_record(outcome)}
        with self._path.open("ab", buffering=0) as file:
            file.write(encoded(record))


def checkpoint_files(folder: Path, signatures: Iterable[str]) -> list[Path]:
    """The files in the folder that hold outcomes of strategies with these signatures, made by this version."""
    paths = (_path(folder, signature, _made_by(signature)) for signature in signatures)
    return [path for path in paths if path.is_file() and path.stat().st_size]


def _made_by(signature: str) -> str:
    return f"{signature}|version:{VERSION}"


def _path(folder: Path, signature: str, made_by: str) -> Path:
    digest = hashlib.sha256(made_by.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = re.sub(r"[^A-Za-z0-9]+", "-", signature).strip("-")[:60]
    return folder / f"{name}-{digest}.jsonl"


def _record(outcome: DocumentOutcome) -> dict[str, Any]:
    result = outcome.result
    return {
        "document": outcome.document,
        "failure": outcome.failure,
        "seconds": outcome.seconds,
        "peak_memory": outcome.peak_memory,
        "decisions": [decision_data(decision) for decision in outcome.decisions],
        "merged": outcome.merged,
        "scores": None if result is None else _scores_record(result.scores),
        "floor": None if result is None or result.floor is None else _scores_record(result.floor),
        "link_counts": None
        if result is None or result.links is None
        else [counts_row(result.links.links), result.links.decisions, result.links.matching],
    }


def _decision(record: Mapping[str, Any]) -> JudgedDecision:
    gold, response = (tuple(ChainRef(**ref) for ref in record[side]) for side in ("human", "made"))
    evidence = evidence_of(Fields(record, Location()))
    chain = ChainRef(record["part"], record["chain"])
    return JudgedDecision(chain, gold, response, record["distance"], record["found"], evidence)


def _scores_record(scores: Scores) -> dict[str, list[float]]:
    return {name: counts_row(scores[name]) for name in COMPARED_METRICS}


def _outcome(record: Mapping[str, Any]) -> DocumentOutcome:
    links = record["link_counts"]
    return DocumentOutcome(
        record["document"],
        Result(
            _scores(record["scores"]),
            None if record["floor"] is None else _scores(record["floor"]),
            None if links is None else LinkCounts(Counts(*links[0]), links[1], links[2]),
        ),
        tuple(map(_decision, record["decisions"])),
        tuple(record["merged"]),
        None,
        record["seconds"],
        record["peak_memory"],
    )


def _scores(record: Mapping[str, list[float]]) -> Scores:
    return Scores({name: Counts(*numbers) for name, numbers in record.items()})
