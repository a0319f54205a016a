"""The service without its transport: from the bytes of a request to the bytes of its answer.

Plain functions that run wherever a server wants to have its work done. ``watch`` is asked between parts, and by the
strategy, whether to go on; what its ``check`` raises ends the work.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from merger.document import Chain, ChainRef, part_chains
from merger.errors import InputError, Location
from merger.merge import PartMerger, merge_document
from merger.notices import Notices
from merger.strategies.served import ServedStrategies
from merger.watch import Watch
from protos.decisions import (
    chains_by_ref,
    decision_to_message,
    key_from_message,
    merged_to_messages,
    notice_to_message,
)
from protos.documents import document_from_message, part_from_message
from protos.merge_baseline import v1
from protos.strategies import info_to_message, spec_from_message
from protos.validation import (
    Violation,
    check,
    document_request_violations,
    part_violations,
    request_error,
    setup_violations,
)

_M = TypeVar("_M", bound=Message)


def _decode(kind: type[_M], data: bytes) -> _M:
    try:
        return kind.FromString(data)
    except DecodeError:
        violation = Violation("request", f"damaged; expected an encoded {kind.DESCRIPTOR.full_name}")
        raise request_error([violation]) from None


def merge_document_answer(strategies: ServedStrategies, data: bytes, watch: Watch) -> bytes:
    """Answer a MergeDocumentRequest. Raises what validation, the strategy and merging raise."""
    request = _decode(v1.MergeDocumentRequest, data)
    check(document_request_violations(request), Location(document=request.document.id or None))
    strategy = strategies.make(*spec_from_message(request.strategy))
    document = document_from_message(request.document)
    key = key_from_message(request.key, document.id, document.parts) if request.HasField("key") else None
    notices = Notices()
    watch.check()
    result = merge_document(
        document,
        strategy,
        key=key,
        keep_singletons=request.keep_singletons,
        notices=notices,
        watch=watch,
    )
    return v1.MergeDocumentResponse(
        decisions=[decision_to_message(decision) for decision in result.decisions],
        chains=merged_to_messages(result.document.chains, part_chains(document)),
        singletons=result.singletons,
        signature=result.strategy,
        notices=[notice_to_message(notice) for notice in notices],
    ).SerializeToString()


def list_strategies_answer(strategies: ServedStrategies, data: bytes) -> bytes:
    """Answer a ListStrategiesRequest."""
    _decode(v1.ListStrategiesRequest, data)
    infos = [info_to_message(info) for info in strategies.infos()]
    return v1.ListStrategiesResponse(strategies=infos).SerializeToString()


class _Stream:
    """The parts of one document as they come. Of their text nothing is kept."""

    def __init__(self, strategies: ServedStrategies, setup: v1.MergeStreamSetup, watch: Watch) -> None:
        self._id = setup.document_id
        check(setup_violations(setup), Location(document=self._id or None))
        self._strategy = strategies.make(*spec_from_message(setup.strategy))
        key = key_from_message(setup.key, self._id) if setup.HasField("key") else None
        self._merger = PartMerger(self._strategy, self._id, key=key, watch=watch)
        self._keep_singletons = setup.keep_singletons
        self._chains: dict[ChainRef, Chain] = {}
        self._parts = 0

    def add(self, message: v1.Part) -> v1.PartDecisions:
        index = self._parts
        check(part_violations(message, "part"), Location(document=self._id or None, part=index))
        part, chains = part_from_message(message, index)
        try:
            decisions = self._merger.add(part, chains)
        except InputError as error:
            # On a stream strategies are not told the document.
            if error.location.document is None:
                error.location = replace(error.location, document=self._id)
            raise
        self._parts += 1
        self._chains.update(chains_by_ref(index, chains))
        return v1.PartDecisions(part=index, decisions=[decision_to_message(decision) for decision in decisions])

    def summary(self) -> v1.MergeStreamSummary:
        notices = Notices()
        chains = self._merger.finish(keep_singletons=self._keep_singletons, notices=notices)
        return v1.MergeStreamSummary(
            chains=merged_to_messages(chains, self._chains),
            singletons=self._merger.singletons,
            signature=self._strategy.signature,
            notices=[notice_to_message(notice) for notice in notices],
        )


class StreamAnswers:
    """Answers the messages of one stream, which must come in the order that the protocol asks for."""

    def __init__(self, strategies: ServedStrategies, watch: Watch) -> None:
        self._strategies = strategies
        self._watch = watch
        self._stream: _Stream | None = None

    def take(self, data: bytes) -> bytes | None:
        """The answer to a part, ``None`` to the setup. Raises what validation and the strategy raise."""
        request = _decode(v1.MergeStreamRequest, data)
        kind = request.WhichOneof("message")
        expected = "setup" if self._stream is None else "part"
        if kind != expected:
            order = "a setup first, then only parts"
            found = f"{kind or 'nothing'} instead of a {expected}"
            raise request_error([Violation(kind or "message", f"{found}; expected {order}")])
        if self._stream is None:
            self._stream = _Stream(self._strategies, request.setup, self._watch)
            return None
        return v1.MergeStreamResponse(part=self._stream.add(request.part)).SerializeToString()

    def finish(self) -> bytes:
        """The summary."""
        if self._stream is None:
            raise request_error([Violation("setup", "missing; expected a setup before the end of the stream")])
        return v1.MergeStreamResponse(summary=self._stream.summary()).SerializeToString()


def progress_answer(stage: str, done: int, total: int) -> bytes:
    """The message that tells the caller of a stream how far slow work is."""
    progress = v1.Progress(stage=stage, done=done, total=total)
    return v1.MergeStreamResponse(progress=progress).SerializeToString()
