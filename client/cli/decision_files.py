"""Reads files of decisions, hands them out document by document, and writes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from client.cli.output import open_output
from merger.decisions.checked import by_document
from merger.decisions.reader import read_decision_records
from merger.decisions.records import DecisionRecord, decision_line
from merger.decisions.voting import Voted
from merger.document import ChainRef, Document
from merger.errors import DecisionError, InputError, Location
from merger.notices import Notices


class DecisionFiles:
    """The decisions of several files, by document."""

    def __init__(self, *paths: str) -> None:
        """Raises :class:`~merger.errors.FormatError` for a line that is no record."""
        records = [record for path in paths for record in read_decision_records(path)]
        self.makers = tuple(dict.fromkeys(record.maker for record in records))
        self._left = by_document(records)

    def take(self, document: Document, notices: Notices) -> list[DecisionRecord] | None:
        """The decisions on a document. Each document can be asked for once.

        If it has chains to decide on and no decisions: under the lenient policy ``None``, as the document is left out,
        else raises :class:`~merger.errors.DecisionError`.
        """
        records = self._left.pop(document.id, [])
        if records or all(len(chain.mentions) == 1 for chain in document.chains):
            return records
        place = Location(document.file, document=document.id)
        error = DecisionError("this document has no decisions", place)
        notices.repair("document without decisions", error, "it is left out")
        return None

    def check_all_taken(self, failures: Sequence[InputError]) -> None:
        """Raise :class:`~merger.errors.DecisionError` for decisions on a document that the parts lack.

        Decisions on failed documents are ignored. If the id of a failed document is unknown, all are ignored.
        """
        failed = {error.location.document for error in failures}
        for name, records in self._left.items():
            if not failed & {name, None}:
                raise DecisionError("the parts lack this document", records[0].location)


class AlikeAnnotators:
    """Finds annotators with the same votes on all chains of later parts, at least one of them a link."""

    def __init__(self) -> None:
        self._votes: dict[str, list[tuple[int, ChainRef | None]]] = {}
        self._chains = 0

    def add(self, voted: Iterable[Voted]) -> None:
        """Count a document's votes."""
        for each in voted:
            self._chains += 1
            if each.decision.chain.part:
                for vote in each.votes:
                    self._votes.setdefault(vote.by, []).append((self._chains, vote.antecedent))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Every such pair of names."""
        for (one, ones), (other, others) in combinations(self._votes.items(), 2):
            if ones == others and any(antecedent is not None for _, antecedent in ones):
                yield one, other


def same_decisions(one: str, other: str) -> tuple[str, str]:
    """Kind and message of the notice about two names that may be one annotator's."""
    message = f"{one} and {other} agree in every decision: if they are one annotator, name that annotator once"
    return f"{one} and {other} decide the same", message


def write_records(path: str, records: Iterable[DecisionRecord]) -> None:
    """Write records, one a line."""
    with open_output(path) as stream:
        stream.writelines(map(decision_line, records))
