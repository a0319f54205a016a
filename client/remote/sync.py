"""Merging on a server: the calls of :mod:`merger`, answered elsewhere.

Documents, decisions and errors are those of :mod:`merger`; results are identical to merging in process. grpc is
imported when a :class:`RemoteMerger` is made, not before. :mod:`client.remote.aio` has the same for asyncio.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    from client.remote.document_window import Batch, Outcome
    from client.remote.messages import PartsExchange, StreamResult, Wanted
    from client.remote.sync_transport import StreamCall
    from merger.strategies import StrategyInfo
    from merger.taggers.base import TaggerInfo
    from protos.merge_baseline import v1

_T = TypeVar("_T")


class RemoteMerger:
    """A merge server. May be used by several threads at a time; close it or use it in a ``with`` statement.

    All methods raise a :class:`~client.remote.errors.RemoteError` if the server can't be used, and for bad requests the
    exceptions that merging in process raises. Calls that fail for a reason that may pass are tried again, as
    :class:`~client.remote.retries.RetryPolicy` says, within the time set for the call; it connects anew by itself.
    """

    def __init__(self, address: str, **options: Unpack[RemoteOptions]) -> None:
        """Does not connect yet.

        Args:
            address: ``HOST:PORT``; IPv6 addresses in brackets.
            options: see :class:`~client.remote.target.RemoteOptions`.

        Raises:
            OptionError: the address is not ``HOST:PORT``, or an option makes no sense.
            OSError: a file for TLS can't be read.
        """
        self._target = Target(address=address, **options)
        from client.remote.sync_transport import Connection

        self._connection = Connection(self._target)
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel running calls, those that wait to be tried again too, and disconnect."""
        self._closed.set()
        self._connection.close()

    def is_serving(self, *, timeout: float | None = None) -> bool:
        """Whether the server says that it is ready to merge. Asks once."""
        return self._connection.is_serving(self._target.limit(timeout))

    def strategies(self, *, timeout: float | None = None) -> tuple[StrategyInfo, ...]:
        """The server's strategies, with their options and whether they can run there."""
        from client.remote.messages import strategies_of

        return strategies_of(self._persist(self._connection.list_strategies, timeout))

    def taggers(self, *, timeout: float | None = None) -> tuple[TaggerInfo, ...]:
        """The taggers that the server offers to requests that name them."""
        from client.remote.messages import taggers_of

        return taggers_of(self._persist(self._connection.list_strategies, timeout))

    def merge(
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
        """Merge a document's part chains in one call; as :func:`merger.merge.merge_document`.

        The result's document is the caller's, layout included, with the merged chains. ``timeout`` is in seconds.
        ``tagger`` names one of the server's :meth:`taggers`, which tags the sentences without tags first, or with
        ``retag`` all of them.
        """
        from client.remote.messages import DocumentExchange, Wanted

        exchange = DocumentExchange(document, Wanted(strategy, options or {}, keep_singletons, tagger, retag), key)
        with exchange.errors():
            response = self._persist(lambda left: self._connection.merge_document(exchange.request, left), timeout)
        return exchange.result(response, notices)

    def merge_in_parts(
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
        timeout: float | None = None,
    ) -> MergeResult:
        """Do what :meth:`merge` does, sending part after part, for documents larger than a message may be.

        A part that is too large for a message goes in chunks. ``watch`` is checked before every part, and is told of
        the parts done and of slow work on the server; from the first part on if a broken stream is tried again.
        """
        from client.remote.messages import merged_document

        watch = watch or Watch()
        by_part = chains_by_part(document)
        key = None if key is None else with_boundaries_of(document, key)

        def attempt(left: float | None) -> StreamResult:
            with self.stream(
                document.id,
                strategy,
                options,
                genre=document.genre,
                key=key,
                keep_singletons=keep_singletons,
                tagger=tagger,
                retag=retag,
                timeout=left,
            ) as stream:
                for index, (part, chains) in enumerate(zip(document.parts, by_part, strict=True)):
                    watch.check()
                    stream.add(part, chains, watch)
                    watch.progress(PARTS, index + 1, len(document.parts))
                return stream.finish(notices)

        return merged_document(document, self._persist(attempt, timeout))

    def merge_many(
        self,
        documents: Iterable[Document],
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key_of: Callable[[Document], Document | None] | None = None,
        keep_singletons: bool = False,
        tagger: str | None = None,
        retag: bool = False,
        timeout: float | None = None,
        ordered: bool = True,
    ) -> Iterator[Outcome]:
        """Merge many documents over one stream; what became of each of them, in the order of the input.

        One that fails does not end the others. With ``ordered=False`` outcomes come as they get ready. No more than
        ``window`` documents (an option of the merger) are held, and no more than ``max_message_bytes``; one that
        is too large for a message goes by :meth:`merge_in_parts`. ``key_of`` gives a document's gold merges.
        ``timeout`` is for the work on each document; no answer at all for longer raises
        :class:`~client.remote.errors.DeadlineError`.

        After the connection broke, what is not answered is sent again on the next one; attempts count from the last
        answer. What ``documents`` and ``key_of`` raise is raised once all documents before it are done.
        """
        from client.remote.document_window import Batch
        from client.remote.messages import Wanted

        wanted = Wanted(strategy, options or {}, keep_singletons, tagger, retag)
        limit = self._target.limit(timeout)
        batch = Batch(self._target, wanted, limit, ordered=ordered)
        source = iter(documents)
        if not self._connection.reached:
            self._connection.connect(None)
        while not batch.finished:
            try:
                with self._connection.merge_documents() as call:
                    while not batch.finished:
                        if batch.wants_document:
                            _read_one(batch, source, key_of)
                        for request in batch.requests():
                            call.send(request)
                        if batch.on_the_wire:
                            answer = call.receive(0 if batch.wants_document else batch.patience())
                            if answer is not None:
                                batch.take(answer)
                            batch.check_silence()
                        self._merge_large(batch, wanted, limit)
                        yield from batch.ready()
            except MergeBaselineError as error:
                self._closed.wait(batch.broke(error))

    def stream(
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
    ) -> RemoteStream:
        """Begin to merge a document whose parts come one by one; use the result in a ``with`` statement.

        ``key`` must have the parts that will come. ``timeout`` is for the whole stream, in seconds; ``None``, the
        default, sets no limit. A bad strategy or option is reported by the first :meth:`RemoteStream.add`. What breaks
        is not tried again, since the parts before are gone.
        """
        from client.remote.messages import PartsExchange, Wanted

        wanted = Wanted(strategy, options or {}, keep_singletons, tagger, retag)
        size = self._target.max_message_bytes
        exchange = PartsExchange(document_id, wanted, genre=genre, key=key, max_message_bytes=size)
        messages = exchange.setup()
        call = self._connection.merge_stream(timeout)
        for message in messages:
            call.send(message)
        return RemoteStream(call, exchange)

    def _merge_large(self, batch: Batch, wanted: Wanted, timeout: float | None) -> None:
        for item in batch.large():
            with batch.settling(item) as settling:
                settling.result = self.merge_in_parts(
                    item.document,
                    wanted.strategy,
                    wanted.options,
                    key=item.key,
                    keep_singletons=wanted.keep_singletons,
                    tagger=wanted.tagger,
                    retag=wanted.retag,
                    notices=settling.notices,
                    timeout=timeout,
                )

    def _persist(self, call: Callable[[float | None], _T], timeout: float | None) -> _T:
        """Call, and call again as the policy says; ``call`` takes the seconds that it has."""
        retries = Retries(self._target.retry, self._target.limit(timeout), self._target.on_retry)
        if not self._connection.reached:
            self._connection.connect(retries.remaining())
        while True:
            try:
                return call(retries.remaining())
            except MergeBaselineError as error:
                self._closed.wait(retries.delay(error))


class RemoteStream:
    """Merges the parts of one document as they come, on a server; as :class:`merger.merge.PartMerger`."""

    def __init__(
        self, call: StreamCall[v1.MergeStreamRequest, v1.MergeStreamResponse], exchange: PartsExchange
    ) -> None:
        self._call = call
        self._exchange = exchange

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Give the stream up, if it is not finished."""
        self._call.cancel()

    def add(self, part: Part, chains: Sequence[Chain], watch: Watch | None = None) -> tuple[Decision, ...]:
        """Send the next part; the decisions on its chains. The chains' mentions carry the part's index.

        ``watch`` is told of slow work on the server.
        """
        for message in self._exchange.part(part, chains):
            self._call.send(message)
        self._await_answer(watch)
        return self._exchange.decisions()

    def finish(self, notices: Notices | None = None) -> StreamResult:
        """Tell the server that no part follows; what the stream came to."""
        self._call.half_close()
        self._await_answer(None)
        return self._exchange.result(notices)

    def _await_answer(self, watch: Watch | None) -> None:
        with self._exchange.errors():
            while not self._exchange.take(self._call.receive(), watch):
                pass


def _read_one(batch: Batch, source: Iterator[Document], key_of: Callable[[Document], Document | None] | None) -> None:
    try:
        document = next(source)
        key = None if key_of is None else key_of(document)
    except StopIteration:
        batch.end()
    except Exception as error:  # noqa: BLE001  # raised again once the documents before it are done
        batch.end(error)
    else:
        batch.add(document, key)
