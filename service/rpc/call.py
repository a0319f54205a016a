"""One call from start to end: its status, its record for observers, and what is released when it is over."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from typing import Any, cast

import grpc
import grpc.aio
from grpc_status import rpc_status

from protos.convert.status import reason_of
from service.call_status import end_with, status_for
from service.rpc.drain import Drain
from service.telemetry.call_record import CallRecord, Observer
from service.telemetry.request_id import REQUEST_ID, call_ids_of
from service.work.budget import Share
from service.work_counts import WorkCounts

_log = logging.getLogger("merge_baseline.server")


_aborting: set[asyncio.Future[None]] = set()
"""The event loop keeps only weak references to tasks."""

Context = grpc.aio.ServicerContext[bytes, bytes]


class CallScope:
    """A call in progress.

    When it is over and its answer is sent, the callbacks on ``ends`` run, and ``work`` is cancelled if it still runs.
    """

    def __init__(self, method: str, context: Context, observer: Observer, drain: Drain) -> None:
        ids = call_ids_of(context.invocation_metadata())
        self.record = CallRecord(method, request_id=ids.request_id, trace_id=ids.trace_id)
        self.ends = contextlib.ExitStack()
        self.work: asyncio.Future[Any] | None = None
        self._context = context
        self._observer = observer
        self._drain = drain
        self._started = time.monotonic()
        self._connection_end = drain.end_of(context.peer())
        self._task = asyncio.current_task()
        # Not as initial metadata: gRPC clients don't retry a call by themselves once they have received those.
        context.set_trailing_metadata(((REQUEST_ID, ids.request_id),))
        observer.started(self.record)
        self.ends.callback(self._end)
        # Not at the end of the handler: the call's status is not sent by then.
        # The stubs expect a type of their own that no function has.
        context.add_done_callback(cast("Any", lambda _: self.ends.close()))

    def seconds_left(self) -> float | None:
        """Seconds until the deadline; ``None`` without one."""
        return self._context.time_remaining()

    @contextlib.asynccontextmanager
    async def statuses(self) -> AsyncIterator[None]:
        """Turn an exception that is raised inside into the call's status."""
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001  # the boundary: beyond it, the caller would get the text
            status = status_for(error, self.record.method)
            await self._leave()
            self.record.code, self.record.reason = end_with(status, self._context, self.record.request_id)
        else:
            await self._leave()
            self.record.code = grpc.StatusCode.OK.name

    def give_up(self, share: Share, error: Exception) -> None:
        """End a call whose caller does not read its answers; call it while an answer is being sent.

        The call's task waits for that, so it is cancelled. The status reaches the caller after the answers that are on
        their way. The bytes of these, which ``share`` holds, stay held until the caller reads them or leaves.
        """
        status = status_for(error, self.record.method)
        sent = rpc_status.to_status(status)
        self.record.code, self.record.reason = sent.code.name, reason_of(status)
        kept = share.transfer()

        async def abort() -> None:
            metadata = (*sent.trailing_metadata, (REQUEST_ID, self.record.request_id))
            try:
                await self._context.abort(sent.code, sent.details, metadata)
            except Exception as ended:  # noqa: BLE001  # the call is aborted, or the caller has left
                # gRPC keeps the exception, in a cycle with the frames in its traceback.
                ended.__traceback__ = None
                return
            finally:
                kept.free()

        aborting = asyncio.ensure_future(abort())
        _aborting.add(aborting)
        aborting.add_done_callback(_aborting.discard)
        if self._task is not None:
            self._task.cancel()

    def count(self, counts: WorkCounts) -> None:
        """Add work that is done to the record."""
        record = self.record
        record.documents += counts.documents
        record.parts += counts.parts
        record.linked += counts.linked
        record.new += counts.new
        record.chains += counts.chains
        if counts.strategy:
            self._observer.merged(counts)

    async def _leave(self) -> None:
        await self._drain.linger(
            self.record.sent_bytes, started=self._started, end=self._connection_end, seconds_left=self.seconds_left()
        )

    def _end(self) -> None:
        if self.work is not None:
            self.work.cancel()
            # gRPC's context holds the scope in a cycle, so the answer would stay in memory until a garbage collection.
            self.work = None
        self._task = None
        record = self.record
        record.total_seconds = time.monotonic() - self._started
        if not record.code:
            expired = self._context.time_remaining() == 0
            record.code = (grpc.StatusCode.DEADLINE_EXCEEDED if expired else grpc.StatusCode.CANCELLED).name
        self._observer.ended(record)
