"""The first interceptor: bearer tokens, limits of each caller, and limits of all callers, before a request is read.

A caller is the name of a token, or without tokens the address of the call. Health checks are open to everybody, since
load balancers and orchestrators have no token. They have slots of their own, with a limit for each address, so that
health checks and other calls never take each other's slots.
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
from service.security.rate_limit import RateLimits, address_of
from service.security.tokens import Tokens
from service.telemetry.call_record import CallRecord, Observer
from service.telemetry.request_id import call_ids_of
from service.work.budget import Slots
from service.work.reception import MessageReader, Reception, current

if TYPE_CHECKING:
    from google.rpc import status_pb2

    _Handler = grpc.RpcMethodHandler[Any, Any]
    _Context = grpc.aio.ServicerContext[Any, Any]

MAX_HEALTH_CALLS: Final = 32
"""How many health checks and watches of one address can run at a time."""

HEALTH_SLOTS: Final = 256
"""How many health checks and watches of all addresses can run at a time."""

_HEALTH: Final = "/grpc.health.v1.Health/"
_OURS: Final = f"/{chain_merge_service_pb2.DESCRIPTOR.services_by_name['ChainMergeService'].full_name}/"
_LOG_SECONDS: Final = 10.0
_RETRY_SECONDS: Final = 1.0

_log = logging.getLogger("merge_baseline.server")

_seconds_to_next: ContextVar[Callable[[], float]] = ContextVar("seconds_to_next", default=lambda: 0.0)


async def wait_for_turn() -> None:
    """Wait until the caller's rate limit allows another document; for calls that bring many documents."""
    seconds = _seconds_to_next.get()()
    if seconds > 0:
        await asyncio.sleep(seconds)


class Access(grpc.aio.ServerInterceptor):
    """Refuses calls without a token (UNAUTHENTICATED), and those that are too many (RESOURCE_EXHAUSTED).

    It must be the first interceptor of a server. ``tokens`` is ``None`` if everybody may call. ``calls`` limits the
    running calls of all callers, without health checks. No handler sees a refused call, so ``observer`` gets it here.
    """

    def __init__(
        self, tokens: Tokens | None, rate_limits: RateLimits, observer: Observer, *, reception: Reception, calls: int
    ) -> None:
        self._tokens = tokens
        self._reception = reception
        self._usual = _CallLimits(rate_limits, Slots(calls))
        self._health = _CallLimits(RateLimits(CallerLimits(concurrency=MAX_HEALTH_CALLS)), Slots(HEALTH_SLOTS))
        self._observer = observer
        self._refused = 0
        self._next_log = 0.0

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[_Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> _Handler | None:
        """Wrap the method's handler. The wrapped handler reads no request before the call is admitted."""
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

    def _limited(self, handler: _Handler, method: str, name: str | None, limits: _CallLimits) -> _Handler:
        # A unary request is read here, after admission. gRPC would read it first, and a caller with many calls would
        # fill the memory with requests that are refused afterwards.
        async def answers(_: AsyncIterator[Any], context: _Context) -> None:
            reader = MessageReader(self._reception, context, name or address_of(context.peer()))
            try:
                await self._let_in(limits, reader, context)
            except (CallerLimitError, OverloadedError) as error:
                self._refuse(method, status_for(error, method), context)
                return
            try:
                await _answer(handler, reader, context)
            except (CallerLimitError, OverloadedError, TimeLimitError, InvalidRequestError) as error:
                # From methods without statuses of their own.
                end_with(status_for(error, method), context, call_ids_of(context.invocation_metadata()).request_id)

        return _streaming(answers, handler)

    async def _let_in(self, limits: _CallLimits, reader: MessageReader, context: _Context) -> None:
        rate_limits, slots, caller = limits.rate_limits, limits.slots, reader.caller
        refusal = rate_limits.start_call(caller)
        if refusal is not None:
            raise CallerLimitError(refusal.reason, refusal.retry_seconds)
        # Not at the end of the handler: the call's status is not sent by then.
        # The stubs expect a type of their own that no function has.
        context.add_done_callback(cast("Any", lambda _: rate_limits.end_call(caller)))
        if slots.is_full and not await self._reception.make_room(lambda: slots.is_full, slots.limit):
            raise OverloadedError(f"{slots.open} calls are running, which is the limit", _RETRY_SECONDS)
        slots.take()

        def leave(_: object) -> None:
            slots.free()
            reader.over.set()

        context.add_done_callback(cast("Any", leave))
        current.set(reader)
        _seconds_to_next.set(lambda: rate_limits.seconds_to_next(caller))

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
        ids = call_ids_of(context.invocation_metadata())
        code, reason = end_with(status, context, ids.request_id)
        if method.startswith(_OURS):
            record = CallRecord(method.removeprefix(_OURS), request_id=ids.request_id, trace_id=ids.trace_id)
            self._observer.started(record)
            record.code, record.reason = code, reason
            self._observer.ended(record)


class _CallLimits(NamedTuple):
    """Limits for one kind of call: by caller, and over all callers."""

    rate_limits: RateLimits
    slots: Slots


def _streaming(function: Callable[..., Awaitable[None]], like: _Handler | None = None) -> _Handler:
    # gRPC calls a handler of this shape before it reads any message, and sends answers before the handler ends. The
    # shapes are the same on the wire.
    return grpc.stream_stream_rpc_method_handler(
        cast("Any", function),
        None if like is None else like.request_deserializer,
        None if like is None else like.response_serializer,
    )


async def _answer(handler: Any, reader: MessageReader, context: _Context) -> None:  # noqa: ANN401  # one of four shapes
    requests = reader if handler.request_streaming else await _only(reader)
    if not handler.response_streaming:
        call = handler.stream_unary if handler.request_streaming else handler.unary_unary
        answer = await call(requests, context)
        if context.code() in {None, grpc.StatusCode.OK}:
            await _write(answer, context)
        return
    stream = (handler.stream_stream if handler.request_streaming else handler.unary_stream)(requests, context)
    # gRPC does not close the generator of a cancelled call. The interpreter would do so later in another task, where
    # tracing cannot reset its context variables.
    async with aclosing(stream):
        async for each in stream:
            await _write(each, context)


async def _write(answer: object, context: _Context) -> None:
    try:
        await context.write(answer)
    except grpc.aio.InternalError:
        # The caller has left, and the cancellation comes later. gRPC would log this as an error of the server.
        raise asyncio.CancelledError from None


async def _only(reader: MessageReader) -> object:
    request = await anext(reader, None)
    if request is None:
        raise request_error([Violation("request", "missing; expected one")])
    return request
