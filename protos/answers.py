"""The service without its transport: from the bytes of a request to the bytes of its answer.

Plain functions that run wherever a server wants to have its work done: in a thread, in another process. ``checkpoint``
is called between parts with the number of parts done; what it raises ends the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from merger.document import Chain, ChainRef
from merger.errors import InputError, Location, UnavailableError
from merger.merge import PartMerger, merge_document
from merger.notices import Notices
from merger.strategies import Strategy, list_strategies, make_strategy
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

Checkpoint = Callable[[int], None]

_M = TypeVar("_M", bound=Message)


def _decode(kind: type[_M], data: bytes) -> _M:
    try:
        return kind.FromString(data)
    except DecodeError:
        violation = Violation("request", f"damaged; expected an encoded {kind.DESCRIPTOR.full_name}")
        raise request_error([violation]) from None


def _strategy(spec: v1.StrategySpec) -> Strategy:
    strategy = make_strategy(*spec_from_message(spec))
    reason = strategy.unavailable()
    if reason is not None:
        raise UnavailableError(f"strategy {strategy.name} can't run on this server: {reason}")
    return strategy


def merge_document_answer(data: bytes, checkpoint: Checkpoint) -> bytes:
    """Answer a MergeDocumentRequest. Raises what validation, the strategy and merging raise."""
    request = _decode(v1.MergeDocumentRequest, data)
    check(document_request_violations(request), Location(document=request.document.id or None))
    strategy = _strategy(request.strategy)
    document = document_from_message(request.document)
    key = key_from_message(request.key, document.id, document.parts) if request.HasField("key") else None
    notices = Notices()
    checkpoint(0)
    result = merge_document(
        document,
        strategy,
        key=key,
        keep_singletons=request.keep_singletons,
        notices=notices,
        on_part=checkpoint,
    )
    by_ref = {ChainRef(chain.mentions[0].part, chain.id): chain for chain in document.chains}
    return v1.MergeDocumentResponse(
        decisions=[decision_to_message(decision) for decision in result.decisions],
        chains=merged_to_messages(result.document.chains, by_ref),
        singletons=result.singletons,
        signature=result.strategy,
        notices=[notice_to_message(notice) for notice in notices],
    ).SerializeToString()


def list_strategies_answer(data: bytes) -> bytes:
    """Answer a ListStrategiesRequest."""
    _decode(v1.ListStrategiesRequest, data)
    strategies = [info_to_message(info) for info in list_strategies()]
    return v1.ListStrategiesResponse(strategies=strategies).SerializeToString()


class _Stream:
    """The parts of one document as they come. Of their text nothing is kept."""

    def __init__(self, setup: v1.MergeStreamSetup) -> None:
        self._id = setup.document_id
        check(setup_violations(setup), Location(document=self._id or None))
        self._strategy = _strategy(setup.strategy)
        key = key_from_message(setup.key, self._id) if setup.HasField("key") else None
        self._merger = PartMerger(self._strategy, self._id, key=key)
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

    def __init__(self) -> None:
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
            self._stream = _Stream(request.setup)
            return None
        return v1.MergeStreamResponse(part=self._stream.add(request.part)).SerializeToString()

    def finish(self) -> bytes:
        """The summary."""
        if self._stream is None:
            raise request_error([Violation("setup", "missing; expected a setup before the end of the stream")])
        return v1.MergeStreamResponse(summary=self._stream.summary()).SerializeToString()
