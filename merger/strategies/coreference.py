"""The coreference pass (LongtoNotes 3.2): a system runs over the document, and its clusters link the chains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from merger.backends.base import Backend
from merger.backends.corenlp.backend import CoreNLPBackend
from merger.backends.link_policies import POLICIES, LinkMapper
from merger.backends.mention_matching import MATCHINGS, match_mentions
from merger.backends.precomputed import PrecomputedBackend
from merger.backends.stanza.backend import StanzaBackend
from merger.decisions.model import Decision, MergedChains
from merger.document import Chain, Document, Part
from merger.errors import OptionError
from merger.notices import Notice
from merger.options import Option, OptionValue
from merger.progress import WorkContext
from merger.strategies.base import Run, Strategy

PASSES = ("whole", "incremental")

MAPPING_OPTIONS = (
    Option(
        "policy",
        "majority-one-to-one",
        "how clusters link chains: majority (to the earlier chain with the most links, a link being a pair of mentions "
        "in one cluster), majority-one-to-one (and only one chain of a part to an earlier chain), any-link (to "
        "everything that shares a link)",
        choices=POLICIES,
    ),
    Option(
        "mentions",
        "exact",
        "how given mentions match predicted ones: exact (the same tokens), head (or else the same head token), overlap "
        "(or else the most common tokens)",
        choices=MATCHINGS,
    ),
    Option(
        "pass",
        "whole",
        "what the system sees: whole (the whole document, once), incremental (the parts so far, once for every part)",
        choices=PASSES,
    ),
    Option("within-part", False, "with policy=any-link: join chains of one part too"),
)


class CoreferenceStrategy(Strategy):
    """Merges by the clusters of a backend. Subclasses name the backend."""

    backend_class: ClassVar[type[Backend]]

    def __init__(self, options: Mapping[str, OptionValue] | None = None, backend: Backend | None = None) -> None:
        """``backend`` is a shared one that stays open; without it the strategy has its own, closed with it.

        Raises :class:`~merger.errors.OptionError` for an unknown option or a bad value.
        """
        super().__init__(options)
        own = {option.name: self.values[option.name] for option in self.backend_class.options}
        self._owns_backend = backend is None
        self._backend = self.backend_class(own) if backend is None else backend

    @classmethod
    def unavailable(cls) -> str | None:
        return cls.backend_class.unavailable()

    @property
    def signature(self) -> str:
        shown = ",".join(f"{option.name}={option.show(self.values[option.name])}" for option in MAPPING_OPTIONS)
        return f"{self._backend.signature}[{shown}]"

    def start(
        self,
        document: Document | None = None,
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,
    ) -> Run:
        watch = watch or WorkContext()
        if self.values["pass"] == PASSES[1]:
            return _IncrementalRun(self._backend, self.values, document, watch)
        if document is None:
            raise OptionError(
                f"strategy {self.name} with pass=whole needs the whole document; parts that come one by one need "
                "pass=incremental"
            )
        return _WholeRun(self._backend, self.values, document, watch)

    def warm(self, watch: WorkContext | None = None) -> None:
        self._backend.warm(watch or WorkContext())

    @property
    def notices(self) -> Iterable[Notice]:
        return self._backend.notices

    def close(self) -> None:
        if self._owns_backend:
            self._backend.close()


class CoreNLPStrategy(CoreferenceStrategy):
    """Stanford CoreNLP; its deterministic system is the paper's second baseline."""

    name: ClassVar[str] = "corenlp"
    summary: ClassVar[str] = "a coreference pass by Stanford CoreNLP; deterministic is the paper's rule-based system"
    backend_class: ClassVar[type[Backend]] = CoreNLPBackend
    options: ClassVar[tuple[Option, ...]] = (*MAPPING_OPTIONS, *CoreNLPBackend.options)
    operator_options: ClassVar[frozenset[str]] = CoreNLPBackend.operator_options


class StanzaStrategy(CoreferenceStrategy):
    """Stanza's neural model."""

    name: ClassVar[str] = "stanza"
    summary: ClassVar[str] = "a coreference pass by Stanza's neural model, or a local one"
    backend_class: ClassVar[type[Backend]] = StanzaBackend
    options: ClassVar[tuple[Option, ...]] = (*MAPPING_OPTIONS, *StanzaBackend.options)
    operator_options: ClassVar[frozenset[str]] = StanzaBackend.operator_options


class PrecomputedStrategy(CoreferenceStrategy):
    """Any other system's output."""

    name: ClassVar[str] = "precomputed"
    summary: ClassVar[str] = "a coreference pass by any other system, whose clusters are in a file"
    backend_class: ClassVar[type[Backend]] = PrecomputedBackend
    options: ClassVar[tuple[Option, ...]] = (*MAPPING_OPTIONS, *PrecomputedBackend.options)
    operator_options: ClassVar[frozenset[str]] = PrecomputedBackend.operator_options


class _WholeRun(Run):
    def __init__(
        self, backend: Backend, values: Mapping[str, OptionValue], document: Document, watch: WorkContext
    ) -> None:
        self._document = document
        self._matching = str(values["mentions"])
        self._mapper = _mapper(values)
        self._clusters = backend.predict(document, watch)

    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        mentions = [mention for chain in chains for mention in chain.mentions]
        matches = match_mentions(self._document, mentions, self._clusters, self._matching)
        return self._mapper.decide(index, chains, matches, merged)


class _IncrementalRun(Run):
    """Predicts again with every part. Clusters are valid only in their own pass, so all mentions are matched again."""

    def __init__(
        self, backend: Backend, values: Mapping[str, OptionValue], document: Document | None, watch: WorkContext
    ) -> None:
        self._backend = backend
        self._values = values
        self._watch = watch
        self._seen = Document("", ()) if document is None else replace(document, parts=(), chains=())
        self._chains: list[Chain] = []

    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:
        self._seen = replace(self._seen, parts=(*self._seen.parts, part))
        clusters = self._backend.predict(self._seen, self._watch) if index and chains else ()
        mentions = [mention for chain in (*self._chains, *chains) for mention in chain.mentions]
        matches = match_mentions(self._seen, mentions, clusters, str(self._values["mentions"]))
        mapper = _mapper(self._values)
        mapper.learn(self._chains, matches)
        self._chains.extend(chains)
        return mapper.decide(index, chains, matches, merged)


def _mapper(values: Mapping[str, OptionValue]) -> LinkMapper:
    return LinkMapper(str(values["policy"]), within_part=bool(values["within-part"]))
