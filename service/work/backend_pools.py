"""Where work is done: whole documents, and the parts of streams, each by a crew of its own.

Two crews, so that a stream, whose state is in one worker, never waits behind a document, and so that a worker that is
ended in the middle of a document takes no stream with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.options import ServerOptions
from service.strategies import ServedStrategies
from service.work.executor import Desk
from service.work.pool import Crew
from service.work.process_worker import ProcessWorker
from service.work.queue import DocumentQueue
from service.work.sessions import StreamPool
from service.work.thread_worker import ThreadWorker

USUAL: Final = "usual"
"""The name of the place for strategies without a backend; others have the name of their strategy."""

LARGE_BYTES: Final = 1024 * 1024
"""A larger message is a large document: 75,000 tokens with tags, which take a third of a second."""

BACKEND_LARGE_BYTES: Final = 64 * 1024
"""As :data:`LARGE_BYTES`, for strategies with a backend, which take much longer for as much text."""

_STREAM_SLOTS: Final = 4
_KILL_SECONDS: Final = 2.0
_KILL_STREAM_SECONDS: Final = 10.0
"""Other streams have their state in the same process and must be built again, so it is killed less soon."""


@dataclass(frozen=True, slots=True)
class Place:
    """The crews for documents and for streams."""

    documents: DocumentQueue
    streams: StreamPool

    async def start(self) -> None:
        """Start the crews. Raises :class:`~service.errors.ServerStartError`."""
        # All are waited for: what is left behind half started would not be closed.
        results = await asyncio.gather(self.documents.crew.start(), self.streams.crew.start(), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    @property
    def can_work(self) -> bool:
        """Whether there are workers for documents and for streams."""
        return self.documents.crew.can_work and self.streams.crew.can_work

    def listen(self, listener: Callable[[bool], None]) -> None:
        """Have it told whether there are workers, whenever that may have changed."""
        for crew in (self.documents.crew, self.streams.crew):
            crew.listen(lambda: listener(self.can_work))

    async def close(self) -> None:
        """End the crews and what they have in work."""
        await asyncio.gather(self.documents.crew.close(), self.streams.crew.close())


def process_place(options: ServerOptions) -> Place:
    """Processes: as many for documents as ``workers`` says, and as many for streams."""

    def worker(slots: int, kill_seconds: float) -> ProcessWorker:
        return ProcessWorker(slots, kill_seconds, options.limits, taggers=options.enable_taggers, warm=options.warm)

    documents = Crew(lambda: worker(1, _KILL_SECONDS), options.workers)
    streams = Crew(lambda: worker(_STREAM_SLOTS, _KILL_STREAM_SECONDS), options.workers)
    return _place(options, documents, streams, LARGE_BYTES)


def thread_place(options: ServerOptions, strategies: ServedStrategies) -> Place:
    """A thread of this process for documents, and one for streams."""
    documents = Crew(lambda: ThreadWorker(Desk(strategies, options.limits), 1, "documents"), 1)
    streams = Crew(lambda: ThreadWorker(Desk(strategies, options.limits), 1, "streams"), 1)
    return _place(options, documents, streams, LARGE_BYTES)


def backend_place(options: ServerOptions, strategies: ServedStrategies) -> Place:
    """Threads of this process that wait for backends, which all of them share."""
    slots = options.backend_threads
    documents = Crew(lambda: ThreadWorker(Desk(strategies, options.limits), slots, "backend-documents"), 1)
    streams = Crew(lambda: ThreadWorker(Desk(strategies, options.limits), slots, "backend-streams"), 1)
    return _place(options, documents, streams, BACKEND_LARGE_BYTES)


def _place(options: ServerOptions, documents: Crew, streams: Crew, large_bytes: int) -> Place:
    return Place(
        DocumentQueue(documents, options.queue, large_bytes), StreamPool(streams, options.replay_bytes, large_bytes)
    )
