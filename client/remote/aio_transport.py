"""Calls over a gRPC channel of asyncio; as :mod:`client.remote.sync_transport`. Importing it imports grpc."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Generic, Self, TypeVar

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2

from client.remote.channel import (
    GOODBYE_SECONDS,
    HEALTH_METHOD,
    HEALTH_REQUEST,
    REASON_SECONDS,
    SERVING,
    channel_options,
    credentials,
    metadata,
)
from client.remote.error_mapping import ended_early, not_connected, translate
from client.remote.errors import CancelledError, DeadlineError, UnreachableError
from client.remote.target import Target
from merger.errors import MergeBaselineError
from protos.merge_baseline import v1
from protos.merge_baseline.v1.chain_merge_service_pb2_grpc import ChainMergeServiceStub

_Request = TypeVar("_Request")
_Response = TypeVar("_Response")


class AsyncConnection:
    """A channel to one server, of the running event loop. It connects at the first call, and by itself again.

    All methods raise what :func:`~client.remote.error_mapping.translate` makes of errors.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._metadata = grpc.aio.Metadata(*metadata(target))
        self._connected = False
        self._closed = False
        options = channel_options(target)
        self._channel = (
            grpc.aio.insecure_channel(target.address, options)
            if target.tls is None
            else grpc.aio.secure_channel(target.address, credentials(target.tls), options)
        )
        self._stub = ChainMergeServiceStub(self._channel)
        self._check_health: grpc.aio.UnaryUnaryMultiCallable[
            health_pb2.HealthCheckRequest, health_pb2.HealthCheckResponse
        ] = self._channel.unary_unary(
            HEALTH_METHOD,
            request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
            response_deserializer=health_pb2.HealthCheckResponse.FromString,
        )
        self.reached = False
        """Whether there ever was a connection."""

    async def close(self) -> None:
        """Cancel what runs and disconnect."""
        self._closed = True
        await self._channel.close()

    async def merge_document(self, request: v1.MergeDocumentRequest, seconds: float | None) -> v1.MergeDocumentResponse:
        """Merge a document that is sent as a whole."""
        return await self._answer(self._stub.MergeDocument, request, seconds)

    async def list_strategies(self, seconds: float | None) -> v1.ListStrategiesResponse:
        """Ask for the server's strategies."""
        return await self._answer(self._stub.ListStrategies, v1.ListStrategiesRequest(), seconds)

    async def is_serving(self, seconds: float | None) -> bool:
        """What the health check says."""
        return bool((await self._answer(self._check_health, HEALTH_REQUEST, seconds)).status == SERVING)

    async def merge_stream(
        self, seconds: float | None
    ) -> AsyncStreamCall[v1.MergeStreamRequest, v1.MergeStreamResponse]:
        """Begin a stream of parts."""
        await self.connect(seconds)
        call = self._stub.MergeStream(timeout=seconds, metadata=self._metadata)
        return AsyncStreamCall(call, self.explain, self._target.address)

    async def merge_documents(self) -> AsyncStreamCall[v1.MergeDocumentsRequest, v1.MergeDocumentsResponse]:
        """Begin a stream of documents."""
        await self.connect(None)
        call = self._stub.MergeDocuments(metadata=self._metadata)
        return AsyncStreamCall(call, self.explain, self._target.address)

    async def connect(self, seconds: float | None) -> None:
        """See that there is a connection, within ``seconds`` if that is less than the time to connect."""
        if self._closed:
            raise _cancelled(self._target.address)
        if self._connected:
            return
        limit = self._target.connect_timeout if seconds is None else min(self._target.connect_timeout, seconds)
        try:
            with self._told_of_close():
                await self._check_health(HEALTH_REQUEST, timeout=limit, metadata=self._metadata, wait_for_ready=True)
        except grpc.RpcError as error:
            reason = self.explain(error)
            if isinstance(reason, DeadlineError):
                raise await asyncio.to_thread(not_connected, self._target, await self._why_not()) from None
            if isinstance(reason, UnreachableError | CancelledError):
                raise reason from None
            # Whatever else it says of its health, it answers.
        self._connected = self.reached = True

    def explain(self, error: grpc.RpcError) -> MergeBaselineError:
        """What to raise for a failed call."""
        reason = translate(error, self._target.address)
        if isinstance(reason, CancelledError) and not self._closed:
            # Not by us: a server that stops cancels what runs at the end of its grace.
            reason = UnreachableError(f"the server at {self._target.address} gave the call up", self._target.address)
        if isinstance(reason, UnreachableError):
            self._connected = False
        return reason

    async def _why_not(self) -> str:
        try:
            await self._check_health(HEALTH_REQUEST, timeout=REASON_SECONDS, metadata=self._metadata)
        except grpc.RpcError as error:
            return error.details() or ""
        return ""

    async def _answer(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[_Request, _Response],
        request: _Request,
        seconds: float | None,
    ) -> _Response:
        await self.connect(seconds)
        try:
            with self._told_of_close():
                return await method(request, timeout=seconds, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self.explain(error) from None

    @contextlib.contextmanager
    def _told_of_close(self) -> Iterator[None]:
        """Turn what waiting calls end with when the channel is closed into our own error.

        asyncio's would tell the task that it is cancelled, which it is not.
        """
        try:
            yield
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._closed and (task is None or not task.cancelling()):
                raise _cancelled(self._target.address) from None
            raise


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
        # Whoever is cancelled while it reads from a call cancels the call; so only this task reads.
        self._reader = asyncio.create_task(self._take_answers())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            # So that the server does not take it for given up.
            await self.half_close()
            await asyncio.wait({self._reader}, timeout=GOODBYE_SECONDS)
        self.cancel()

    async def send(self, request: _Request) -> None:
        """Send; waits while the server reads no further. Of a call that failed :meth:`receive` tells."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await self._call.write(request)

    async def half_close(self) -> None:
        """Tell the server that nothing more comes."""
        with contextlib.suppress(grpc.RpcError, asyncio.InvalidStateError):
            await self._call.done_writing()

    async def receive(self, seconds: float | None = None) -> _Response | None:
        """Wait for the next answer; ``None`` if none came within the time. Raises what the call failed with."""
        try:
            async with asyncio.timeout(seconds):
                answer = await self._answers.get()
        except TimeoutError:
            return None
        if isinstance(answer, MergeBaselineError):
            # Nothing will come after it: whoever asks again is told the same.
            self._answers.put_nowait(answer)
            raise answer
        return answer

    def cancel(self) -> None:
        """Give the call up, if it still runs."""
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


def _cancelled(address: str) -> CancelledError:
    return CancelledError(f"the call to {address} was cancelled", address)
