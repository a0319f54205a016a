"""Merging on a server: the calls of :mod:`merger`, answered elsewhere.

Documents, decisions and errors are those of :mod:`merger`; results are identical to merging in process. grpc is
imported when a :class:`RemoteMerger` is made, not before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Self

from merger.boundaries import with_boundaries_of
from merger.decisions import Decision
from merger.document import Chain, ChainRef, ChainScope, Document, Part, chains_by_part, part_chains
from merger.errors import AnnotationError, InputError, Location, OptionError, UnsupportedError
from merger.merge import PARTS, MergeResult
from merger.notices import Notices
from merger.strategies import OptionValue
from merger.watch import Watch
from protos.limits import DEFAULT_MAX_MESSAGE_BYTES

if TYPE_CHECKING:
    from client.transport import StreamCall
    from merger.strategies import StrategyInfo


@dataclass(frozen=True, slots=True)
class StreamResult:
    """What a stream of parts came to.

    ``chains`` are the merged chains of all parts, ``decisions`` all that were made, in order, ``singletons`` the number
    of one-mention chains that took no part in merging, ``strategy`` the strategy's signature.
    """

    chains: tuple[Chain, ...]
    decisions: tuple[Decision, ...]
    singletons: int
    strategy: str


class RemoteMerger:
    """A merge server. May be used by several threads at a time; close it or use it in a ``with`` statement.

    All methods raise a :class:`~client.errors.RemoteError` if the server can't be used, and for bad requests the
    exceptions that merging in process raises.
    """

    def __init__(
        self,
        address: str,
        *,
        timeout: float | None = 600.0,
        connect_timeout: float = 5.0,
        max_message_bytes: int = DEFAULT_MAX_MESSAGE_BYTES,
    ) -> None:
        """Does not connect yet.

        Args:
            address: ``HOST:PORT``; IPv6 addresses in brackets.
            timeout: seconds that a call may take unless it says otherwise; ``None`` for no limit.
            connect_timeout: seconds to wait for the server to accept the connection.
            max_message_bytes: the largest message to send or take, in bytes; the server has a limit of its own.

        Raises:
            OptionError: the address is not ``HOST:PORT``.
        """
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise OptionError(f"server address {address!r} is not HOST:PORT")
        from client.transport import Connection

        self._timeout = timeout
        self._connection = Connection(address, connect_timeout=connect_timeout, max_message_bytes=max_message_bytes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Cancel running calls and disconnect."""
        self._connection.close()

    def is_serving(self, *, timeout: float | None = None) -> bool:
        """Whether the server says that it is ready to merge."""
        return self._connection.is_serving(self._limit(timeout))

    def strategies(self, *, timeout: float | None = None) -> tuple[StrategyInfo, ...]:
        """The server's strategies, with their options and whether they can run there."""
        from protos.strategies import info_from_message

        response = self._connection.list_strategies(self._limit(timeout))
        return tuple(info_from_message(strategy) for strategy in response.strategies)

    def merge(
        self,
        document: Document,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key: Document | None = None,
        keep_singletons: bool = False,
        notices: Notices | None = None,
        timeout: float | None = None,
    ) -> MergeResult:
        """Merge a document's part chains in one call; as :func:`merger.merge.merge_document`.

        The result's document is the caller's, layout included, with the merged chains. ``timeout`` is in seconds.
        """
        from protos import decisions as wire
        from protos.documents import document_to_message
        from protos.merge_baseline import v1
        from protos.strategies import spec_to_message

        key = None if key is None else with_boundaries_of(document, key)
        with _sendable(document.id):
            request = v1.MergeDocumentRequest(
                document=document_to_message(document),
                strategy=spec_to_message(strategy, options or {}),
                keep_singletons=keep_singletons,
                key=None if key is None else wire.key_to_message(key),
            )
        with _key_named(key):
            response = self._connection.merge_document(request, self._limit(timeout))
        if notices is not None:
            for notice in response.notices:
                wire.add_notice(notice, notices)
        chains = wire.merged_from_messages(response.chains, part_chains(document))
        return MergeResult(
            document.with_chains(chains, ChainScope.DOCUMENT),
            tuple(wire.decision_from_message(decision) for decision in response.decisions),
            response.singletons,
            response.signature,
        )

    def merge_in_parts(
        self,
        document: Document,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        key: Document | None = None,
        keep_singletons: bool = False,
        notices: Notices | None = None,
        watch: Watch | None = None,
        timeout: float | None = None,
    ) -> MergeResult:
        """Do what :meth:`merge` does, sending part after part, for documents larger than a message may be.

        ``watch`` is checked before every part, and is told of the parts done and of slow work on the server.
        """
        watch = watch or Watch()
        by_part = chains_by_part(document)
        key = None if key is None else with_boundaries_of(document, key)
        with self.stream(
            document.id,
            strategy,
            options,
            genre=document.genre,
            key=key,
            keep_singletons=keep_singletons,
            timeout=self._limit(timeout),
        ) as stream:
            for index, (part, chains) in enumerate(zip(document.parts, by_part, strict=True)):
                watch.check()
                stream.add(part, chains, watch)
                watch.progress(PARTS, index + 1, len(document.parts))
            result = stream.finish(notices)
        merged = document.with_chains(result.chains, ChainScope.DOCUMENT)
        return MergeResult(merged, result.decisions, result.singletons, result.strategy)

    def stream(
        self,
        document_id: str,
        strategy: str,
        options: Mapping[str, OptionValue] | None = None,
        *,
        genre: str | None = None,
        key: Document | None = None,
        keep_singletons: bool = False,
        timeout: float | None = None,
    ) -> RemoteStream:
        """Begin to merge a document whose parts come one by one; use the result in a ``with`` statement.

        ``key`` must have the parts that will come. ``timeout`` is for the whole stream, in seconds; ``None``, the
        default, sets no limit. A bad strategy or option is reported by the first :meth:`RemoteStream.add`.
        """
        from protos.decisions import key_to_message
        from protos.merge_baseline import v1
        from protos.strategies import spec_to_message

        with _sendable(document_id):
            setup = v1.MergeStreamSetup(
                document_id=document_id,
                genre=genre,
                strategy=spec_to_message(strategy, options or {}),
                keep_singletons=keep_singletons,
                key=None if key is None else key_to_message(key),
            )
        call = self._connection.merge_stream(timeout)
        call.send(v1.MergeStreamRequest(setup=setup))
        return RemoteStream(call, document_id, key)

    def _limit(self, timeout: float | None) -> float | None:
        return self._timeout if timeout is None else timeout


