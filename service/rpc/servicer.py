"""The methods of the service. Messages come and go as bytes: workers decode and encode them."""

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
from service.rpc.drain import Farewell
from service.rpc.strategy_peek import strategy_of_document, strategy_of_stream
from service.rpc.timeouts import Patience
from service.strategies import ServedStrategies
from service.telemetry.call_record import Observer
from service.work.backend_pools import Place
from service.work.budget import Budget, Share, Slots
from service.work.ipc import Kind
from service.work.queue import DocumentQueue
from service.work.reception import LEAST_IDLE_SECONDS, Reading, Reception, current
from service.work.sessions import StreamSession, Worked
from service.work_counts import Tally

SERVICE: Final = chain_merge_service_pb2.DESCRIPTOR.services_by_name["ChainMergeService"].full_name

_RECEIVE_SECONDS: Final = 120.0
_STREAM_RETRY_SECONDS: Final = 1.0
_LIST_SECONDS: Final = 5.0


class Handlers:
    """``usual`` is where strategies are worked on, but for those in ``special``, by name."""

    def __init__(
        self,
        strategies: ServedStrategies,
        usual: Place,
        special: Mapping[str, Place],
        *,
        budget: Budget,
        streams: Slots,
        reception: Reception,
        observer: Observer,
        options: ServerOptions,
    ) -> None:
        self._listed = _Listed(strategies)
        self._usual = usual
        self._special = special
        self._queues = {id(place): place.documents for place in (usual, *special.values())}.values()
        self._budget = budget
        self._streams = streams
        self._reception = reception
        self._observer = observer
        self._max_message_bytes = options.max_message_bytes
        self._patience = Patience(options.max_call_seconds, options.idle_stream_seconds)
        self._open: set[DocumentStream] = set()
        self._farewell = Farewell(options.max_connection_age_seconds)
        self._receiving: set[Reading] = set()

    def for_grpc(self) -> grpc.GenericRpcHandler:
        """To add to a server."""
        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            # Declared as streams, which is the same on the wire: a document is then not received before it is known
            # whether there is room for it, and answers are on their way before their calls end.
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
            answer = await self._listed.answer(request)
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
            result, waited = await self._patience.work(work)
            share.free()
            (answer,) = _answers(scope, Worked(result, waited))
            share.hold(len(answer))
            yield answer

    async def _receive(self, requests: AsyncIterator[bytes], seconds: float | None) -> bytes:
        if not self._special:
            # Before it is received: what is refused then has cost nothing.
            self._usual.documents.check_time(seconds)
        room = sum(max(0, queue.room) for queue in self._queues)
        # Those who have sent nothing for a while keep no place in the queue.
        recent = time.monotonic() - LEAST_IDLE_SECONDS
        coming = sum(each.since > recent for each in self._receiving)
        if coming >= room or self._budget.is_full:
            raise self._no_room()
        reading = current.get()
        reading.first_seconds = _RECEIVE_SECONDS
        self._receiving.add(reading)
        try:
            return await anext(requests)
        except StopAsyncIteration:
            raise request_error([Violation("request", "missing; expected one")]) from None
        finally:
            self._receiving.discard(reading)

    def _no_room(self) -> OverloadedError:
        return min((queue.refuse() for queue in self._queues), key=lambda error: error.retry_seconds)

    def _scope(self, method: str, context: Context) -> CallScope:
        return CallScope(method, context, self._observer, self._farewell)

    def _share(self, scope: CallScope) -> Share:
        share = Share(self._budget)
        scope.ends.callback(share.free)
        return share

    async def _open_stream(self, scope: CallScope) -> Reading:
        """Count an open stream; its reading. Raises OverloadedError if there are too many."""
        streams = self._streams
        if not await self._reception.make_room(lambda: streams.is_full, streams.limit, streams=True):
            raise OverloadedError(f"{streams.open} streams are open, as many as may be", _STREAM_RETRY_SECONDS)
        streams.take()
        scope.ends.callback(streams.free)
        reading = current.get()
        reading.is_stream = reading.is_held_later = True
        reading.first_seconds, reading.next_seconds = _RECEIVE_SECONDS, None
        scope.ends.callback(reading.taken)
        return reading

    async def _merge_stream(self, requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        scope = self._scope("MergeStream", context)
        async with scope.statuses():
            reading = await self._open_stream(scope)
            share = self._share(scope)
            give_up = partial(scope.give_up, share)
            session: StreamSession | None = None
            while (request := await self._patience.message(requests)) is not None:
                scope.record.received_bytes += len(request)
                await share.hold_in_turn(len(request))
                reading.taken()
                if session is None:
                    session = self._opened(scope, strategy_of_stream(request))
                news = _News()
                taken = session.take(request, scope.seconds_left(), news.tell)
                work = scope.work = asyncio.ensure_future(self._patience.work(taken))
                work.add_done_callback(news.end)
                while (progress := await news.next()) is not None:
                    with self._patience.sending(give_up):
                        yield progress
                worked = await work
                share.free()
                for answer in _held(share, _answers(scope, worked)):
                    with self._patience.sending(give_up):
                        yield answer
            if session is None:
                session = self._opened(scope, "")
            worked = await self._patience.work(session.finish(scope.seconds_left()))
            for answer in _held(share, _answers(scope, worked)):
                with self._patience.sending(give_up):
                    yield answer

    async def _merge_documents(self, requests: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        scope = self._scope("MergeDocuments", context)
        async with scope.statuses():
            reading = await self._open_stream(scope)
            share = self._share(scope)
            give_up = partial(scope.give_up, share)
            stream = DocumentStream(
                scope,
                share,
                lambda request: self._queue_of(scope, request),
                _answers,
                # Enough that all workers have the next one at hand.
                most=2 * max(1, self._usual.documents.crew.slots),
                max_message_bytes=self._max_message_bytes,
                patience=self._patience,
                taken=reading.taken,
            )
            reading.busy = stream.is_busy
            self._open.add(stream)
            scope.ends.callback(self._open.discard, stream)
            async for answer in stream.answers(requests):
                with self._patience.sending(give_up):
                    yield answer

    def _queue_of(self, scope: CallScope, request: bytes) -> DocumentQueue:
        strategy = strategy_of_document(request)
        scope.record.strategy = _label(strategy)
        return self._special.get(strategy, self._usual).documents

    def stop(self) -> None:
        """Let streams of documents end when what they have in work is answered: they would go on as long as may be.

        Calls end in such a way that what they are answered arrives.
        """
        self._farewell.begin()
        for stream in self._open:
            stream.stop()

    def _opened(self, scope: CallScope, strategy: str) -> StreamSession:
        scope.record.strategy = _label(strategy)
        session = self._special.get(strategy, self._usual).streams.open()
        scope.ends.callback(session.close)
        return session


class _News:
    """How far work is. Only the newest is kept for a caller who is slow to read."""

    def __init__(self) -> None:
        self._newest: bytes | None = None
        self._ended = False
        self._changed = asyncio.Event()

    def tell(self, progress: bytes) -> None:
        self._newest = progress
        self._changed.set()

    def end(self, work: asyncio.Future[Worked]) -> None:
        self._ended = True
        self._changed.set()
        if not work.cancelled():
            # The handler sees it too, unless the call is over: then nobody does, and asyncio would complain.
            work.exception()

    async def next(self) -> bytes | None:
        """The newest; ``None`` once the work has ended."""
        while self._newest is None and not self._ended:
            self._changed.clear()
            await self._changed.wait()
        newest, self._newest = self._newest, None
        return newest


class _Listed:
    """The answer to ListStrategies, kept for some seconds: to look for Java and models takes time."""

    def __init__(self, strategies: ServedStrategies) -> None:
        self._strategies = strategies
        self._until = 0.0
        self._answer: asyncio.Future[bytes] | None = None

    async def answer(self, request: bytes) -> bytes:
        if request:
            # Fields of later versions, or damage: an answer of its own.
            return await asyncio.to_thread(list_strategies_answer, self._strategies, request)
        if self._answer is None or (self._answer.done() and time.monotonic() > self._until):
            self._answer = asyncio.ensure_future(asyncio.to_thread(list_strategies_answer, self._strategies, b""))
            self._until = time.monotonic() + _LIST_SECONDS
        return await asyncio.shield(self._answer)


def _held(share: Share, answers: Iterable[bytes]) -> Iterator[bytes]:
    """The answers, all held in the budget, each until the next is wanted."""
    waiting = deque(answers)
    share.hold(sum(map(len, waiting)))
    while waiting:
        answer = waiting.popleft()
        yield answer
        share.free(len(answer))


def _answers(scope: CallScope, worked: Worked) -> tuple[bytes, ...]:
    """The answers in a result, put down in the call's record. Raises what else the result says."""
    record, result = scope.record, worked.result
    record.queue_seconds += worked.waited
    record.work_seconds += result.seconds
    match result.kind:
        case Kind.DONE:
            record.sent_bytes += sum(map(len, result.answers))
            scope.count(Tally.unpack(result.body))
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
