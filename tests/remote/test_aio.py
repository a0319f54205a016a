"""The asyncio client: results as in process, time limits, cancellation, reconnecting."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from client.remote.aio import AsyncRemoteMerger
from client.remote.errors import CancelledError, DeadlineError, UnreachableError
from client.remote.retries import NO_RETRIES
from client.remote.sync import RemoteMerger
from client.remote.target import Target
from merger.document import ChainRef, Document
from merger.errors import MergeBaselineError, OptionError
from merger.merge import MergeResult, merge_document
from merger.notices import Notice, Notices
from merger.progress import WorkContext
from merger.strategies import make_strategy
from tests.support.command_line import NOWHERE, PATIENCE
from tests.support.one_worker import Server, one_worker
from tests.support.peers import Restarted
from tests.support.running_server import needs_proc, soon, stopped
from tests.support.samples import documents_with_key, long_document

Outcome = tuple[MergeResult, list[Notice]] | tuple[type[MergeBaselineError], str]


@pytest.fixture
def narrow() -> Iterator[Server]:
    """A server whose one worker for documents is held: none gets done until that is ended by force."""
    with one_worker() as server, stopped(server.worker):
        yield server


async def outcome(merge: Callable[[Notices], Awaitable[MergeResult]]) -> Outcome:
    notices = Notices()
    try:
        return await merge(notices), list(notices)
    except MergeBaselineError as error:
        return type(error), str(error)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(pair=documents_with_key(), strategy=st.sampled_from(["none", "greedy", "oracle"]), keep=st.booleans())
def test_generated_documents_merge_as_in_process(
    *, address: str, pair: tuple[Document, Document], strategy: str, keep: bool
) -> None:
    document, key = pair

    async def local(notices: Notices) -> MergeResult:
        return merge_document(document, make_strategy(strategy), key=key, keep_singletons=keep, notices=notices)

    async def main() -> None:
        async with AsyncRemoteMerger(address) as remote:
            expected = await outcome(local)
            for merge in (remote.merge, remote.merge_in_parts):
                found = await outcome(
                    lambda notices, merge=merge: merge(  # type: ignore[misc]  # bound now
                        document, strategy, key=key, keep_singletons=keep, notices=notices
                    )
                )
                assert found == expected

    asyncio.run(main())


def test_it_lists_the_strategies_as_the_other_client_does(address: str) -> None:
    async def main() -> None:
        async with AsyncRemoteMerger(address) as remote:
            assert await remote.is_serving()
            with RemoteMerger(address) as other:
                assert await remote.strategies() == other.strategies()

    asyncio.run(main())


def test_decisions_on_a_part_arrive_before_the_next_part_exists(address: str) -> None:
    document = long_document(2)

    async def main() -> None:
        async with AsyncRemoteMerger(address) as remote:
            async with await remote.stream("d", "greedy") as stream:
                (first,) = await stream.add(document.parts[0], document.chains[:1])
                assert first.antecedent is None
                (second,) = await stream.add(document.parts[1], document.chains[1:])
                assert second.antecedent == ChainRef(0, "0")
                result = await stream.finish()
            assert result.decisions == (first, second)
            assert len(result.chains) == 1

    asyncio.run(main())


def test_progress_is_told_part_by_part(address: str) -> None:
    done: list[int] = []
    watch = WorkContext(progress=lambda _stage, count, _total: done.append(count))

    async def main() -> None:
        async with AsyncRemoteMerger(address) as remote:
            await remote.merge_in_parts(long_document(3), "none", watch=watch)

    asyncio.run(main())
    assert done == [1, 2, 3]


async def in_work(narrow: Server) -> None:
    """Wait until the server's worker has a document."""
    await asyncio.to_thread(narrow.wait_for, "in_work", 1)


@needs_proc
def test_a_time_limit_ends_the_call_and_the_work(narrow: Server) -> None:
    async def main() -> None:
        async with AsyncRemoteMerger(narrow.address) as remote:
            # The time is not for connecting.
            assert await remote.is_serving()
            call = asyncio.create_task(remote.merge(long_document(1), "greedy", timeout=10))
            await in_work(narrow)
            with pytest.raises(DeadlineError, match="within the time set"):
                await call
            # There is a worker that is free.
            await remote.merge(long_document(1), "none", timeout=PATIENCE)

    asyncio.run(main())


@needs_proc
def test_a_cancelled_task_takes_its_call_with_it(narrow: Server) -> None:
    async def main() -> None:
        async with AsyncRemoteMerger(narrow.address) as remote:
            task = asyncio.create_task(remote.merge(long_document(1), "greedy"))
            await in_work(narrow)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await remote.merge(long_document(1), "none", timeout=PATIENCE)

    asyncio.run(main())


@needs_proc
def test_a_cancelled_task_takes_its_stream_of_documents_with_it(narrow: Server) -> None:
    async def main() -> None:
        async with AsyncRemoteMerger(narrow.address) as remote:

            async def merge_all() -> None:
                async for _ in remote.merge_many([long_document(1)] * 3, "greedy"):
                    pass

            task = asyncio.create_task(merge_all())
            await in_work(narrow)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await remote.merge(long_document(1), "none", timeout=PATIENCE)

    asyncio.run(main())


@needs_proc
def test_asyncios_own_timeout_works_too(narrow: Server) -> None:
    async def main() -> None:
        async with AsyncRemoteMerger(narrow.address) as remote:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.5):
                    await remote.merge(long_document(1), "greedy")
            # A part of another document does not wait for it.
            await remote.merge_in_parts(long_document(1), "none", timeout=PATIENCE)

    asyncio.run(main())


@needs_proc
def test_to_close_it_ends_its_calls_with_an_error_of_ours(narrow: Server) -> None:
    async def main() -> None:
        remote = AsyncRemoteMerger(narrow.address)
        task = asyncio.create_task(remote.merge(long_document(1), "greedy"))
        await in_work(narrow)
        await remote.close()
        with pytest.raises(CancelledError):
            await task

    asyncio.run(main())


def test_many_tasks_share_one_client(address: str) -> None:
    documents = [long_document(1 + number % 9) for number in range(60)]

    async def main() -> list[MergeResult]:
        async with AsyncRemoteMerger(address) as remote:
            return await asyncio.gather(*(remote.merge(document, "greedy") for document in documents))

    assert asyncio.run(main()) == [merge_document(document, make_strategy("greedy")) for document in documents]


def test_it_reconnects_to_a_server_that_was_away() -> None:
    document = long_document(2)

    async def main() -> None:
        with Restarted() as server:
            async with AsyncRemoteMerger(server.address, retry=NO_RETRIES, connect_timeout=PATIENCE) as remote:
                expected = await remote.merge(document, "greedy")
                server.kill()
                with pytest.raises(UnreachableError):
                    await remote.merge(document, "greedy", timeout=PATIENCE)
                server.start()
                assert await remote.merge(document, "greedy") == expected

    asyncio.run(main())


def test_a_server_that_was_never_there_is_reported_within_the_connect_timeout() -> None:
    async def main() -> None:
        async with AsyncRemoteMerger(NOWHERE, connect_timeout=0.5) as remote:
            with pytest.raises(UnreachableError, match=r"no server answers at 127\.0\.0\.1:1 within 0\.5 s"):
                await remote.merge(long_document(1), "none")

    # By default it would wait for longer.
    assert soon(lambda: asyncio.run(main()), Target(address=NOWHERE).connect_timeout)


def test_a_bad_address_is_refused_at_once() -> None:
    with pytest.raises(OptionError, match="is not HOST:PORT"):
        AsyncRemoteMerger("nowhere")
