"""The documents of one MergeDocuments stream: several in progress at a time, each answered as soon as it is ready."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from typing import Final

from google.rpc import code_pb2, status_pb2

from service.call_status import status_for
from service.errors import OverloadedError, RefusedError
from service.rpc.call import CallScope
from service.rpc.envelopes import DocumentRequest, check_id, pack_error, pack_response, unpack_request
from service.rpc.timeouts import Timeouts
from service.security.interceptor import wait_for_turn
from service.work.budget import Share
from service.work.queue import DocumentQueue
from service.work.sessions import Worked

Answer = Callable[[CallScope, Worked], tuple[bytes, ...]]
"""Gets the messages from a result. Raises the error if the result is one."""

_STOPPING: Final = status_pb2.Status(
    code=code_pb2.UNAVAILABLE, message="the server is stopping; send again what is not answered"
)


class DocumentStream:
    """Doesn't read while ``most`` documents are in progress, while an answer waits for its caller, and after a stop."""

    def __init__(
        self,
        scope: CallScope,
        share: Share,
        queue_of: Callable[[bytes], DocumentQueue],
        answer_of: Answer,
        *,
        most: int,
        max_message_bytes: int,
        timeouts: Timeouts,
        taken: Callable[[], None],
    ) -> None:
        """``queue_of`` gives the queue for a MergeDocumentRequest; ``taken`` is called once the budget holds one."""
        self._taken = taken
        self._scope = scope
        self._share = share
        self._queue_of = queue_of
        self._answer_of = answer_of
        self._most = most
        self._max_message_bytes = max_message_bytes
        self._timeouts = timeouts
        self._listening = False
        self._reading: asyncio.Task[bytes | None] | None = None
        self._working: set[asyncio.Task[bytes]] = set()
        self._ids: set[str] = set()
        self._stopped = False
        self._ended = False
        scope.ends.callback(self._cancel)

    def stop(self) -> None:
        """Take no more documents, and end when those in progress are answered."""
        self._stopped = self._ended = True
        if self._reading is not None:
            self._reading.cancel()

    def is_busy(self) -> bool:
        """Whether documents are in progress."""
        return bool(self._working)

    async def answers(self, requests: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """MergeDocumentsResponses, in the order in which they get ready.

        Raises InvalidRequestError for bytes that are no MergeDocumentsRequest, RefusedError after a stop, and
        TimeLimitError if nothing arrives for too long while no document is in progress.
        """
        while True:
            if self._reading is None and not self._ended and len(self._working) < self._most:
                self._reading = asyncio.create_task(self._read(requests))
            waiting: set[asyncio.Task[bytes] | asyncio.Task[bytes | None]] = {*self._working}
            if self._reading is not None:
                waiting.add(self._reading)
            if not waiting:
                break
            idle_seconds = None if self._working else self._timeouts.idle_seconds
            done, _ = await asyncio.wait(waiting, timeout=idle_seconds, return_when=asyncio.FIRST_COMPLETED)
            # If it is not listening, a message has arrived and waits for its turn.
            if not done and self._listening:
                raise self._timeouts.idle()
            if self._reading in done:
                self._take_read()
            for task in [each for each in self._working if each in done]:
                self._working.remove(task)
                answer = task.result()
                self._scope.record.sent_bytes += len(answer)
                yield answer
                self._share.free(len(answer))
        if self._stopped:
            raise RefusedError(_STOPPING)

    async def _read(self, requests: AsyncIterator[bytes]) -> bytes | None:
        self._listening = True
        data = await anext(requests, None)
        self._listening = False
        if data is not None:
            await wait_for_turn()
            self._scope.record.received_bytes += len(data)
            await self._share.hold_in_turn(len(data))
            self._taken()
        return data

    def _take_read(self) -> None:
        reading, self._reading = self._reading, None
        data = None if reading is None or reading.cancelled() else reading.result()
        if data is None:
            self._ended = True
        else:
            self._working.add(asyncio.create_task(self._answer(unpack_request(data), len(data))))

    async def _answer(self, document: DocumentRequest, size: int) -> bytes:
        repeated = document.id in self._ids
        try:
            check_id(document.id, self._ids)
            self._ids.add(document.id)
            answer = self._sendable(pack_response(document.id, await self._timeouts.work(self._merged(document))))
        except Exception as error:  # noqa: BLE001  # the boundary: one document must not end the others
            self._scope.record.failed += 1
            answer = pack_error(document.id, status_for(error, self._scope.record.method).SerializeToString())
        if not repeated:
            self._ids.discard(document.id)
        self._share.free(size)
        self._share.hold(len(answer))
        return answer

    def _sendable(self, answer: bytes) -> bytes:
        if len(answer) > self._max_message_bytes:
            message = f"the answer is a message larger than max ({len(answer)} vs. {self._max_message_bytes})"
            raise RefusedError(status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message=message))
        return answer

    async def _merged(self, document: DocumentRequest) -> bytes:
        limits = [limit for limit in (document.seconds, self._scope.seconds_left()) if limit is not None]
        deadline = time.monotonic() + min(limits) if limits else None
        queue = self._queue_of(document.request)
        # Read now: the next document of the stream may set another.
        kind = self._scope.record.strategy
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            try:
                result, waited = await queue.work(document.request, left, kind)
            except OverloadedError as error:
                # The stream reads no further meanwhile, which makes the caller wait.
                if left is not None and left <= error.retry_seconds:
                    raise
                await asyncio.sleep(error.retry_seconds)
                continue
            (body,) = self._answer_of(self._scope, Worked(result, waited))
            return body

    def _cancel(self) -> None:
        for task in (self._reading, *self._working):
            if task is not None:
                task.cancel()
