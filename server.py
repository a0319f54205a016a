"""The gRPC server: ``merge_baseline.v1.ChainMergeService`` with health checks and reflection.

This module opens the port, starts the workers (:mod:`service`), and stops both gracefully. Work is done in other
processes, so that the event loop stays free for calls and a crash stays in its process.

No text of a document is ever logged: of a crash, only the exception's class and its place in the code.

In a checkout, ``python server.py`` is ``merge-baseline serve``.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from typing import Final

import grpc
import grpc.aio
from grpc_reflection.v1alpha import reflection

from merge_baseline.names import require

require("merger", "protos", "service")

from merger.progress import WorkContext
from service.errors import ServerStartError
from service.listen_address import try_to_bind
from service.open_files import check_open_files
from service.options import DEFAULT_PORT, ServerOptions
from service.rpc.health import SERVICE as HEALTH_SERVICE
from service.rpc.health import Health
from service.rpc.servicer import SERVICE, Handlers
from service.security.interceptor import HEALTH_SLOTS
from service.security.setup import Security
from service.strategies import ServedStrategies
from service.telemetry.call_record import NoObserver, Observer
from service.telemetry.setup import Observability
from service.telemetry.snapshot import Snapshot, take_snapshot
from service.work.backend_pools import USUAL, PoolPair, backend_pools, process_pools, thread_pools
from service.work.backend_supervisor import Supervisor
from service.work.budget import Budget, Slots
from service.work.malloc_trim import Growth, trim_regularly
from service.work.reception import Reception

__all__ = ["DEFAULT_PORT", "SERVICE", "MergeServer", "ServerOptions", "ServerStartError", "background", "serve"]

_KEEPALIVE_MS: Final = 60_000
_KEEPALIVE_ANSWER_MS: Final = 20_000
_CLIENT_PING_MS: Final = 10_000
_LOOKAHEAD_BYTES: Final = 1024 * 1024
_SPARE_CALLS: Final = 128
_FOREVER_MS: Final = 2**31 - 1

_log = logging.getLogger("merge_baseline.server")


class _StartCancelledError(Exception):
    """The server was stopped before it had started."""


class MergeServer:
    """A server on the running event loop."""

    def __init__(
        self,
        options: ServerOptions | None = None,
        *,
        interceptors: Sequence[grpc.aio.ServerInterceptor] = (),
        observer: Observer | None = None,
    ) -> None:
        self._options = options or ServerOptions()
        self._interceptors = interceptors
        self._observer = observer or NoObserver()
        self._observability: Observability | None = None
        self._strategies = ServedStrategies(self._options.enable, self._options.enable_taggers)
        self._health = Health()
        self._pools: dict[str, PoolPair] = {}
        self._budget = Budget(self._options.queue_bytes)
        self._streams = Slots(self._options.streams)
        self._supervisor = Supervisor(self._strategies, self._set_strategy_health, keep_warm=self._options.warm)
        self._handlers: Handlers | None = None
        self._server: grpc.aio.Server | None = None
        self._housekeeping: asyncio.Task[None] | None = None
        self._start_cancelled = threading.Event()

    async def start(self) -> str:
        """Listen and serve. Returns the address, ``HOST:PORT``. Raises :class:`ServerStartError`."""
        options = self._options
        check_open_files(2 * options.workers)
        security = Security(options.security, options.host)
        _check_port(options.host, options.port)
        _check_times(self._strategies, options.max_call_seconds)
        observability = self._observability = Observability(options.observability, self.snapshot, self._observer)
        await self._start_work()
        reception = self._reception()
        handlers = self._handlers = self._make_handlers(reception, observability.observer)
        backends = len(self._strategies.backends)
        waiting = 2 * (options.queue * (1 + backends) + options.streams)
        calls = waiting + options.workers + 2 * options.backend_threads * backends + _SPARE_CALLS
        server = grpc.aio.server(
            interceptors=[
                security.interceptor(observability.observer, reception, calls=calls),
                *observability.interceptors,
                *self._interceptors,
            ],
            options=[
                # Without this, a second server could silently share the port.
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", options.max_message_bytes),
                ("grpc.max_send_message_length", options.max_message_bytes),
                # Per connection, with room for calls to refuse. Running calls are counted over all connections.
                ("grpc.max_concurrent_streams", 2 * (calls + HEALTH_SLOTS)),
                # Bounds how far gRPC reads ahead of a stream's handler. By default it reads hundreds of MiB ahead of a
                # slow handler, more for a faster or more distant caller.
                ("grpc.http2.bdp_probe", 0),
                ("grpc.http2.lookahead_bytes", _LOOKAHEAD_BYTES),
                # Without this, a caller that vanished would keep its stream open for ever.
                ("grpc.keepalive_time_ms", _KEEPALIVE_MS),
                ("grpc.keepalive_timeout_ms", _KEEPALIVE_ANSWER_MS),
                ("grpc.http2.min_ping_interval_without_data_ms", _CLIENT_PING_MS),
                *_connection_age(options.max_connection_age_seconds),
                *security.channel_options(),
            ],
        )
        server.add_generic_rpc_handlers([handlers.for_grpc(), self._health.for_grpc()])
        reflection.enable_server_reflection([SERVICE, HEALTH_SERVICE, reflection.SERVICE_NAME], server)
        host = f"[{options.host}]" if ":" in options.host else options.host
        try:
            port = security.add_port(server, f"{host}:{options.port}")
        except RuntimeError as error:
            raise ServerStartError(f"can't listen on {host}:{options.port}") from error
        await server.start()
        self._set_workers_health(can_work=True)
        self._pools[USUAL].listen(lambda can_work: self._set_workers_health(can_work=can_work))
        self._supervisor.start()
        self._server = server
        self._housekeeping = asyncio.create_task(trim_regularly())
        _log.debug("serving on %s:%d", host, port)
        return f"{host}:{port}"

    def snapshot(self) -> Snapshot:
        """A snapshot of the server in numbers; from any thread."""
        return take_snapshot(self._pools, self._budget, self._streams, self._supervisor)

    def _set_workers_health(self, *, can_work: bool) -> None:
        self._health.set(SERVICE, serving=can_work)
        for name in self._strategies.offered:
            if name not in self._strategies.backends:
                self._health.set(f"{SERVICE}/{name}", serving=can_work)

    def _set_strategy_health(self, name: str, ready: bool) -> None:  # noqa: FBT001  # the supervisor's callback
        self._health.set(f"{SERVICE}/{name}", serving=ready)

    def cancel_start(self) -> None:
        """End a :meth:`start` in progress."""
        self._start_cancelled.set()

    def _check_start(self) -> None:
        if self._start_cancelled.is_set():
            raise _StartCancelledError

    async def stop(self) -> None:
        """Report NOT_SERVING, accept no more calls, give running calls the grace time to end, then cancel them."""
        self._health.stop()
        if self._housekeeping is not None:
            self._housekeeping.cancel()
        if self._handlers is not None:
            self._handlers.stop()
        if self._server is not None:
            await self._server.stop(self._options.grace_seconds)
            _log.info("stopped")
        await self._supervisor.stop()
        await asyncio.gather(*(pair.close() for pair in self._pools.values()))
        await asyncio.to_thread(self._strategies.close)
        if self._observability is not None:
            await self._observability.stop()

    async def _start_work(self) -> None:
        options = self._options
        usual = process_pools(options) if options.workers else thread_pools(options, self._strategies)
        # A pair for each strategy with a backend: a backend that hangs blocks only its own threads.
        special = {name: backend_pools(options, self._strategies) for name in self._strategies.backends}
        self._pools.update({USUAL: usual, **special})
        # Processes are spawned before gRPC has threads.
        for pair in self._pools.values():
            await pair.start()
        if options.warm:
            await asyncio.to_thread(self._strategies.warm, WorkContext(check=self._check_start))
        if options.warm and not options.workers:
            # Worker processes load taggers of their own.
            await asyncio.to_thread(self._strategies.taggers.warm, WorkContext(check=self._check_start))

    def _reception(self) -> Reception:
        # If this process works on documents, its memory does not show the size of messages alone.
        only_messages = self._options.workers > 0 and not self._strategies.backends
        sessions = [pair.streams for pair in self._pools.values()]
        return Reception(
            self._budget,
            self._options.max_message_bytes,
            growth=Growth() if only_messages else None,
            kept=lambda: sum(each.kept_bytes for each in sessions),
        )

    def _make_handlers(self, reception: Reception, observer: Observer) -> Handlers:
        special = {name: pair for name, pair in self._pools.items() if name != USUAL}
        return Handlers(
            self._strategies,
            self._pools[USUAL],
            special,
            budget=self._budget,
            streams=self._streams,
            reception=reception,
            observer=observer,
            options=self._options,
        )


def _connection_age(seconds: float | None) -> list[tuple[str, int]]:
    if seconds is None:
        return []
    # Calls in progress go on without a limit.
    return [("grpc.max_connection_age_ms", int(seconds * 1000)), ("grpc.max_connection_age_grace_ms", _FOREVER_MS)]


def _check_times(strategies: ServedStrategies, most_seconds: float) -> None:
    for name, backends in strategies.backends.items():
        for backend in backends:
            seconds = float(backend.values.get("timeout", 0))
            if seconds > most_seconds:
                raise ServerStartError(
                    f"strategy {name} may take {seconds:g} s for a document (its option timeout), and calls end after "
                    f"{most_seconds:g} s: expected that option max_call_seconds is not below"
                )


def _check_port(host: str, port: int) -> None:
    try:
        try_to_bind(host, port)
    except OSError as error:
        hint = " (another program listens there; port 0 takes any free one)" if error.errno == errno.EADDRINUSE else ""
        raise ServerStartError(f"can't listen on {host}:{port}: {error.strerror}{hint}") from error


async def _serve(options: ServerOptions | None, on_ready: Callable[[str], None], stopped: Awaitable[object]) -> None:
    server = MergeServer(options)
    end = asyncio.ensure_future(stopped)
    starting = asyncio.ensure_future(server.start())
    try:
        # Backends can take minutes to start.
        await asyncio.wait({starting, end}, return_when=asyncio.FIRST_COMPLETED)
        if end.done():
            server.cancel_start()
            # An error of the start no longer matters: Ctrl-C can have ended a worker before it ignored the signal.
            with contextlib.suppress(_StartCancelledError, ServerStartError):
                await starting
        else:
            on_ready(await starting)
            await end
    finally:
        await server.stop()


def serve(options: ServerOptions | None = None, *, on_ready: Callable[[str], None] | None = None) -> None:
    """Serve until SIGTERM or SIGINT, then stop gracefully; a second signal ends the process at once.

    ``on_ready`` is called with the address, ``HOST:PORT``, once the server accepts calls. Call this in the main thread.
    Raises :class:`ServerStartError` if the server can't start.
    """

    async def main() -> None:
        loop = asyncio.get_running_loop()
        stop: asyncio.Future[None] = loop.create_future()

        def on_signal(number: int) -> None:
            _log.info("signal %d: stopping", number)
            stop.set_result(None)
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(each)

        # If the loop has no signal handlers (Windows), Ctrl-C cancels this task, which also stops the server.
        with contextlib.suppress(NotImplementedError):
            for each in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(each, on_signal, each)
        await _serve(options, on_ready or (lambda _: None), stop)

    asyncio.run(main())


@contextlib.contextmanager
def background(options: ServerOptions | None = None) -> Iterator[str]:
    """Run a server on a thread of this process, for demos and tests. Gives the address, ``HOST:PORT``.

    Raises :class:`ServerStartError` if the server can't start.
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


if __name__ == "__main__":
    # The arguments, signals and messages of `merge-baseline serve`.
    from merge_baseline.__main__ import main

    sys.argv[:1] = ["merge-baseline", "serve"]
    main()
