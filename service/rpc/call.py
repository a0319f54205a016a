"""One call from begin to end: what its caller is told when something goes wrong, and what an observer sees of it."""

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

from protos.convert.status import (
    reason_of,
)
from service.call_status import end_with, status_for
from service.rpc.drain import Farewell
from service.telemetry.call_record import CallRecord, Observer
from service.telemetry.request_id import REQUEST_ID, identity_of
from service.work.budget import Share
from service.work_counts import Tally

_log = logging.getLogger("merge_baseline.server")


_telling: set[asyncio.Future[None]] = set()
"""The event loop itself would forget them."""

Context = grpc.aio.ServicerContext[bytes, bytes]


class CallScope:
    """A call in progress.

    When it is over, and its answer sent, what ``ends`` has on it is undone, and ``work`` that still goes on cancelled.
    """

    def __init__(self, method: str, context: Context, observer: Observer, farewell: Farewell) -> None:
        identity = identity_of(context.invocation_metadata())
        self.record = CallRecord(method, request_id=identity.request_id, trace_id=identity.trace_id)
        self.ends = contextlib.ExitStack()
        self.work: asyncio.Future[Any] | None = None
        self._context = context
        self._observer = observer
        self._farewell = farewell
        self._begun = time.monotonic()
        self._connection_end = farewell.end_of(context.peer())
        self._task = asyncio.current_task()
        # Not initial metadata: once those are sent, gRPC clients try a call no more by themselves.
        context.set_trailing_metadata(((REQUEST_ID, identity.request_id),))
        observer.begun(self.record)
        self.ends.callback(self._end)
        # The handler's own end would be too early: the call's status is not sent by then.
        # The stubs want what no function is: a callable with their own name for it.
        context.add_done_callback(cast("Any", lambda _: self.ends.close()))

    def seconds_left(self) -> float | None:
        """Until the deadline; ``None`` without one."""
        return self._context.time_remaining()

    @contextlib.asynccontextmanager
    async def statuses(self) -> AsyncIterator[None]:
        """Turn what is raised inside into the call's status."""
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001  # the boundary: what gets past it would reach the caller as text
            status = status_for(error, self.record.method)
            await self._leave()
            self.record.code, self.record.reason = end_with(status, self._context, self.record.request_id)
        else:
            await self._leave()
            self.record.code = grpc.StatusCode.OK.name

    def give_up(self, share: Share, error: Exception) -> None:
        """End a call whose caller does not read its answers; called while one is being sent.

        The call's task is cancelled, since it hangs in that. The status comes to the caller behind the answers that are
        on their way. These are held, as ``share`` has them, until the caller reads them or goes.
        """
        status = status_for(error, self.record.method)
        sent = rpc_status.to_status(status)
        self.record.code, self.record.reason = sent.code.name, reason_of(status)
        kept = share.moved()

        async def tell() -> None:
            metadata = (*sent.trailing_metadata, (REQUEST_ID, self.record.request_id))
            try:
                await self._context.abort(sent.code, sent.details, metadata)
            except Exception as ended:  # noqa: BLE001  # that it is aborted, or that the caller is gone
                # gRPC keeps it, in a cycle with the frames in its traceback.
                ended.__traceback__ = None
                return
            finally:
                kept.free()

        telling = asyncio.ensure_future(tell())
        _telling.add(telling)
        telling.add_done_callback(_telling.discard)
        if self._task is not None:
            self._task.cancel()

    def count(self, tally: Tally) -> None:
        """Put down what was merged."""
        record = self.record
        record.documents += tally.documents
        record.parts += tally.parts
        record.linked += tally.linked
        record.new += tally.new
        record.chains += tally.chains
        if tally.strategy:
            self._observer.merged(tally)

    async def _leave(self) -> None:
        await self._farewell.linger(
            self.record.sent_bytes, begun=self._begun, end=self._connection_end, seconds_left=self.seconds_left()
        )

    def _end(self) -> None:
        if self.work is not None:
            self.work.cancel()
            # gRPC's context holds the scope, in a cycle: the answer in the work would stay until a garbage collection.
            self.work = None
        self._task = None
        record = self.record
        record.total_seconds = time.monotonic() - self._begun
        if not record.code:
            expired = self._context.time_remaining() == 0
            record.code = (grpc.StatusCode.DEADLINE_EXCEEDED if expired else grpc.StatusCode.CANCELLED).name
        self._observer.ended(record)
