"""Merging on a server, for asyncio: :class:`~client.remote.sync.RemoteMerger` with methods to await.

What goes over the wire and when it is tried again is the same; only the waiting differs.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from client.remote.retries import Retries
from client.remote.target import RemoteOptions, Target
from merger.decisions.model import Decision
from merger.document import Chain, Document, Part, chains_by_part
from merger.errors import MergeBaselineError
from merger.merge import PARTS, MergeResult
from merger.notices import Notices
from merger.progress import Watch
from merger.resegment import with_boundaries_of
from merger.strategies import OptionValue

if TYPE_CHECKING:
    from client.remote.aio_transport import AsyncConnection, AsyncStreamCall
    from client.remote.document_window import Batch, Outcome
    from client.remote.messages import PartsExchange, StreamResult, Wanted
    from merger.strategies import StrategyInfo
    from merger.taggers.base import TaggerInfo
    from protos.merge_baseline import v1

_T = TypeVar("_T")


class AsyncRemoteMerger:
    """A merge server. For one event loop, and any number of its tasks; use it in an ``async with`` statement.

    Raises what :class:`~client.remote.sync.RemoteMerger` raises. A task that is cancelled takes its call with it: the
    server gives up the work. A merger should be the only user of gRPC on event loops in its process: gRPC tells all
    loops of a process of each other's events, and some log an error for those that are not theirs.
    """

    def __init__(self, address: str, **options: Unpack[RemoteOptions]) -> None:
        """Does not connect yet, and needs no running event loop.

        Args:
            address: ``HOST:PORT``; IPv6 addresses in brackets.
            options: see :class:`~client.remote.target.RemoteOptions`.

        Raises:
            OptionError: the address is not ``HOST:PORT``, or an option makes no sense.
        """
        self._target = Target(address=address, **options)
        self._made: AsyncConnection | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Cancel running calls and disconnect."""
        await self._connection.close()

    async def is_serving(self, *, timeout: float | None = None) -> bool:  # noqa: ASYNC109  # the server is told of it
        """Whether the server says that it is ready to merge. Asks once."""
        return await self._connection.is_serving(self._target.limit(timeout))

    async def strategies(self, *, timeout: float | None = None) -> tuple[StrategyInfo, ...]:  # noqa: ASYNC109  # as above
        """The server's strategies, with their options and whether they can run there."""
        from client.remote.messages import strategies_of

        return strategies_of(await self._persist(self._connection.list_strategies, timeout))

    async def taggers(self, *, timeout: float | None = None) -> tuple[TaggerInfo, ...]:  # noqa: ASYNC109  # as above
        """The taggers that the server offers to requests that name them."""
        from client.remote.messages import taggers_of

        return taggers_of(await self._persist(self._connection.list_strategies, timeout))

    async def merge(
        self,
        document: Document,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key: Document | None = None,
        keep_singletons: bool = False,
        tagger: str | None = None,
        retag: bool = False,
        notices: Notices | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # the server is told of it
    ) -> MergeResult:
        """Merge a document's part chains in one call; as :meth:`client.remote.sync.RemoteMerger.merge`."""
        from client.remote.messages import DocumentExchange, Wanted

        exchange = DocumentExchange(document, Wanted(strategy, options or {}, keep_singletons, tagger, retag), key)
        with exchange.errors():
            response = await self._persist(
                lambda left: self._connection.merge_document(exchange.request, left), timeout
            )
        return exchange.result(response, notices)

    async def merge_in_parts(
        self,
        document: Document,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key: Document | None = None,
        keep_singletons: bool = False,
        tagger: str | None = None,
        retag: bool = False,
        notices: Notices | None = None,
        watch: Watch | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # the server is told of it
    ) -> MergeResult:
        """Merge a document part after part; as :meth:`client.remote.sync.RemoteMerger.merge_in_parts`."""
        from client.remote.messages import merged_document

        watch = watch or Watch()
        by_part = chains_by_part(document)
        key = None if key is None else with_boundaries_of(document, key)

        async def attempt(left: float | None) -> StreamResult:
            stream = await self.stream(
                document.id,
                strategy,
                options,
                genre=document.genre,
                key=key,
                keep_singletons=keep_singletons,
                tagger=tagger,
                retag=retag,
                timeout=left,
            )
            async with stream:
                for index, (part, chains) in enumerate(zip(document.parts, by_part, strict=True)):
                    watch.check()
                    await stream.add(part, chains, watch)
                    watch.progress(PARTS, index + 1, len(document.parts))
                return await stream.finish(notices)

        return merged_document(document, await self._persist(attempt, timeout))

    async def merge_many(
        self,
        documents: AsyncIterable[Document] | Iterable[Document],
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key_of: Callable[[Document], Document | None] | None = None,
        keep_singletons: bool = False,
        tagger: str | None = None,
        retag: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109  # the server is told of it
        ordered: bool = True,
    ) -> AsyncIterator[Outcome]:
        """Merge many documents over one stream; as :meth:`client.remote.sync.RemoteMerger.merge_many`.

        Answers are handed out while the next document is waited for. Close what this returns if you don't read it to
        its end (``contextlib.aclosing``).
        """
        from client.remote.document_window import Batch
        from client.remote.messages import Wanted

        wanted = Wanted(strategy, options or {}, keep_singletons, tagger, retag)
        limit = self._target.limit(timeout)
        batch = Batch(self._target, wanted, limit, ordered=ordered)
        source = _Source(documents, key_of)
        if not self._connection.reached:
            await self._connection.connect(None)
        try:
            while not batch.finished:
                try:
                    async with await self._connection.merge_documents() as call:
                        while not batch.finished:
                            await _step(batch, source, call)
                            await self._merge_large(batch, wanted, limit)
                            for outcome in batch.ready():
                                yield outcome
                except MergeBaselineError as error:
                    await asyncio.sleep(batch.broke(error))
        finally:
            source.close()

    async def stream(
        self,
        document_id: str,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        genre: str | None = None,
        key: Document | None = None,
        keep_singletons: bool = False,
        tagger: str | None = None,
        retag: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109  # the server is told of it
    ) -> AsyncRemoteStream:
        """Begin to merge a document whose parts come one by one; as :meth:`client.remote.sync.RemoteMerger.stream`.

        Use the result in an ``async with`` statement.
        """
        from client.remote.messages import PartsExchange, Wanted

        wanted = Wanted(strategy, options or {}, keep_singletons, tagger, retag)
        size = self._target.max_message_bytes
        exchange = PartsExchange(document_id, wanted, genre=genre, key=key, max_message_bytes=size)
        messages = exchange.setup()
        call = await self._connection.merge_stream(timeout)
        for message in messages:
            await call.send(message)
        return AsyncRemoteStream(call, exchange)

    @property
    def _connection(self) -> AsyncConnection:
        # Channels belong to the loop that runs when they are made.
        if self._made is None:
            from client.remote.aio_transport import AsyncConnection

            self._made = AsyncConnection(self._target)
        return self._made

    async def _merge_large(self, batch: Batch, wanted: Wanted, limit: float | None) -> None:
        for item in batch.large():
            with batch.settling(item) as settling:
                settling.result = await self.merge_in_parts(
                    item.document,
                    wanted.strategy,
                    wanted.options,
                    key=item.key,
                    keep_singletons=wanted.keep_singletons,
                    tagger=wanted.tagger,
                    retag=wanted.retag,
                    notices=settling.notices,
                    timeout=limit,
                )

    async def _persist(self, call: Callable[[float | None], Awaitable[_T]], limit: float | None) -> _T:
        """Call, and call again as the policy says; ``call`` takes the seconds that it has."""
        retries = Retries(self._target.retry, self._target.limit(limit), self._target.on_retry)
        if not self._connection.reached:
            await self._connection.connect(retries.remaining())
        while True:
            try:
                return await call(retries.remaining())
            except MergeBaselineError as error:
                await asyncio.sleep(retries.delay(error))


