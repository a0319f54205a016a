"""The lower and upper bound of every score: merge nothing, and merge as in the gold data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from merger.decisions.model import Decision, MergedChains, MergesReader
from merger.document import Chain, ChainRef, Document, Part
from merger.errors import OptionError
from merger.progress import WorkContext
from merger.strategies.base import Run, Strategy


class NoneStrategy(Strategy):
    """Every chain stays by itself: the floor."""

    name: ClassVar[str] = "none"
    summary: ClassVar[str] = "the floor: every part chain stays a chain of its own"

    def start(
        self,
        document: Document | None = None,  # noqa: ARG002
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,  # noqa: ARG002  # needs neither
    ) -> Run:
        return _NewRun()


class _NewRun(Run):
    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        return [Decision(ChainRef(index, chain.id)) for chain in chains]


class OracleStrategy(Strategy):
    """The human decisions: the ceiling."""

    name: ClassVar[str] = "oracle"
    summary: ClassVar[str] = "the ceiling: the gold merges, which must be given"
    needs_key: ClassVar[bool] = True

    def start(
        self,
        document: Document | None = None,  # noqa: ARG002
        key: Document | None = None,
        watch: WorkContext | None = None,  # noqa: ARG002  # the key says all
    ) -> Run:
        if key is None:
            raise OptionError("strategy oracle needs the gold merges (option key)")
        return _KeyRun(key)


class _KeyRun(Run):
    def __init__(self, key: Document) -> None:
        self._reader = MergesReader(key)

    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        return self._reader.decide(index, chains)