class RemoteStream:
    """Merges the parts of one document as they come, on a server; as :class:`merger.merge.PartMerger`."""

    def __init__(self, call: StreamCall, document_id: str, key: Document | None) -> None:
        self._call = call
        self._document_id = document_id
        self._key = key
        self._chains: dict[ChainRef, Chain] = {}
        self._decisions: list[Decision] = []
        self._next_part = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Give the stream up, if it is not finished."""
        self._call.cancel()

    def add(self, part: Part, chains: Sequence[Chain], watch: Watch | None = None) -> tuple[Decision, ...]:
        """Send the next part; the decisions on its chains. The chains' mentions carry the part's index.

        ``watch`` is told of slow work on the server.
        """
        from protos.decisions import chains_by_ref, decision_from_message
        from protos.documents import part_to_message
        from protos.merge_baseline import v1

        index = self._next_part
        for chain in chains:
            if any(mention.part != index for mention in chain.mentions):
                message = f"chain {chain.id} has mentions of another part than the one that it is sent with"
                raise AnnotationError(message, Location(document=self._document_id, part=index))
        with _sendable(self._document_id):
            request = v1.MergeStreamRequest(part=part_to_message(part, chains))
        self._call.send(request)
        with _key_named(self._key):
            response = self._call.receive()
            while response.HasField("progress"):
                if watch is not None:
                    watch.progress(response.progress.stage, response.progress.done, response.progress.total)
                response = self._call.receive()
        decisions = tuple(decision_from_message(decision) for decision in response.part.decisions)
        self._chains.update(chains_by_ref(index, chains))
        self._decisions.extend(decisions)
        self._next_part += 1
        return decisions

    def finish(self, notices: Notices | None = None) -> StreamResult:
        """Tell the server that no part follows; what the stream came to."""
        from protos.decisions import add_notice, merged_from_messages

        self._call.half_close()
        with _key_named(self._key):
            summary = self._call.receive().summary
        if notices is not None:
            for notice in summary.notices:
                add_notice(notice, notices)
        chains = merged_from_messages(summary.chains, self._chains)
        return StreamResult(chains, tuple(self._decisions), summary.singletons, summary.signature)


@contextmanager
def _sendable(document_id: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, TypeError) as error:
        place = Location(document=document_id)
        raise UnsupportedError(f"this can't be sent to a server: {error}", place) from error


@contextmanager
def _key_named(key: Document | None) -> Iterator[None]:
    """Put the name of the caller's key in the place of the server's word for it."""
    from protos.decisions import KEY_FILE

    try:
        yield
    except InputError as error:
        if key is not None and error.location.file == KEY_FILE:
            error.location = replace(error.location, file=key.file, document=key.id)
        raise