class AsyncRemoteStream:
    """Merges the parts of one document as they come, on a server; as :class:`client.remote.sync.RemoteStream`."""

    def __init__(
        self, call: AsyncStreamCall[v1.MergeStreamRequest, v1.MergeStreamResponse], exchange: PartsExchange
    ) -> None:
        self._call = call
        self._exchange = exchange

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Give the stream up, if it is not finished."""
        self._call.cancel()

    async def add(self, part: Part, chains: Sequence[Chain], watch: Watch | None = None) -> tuple[Decision, ...]:
        """Send the next part; the decisions on its chains. The chains' mentions carry the part's index.

        ``watch`` is told of slow work on the server.
        """
        for message in self._exchange.part(part, chains):
            await self._call.send(message)
        await self._await_answer(watch)
        return self._exchange.decisions()

    async def finish(self, notices: Notices | None = None) -> StreamResult:
        """Tell the server that no part follows; what the stream came to."""
        await self._call.half_close()
        await self._await_answer(None)
        return self._exchange.result(notices)

    async def _await_answer(self, watch: Watch | None) -> None:
        with self._exchange.errors():
            while not self._exchange.take(await self._call.receive(), watch):
                pass


class _Source:
    """Reads documents one at a time, by a task of its own, which goes on while answers are waited for."""

    def __init__(
        self,
        documents: AsyncIterable[Document] | Iterable[Document],
        key_of: Callable[[Document], Document | None] | None,
    ) -> None:
        self._documents = aiter(documents if isinstance(documents, AsyncIterable) else _as_async(documents))
        self._key_of = key_of
        self._next: asyncio.Task[tuple[Document, Document | None]] | None = None

    @property
    def next(self) -> asyncio.Task[tuple[Document, Document | None]]:
        """The task that reads the next document."""
        if self._next is None:
            self._next = asyncio.create_task(self._read())
        return self._next

    def give(self, batch: Batch) -> None:
        """Hand over what the task has read."""
        task, self._next = self.next, None
        error = task.exception()
        if error is None:
            batch.add(*task.result())
        else:
            batch.end(None if isinstance(error, StopAsyncIteration) else error)

    def close(self) -> None:
        """Read no further."""
        if self._next is not None:
            self._next.cancel()

    async def _read(self) -> tuple[Document, Document | None]:
        document = await anext(self._documents)
        return document, None if self._key_of is None else self._key_of(document)


async def _as_async(documents: Iterable[Document]) -> AsyncIterator[Document]:
    for document in documents:
        yield document


async def _step(
    batch: Batch,
    source: _Source,
    call: AsyncStreamCall[v1.MergeDocumentsRequest, v1.MergeDocumentsResponse],
) -> None:
    """Send what is to be sent, and wait for an answer or, where there is room for one, the next document."""
    for request in batch.requests():
        await call.send(request)
    if not batch.wants_document and not batch.on_the_wire:
        return
    waits: set[asyncio.Task[object]] = set()
    answer = asyncio.create_task(call.receive(batch.patience()))
    try:
        waits = {answer} if not batch.wants_document else {answer, source.next}
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if batch.wants_document and source.next.done():
            source.give(batch)
        if answer.done():
            response = answer.result()
            if response is not None:
                batch.take(response)
            batch.check_silence()
    finally:
        answer.cancel()
