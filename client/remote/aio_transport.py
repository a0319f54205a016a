"""How the asyncio client waits: its channel, streams and the documents that it reads. Importing it imports grpc.

:mod:`client.remote.sync_transport` has the same for threads. All else is in ``aio.py`` and ``aio_connection.py``, from
which the other client is generated.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Generic, ParamSpec, Self, TypeVar

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2

from client.remote.channel import CLOSE_SECONDS, HEALTH_METHOD, channel_options, credentials, metadata
from client.remote.document_window import DocumentWindow
from client.remote.error_mapping import ended_early
from client.remote.errors import CancelledError
from client.remote.target import Target
from merger.document import Document
from merger.errors import MergeBaselineError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub

if TYPE_CHECKING:
    from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceAsyncStub

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Request = TypeVar("_Request")
_Response = TypeVar("_Response")

AsyncAttempt = Callable[[float | None], Awaitable[_T]]
"""One attempt of a call, which takes the seconds that are left."""
AsyncDocuments = AsyncIterable[Document] | Iterable[Document]
AsyncUnaryMethod = grpc.aio.UnaryUnaryMultiCallable


class AsyncChannel:
    """A gRPC channel to a server. It belongs to the event loop that runs when it is first used."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._metadata = grpc.aio.Metadata(*metadata(target))
        self._closed = asyncio.Event()

    @cached_property
    def _channel(self) -> grpc.aio.Channel:
        target, options = self._target, channel_options(self._target)
        if target.tls is None:
            return grpc.aio.insecure_channel(target.address, options)
        return grpc.aio.secure_channel(target.address, credentials(target.tls), options)

    @cached_property
    def stub(self) -> ChainMergeServiceAsyncStub:
        """The methods of the service."""
        return ChainMergeServiceStub(self._channel)

    @cached_property
    def check_health(self) -> AsyncUnaryMethod[health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse]:
        """The health check. The type stubs of grpc lack the methods of the health service's own stub."""
        return self._channel.unary_unary(
            HEALTH_METHOD,
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` was called."""
        return self._closed.is_set()

    async def close(self) -> None:
        """Cancel running calls and :meth:`sleep`, and disconnect."""
        self._closed.set()
        await self._channel.close()

    async def sleep(self, seconds: float) -> None:
        """Wait for this time, or until the channel is closed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._closed.wait()

    async def in_thread(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Call a function that blocks."""
        return await asyncio.to_thread(function, *args, **kwargs)

    async def answer(
        self,
        method: AsyncUnaryMethod[_Request, _Response],
        request: _Request,
        seconds: float | None,
        *,
        wait_for_ready: bool | None = None,
    ) -> _Response:
        """Make a call with one answer. Raises ``grpc.RpcError``, and ``CancelledError`` when the channel is closed."""
        try:
            return await method(request, timeout=seconds, metadata=self._metadata, wait_for_ready=wait_for_ready)
        except asyncio.CancelledError:
            # When a channel is closed, grpc cancels the tasks that wait for its calls; asyncio's error would make them
            # look cancelled by their owner.
            task = asyncio.current_task()
            if self.closed and (task is None or not task.cancelling()):
                raise _cancelled(self._target.address) from None
            raise

    def stream(
        self,
        method: grpc.aio.StreamStreamMultiCallable[_Request, _Response],
        seconds: float | None,
        explain: Callable[[grpc.RpcError], MergeBaselineError],
    ) -> AsyncStreamCall[_Request, _Response]:
        """Start a call with messages both ways; ``explain`` makes the exception to raise when it fails."""
        call = method(timeout=seconds, metadata=self._metadata)
        return AsyncStreamCall(call, explain, self._target.address)


class AsyncStreamCall(Generic[_Request, _Response]):
    """One running call with messages both ways."""

    def __init__(
        self,
        call: grpc.aio.StreamStreamCall[_Request, _Response],
        explain: Callable[[grpc.RpcError], MergeBaselineError],
        address: str,
    ) -> None:
        self._call = call
        self._explain = explain
        self._address = address
        self._answers: asyncio.Queue[_Response | MergeBaselineError] = asyncio.Queue()
        # A task that is cancelled while it reads from a call cancels the call. So only this task reads.
        self._reader = asyncio.create_task(self._take_answers())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            # So that the server does not count the call as cancelled.
            await self.half_close()
            await asyncio.wait({self._reader}, timeout=CLOSE_SECONDS)
        self.cancel()

    async def send(self, request: _Request) -> None:
        """Send, as soon as the server reads. If the call failed, :meth:`receive` raises the error."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await self._call.write(request)

    async def half_close(self) -> None:
        """Tell the server that there are no more requests."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await self._call.done_writing()

    async def receive(self, seconds: float | None = None) -> _Response | None:
        """Wait for the next answer; ``None`` if none came in time. Raises the error that the call failed with."""
        try:
            async with asyncio.timeout(seconds):
                answer = await self._answers.get()
        except TimeoutError:
            return None
        if isinstance(answer, MergeBaselineError):
            # It is the last one, so that every later call raises it too.
            self._answers.put_nowait(answer)
            raise answer
        return answer

    def cancel(self) -> None:
        """Cancel the call, if it still runs."""
        self._call.cancel()

    async def _take_answers(self) -> None:
        try:
            async for answer in self._call:
                await self._answers.put(answer)
            self._answers.put_nowait(ended_early(self._address))
        except grpc.RpcError as error:
            self._answers.put_nowait(self._explain(error))
        except asyncio.CancelledError:
            self._answers.put_nowait(_cancelled(self._address))


class AsyncDocumentSource:
    """Reads documents and their keys in a task of its own, which goes on while the client waits for answers."""

    def __init__(self, documents: AsyncDocuments, key_of: Callable[[Document], Document | None] | None) -> None:
        self._documents = aiter(documents if isinstance(documents, AsyncIterable) else _as_async(documents))
        self._key_of = key_of
        self._next: asyncio.Task[tuple[Document, Document | None]] | None = None

    @property
    def next(self) -> asyncio.Task[tuple[Document, Document | None]]:
        """The task that reads the next document."""
        if self._next is None:
            self._next = asyncio.create_task(self._read())
        return self._next

    def give(self, window: DocumentWindow) -> None:
        """Add the document that the task has read."""
        task, self._next = self.next, None
        error = task.exception()
        if error is None:
            window.add(*task.result())
        else:
            window.end(None if isinstance(error, StopAsyncIteration) else error)

    def close(self) -> None:
        """Read no further."""
        if self._next is not None:
            self._next.cancel()

    async def _read(self) -> tuple[Document, Document | None]:
        document = await anext(self._documents)
        return document, None if self._key_of is None else self._key_of(document)

    async def step(
        self, window: DocumentWindow, call: AsyncStreamCall[v1.MergeDocumentsRequest, v1.MergeDocumentsResponse]
    ) -> None:
        """Send what is due; then wait for an answer or, if there is room for one, the next document."""
        for request in window.requests():
            await call.send(request)
        if not window.has_room and not window.has_pending:
            return
        waits: set[asyncio.Task[object]] = set()
        answer = asyncio.create_task(call.receive(window.wait_seconds()))
        try:
            waits = {answer, self.next} if window.has_room else {answer}
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            if window.has_room and self.next.done():
                self.give(window)
            if answer.done():
                response = answer.result()
                if response is not None:
                    window.take(response)
                window.check_timeout()
        finally:
            answer.cancel()


async def _as_async(documents: Iterable[Document]) -> AsyncIterator[Document]:
    for document in documents:
        yield document


def _cancelled(address: str) -> CancelledError:
    return CancelledError(f"the call to {address} was cancelled", address)
