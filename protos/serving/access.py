"""Who may call, and how much: bearer tokens and the limits of each caller, before a request is read.

A caller is the name of a token; without tokens it is the address that the call comes from. Health checks are open to
all, since load balancers and orchestrators have no token; an address can have some of them running, which keeps it from
taking up all the calls that the server can have.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, cast

import grpc
import grpc.aio
from grpc_status import rpc_status

from protos.merge_baseline.v1 import chain_merge_service_pb2
from protos.serving.callers import CallerLimits, Callers, address_of
from protos.serving.calls import reason_of
from protos.serving.identity import REQUEST_ID, identity_of
from protos.serving.observer import CallRecord, Observer
from protos.serving.tokens import Tokens
from protos.status import caller_limit_status, unauthenticated_status

if TYPE_CHECKING:
    from google.rpc import status_pb2

    _Handler = grpc.RpcMethodHandler[Any, Any]
    _Context = grpc.aio.ServicerContext[Any, Any]

MAX_HEALTH_CALLS: Final = 32
"""How many health checks and watches of one address may run at a time."""

_HEALTH: Final = "/grpc.health.v1.Health/"
_OURS: Final = f"/{chain_merge_service_pb2.DESCRIPTOR.services_by_name['ChainMergeService'].full_name}/"
_LOG_SECONDS: Final = 10.0
_RECEIVE_SECONDS: Final = 30.0

_log = logging.getLogger("merge_baseline.server")

_paced: ContextVar[Callable[[], float]] = ContextVar("paced", default=lambda: 0.0)


async def in_turn() -> None:
    """Wait until the caller of this call may ask for another document: for calls that bring many."""
    seconds = _paced.get()()
    if seconds > 0:
        await asyncio.sleep(seconds)


class Access(grpc.aio.ServerInterceptor):
    """Refuses calls without a token (UNAUTHENTICATED) and callers that call too much (RESOURCE_EXHAUSTED).

    The first of a server's interceptors. ``tokens`` is ``None`` where everybody may call. What it refuses, no handler
    sees, so it tells ``observer`` of that.
    """

    def __init__(self, tokens: Tokens | None, callers: Callers, observer: Observer) -> None:
        self._tokens = tokens
        self._callers = callers
        self._health_callers = Callers(CallerLimits(concurrency=MAX_HEALTH_CALLS))
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
            return self._limited(handler, method, None, self._health_callers)
        name: str | None = None
        if self._tokens is not None:
            metadata = handler_call_details.invocation_metadata or ()
            name = self._tokens.name_of([value for key, value in metadata if key == "authorization"])
            if name is None:
                return self._unauthenticated(method)
        return self._limited(handler, method, name, self._callers)

    def _limited(self, handler: _Handler, method: str, name: str | None, callers: Callers) -> _Handler:
        # A unary request is read here, once the call is let in: gRPC would take it in first, and a caller with many
        # calls would fill the memory with requests that are refused afterwards.
        async def answer(requests: AsyncIterator[Any], context: _Context) -> object:
            await self._let_in(method, name, callers, context)
            return await cast("Any", handler.unary_unary)(await _only(requests, context), context)

        async def answers(requests: AsyncIterator[Any], context: _Context) -> None:
            await self._let_in(method, name, callers, context)
            if handler.request_streaming:
                stream = cast("Any", handler.stream_stream)(requests, context)
            else:
                stream = cast("Any", handler.unary_stream)(await _only(requests, context), context)
            # gRPC leaves the stream of a call that is cancelled to the interpreter, which closes it some time and in
            # another task, where what traces put in the task's context can't be taken out.
            async with aclosing(stream):
                async for each in stream:
                    await _write(each, context)

        if handler.response_streaming:
            return _streaming(answers, handler)
        return grpc.stream_unary_rpc_method_handler(
            cast("Any", answer), handler.request_deserializer, handler.response_serializer
        )

    async def _let_in(self, method: str, name: str | None, callers: Callers, context: _Context) -> None:
        caller = name or address_of(context.peer())
        refusal = callers.begin(caller)
        if refusal is not None:
            await self._refuse(method, caller_limit_status(refusal.reason, refusal.retry_seconds), context)
        # Not when the handler ends: the call's status is not sent by then.
        # The stubs want what no function is: a callable with their own name for it.
        context.add_done_callback(cast("Any", lambda _: callers.end(caller)))
        _paced.set(lambda: callers.seconds_to_next(caller))

    def _unauthenticated(self, method: str) -> _Handler:
        async def refuse(_: AsyncIterator[Any], context: _Context) -> None:
            self._log_refused(context.peer())
            await self._refuse(method, unauthenticated_status(), context)

        return _streaming(refuse)

    def _log_refused(self, peer: str) -> None:
        self._refused += 1
        now = time.monotonic()
        if now >= self._next_log:
            _log.warning("calls without a valid token: %d, the last one from %s", self._refused, peer)
            self._refused = 0
            self._next_log = now + _LOG_SECONDS

    async def _refuse(self, method: str, status: status_pb2.Status, context: _Context) -> None:
        details = rpc_status.to_status(status)
        identity = identity_of(context.invocation_metadata())
        if method.startswith(_OURS):
            record = CallRecord(method.removeprefix(_OURS), request_id=identity.request_id, trace_id=identity.trace_id)
            self._observer.begun(record)
            record.code, record.reason = details.code.name, reason_of(status)
            self._observer.ended(record)
        metadata = (*details.trailing_metadata, (REQUEST_ID, identity.request_id))
        await context.abort(details.code, details.details, metadata)


def _streaming(function: Callable[..., Awaitable[None]], like: _Handler | None = None) -> _Handler:
    # In this shape a handler is called before any message of the request is read, whatever the method's own shape.
    return grpc.stream_stream_rpc_method_handler(
        cast("Any", function),
        None if like is None else like.request_deserializer,
        None if like is None else like.response_serializer,
    )


async def _write(answer: object, context: _Context) -> None:
    try:
        await context.write(answer)
    except grpc.aio.InternalError:
        # The caller has gone, of which the call may hear later. gRPC would log it as an error of the server's.
        raise asyncio.CancelledError from None


async def _only(requests: AsyncIterator[Any], context: _Context) -> object:
    try:
        async with asyncio.timeout(_RECEIVE_SECONDS):
            return cast("object", await anext(requests))
    except StopAsyncIteration:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "no request; expected one")
    except TimeoutError:
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, f"no request within {_RECEIVE_SECONDS:g} s")
