"""The methods of the service. Messages stay bytes here: workers decode and encode them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from functools import partial
from typing import Final

import grpc
import grpc.aio

from merger.strategies import STRATEGIES
from protos.convert.errors import Violation, request_error
from protos.convert.status import parse_status
from protos.merge_baseline.v1 import chain_merge_service_pb2
from service.answers import list_strategies_answer
from service.errors import CallEndedError, CrashedError, OverloadedError, RefusedError, WorkerLostError
from service.options import ServerOptions
from service.rpc.call import CallScope, Context
from service.rpc.document_stream import DocumentStream
from service.rpc.drain import Drain
from service.rpc.strategy_peek import strategy_of_document, strategy_of_stream
from service.rpc.timeouts import Timeouts
from service.strategies import ServedStrategies
from service.telemetry.call_record import Observer
from service.work.backend_pools import PoolPair
from service.work.budget import Budget, Share, Slots
from service.work.ipc import Kind
from service.work.queue import DocumentQueue
from service.work.reception import LEAST_IDLE_SECONDS, MessageReader, Reception, current
from service.work.sessions import StreamSession, Worked
from service.work_counts import WorkCounts

SERVICE: Final = chain_merge_service_pb2.DESCRIPTOR.services_by_name["ChainMergeService"].full_name

_RECEIVE_SECONDS: Final = 120.0
_STREAM_RETRY_SECONDS: Final = 1.0
_LIST_SECONDS: Final = 5.0


class Handlers:
    """``special`` has the worker pools of strategies with a backend, by name; all others run on ``usual``."""

    def __init__(
        self,
        strategies: ServedStrategies,
        usual: PoolPair,
        special: Mapping[str, PoolPair],
        *,
        budget: Budget,
        streams: Slots,
        reception: Reception,
        observer: Observer,
        options: ServerOptions,
    ) -> None:
        self._strategy_list = _StrategyList(strategies)
        self._usual = usual
        self._special = special
        self._queues = {id(pair): pair.documents for pair in (usual, *special.values())}.values()
        self._budget = budget
        self._streams = streams
        self._reception = reception
        self._observer = observer
        self._max_message_bytes = options.max_message_bytes
        self._timeouts = Timeouts(options.max_call_seconds, options.idle_stream_seconds)
        self._open: set[DocumentStream] = set()
        self._drain = Drain(options.max_connection_age_seconds)
        self._receiving: set[MessageReader] = set()

    def for_grpc(self) -> grpc.GenericRpcHandler:
        """The handler to add to a server."""
        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            # Declared as streams, which are the same on the wire. So a document is received only once there is room for
            # it, and answers are on their way before their calls end.
            "MergeDocument": grpc.stream_stream_rpc_method_handler(self._merge_document),
            "MergeStream": grpc.stream_stream_rpc_method_handler(self._merge_stream),
            "MergeDocuments": grpc.stream_stream_rpc_method_handler(self._merge_documents),
            "ListStrategies": grpc.unary_stream_rpc_method_handler(self._list_strategies),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _list_strategies(self, request: bytes, context: Context) -> AsyncIterator[bytes]:
        scope = self._scope("ListStrategies", context)
        async with scope.statuses():
            scope.record.received_bytes = len(request)
            answer = await self._strategy_list.answer(request)
            scope.record.sent_bytes = len(answer)
            yield answer

    async def _merge_document(self, requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        scope = self._scope("MergeDocument", context)
        async with scope.statuses():
            request = await self._receive(requests, scope.seconds_left())
            scope.record.received_bytes = len(request)
            if not self._budget.fits(len(request)):
                raise self._no_room()
            share = self._share(scope)
            share.hold(len(request))
            queue = self._queue_of(scope, request)
            work = queue.work(request, scope.seconds_left(), scope.record.strategy)
            result, waited = await self._timeouts.work(work)
            share.free()
            (answer,) = _answers(scope, Worked(result, waited))
            share.hold(len(answer))
            yield answer

    async def _receive(self, requests: AsyncIterator[bytes], seconds: float | None) -> bytes:
        if not self._special:
            # Before it is received: a refusal costs nothing then.
            self._usual.documents.check_time(seconds)
        room = sum(max(0, queue.room) for queue in self._queues)
        # A caller that has sent nothing for a while does not keep a place in the queue.
        recent = time.monotonic() - LEAST_IDLE_SECONDS
        coming = sum(each.since > recent for each in self._receiving)
        if coming >= room or self._budget.is_full:
            raise self._no_room()
        reader = current.get()
        reader.first_seconds = _RECEIVE_SECONDS
        self._receiving.add(reader)
        try:
            return await anext(requests)
        except StopAsyncIteration:
            raise request_error([Violation("request", "missing; expected one")]) from None
        finally:
            self._receiving.discard(reader)

    def _no_room(self) -> OverloadedError:
        return min((queue.refuse() for queue in self._queues), key=lambda error: error.retry_seconds)

    def _scope(self, method: str, context: Context) -> CallScope:
        return CallScope(method, context, self._observer, self._drain)

    def _share(self, scope: CallScope) -> Share:
        share = Share(self._budget)
        scope.ends.callback(share.free)
        return share

    async def _open_stream(self, scope: CallScope) -> MessageReader:
        """Count an open stream and return its reader. Raises OverloadedError if too many streams are open."""
        streams = self._streams
        if not await self._reception.make_room(lambda: streams.is_full, streams.limit, streams=True):
            raise OverloadedError(f"{streams.open} streams are open, which is the limit", _STREAM_RETRY_SECONDS)
        streams.take()
        scope.ends.callback(streams.free)
        reader = current.get()
        reader.is_stream = reader.is_held_later = True
        reader.first_seconds, reader.next_seconds = _RECEIVE_SECONDS, None
        scope.ends.callback(reader.taken)
        return reader

    async def _merge_stream(self, requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        scope = self._scope("MergeStream", context)
        async with scope.statuses():
            reader = await self._open_stream(scope)
            share = self._share(scope)
            give_up = partial(scope.give_up, share)
            session: StreamSession | None = None
            while (request := await self._timeouts.message(requests)) is not None:
                scope.record.received_bytes += len(request)
                await share.hold_in_turn(len(request))
                reader.taken()
                if session is None:
                    session = self._open_session(scope, strategy_of_stream(request))
                latest = _LatestProgress()
                taken = session.take(request, scope.seconds_left(), latest.set)
                work = scope.work = asyncio.ensure_future(self._timeouts.work(taken))
                work.add_done_callback(latest.end)
                while (progress := await latest.next()) is not None:
                    with self._timeouts.sending(give_up):
                        yield progress
                worked = await work
                share.free()
                for answer in _hold_answers(share, _answers(scope, worked)):
                    with self._timeouts.sending(give_up):
                        yield answer
            if session is None:
                session = self._open_session(scope, "")
            worked = await self._timeouts.work(session.finish(scope.seconds_left()))
            for answer in _hold_answers(share, _answers(scope, worked)):
                with self._timeouts.sending(give_up):
                    yield answer

    async def _merge_documents(self, requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        scope = self._scope("MergeDocuments", context)
        async with scope.statuses():
            reader = await self._open_stream(scope)
            share = self._share(scope)
            give_up = partial(scope.give_up, share)
            stream = DocumentStream(
                scope,
                share,
                lambda request: self._queue_of(scope, request),
                _answers,
                # Enough that every worker has its next document at hand.
                most=2 * max(1, self._usual.documents.pool.slots),
                max_message_bytes=self._max_message_bytes,
                timeouts=self._timeouts,
                taken=reader.taken,
            )
            reader.busy = stream.is_busy
            self._open.add(stream)
            scope.ends.callback(self._open.discard, stream)
            async for answer in stream.answers(requests):
                with self._timeouts.sending(give_up):
                    yield answer

    def _queue_of(self, scope: CallScope, request: bytes) -> DocumentQueue:
        strategy = strategy_of_document(request)
        scope.record.strategy = _label(strategy)
        return self._special.get(strategy, self._usual).documents

    def stop(self) -> None:
        """Start the drain.

        MergeDocuments streams end once their documents in progress are answered; without this they would go on until
        the grace time is over. Every call ends only after its answers have arrived.
        """
        self._drain.start()
        for stream in self._open:
            stream.stop()

    def _open_session(self, scope: CallScope, strategy: str) -> StreamSession:
        scope.record.strategy = _label(strategy)
        session = self._special.get(strategy, self._usual).streams.open()
        scope.ends.callback(session.close)
        return session


class _LatestProgress:
    """The latest progress of work. Older progress is dropped if the caller is slow to read."""

    def __init__(self) -> None:
        self._newest: bytes | None = None
        self._ended = False
        self._changed = asyncio.Event()

    def set(self, progress: bytes) -> None:
        self._newest = progress
        self._changed.set()

    def end(self, work: asyncio.Future[Worked]) -> None:
        self._ended = True
        self._changed.set()
        if not work.cancelled():
            # If the call is over, no handler retrieves the exception, and asyncio would log a warning.
            work.exception()

    async def next(self) -> bytes | None:
        """The latest progress; ``None`` once the work has ended."""
        while self._newest is None and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        newest, self._newest = self._newest, None
        return newest


class _StrategyList:
    """The answer to ListStrategies, cached for some seconds because looking for Java and models takes time."""

    def __init__(self, strategies: ServedStrategies) -> None:
        self._strategies = strategies
        self._until = 0.0
        self._answer: asyncio.Future[bytes] | None = None

    async def answer(self, request: bytes) -> bytes:
        if request:
            # Fields of later versions, or damage: not cached.
            return await asyncio.to_thread(list_strategies_answer, self._strategies, request)
        if self._answer is None or (self._answer.done() and time.monotonic() > self._until):
            self._answer = asyncio.ensure_future(asyncio.to_thread(list_strategies_answer, self._strategies, b""))
            self._until = time.monotonic() + _LIST_SECONDS
        return await asyncio.shield(self._answer)


def _hold_answers(share: Share, answers: Iterable[bytes]) -> Iterator[bytes]:
    """The answers. The budget holds all of them, each until the next one is requested."""
    waiting = deque(answers)
    share.hold(sum(map(len, waiting)))
    while waiting:
        answer = waiting.popleft()
        yield answer
        share.free(len(answer))


def _answers(scope: CallScope, worked: Worked) -> tuple[bytes, ...]:
    """The answers in a result, which is added to the call's record. Raises the error if the result is one."""
    record, result = scope.record, worked.result
    record.queue_seconds += worked.waited
    record.work_seconds += result.seconds
    match result.kind:
        case Kind.DONE:
            record.sent_bytes += sum(map(len, result.answers))
            scope.count(WorkCounts.unpack(result.body))
            return result.answers
        case Kind.REFUSED:
            raise RefusedError(parse_status(result.body))
        case Kind.CRASHED:
            kind, _, place = result.body.decode().partition("\n")
            raise CrashedError(kind, place)
        case Kind.ENDED:
            raise CallEndedError
        case _:
            raise WorkerLostError("the process that worked on the request died")


def _label(strategy: str) -> str:
    return strategy if strategy in STRATEGIES else "other"
