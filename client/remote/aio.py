"""Merging on a server: :mod:`client.remote.sync` has the calls of :mod:`merger`, :mod:`client.remote.aio` for asyncio.

Documents, decisions and errors are those of :mod:`merger`; results are identical to merging in process. grpc is
imported when a merger is made, not before. ``sync.py`` is generated from ``aio.py`` (``make sync-client``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

from client.remote.retries import Retries
from client.remote.target import RemoteOptions, Target
from merger.decisions.model import Decision
from merger.document import Chain, Document, Part, chains_by_part
from merger.errors import MergeBaselineError
from merger.merge import PARTS, MergeResult
from merger.notices import Notices
from merger.progress import WorkContext
from merger.resegment import with_boundaries_of
from merger.strategies import OptionValue

if TYPE_CHECKING:
    from client.remote.aio_transport import AsyncAttempt, AsyncDocuments, AsyncStreamCall
    from client.remote.document_window import DocumentWindow, Outcome
    from client.remote.messages import MergeSettings, PartMessages, StreamResult
    from merger.strategies import StrategyInfo
    from merger.taggers.base import TaggerInfo
    from protos.merge_baseline import v1

_T = TypeVar("_T")


class AsyncRemoteMerger:
    """A merge server. Close it, or use it in a ``with`` statement (``async with`` for asyncio).

    Several threads can use one merger. A merger for asyncio belongs to one event loop, and any number of the loop's
    tasks can use it; when a task is cancelled, the server gives up the task's call. It should be the only user of gRPC
    on event loops in its process: gRPC sends the events of every loop to all loops, and some of them log an error for
    events that are not theirs.

    All methods raise a :class:`~client.remote.errors.RemoteError` if the server can't be used, and for bad requests the
    exceptions that merging in process raises. Calls that fail for a temporary reason are repeated, as
    :class:`~client.remote.retries.RetryPolicy` says, within the call's timeout. Lost connections are made again.
    """

    def __init__(self, address: str, **options: Unpack[RemoteOptions]) -> None:
        """Does not connect yet, and needs no running event loop.

        Args:
            address: ``HOST:PORT``; IPv6 addresses in brackets.
            options: see :class:`~client.remote.target.RemoteOptions`.

        Raises:
            OptionError: the address is not ``HOST:PORT``, or an option makes no sense.
            OSError: a file for TLS can't be read; an asyncio merger raises it at the first call.
        """
        from client.remote.aio_connection import AsyncConnection

        self._target = Target(address=address, **options)
        self._connection = AsyncConnection(self._target)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Cancel running calls and those that wait for another attempt, and disconnect."""
        await self._connection.close()

    async def is_serving(self, *, timeout: float | None = None) -> bool:
        """Whether the server reports that it is ready to merge. Does not retry."""
        return await self._connection.is_serving(self._target.limit(timeout))

    async def strategies(self, *, timeout: float | None = None) -> tuple[StrategyInfo, ...]:
        """The server's strategies, with their options and whether they can run there."""
        from client.remote.messages import strategies_of

        return strategies_of(await self._with_retries(self._connection.list_strategies, timeout))

    async def taggers(self, *, timeout: float | None = None) -> tuple[TaggerInfo, ...]:
        """The taggers that the server offers to requests that name them."""
        from client.remote.messages import taggers_of

        return taggers_of(await self._with_retries(self._connection.list_strategies, timeout))

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
        timeout: float | None = None,
    ) -> MergeResult:
        """Merge a document's part chains in one call, as :func:`merger.merge.merge_document` does.

        The result's document is the caller's, layout included, with the merged chains. ``timeout`` is in seconds.
        ``tagger`` names one of the server's :meth:`taggers`, which tags the sentences without tags first, or with
        ``retag`` all of them.
        """
        from client.remote.messages import DocumentMessages, MergeSettings

        messages = DocumentMessages(
            document, MergeSettings(strategy, options or {}, keep_singletons, tagger, retag), key
        )
        with messages.errors():
            response = await self._with_retries(
                lambda left: self._connection.merge_document(messages.request, left), timeout
            )
        return messages.result(response, notices)

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
        watch: WorkContext | None = None,
        timeout: float | None = None,
    ) -> MergeResult:
        """Do what :meth:`merge` does, sending part after part, for documents that are too large for one message.

        A part that is too large for one message is sent in chunks. ``watch`` is checked before every part, and reports
        finished parts and slow work on the server. A retry of a broken stream starts again at the first part.
        """
        from client.remote.messages import merged_document

        watch = watch or WorkContext()
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

        return merged_document(document, await self._with_retries(attempt, timeout))

    async def merge_many(
        self,
        documents: AsyncDocuments,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key_of: Callable[[Document], Document | None] | None = None,
        keep_singletons: bool = False,
        tagger: str | None = None,
        retag: bool = False,
        timeout: float | None = None,
        ordered: bool = True,
    ) -> AsyncIterator[Outcome]:
        """Merge many documents over one stream; yields an outcome for each, in the order of the input.

        A document that fails does not end the others. With ``ordered=False`` outcomes come as soon as they are ready.
        At most ``window`` documents (an option of the merger) and ``max_message_bytes`` are held; a document that is
        too large for one message goes by :meth:`merge_in_parts`. ``key_of`` returns a document's gold merges.
        ``timeout`` applies to the work on each document; if no answer at all comes for longer, this raises
        :class:`~client.remote.errors.DeadlineError`. With asyncio, outcomes are handed out while the next document is
        being read; use ``contextlib.aclosing`` if you may not read them all.

        If the connection breaks, documents without an answer are sent again on the next one; attempts count from the
        last answer. What ``documents`` and ``key_of`` raise is raised once all documents before it are done.
        """
        from client.remote.aio_transport import AsyncDocumentSource
        from client.remote.document_window import DocumentWindow
        from client.remote.messages import MergeSettings

        settings = MergeSettings(strategy, options or {}, keep_singletons, tagger, retag)
        limit = self._target.limit(timeout)
        window = DocumentWindow(self._target, settings, limit, ordered=ordered)
        source = AsyncDocumentSource(documents, key_of)
        if not self._connection.reached:
            await self._connection.connect(None)
        try:
            while not window.finished:
                try:
                    async with await self._connection.merge_documents() as call:
                        while not window.finished:
                            await source.step(window, call)
                            await self._merge_large(window, settings, limit)
                            for outcome in window.ready():
                                yield outcome
                except MergeBaselineError as error:
                    await self._connection.sleep(window.stream_broke(error))
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
        timeout: float | None = None,
    ) -> AsyncRemoteStream:
        """Start to merge a document whose parts come one by one; use the result in a ``with`` statement.

        ``key`` must have all parts of the document. ``timeout`` applies to the whole stream, in seconds; ``None``, the
        default, sets no limit. The first :meth:`AsyncRemoteStream.add` raises the error for a bad strategy or option. A
        broken stream is not retried, since the merger does not keep the parts.
        """
        from client.remote.messages import MergeSettings, PartMessages

        settings = MergeSettings(strategy, options or {}, keep_singletons, tagger, retag)
        size = self._target.max_message_bytes
        messages = PartMessages(document_id, settings, genre=genre, key=key, max_message_bytes=size)
        setup = messages.setup()
        call = await self._connection.merge_stream(timeout)
        for message in setup:
            await call.send(message)
        return AsyncRemoteStream(call, messages)

    async def _merge_large(self, window: DocumentWindow, settings: MergeSettings, limit: float | None) -> None:
        for item in window.large():
            with window.merging(item) as merging:
                merging.result = await self.merge_in_parts(
                    item.document,
                    settings.strategy,
                    settings.options,
                    key=item.key,
                    keep_singletons=settings.keep_singletons,
                    tagger=settings.tagger,
                    retag=settings.retag,
                    notices=merging.notices,
                    timeout=limit,
                )

    async def _with_retries(self, call: AsyncAttempt[_T], timeout: float | None) -> _T:
        """Call, and repeat the call as the retry policy says."""
        retries = Retries(self._target.retry, self._target.limit(timeout), self._target.on_retry)
        if not self._connection.reached:
            await self._connection.connect(retries.remaining())
        while True:
            try:
                return await call(retries.remaining())
            except MergeBaselineError as error:
                await self._connection.sleep(retries.delay(error))


class AsyncRemoteStream:
    """Merges the parts of one document as they come, on a server; as :class:`merger.merge.PartMerger`."""

    def __init__(
        self, call: AsyncStreamCall[v1.MergeStreamRequest, v1.MergeStreamResponse], messages: PartMessages
    ) -> None:
        self._call = call
        self._messages = messages

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Cancel the stream, unless it is finished."""
        self._call.cancel()

    async def add(self, part: Part, chains: Sequence[Chain], watch: WorkContext | None = None) -> tuple[Decision, ...]:
        """Send the next part and return the decisions on its chains, whose mentions have the part's index.

        ``watch`` reports slow work on the server.
        """
        for message in self._messages.part(part, chains):
            await self._call.send(message)
        await self._await_answer(watch)
        return self._messages.decisions()

    async def finish(self, notices: Notices | None = None) -> StreamResult:
        """Tell the server that there are no more parts, and return the result."""
        await self._call.half_close()
        await self._await_answer(None)
        return self._messages.result(notices)

    async def _await_answer(self, watch: WorkContext | None) -> None:
        with self._messages.errors():
            while not self._messages.take(await self._call.receive(), watch):
                pass
