"""One call with either client, so that tests can say of both what they say."""

from __future__ import annotations

import asyncio
from typing import Protocol, Unpack

from client.remote.aio import AsyncRemoteMerger
from client.remote.sync import RemoteMerger
from client.remote.target import RemoteOptions
from merger.document import Document
from merger.merge import MergeResult


class Merge(Protocol):
    def __call__(
        self, address: str, document: Document, strategy: str = "none", **options: Unpack[RemoteOptions]
    ) -> MergeResult: ...


def merge_sync(
    address: str, document: Document, strategy: str = "none", **options: Unpack[RemoteOptions]
) -> MergeResult:
    with RemoteMerger(address, **options) as remote:
        return remote.merge(document, strategy)


def merge_async(
    address: str, document: Document, strategy: str = "none", **options: Unpack[RemoteOptions]
) -> MergeResult:
    async def merge() -> MergeResult:
        async with AsyncRemoteMerger(address, **options) as remote:
            return await remote.merge(document, strategy)

    return asyncio.run(merge())


BOTH = [merge_sync, merge_async]
