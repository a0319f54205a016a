"""Clusters that another coreference system wrote to a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from threading import Lock

from merger.backends.base import Backend
from merger.backends.fingerprint import fingerprint
from merger.backends.mention_matching import Cluster
from merger.document import Document
from merger.errors import AlignmentError, InputError, Location, OptionError, UnavailableError
from merger.formats import FORMATS, ReadOptions, read_documents
from merger.notices import Notices, Policy
from merger.options import Option, OptionValue
from merger.progress import WorkContext
from merger.resegment import with_boundaries_of

ANY_FORMAT = "any"
HARDLY_ANY = 0.1
"""The share of given mentions below which predictions are taken to be of something else."""


class PrecomputedBackend(Backend):
    """Looks the clusters of a document up in a file, by document id, and aligns them by tokens.

    The file can be in any format that this package reads, with other sentences and parts than the document: only the
    tokens must be the same, apart from empty nodes. A jsonlines line may have flat ``tokens`` for ``sentences``. Where
    it has given and predicted clusters, the predicted ones count. Clusters that are local to parts link nothing across
    parts.

    The file is read once, on first use; then all its documents are in memory. ``notices`` has repairs and omissions,
    such as mentions over a sentence boundary of the document, and a notice if hardly any given mention is predicted.
    """

    name = "precomputed"
    summary = "the clusters of any other coreference system, from a file"
    options = (
        Option("path", "", "file, directory or .gz with the clusters"),
        Option("format", ANY_FORMAT, "its format; recognised by default", choices=(ANY_FORMAT, *FORMATS)),
        Option("clusters-field", "", "jsonlines: the key with the clusters; predicted_clusters, or else clusters"),
        Option("part-pattern", "", "regular expression with groups 'document' and 'part', for ids of parts"),
        Option("lenient", False, "repair clusters that contradict themselves (a mention in two of them)"),
    )
    operator_options = frozenset(option.name for option in options)

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Reads nothing. Raises :class:`~merger.errors.OptionError` without a path or for a bad pattern."""
        super().__init__(options)
        if not self._path:
            raise OptionError("backend precomputed: the option path is missing: the file with the clusters")
        self._pattern = _part_pattern(str(self.values["part-pattern"]))
        self.notices = Notices(Policy.LENIENT if self.values["lenient"] else Policy.NORMAL)
        self._lock = Lock()
        self._documents: dict[str, Document] | None = None
        self._failures: list[InputError] = []

    @property
    def _path(self) -> str:
        return str(self.values["path"])

    def warm(self, watch: WorkContext) -> None:
        """Read the file. Raises :class:`~merger.errors.UnavailableError` if it cannot be read or is malformed."""
        self._read(watch)

    def predict(self, document: Document, watch: WorkContext) -> tuple[Cluster, ...]:
        """The clusters that the file has for this document.

        Raises :class:`~merger.errors.AlignmentError` if the file lacks the document, or at the first token that
        differs, and the file's own error if the document in it cannot be read.
        """
        documents = self._read(watch)
        found = documents.get(document.id)
        if found is None:
            for error in self._failures:
                if error.location.document == document.id:
                    raise error
            other = next(iter(documents), None)
            raise AlignmentError(
                "the file with the clusters lacks this document",
                Location(document.file, document=document.id),
                hint=None if other is None else f"{self._path} has {other!r}",
            )
        aligned = with_boundaries_of(document, found, self.notices)
        self._check_matches(document, aligned)
        return tuple(chain.mentions for chain in aligned.chains if len(chain.mentions) > 1)

    def _check_matches(self, document: Document, predicted: Document) -> None:
        """Record a notice if hardly any given mention is predicted, and whether exclusive ends can be the reason."""
        given = {mention for chain in document.chains for mention in chain.mentions}
        found = {mention for chain in predicted.chains for mention in chain.mentions}
        exact = len(given & found)
        if exact >= HARDLY_ANY * len(given):
            return
        message = f"{exact} of {len(given)} given mentions are among the {len(found)} predicted ones"
        shorter = {mention._replace(last=mention.last - 1) for mention in found if not mention.pieces}
        shifted = len(given & shorter)
        if shifted > exact:
            message += f"; with every end one token earlier, {shifted} would be: exclusive ends? They must be inclusive"
        self.notices.add("hardly any mention predicted", message, Location(document.file, document=document.id))

    def close(self) -> None:
        """Forget the documents; a later call reads the file again."""
        with self._lock:
            self._documents = None

    @property
    def signature(self) -> str:
        """``precomputed[name#hash]``, with the first digits of the file's SHA-256."""
        return f"{self.name}[{self._fingerprint}]"

    @cached_property
    def _fingerprint(self) -> str:
        return fingerprint(self._path)

    def _read(self, watch: WorkContext) -> Mapping[str, Document]:
        with self._lock:
            if self._documents is None:
                chosen = str(self.values["format"])
                field = str(self.values["clusters-field"]) or None
                options = ReadOptions(
                    self.notices, self._pattern, predicted=True, clusters_field=field, failures=self._failures
                )
                documents: dict[str, Document] = {}
                try:
                    for document in read_documents(self._path, None if chosen == ANY_FORMAT else chosen, options):
                        watch.check()
                        documents[document.id] = document
                except InputError as error:
                    raise UnavailableError(f"the file with the clusters: {error}") from error
                if self._failures and not documents:
                    raise UnavailableError(f"the file with the clusters: {self._failures[0]}") from self._failures[0]
                self._documents = documents
            return self._documents


def _part_pattern(text: str) -> re.Pattern[str] | None:
    if not text:
        return None
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise OptionError(f"backend precomputed: part-pattern: {error}") from None
    if not {"document", "part"} <= pattern.groupindex.keys():
        raise OptionError("backend precomputed: part-pattern: expected the groups (?P<document>...) and (?P<part>...)")
    return pattern
