"""Files of decisions on the command line: read whole, taken document by document, and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from client.cli.output import open_output
from merger.decision_reader import read_decision_records
from merger.decision_records import DecisionRecord, decision_line
from merger.decision_sets import by_document
from merger.document import Document
from merger.errors import DecisionError, Location
from merger.notices import Notices


class DecisionFiles:
    """The decisions of some files by document."""

    def __init__(self, *paths: str) -> None:
        """Raises :class:`~merger.errors.FormatError` for a line that is no record."""
        records = [record for path in paths for record in read_decision_records(path)]
        self.makers = tuple(dict.fromkeys(record.maker for record in records))
        self._by_document = by_document(records)

    def matched(
        self, documents: Iterable[Document], notices: Notices
    ) -> Iterator[tuple[Document, list[DecisionRecord]]]:
        """Every document with the decisions on it.

        One without any is an error, unless there is nothing to decide; under the lenient policy it is left out. Raises
        :class:`~merger.errors.DecisionError` at the end for decisions on a document that is not there.
        """
        left = dict(self._by_document)
        for document in documents:
            records = left.pop(document.id, [])
            if records or all(len(chain.mentions) == 1 for chain in document.chains):
                yield document, records
                continue
            place = Location(document.file, document=document.id)
            error = DecisionError("there are no decisions on this document", place)
            notices.repair("document without decisions", error, "it is left out")
        for records in left.values():
            raise DecisionError("the parts lack this document", records[0].location)


def write_records(path: str, records: Iterable[DecisionRecord]) -> None:
    """Write records, one a line."""
    with open_output(path) as stream:
        stream.writelines(map(decision_line, records))
