"""The messages of calls, without the calls themselves. Importing it imports protobuf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from merger.decisions.model import Decision
from merger.document import Chain, ChainRef, ChainScope, Document, Part, part_chains
from merger.errors import AnnotationError, InputError, Location, UnsupportedError
from merger.merge import MergeResult
from merger.notices import Notices
from merger.progress import WorkContext
from merger.resegment import with_boundaries_of
from merger.strategies import OptionValue, StrategyInfo
from merger.taggers.base import TaggerInfo
from protos.convert import decisions as wire
from protos.convert.chunks import CHUNK_BYTES, add_chains, key_pieces, part_chunks
from protos.convert.documents import document_to_message, part_to_message
from protos.convert.strategies import info_from_message, spec_to_message, tagger_from_message
from protos.merge_baseline import v1


@dataclass(frozen=True, slots=True)
class StreamResult:
    """The result of a stream of parts.

    ``chains`` are the merged chains of all parts, ``decisions`` all that were made, in order, ``singletons`` the number
    of singletons that were not merged, ``strategy`` the strategy's signature.
    """

    chains: tuple[Chain, ...]
    decisions: tuple[Decision, ...]
    singletons: int
    strategy: str


@dataclass(frozen=True, slots=True)
class MergeSettings:
    """How to merge documents, and with which of the server's taggers to tag them first."""

    strategy: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    keep_singletons: bool = False
    tagger: str | None = None
    retag: bool = False

    @property
    def tagger_message(self) -> v1.TaggerSpec | None:
        """The tagger as a message; ``None`` without a tagger."""
        return None if self.tagger is None else v1.TaggerSpec(name=self.tagger, retag=self.retag)


def taggers_of(response: v1.ListStrategiesResponse) -> tuple[TaggerInfo, ...]:
    """A server's taggers."""
    return tuple(tagger_from_message(tagger) for tagger in response.taggers)


def strategies_of(response: v1.ListStrategiesResponse) -> tuple[StrategyInfo, ...]:
    """A server's strategies."""
    return tuple(info_from_message(strategy) for strategy in response.strategies)


class _Messages:
    """The messages of one document."""

    _key: Document | None

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Name the caller's key in errors, instead of the server's name for it."""
        try:
            yield
        except InputError as error:
            if self._key is not None and error.location.file == wire.KEY_FILE:
                error.location = replace(error.location, file=self._key.file, document=self._key.id)
            raise


class DocumentMessages(_Messages):
    """A document that is sent as a whole."""

    def __init__(self, document: Document, settings: MergeSettings, key: Document | None = None) -> None:
        """Raises :class:`~merger.errors.InputError` for a document that can't be sent, or a key with other tokens."""
        self.document = document
        self._key = None if key is None else with_boundaries_of(document, key)
        with _sendable(document.id):
            self.request = v1.MergeDocumentRequest(
                document=document_to_message(document),
                strategy=spec_to_message(settings.strategy, settings.options),
                keep_singletons=settings.keep_singletons,
                key=None if self._key is None else wire.key_to_message(self._key),
                tagger=settings.tagger_message,
            )

    def result(self, response: v1.MergeDocumentResponse, notices: Notices | None) -> MergeResult:
        """The caller's own document, layout included, with the merged chains of the answer."""
        if notices is not None:
            for notice in response.notices:
                wire.add_notice(notice, notices)
        chains = wire.merged_from_messages(response.chains, part_chains(self.document))
        return MergeResult(
            self.document.with_chains(chains, ChainScope.DOCUMENT),
            tuple(wire.decision_from_message(decision) for decision in response.decisions),
            response.singletons,
            response.signature,
        )


