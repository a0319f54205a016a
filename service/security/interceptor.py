"""Who may call, and how much: bearer tokens, the limits of each caller and of all, before a request is read.

A caller is the name of a token; without tokens it is the address that the call comes from. Health checks are open to
all, since load balancers and orchestrators have no token. They have slots of their own, of which an address can have
some, so that neither they nor other calls refuse the other ones.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import grpc
import grpc.aio

from protos.convert.errors import InvalidRequestError, Violation, request_error
from protos.convert.status import unauthenticated_status
from protos.merge_baseline.v1 import chain_merge_service_pb2
from service.call_status import end_with, status_for
from service.errors import CallerLimitError, OverloadedError, TimeLimitError
from service.options import CallerLimits
from service.security.rate_limit import Callers, address_of
from service.security.tokens import Tokens
from service.telemetry.call_record import CallRecord, Observer
from service.telemetry.request_id import identity_of
from service.work.budget import Slots
from service.work.reception import Reading, Reception, current

if TYPE_CHECKING:
    from google.rpc import status_pb2

    _Handler = grpc.RpcMethodHandler[Any, Any]
    _Context = grpc.aio.ServicerContext[Any, Any]

MAX_HEALTH_CALLS: Final = 32
"""How many health checks and watches of one address may run at a time."""

HEALTH_SLOTS: Final = 256
"""How many of all addresses may run at a time."""

_HEALTH: Final = "/grpc.health.v1.Health/"
_OURS: Final = f"/{chain_merge_service_pb2.DESCRIPTOR.services_by_name['ChainMergeService'].full_name}/"
_LOG_SECONDS: Final = 10.0
_RETRY_SECONDS: Final = 1.0

_log = logging.getLogger("merge_baseline.server")

_paced: ContextVar[Callable[[], float]] = ContextVar("paced", default=lambda: 0.0)


async def in_turn() -> None:
    """Wait until the caller of this call may ask for another document: for calls that bring many."""
    seconds = _paced.get()()
    if seconds > 0:
        await asyncio.sleep(seconds)


class Access(grpc.aio.ServerInterceptor):
    """Refuses calls without a token (UNAUTHENTICATED), and those that are too many (RESOURCE_EXHAUSTED).

    The first of a server's interceptors. ``tokens`` is ``None`` where everybody may call. ``calls`` of all callers may
    run at a time, health checks aside. What it refuses, no handler sees, so it tells ``observer`` of that.
    """

    def __init__(
        self, tokens: Tokens | None, callers: Callers, observer: Observer, *, reception: Reception, calls: int
    ) -> None:
        self._tokens = tokens
        self._reception = reception
        self._usual = _Door(callers, Slots(calls))
        self._health = _Door(Callers(CallerLimits(concurrency=MAX_HEALTH_CALLS)), Slots(HEALTH_SLOTS))
        self._observer = observer
        self._refused = 0
        self._next_log = 0.0

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[_Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> _Handler | None:
        """Wrap the method's handler. What it returns reads nothing of a request before the call is let in."""
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None:
            return None
        if method.startswith(_HEALTH):
            return self._limited(handler, method, None, self._health)
        name: str | None = None
        if self._tokens is not None:
            metadata = handler_call_details.invocation_metadata or ()
            name = self._tokens.name_of([value for key, value in metadata if key == "authorization"])
            if name is None:
                return self._unauthenticated(method)
        return self._limited(handler, method, name, self._usual)

    def _limited(self, handler: _Handler, method: str, name: str | None, door: _Door) -> _Handler:
        # A unary request is read here, once the call is let in: gRPC would take it in first, and a caller with many
        # calls would fill the memory with requests that are refused afterwards.
        async def answers(_: AsyncIterator[Any], context: _Context) -> None:
            reading = Reading(self._reception, context, name or address_of(context.peer()))
            try:
                await self._let_in(door, reading, context)
            except (CallerLimitError, OverloadedError) as error:
                self._refuse(method, status_for(error, method), context)
                return
            try:
                await _answer(handler, reading, context)
            except (CallerLimitError, OverloadedError, TimeLimitError, InvalidRequestError) as error:
                # Of methods that have no statuses of their own.
                end_with(status_for(error, method), context, identity_of(context.invocation_metadata()).request_id)

        return _streaming(answers, handler)

    async def _let_in(self, door: _Door, reading: Reading, context: _Context) -> None:
        callers, slots, caller = door.callers, door.slots, reading.caller
        refusal = callers.begin(caller)
        if refusal is not None:
            raise CallerLimitError(refusal.reason, refusal.retry_seconds)
        # Not when the handler ends: the call's status is not sent by then.
        # The stubs want what no function is: a callable with their own name for it.
        context.add_done_callback(cast("Any", lambda _: callers.end(caller)))
        if slots.is_full and not await self._reception.make_room(lambda: slots.is_full, slots.limit):
            raise OverloadedError(f"{slots.open} calls are running, as many as may", _RETRY_SECONDS)
        slots.take()

        def leave(_: object) -> None:
            slots.free()
            reading.over.set()

        context.add_done_callback(cast("Any", leave))
        current.set(reading)
        _paced.set(lambda: callers.seconds_to_next(caller))

    def _unauthenticated(self, method: str) -> _Handler:
        async def refuse(_: AsyncIterator[Any], context: _Context) -> None:
            self._log_refused(context.peer())
            self._refuse(method, unauthenticated_status(), context)

        return _streaming(refuse)

    def _log_refused(self, peer: str) -> None:
        self._refused += 1
        now = time.monotonic()
        if now >= self._next_log:
            _log.warning("calls without a valid token: %d, the last one from %s", self._refused, peer)
            self._refused = 0
            self._next_log = now + _LOG_SECONDS

    def _refuse(self, method: str, status: status_pb2.Status, context: _Context) -> None:
        identity = identity_of(context.invocation_metadata())
        code, reason = end_with(status, context, identity.request_id)
        if method.startswith(_OURS):
            record = CallRecord(method.removeprefix(_OURS), request_id=identity.request_id, trace_id=identity.trace_id)
            self._observer.begun(record)
            record.code, record.reason = code, reason
            self._observer.ended(record)


