"""The gRPC server: ``merge_baseline.v1.ChainMergeService`` with health checks and reflection.

Handlers connect calls to :mod:`protos.answers`, which works on threads, decoding included, so that the event loop stays
free for other calls. The server opens the port and stops with grace.

No text of a document is ever logged: of a crash, only the exception's class and where in the code it happened.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
import threading
import time
import traceback
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack, cast

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status

from merger.errors import MergeBaselineError, OptionError
from merger.strategies.served import ServedStrategies
from merger.watch import Watch
from protos.answers import StreamAnswers, list_strategies_answer, merge_document_answer, progress_answer
from protos.limits import DEFAULT_MAX_MESSAGE_BYTES
from protos.merge_baseline.v1 import chain_merge_service_pb2
from protos.status import internal_status, status_of

SERVICE: Final = chain_merge_service_pb2.DESCRIPTOR.services_by_name["ChainMergeService"].full_name
DEFAULT_PORT: Final = 50051

_log = logging.getLogger("merge_baseline.server")

_T = TypeVar("_T")
_Ts = TypeVarTuple("_Ts")
_Context = grpc.aio.ServicerContext[bytes, bytes]
_StreamHandler = Callable[[AsyncIterator[bytes], _Context], AsyncIterator[bytes]]


class ServerStartError(MergeBaselineError):
    """The server can't listen where it should; the message says why."""


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How to serve.

    ``port`` 0 takes any free one. ``max_message_bytes`` bounds a message in either direction. ``workers`` is how many
    requests are worked on at a time. After a signal to stop, running calls have ``grace_seconds`` to end. ``enable``
    names the strategies with a backend that are offered, each with its options
    (``corenlp:algorithm=statistical,memory=6G``); with ``warm`` their backends are started before the server takes
    calls, otherwise on first use.
    """

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES
    workers: int = field(default_factory=lambda: max(2, os.cpu_count() or 1))
    grace_seconds: float = 10.0
    enable: tuple[str, ...] = ()
    warm: bool = True

    def __post_init__(self) -> None:
        """Raises :class:`~merger.errors.OptionError` for values out of range."""
        ranges = (
            ("port", self.port, 0, 65535),
            ("max_message_bytes", self.max_message_bytes, 1024, 2**31 - 1),
            ("workers", self.workers, 1, 1024),
            ("grace_seconds", self.grace_seconds, 0, 86400),
        )
        for name, value, low, high in ranges:
            if not low <= value <= high:
                raise OptionError(f"server option {name}: {value} is not a number from {low} to {high}")


class _CallEndedError(Exception):
    """The caller is gone or has stopped waiting."""


class _Call:
    """Tells work when its call is over, and passes on how far it is.

    ``seconds`` is the time left, ``None`` without a deadline. ``progress`` may be called from any thread.
    """

    def __init__(self, seconds: float | None, progress: Callable[[str, int, int], None] | None = None) -> None:
        self._cancelled = threading.Event()
        deadline = None if seconds is None else time.monotonic() + seconds
        self.watch = Watch(deadline, self._check) if progress is None else Watch(deadline, self._check, progress)

    def cancel(self) -> None:
        self._cancelled.set()

    def _check(self) -> None:
        if self._cancelled.is_set() or self.watch.remaining() == 0:
            raise _CallEndedError


class _Handlers:
    """The methods of the service. Messages come and go as bytes, since work decodes and encodes them."""

    def __init__(self, strategies: ServedStrategies, workers: ThreadPoolExecutor) -> None:
        self._strategies = strategies
        self._workers = workers

    def for_grpc(self) -> grpc.GenericRpcHandler:
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.stream_stream_rpc_method_handler
        methods: dict[str, grpc.RpcMethodHandler[bytes, bytes]] = {
            "MergeDocument": unary(self._merge_document),
            "MergeStream": stream(self._merge_stream),
            "ListStrategies": unary(self._list_strategies),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def _merge_document(self, request: bytes, context: _Context) -> bytes:
        call = _Call(context.time_remaining())
        try:
            return await self._work(merge_document_answer, self._strategies, request, call.watch)
        except asyncio.CancelledError:
            call.cancel()
            raise

    async def _list_strategies(self, request: bytes, context: _Context) -> bytes:
        return await self._work(list_strategies_answer, self._strategies, request)

    async def _merge_stream(self, requests: AsyncIterator[bytes], context: _Context) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        progress: asyncio.Queue[bytes | None] = asyncio.Queue()

        def tell(stage: str, done: int, total: int) -> None:
            # A closed loop means that the server has stopped and nobody listens.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(progress.put_nowait, progress_answer(stage, done, total))

        call = _Call(context.time_remaining(), tell)
        answers = StreamAnswers(self._strategies, call.watch)
        try:
            async for request in requests:
                work = asyncio.ensure_future(self._work(answers.take, request))
                work.add_done_callback(lambda _: progress.put_nowait(None))
                while (message := await progress.get()) is not None:
                    yield message
                answer = await work
                if answer is not None:
                    yield answer
            yield await self._work(answers.finish)
        finally:
            call.cancel()

    async def _work(self, function: Callable[[Unpack[_Ts]], _T], *arguments: *_Ts) -> _T:
        # Once the call is over, what still waits for a worker is never begun: the future's cancellation sees to that.
        return await asyncio.get_running_loop().run_in_executor(self._workers, function, *arguments)


class _Errors(grpc.aio.ServerInterceptor):
    """Turns what handlers raise into statuses: merger's errors with their details, anything else without."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        handler = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or not method.startswith(f"/{SERVICE}/"):
            return handler
        # The stubs know only the synchronous signatures.
        unary: Callable[[bytes, _Context], Awaitable[bytes]] = cast("Any", handler.unary_unary)
        stream: _StreamHandler = cast("Any", handler.stream_stream)

        async def call(request: bytes, context: _Context) -> bytes:
            async with _statuses(method, context):
                return await unary(request, context)

        async def talk(requests: AsyncIterator[bytes], context: _Context) -> AsyncIterator[bytes]:
            async with _statuses(method, context):
                async for answer in stream(requests, context):
                    yield answer

        if handler.response_streaming:
            return grpc.stream_stream_rpc_method_handler(talk)
        return grpc.unary_unary_rpc_method_handler(call)


