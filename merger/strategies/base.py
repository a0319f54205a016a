"""The interface of strategies: the merged chains so far and the next part in, decisions out.

A strategy is configured once and may merge many documents; :meth:`Strategy.start` begins a document and returns a
:class:`Run`, which then decides on one part after the other and sees no later part. Adding a strategy is adding a
module and naming its class in :mod:`merger.strategies`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from merger.decisions.model import Decision, MergedChains
from merger.document import Chain, Document, Part
from merger.errors import Location
from merger.notices import Notice, Notices
from merger.options import Option, OptionValue, parse_options
from merger.progress import WorkContext


class Run(ABC):
    """One document being merged."""

    @abstractmethod
    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:
        """Decide on every chain of the part.

        ``index`` is the part's place in the document, ``chains`` its chains in annotation order with mentions that
        carry this index, ``merged`` the merged chains of the parts before. The result has one decision a chain. The
        first part is decided on too, so that the run sees it; all its chains are new.
        """

    def report(self, notices: Notices, place: Location) -> None:  # noqa: B027  # most runs have nothing to report
        """Record notices about the merged document, which ``place`` names."""

    @property
    def conditions(self) -> str:
        """The suffix of the signature for this document, such as ``+untagged:en``; empty for most."""
        return ""


class Strategy(ABC):
    """A configured way of merging."""

    name: ClassVar[str]
    summary: ClassVar[str]
    options: ClassVar[tuple[Option, ...]] = ()
    operator_options: ClassVar[frozenset[str]] = frozenset()
    """Names of options that concern the file system, connections or processes.

    A server takes them from its operator only, and offers a strategy that has any only if the operator enabled it.
    """
    needs_key: ClassVar[bool] = False
    """Whether :meth:`start` must be given the gold merges."""
    needs_tags: ClassVar[bool] = False
    """Whether sentences must have part-of-speech tags, unless options say otherwise."""

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        """Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value."""
        self.values = parse_options(f"strategy {self.name}", self.options, options or {})

    @abstractmethod
    def start(
        self, document: Document | None = None, key: Document | None = None, watch: WorkContext | None = None
    ) -> Run:
        """Begin a document.

        ``document`` is the whole document if it is known (``None`` on a stream); only some strategies look
        at it. ``key`` are the gold merges. Long work reports to ``watch``, which can end it.
        """

    def conditions(self, documents: Iterable[Document]) -> str:  # noqa: ARG002  # most strategies take all alike
        """The :attr:`Run.conditions` of all these documents together."""
        return ""

    def warm(self, watch: WorkContext | None = None) -> None:  # noqa: B027  # most strategies have nothing to start
        """Start servers and load models, so that the first document does not wait."""

    @property
    def notices(self) -> Iterable[Notice]:
        """Notices about all the work so far, in addition to those of single merges."""
        return ()

    def close(self) -> None:  # noqa: B027  # most strategies have nothing to stop
        """Stop servers and release models."""

    @property
    def signature(self) -> str:
        """Name and options, as printed beside every number: ``greedy[match=noun,tie=recent,...]``."""
        shown = ",".join(
            f"{option.name}={option.show(self.values[option.name])}"
            for option in self.options
            if not option.optional or self.values[option.name] != option.default
        )
        return f"{self.name}[{shown}]" if shown else self.name

    @classmethod
    def unavailable(cls) -> str | None:
        """Why the strategy can't run on this machine, or ``None``."""
        return None