class _Door(NamedTuple):
    """What is counted of calls of a kind: by caller, and all together."""

    callers: Callers
    slots: Slots


def _streaming(function: Callable[..., Awaitable[None]], like: _Handler | None = None) -> _Handler:
    # In this shape a handler is called before any message of the request is read, and answers are on their way before
    # it ends, whatever the method's own shape.
    return grpc.stream_stream_rpc_method_handler(
        cast("Any", function),
        None if like is None else like.request_deserializer,
        None if like is None else like.response_serializer,
    )


async def _answer(handler: Any, reading: Reading, context: _Context) -> None:  # noqa: ANN401  # one of four shapes
    requests = reading if handler.request_streaming else await _only(reading)
    if not handler.response_streaming:
        call = handler.stream_unary if handler.request_streaming else handler.unary_unary
        answer = await call(requests, context)
        if context.code() in {None, grpc.StatusCode.OK}:
            await _write(answer, context)
        return
    stream = (handler.stream_stream if handler.request_streaming else handler.unary_stream)(requests, context)
    # gRPC leaves the stream of a call that is cancelled to the interpreter, which closes it some time and in another
    # task, where what traces put in the task's context can't be taken out.
    async with aclosing(stream):
        async for each in stream:
            await _write(each, context)


async def _write(answer: object, context: _Context) -> None:
    try:
        await context.write(answer)
    except grpc.aio.InternalError:
        # The caller has gone, of which the call may hear later. gRPC would log it as an error of the server's.
        raise asyncio.CancelledError from None


async def _only(reading: Reading) -> object:
    request = await anext(reading, None)
    if request is None:
        raise request_error([Violation("request", "missing; expected one")])
    return request