class PartMessages(_Messages):
    """A document whose parts are sent one by one."""

    def __init__(
        self,
        document_id: str,
        settings: MergeSettings,
        *,
        genre: str | None = None,
        key: Document | None = None,
        max_message_bytes: int = CHUNK_BYTES,
    ) -> None:
        self._document_id = document_id
        self._settings = settings
        self._genre = genre
        self._key = key
        self._max_bytes = min(CHUNK_BYTES, max_message_bytes)
        self._chains: dict[ChainRef, Chain] = {}
        self._decisions: list[Decision] = []
        self._decided_before = 0
        self._next_part = 0
        self._merged: list[v1.MergedChain] = []
        self._summary: v1.MergeStreamSummary | None = None

    def setup(self) -> list[v1.MergeStreamRequest]:
        """The messages before the first part. Raises ``UnsupportedError`` for texts that can't be sent."""
        rest: list[v1.HumanMerges] = []
        with _sendable(self._document_id):
            setup = v1.MergeStreamSetup(
                document_id=self._document_id,
                genre=self._genre,
                strategy=spec_to_message(self._settings.strategy, self._settings.options),
                keep_singletons=self._settings.keep_singletons,
                max_answer_bytes=self._max_bytes,
                tagger=self._settings.tagger_message,
            )
            if self._key is not None:
                first, *rest = key_pieces(wire.key_to_message(self._key), self._max_bytes - setup.ByteSize())
                setup.key.CopyFrom(first)
        return [v1.MergeStreamRequest(setup=setup), *(v1.MergeStreamRequest(key=piece) for piece in rest)]

    def part(self, part: Part, chains: Sequence[Chain]) -> Iterator[v1.MergeStreamRequest]:
        """The messages of the next part. Raises :class:`~merger.errors.AnnotationError` for chains of another part."""
        index = self._next_part
        for chain in chains:
            if any(mention.part != index for mention in chain.mentions):
                message = (
                    f"chain {chain.id} has mentions of another part; expected mentions of the part that it is sent with"
                )
                raise AnnotationError(message, Location(document=self._document_id, part=index))
        with _sendable(self._document_id):
            encoded = part_to_message(part, chains)
        self._chains.update(wire.chains_by_ref(index, chains))
        self._decided_before = len(self._decisions)
        self._next_part += 1
        if encoded.ByteSize() < self._max_bytes:
            yield v1.MergeStreamRequest(part=encoded)
            return
        for chunk in part_chunks(encoded, self._max_bytes):
            yield v1.MergeStreamRequest(chunk=chunk)

    def take(self, response: v1.MergeStreamResponse | None, watch: WorkContext | None = None) -> bool:
        """Take an answer, if there is one. Returns whether it was the last answer to the last message."""
        if response is None:
            return False
        match response.WhichOneof("message"):
            case "progress":
                if watch is not None:
                    watch.progress(response.progress.stage, response.progress.done, response.progress.total)
                return False
            case "part":
                self._decisions.extend(wire.decision_from_message(each) for each in response.part.decisions)
                return not response.part.more
            case "summary":
                self._summary = self._summary or response.summary
                add_chains(self._merged, response.summary.chains)
                return not response.summary.more
            case _:
                raise UnsupportedError(
                    "an answer that this version does not know", Location(document=self._document_id)
                )

    def decisions(self) -> tuple[Decision, ...]:
        """The decisions on the last part."""
        return tuple(self._decisions[self._decided_before :])

    def result(self, notices: Notices | None) -> StreamResult:
        """The result, once the summary has come."""
        summary = self._summary or v1.MergeStreamSummary()
        if notices is not None:
            for notice in summary.notices:
                wire.add_notice(notice, notices)
        chains = wire.merged_from_messages(self._merged, self._chains)
        return StreamResult(chains, tuple(self._decisions), summary.singletons, summary.signature)


def merged_document(document: Document, result: StreamResult) -> MergeResult:
    """The caller's own document with the result of a stream of its parts."""
    merged = document.with_chains(result.chains, ChainScope.DOCUMENT)
    return MergeResult(merged, result.decisions, result.singletons, result.strategy)


@contextmanager
def _sendable(document_id: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError) as error:
        place = Location(document=document_id)
        raise UnsupportedError(f"this can't be sent to a server: {error}", place) from error
