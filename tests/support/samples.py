"""Documents to merge, strategies to try, and strategies that misbehave."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from itertools import product
from typing import ClassVar

from hypothesis import strategies as st

from merger.decisions.model import Decision, MergedChains, apply_decisions
from merger.document import Chain, ChainRef, Document, Mention, Part, Sentence, make_chain, make_mention
from merger.progress import WorkContext
from merger.strategies import STRATEGIES, Option, OptionValue, Run, Strategy
from merger.strategies.coreference import CoreferenceStrategy
from tests.support.command_line import PATIENCE

Spec = tuple[str, dict[str, OptionValue]]


def all_specs() -> list[Spec]:
    """Every strategy that needs no backend, with every choice of every option; numbers at default, lowest, highest."""
    specs = [
        (name, dict(zip([option.name for option in strategy.options], values, strict=True)))
        for name, strategy in STRATEGIES.items()
        if not issubclass(strategy, CoreferenceStrategy)
        for values in product(*(_values(option) for option in strategy.options))
    ]
    # The threshold says something about fuzzy matches only.
    return [spec for spec in specs if spec[1].get("match", "fuzzy") == "fuzzy" or spec[1].get("threshold") == 90.0]


def _values(option: Option) -> Sequence[OptionValue]:
    if isinstance(option.default, bool):
        return (False, True)
    if isinstance(option.default, str):
        return option.choices or (option.default,)
    return (option.default, *(limit for limit in (option.low, option.high) if limit is not None))


def long_document(parts: int) -> Document:
    """A document whose every part has one chain, of two mentions of the same noun."""
    sentence = Sentence(("York", "sleeps"), ("NNP", "VBZ"))
    chains = [Chain("0", (Mention(part, 0, 0, 0), Mention(part, 1, 0, 0))) for part in range(parts)]
    return Document("long", tuple(Part((sentence, sentence), part) for part in range(parts)), tuple(chains))


def wordy_document(count: int) -> Document:
    """A part with so many chains, each answered in about 2 KB: its name is in the chain and in the decision on it."""
    sentence = Sentence(("York", "York"), ("NNP", "NNP"))
    chains = [
        Chain(f"{index}{'x' * 900}", (Mention(0, index, 0, 0), Mention(0, index, 1, 1))) for index in range(count)
    ]
    return Document("wordy", (Part((sentence,) * count),), tuple(chains))


@st.composite
def sentences(draw: st.DrawFn, *, tagged: bool) -> Sentence:
    forms = tuple(
        draw(st.lists(st.sampled_from(("York", "york", "mayor", "mayors", "the", "ß")), min_size=1, max_size=5))
    )
    size = len(forms)

    def column(entries: st.SearchStrategy[str]) -> tuple[str, ...] | None:
        return draw(st.none() | st.tuples(*[entries] * size))

    return Sentence(
        forms,
        xpos=draw(st.tuples(*[st.sampled_from(("NN", "NNP", "DT", ""))] * size)) if tagged else None,
        upos=column(st.sampled_from(("NOUN", "PROPN", "X", ""))) if tagged else None,
        speakers=column(st.sampled_from(("Ann", ""))),
        heads=draw(st.none() | st.tuples(*[st.integers(-1, size - 1)] * size)),
        empty=tuple(sorted(draw(st.sets(st.integers(0, size - 1), max_size=1)))),
    )


@st.composite
def mentions(draw: st.DrawFn, part: int, texts: Sequence[Sentence]) -> Mention:
    sentence = draw(st.integers(0, len(texts) - 1))
    token = st.integers(0, len(texts[sentence]) - 1)
    ends = draw(st.lists(st.tuples(token, token), min_size=1, max_size=2))
    return make_mention(part, sentence, tuple((min(pair), max(pair)) for pair in ends))


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Small documents with everything that the model has.

    Columns present or not, empty nodes, discontinuous mentions, singletons, ids that parts share, parts without
    chains.
    """
    tagged = draw(st.sampled_from((True, True, True, False)))
    parts: list[Part] = []
    chains: list[Chain] = []
    for part in range(draw(st.integers(0, 4))):
        texts = draw(st.lists(sentences(tagged=tagged), min_size=1, max_size=3))
        number = draw(st.integers(1, 3)) + parts[-1].number if parts else draw(st.integers(0, 9))
        parts.append(Part(tuple(texts), number))
        pool = draw(st.lists(mentions(part, texts), max_size=8, unique=True))
        owners = [draw(st.integers(0, 2)) for _ in pool]
        prefix = draw(st.sampled_from(("", f"{part}-")))
        for owner in sorted(set(owners)):
            own = [mention for mention, its_owner in zip(pool, owners, strict=True) if its_owner == owner]
            chains.append(make_chain(f"{prefix}{owner}", own))
    return Document(
        draw(st.sampled_from(("d", ""))), tuple(parts), tuple(chains), genre=draw(st.none() | st.just("news"))
    )


