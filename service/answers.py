"""The service without gRPC: from the bytes of a request to the bytes of its answer.

Plain functions that run in a worker process or on a thread. They call ``watch.check`` between parts, and strategies do
within a part; an exception from it ends the work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from merger.document import Document
from merger.errors import InputError, Location
from merger.merge import PartMerger
from merger.notices import Notices
from merger.progress import WorkContext
from merger.taggers import Tagging
from protos.convert.chunks import add_chains, add_piece, decision_pieces, summary_pieces
from protos.convert.decisions import add_decisions, add_merged, key_from_message, notice_to_message
from protos.convert.documents import document_from_message, part_from_message, parts_from_message
from protos.convert.errors import Violation, request_error
from protos.convert.strategies import info_to_message, tagger_to_message
from protos.limits import DEFAULT_LIMITS, Limits
from protos.merge_baseline import v1
from service.request_limits import Totals, document_excess, key_excess, part_excess, setup_excess
from service.request_validation import (
    check,
    document_request_violations,
    is_sound,
    part_order_violations,
    part_violations,
    setup_violations,
)
from service.strategies import ServedStrategies, make_served
from service.work_counts import WorkCounts

_M = TypeVar("_M", bound=Message)


def _decode(kind: type[_M], data: bytes) -> _M:
    try:
        return kind.FromString(data)
    except DecodeError:
        violation = Violation("request", f"damaged; expected an encoded {kind.DESCRIPTOR.full_name}")
        raise request_error([violation]) from None


def merge_document_answer(
    strategies: ServedStrategies,
    data: bytes,
    watch: WorkContext,
    limits: Limits = DEFAULT_LIMITS,
    counts: WorkCounts | None = None,
) -> bytes:
    """Answer a MergeDocumentRequest and add its numbers to ``counts``.

    Raises the errors of validation, of the strategy and of merging.
    """
    request = _decode(v1.MergeDocumentRequest, data)
    location = Location(document=request.document.id or None)
    check(document_excess(request, limits), location)
    parts = parts_from_message(request.document)
    check(document_request_violations(request, parts), location)
    strategy = make_served(strategies, request.strategy, "strategy")
    tagging = _tagging(strategies, request)
    document = document_from_message(request.document, parts)
    key = key_from_message(request.key, document.id, document.parts) if request.HasField("key") else None
    notices = Notices()
    watch.check()
    conditions = ""
    if tagging is not None:
        document, conditions = tagging.tag(document, notices, watch)
        parts = [(part, chains) for part, (_, chains) in zip(document.parts, parts, strict=True)]
    # Like merge_document, but without the mentions of the merged chains, which the answer does not need.
    merger = PartMerger(strategy, document.id, document=document, key=key, watch=watch)
    decisions = merger.add_all(parts)
    chains = merger.finish_members(keep_singletons=request.keep_singletons, notices=notices)
    if counts is not None:
        linked = sum(decision.antecedent is not None for decision in decisions)
        counts.strategy = request.strategy.name
        counts.documents += 1
        counts.parts += len(parts)
        counts.linked += linked
        counts.new += len(decisions) - linked
        counts.chains += len(chains)
    answer = v1.MergeDocumentResponse(
        singletons=merger.singletons,
        signature=merger.signature + conditions,
        notices=[notice_to_message(notice) for notice in notices],
    )
    add_decisions(answer, decisions)
    add_merged(answer, chains)
    return answer.SerializeToString()


def list_strategies_answer(strategies: ServedStrategies, data: bytes) -> bytes:
    """Answer a ListStrategiesRequest."""
    _decode(v1.ListStrategiesRequest, data)
    infos = [info_to_message(info) for info in strategies.infos()]
    taggers = [tagger_to_message(info) for info in strategies.taggers.infos()]
    return v1.ListStrategiesResponse(strategies=infos, taggers=taggers).SerializeToString()


def _tagging(strategies: ServedStrategies, request: v1.MergeDocumentRequest | v1.MergeStreamSetup) -> Tagging | None:
    if not request.HasField("tagger"):
        return None
    return strategies.taggers.use(request.tagger.name, retag=request.tagger.retag)


class _Stream:
    """One document whose parts arrive one by one. Their text is not kept."""

    def __init__(
        self, strategies: ServedStrategies, setup: v1.MergeStreamSetup, watch: WorkContext, totals: Totals
    ) -> None:
        self._setup = setup
        self._totals = totals
        self.document_id = setup.document_id
        self._watch = watch
        check(setup_excess(setup, totals), Location(document=self.document_id or None))
        self._check_setup()
        self._strategy = make_served(strategies, setup.strategy, "setup.strategy")
        self._tagging = _tagging(strategies, setup)
        self._conditions = ""
        self._notices = Notices()
        self._merger: PartMerger | None = None
        self._parts = 0
        self._number = 0
        self._unfinished: v1.Part | None = None

    def _check_setup(self) -> None:
        check(setup_violations(self._setup), Location(document=self.document_id or None))

    def add_key(self, more: v1.HumanMerges) -> None:
        if self._merger is not None or self._unfinished is not None:
            raise request_error([Violation("key", "after a part; expected before the first one")])
        location = Location(document=self.document_id or None)
        check(self._totals.add_key(more, "key"), location)
        check(key_excess(more, "key"), location)
        add_chains(self._setup.key.chains, more.chains)

    def add_chunk(self, chunk: v1.PartChunk) -> Iterator[v1.PartDecisions]:
        self._check_size(chunk.piece, "chunk.piece", starts=self._unfinished is None)
        if self._unfinished is None:
            self._unfinished = v1.Part()
        add_piece(self._unfinished, chunk.piece)
        if not chunk.more:
            part, self._unfinished = self._unfinished, None
            yield from self._decide(part)

    def add(self, message: v1.Part) -> Iterator[v1.PartDecisions]:
        self.expect_whole("part")
        self._check_size(message, "part", starts=True)
        yield from self._decide(message)

    def _check_size(self, piece: v1.Part, field: str, *, starts: bool) -> None:
        location = Location(document=self.document_id or None, part=self._parts)
        check(self._totals.add_part(piece, field, starts=starts), location)
        check(part_excess(piece, field), location)

    def expect_whole(self, field: str) -> None:
        """Check that no part is incomplete."""
        if self._unfinished is not None:
            raise request_error([Violation(field, "in the middle of a part; expected the rest of its chunks")])

    def _started(self) -> PartMerger:
        if self._merger is None:
            # Now with all gold merges; the setup had only the first of them.
            self._check_setup()
            key = key_from_message(self._setup.key, self.document_id) if self._setup.HasField("key") else None
            self._merger = PartMerger(self._strategy, self.document_id, key=key, watch=self._watch)
            self._setup.ClearField("key")
        return self._merger

    def _decide(self, message: v1.Part) -> Iterator[v1.PartDecisions]:
        index = self._parts
        part, chains = part_from_message(message, index)
        if not is_sound(part, chains):
            check(part_violations(message, "part"), Location(document=self.document_id or None, part=index))
        if index:
            wrong = part_order_violations(self._number, part.number, "part")
            check(wrong, Location(document=self.document_id or None, part=index))
        self._number = part.number
        if self._tagging is not None:
            alone = Document(self.document_id, (part,), ())
            tagged, conditions = self._tagging.tag(alone, self._notices, self._watch)
            (part,) = tagged.parts
            self._conditions = conditions or self._conditions
        try:
            decisions = self._started().add(part, chains)
        except InputError as error:
            # On a stream, strategies do not know the document.
            if error.location.document is None:
                error.location = replace(error.location, document=self.document_id)
            raise
        self._parts += 1
        answer = v1.PartDecisions(part=index)
        add_decisions(answer, decisions)
        yield from decision_pieces(answer, self._setup.max_answer_bytes)

    def summary(self) -> Iterator[v1.MergeStreamSummary]:
        self.expect_whole("chunk")
        notices = self._notices
        merger = self._started()
        chains = merger.finish_members(keep_singletons=self._setup.keep_singletons, notices=notices)
        answer = v1.MergeStreamSummary(
            singletons=merger.singletons,
            signature=merger.signature + self._conditions,
            notices=[notice_to_message(notice) for notice in notices],
        )
        add_merged(answer, chains)
        yield from summary_pieces(answer, self._setup.max_answer_bytes)


class StreamAnswers:
    """Answers the messages of one stream, and checks their order."""

    def __init__(self, strategies: ServedStrategies, watch: WorkContext, limits: Limits = DEFAULT_LIMITS) -> None:
        self._strategies = strategies
        self._watch = watch
        self._strategy = ""
        self._totals = Totals(limits, "the stream")
        self._stream: _Stream | None = None
        self.counts = WorkCounts()
        """Counts of the work since they were last replaced."""

    def take(self, data: bytes) -> list[bytes]:
        """The answers to a part or its last chunk; none to other messages.

        Raises the errors of validation and of the strategy.
        """
        document = None if self._stream is None else self._stream.document_id
        check(self._totals.add_bytes(len(data)), Location(document=document or None))
        request = _decode(v1.MergeStreamRequest, data)
        kind = request.WhichOneof("message")
        if kind is None or (kind == "setup") != (self._stream is None):
            expected = "setup" if self._stream is None else "part"
            order = "a setup first, then only parts"
            found = f"{kind or 'nothing'} instead of a {expected}"
            raise request_error([Violation(kind or "message", f"{found}; expected {order}")])
        if self._stream is None:
            self._stream = _Stream(self._strategies, request.setup, self._watch, self._totals)
            self._strategy = request.setup.strategy.name
            return []
        if kind == "key":
            self._stream.add_key(request.key)
            return []
        pieces = self._stream.add_chunk(request.chunk) if kind == "chunk" else self._stream.add(request.part)
        answers = list(pieces)
        self._count_part(answers)
        return [v1.MergeStreamResponse(part=answer).SerializeToString() for answer in answers]

    def finish(self) -> list[bytes]:
        """The summary."""
        if self._stream is None:
            raise request_error([Violation("setup", "missing; expected a setup before the end of the stream")])
        answers = list(self._stream.summary())
        self.counts.strategy = self._strategy
        self.counts.documents += 1
        # A chain that is split between messages has the same id in both.
        self.counts.chains += len({chain.id for answer in answers for chain in answer.chains})
        return [v1.MergeStreamResponse(summary=each).SerializeToString() for each in answers]

    def _count_part(self, answers: Sequence[v1.PartDecisions]) -> None:
        linked = sum(decision.HasField("antecedent") for answer in answers for decision in answer.decisions)
        self.counts.strategy = self._strategy
        self.counts.parts += bool(answers)
        self.counts.linked += linked
        self.counts.new += sum(len(answer.decisions) for answer in answers) - linked


def progress_answer(stage: str, done: int, total: int) -> bytes:
    """The encoded message that reports progress to the caller of a stream."""
    progress = v1.Progress(stage=stage, done=done, total=total)
    return v1.MergeStreamResponse(progress=progress).SerializeToString()