@contextlib.asynccontextmanager
async def _statuses(method: str, context: _Context) -> AsyncIterator[None]:
    try:
        yield
    except _CallEndedError:
        await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "given up: the deadline passed")
    except MergeBaselineError as error:
        status = rpc_status.to_status(status_of(error))
        await context.abort(status.code, status.details, status.trailing_metadata)
    except Exception as error:  # noqa: BLE001  # the boundary: what gets past it would reach the caller as text
        error_id = uuid.uuid4().hex[:12]
        # Neither the exception's text nor a usual traceback: both may quote the document.
        frames = traceback.extract_tb(error.__traceback__)
        where = " < ".join(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames))
        _log.error("error %s: %s in %s at %s", error_id, type(error).__qualname__, method, where)
        status = rpc_status.to_status(internal_status(error_id))
        await context.abort(status.code, status.details, status.trailing_metadata)


class MergeServer:
    """A server on the running event loop."""

    def __init__(self, options: ServerOptions | None = None) -> None:
        self._options = options or ServerOptions()
        self._strategies = ServedStrategies(self._options.enable)
        self._workers = ThreadPoolExecutor(self._options.workers, thread_name_prefix="merge")
        self._health = health.aio.HealthServicer()
        self._server: grpc.aio.Server | None = None

    async def start(self) -> str:
        """Listen and serve; the address, ``HOST:PORT``. Raises :class:`ServerStartError`."""
        options = self._options
        _try_to_bind(options.host, options.port)
        if options.warm:
            await asyncio.to_thread(self._strategies.warm, Watch())
        server = grpc.aio.server(
            interceptors=[_Errors()],
            options=[
                # Without this a second server would share the port in silence.
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", options.max_message_bytes),
                ("grpc.max_send_message_length", options.max_message_bytes),
            ],
        )
        server.add_generic_rpc_handlers([_Handlers(self._strategies, self._workers).for_grpc()])
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection([SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
        host = f"[{options.host}]" if ":" in options.host else options.host
        try:
            port = server.add_insecure_port(f"{host}:{options.port}")
        except RuntimeError as error:
            raise ServerStartError(f"can't listen on {host}:{options.port}") from error
        await server.start()
        await self._health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
        self._server = server
        _log.info("serving on %s:%d", host, port)
        return f"{host}:{port}"

    async def stop(self) -> None:
        """Say NOT_SERVING, take no more calls, let running ones end for the grace, then cancel them."""
        await self._health.enter_graceful_shutdown()
        if self._server is not None:
            await self._server.stop(self._options.grace_seconds)
            _log.info("stopped")
        self._workers.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(self._strategies.close)


def _try_to_bind(host: str, port: int) -> None:
    # gRPC only says that binding failed; the system says why.
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            if os.name == "posix":
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        hint = " (another program listens there; port 0 takes any free one)" if error.errno == errno.EADDRINUSE else ""
        raise ServerStartError(f"can't listen on {host}:{port}: {error.strerror}{hint}") from error


async def _serve(options: ServerOptions | None, on_ready: Callable[[str], None], stopped: Awaitable[object]) -> None:
    server = MergeServer(options)
    try:
        on_ready(await server.start())
        await stopped
    finally:
        await server.stop()


def serve(options: ServerOptions | None = None, *, on_ready: Callable[[str], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT, then stop with grace; a second signal ends the process at once.

    ``on_ready`` is called with the address, ``HOST:PORT``, once the server takes calls. Call it in the main thread.
    Raises :class:`ServerStartError` if the server can't listen there.
    """

    async def main() -> None:
        loop = asyncio.get_running_loop()
        stop: asyncio.Future[None] = loop.create_future()

        def on_signal(number: int) -> None:
            _log.info("signal %d: stopping", number)
            stop.set_result(None)
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(each)

        # Where loops take no signal handlers (Windows), Ctrl-C cancels this task, which stops the server too.
        with contextlib.suppress(NotImplementedError):
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(each, on_signal, each)
        await _serve(options, on_ready or (lambda _: None), stop)

    asyncio.run(main())


@contextlib.contextmanager
def background(options: ServerOptions | None = None) -> Iterator[str]:
    """A server on a thread of this process, for demos and tests; the address, ``HOST:PORT``.

    Raises :class:`ServerStartError` if the server can't listen there.
    """
    ready: Future[str] = Future()
    stop: Future[object] = Future()

    async def until_stopped() -> None:
        await _serve(options, ready.set_result, asyncio.wrap_future(stop))

    def main() -> None:
        try:
            asyncio.run(until_stopped())
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)

    thread = threading.Thread(target=main, name="merge-server")
    thread.start()
    try:
        yield ready.result()
    finally:
        stop.set_result(None)
        thread.join()