@st.composite
def documents_with_key(draw: st.DrawFn) -> tuple[Document, Document]:
    """A document and gold merges of it."""
    document = draw(documents())
    decisions = []
    seen: list[ChainRef] = []
    for chain in document.chains:
        ref = ChainRef(chain.mentions[0].part, chain.id)
        earlier = [other for other in seen if other.part < ref.part]
        decisions.append(Decision(ref, draw(st.sampled_from([None, *earlier]))))
        seen.append(ref)
    return document, apply_decisions(document, decisions)


class Paced(Strategy):
    """Takes 20 ms a part and counts the parts it has seen."""

    name: ClassVar[str] = "paced"
    summary: ClassVar[str] = "slow"
    parts_seen: ClassVar[int] = 0
    begun: ClassVar[threading.Event] = threading.Event()

    def start(
        self,
        document: Document | None = None,  # noqa: ARG002
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,  # noqa: ARG002  # needs neither
    ) -> Run:
        Paced.parts_seen = 0
        Paced.begun.clear()
        return _PacedRun()


class _PacedRun(Run):
    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        time.sleep(0.02)
        Paced.parts_seen += 1
        Paced.begun.set()
        return [Decision(ChainRef(index, chain.id)) for chain in chains]


class Held(Strategy):
    """Works on its first part until it is let go."""

    name: ClassVar[str] = "held"
    summary: ClassVar[str] = "slow"
    begun: ClassVar[threading.Event] = threading.Event()
    let_go: ClassVar[threading.Event] = threading.Event()

    def start(
        self,
        document: Document | None = None,  # noqa: ARG002
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,  # noqa: ARG002  # needs neither
    ) -> Run:
        return _HeldRun()


class _HeldRun(Run):
    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        Held.begun.set()
        assert Held.let_go.wait(5 * PATIENCE)
        return [Decision(ChainRef(index, chain.id)) for chain in chains]


class Telling(Strategy):
    """Tells twice for every part how far it is."""

    name: ClassVar[str] = "telling"
    summary: ClassVar[str] = "slow"

    def start(
        self,
        document: Document | None = None,  # noqa: ARG002
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,  # needs neither
    ) -> Run:
        assert watch is not None
        return _TellingRun(watch)


class _TellingRun(Run):
    def __init__(self, watch: WorkContext) -> None:
        self._watch = watch

    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        for step in (1, 2):
            self._watch.progress("look", step, 2)
        return [Decision(ChainRef(index, chain.id)) for chain in chains]


class Crashing(Strategy):
    """Has a bug: fails with a word of the document in its exception."""

    name: ClassVar[str] = "crashing"
    summary: ClassVar[str] = "broken"

    def start(
        self,
        document: Document | None = None,  # noqa: ARG002
        key: Document | None = None,  # noqa: ARG002
        watch: WorkContext | None = None,  # noqa: ARG002  # needs neither
    ) -> Run:
        return _CrashingRun()


class _CrashingRun(Run):
    def decide(self, index: int, part: Part, chains: Sequence[Chain], merged: MergedChains) -> list[Decision]:  # noqa: ARG002
        raise KeyError(part.sentences[0].forms[0])


class Absent(Strategy):
    """Can't run here."""

    name: ClassVar[str] = "absent"
    summary: ClassVar[str] = "needs a part that is not installed"

    def start(
        self, document: Document | None = None, key: Document | None = None, watch: WorkContext | None = None
    ) -> Run:
        raise NotImplementedError

    @classmethod
    def unavailable(cls) -> str | None:
        return "its model is not installed"
